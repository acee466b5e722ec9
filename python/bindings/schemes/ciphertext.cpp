// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/array_protocols.hpp"
#include "bindings/core/arrays.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/schemes/arithmetic.hpp"
#include "bindings/schemes/files.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

// Waits without the lock: other threads of Python need not wait for a device.
void wait_for_words(const Ciphertext& value) {
  const nb::gil_scoped_release unlocked;
  value.bring_to_host();
}

nb::object to_host(const BoundCiphertext& a) {
  wait_for_words(a.value("Ciphertext.to_host"));
  return to_python(a);
}

bool is_on_device(const BoundCiphertext& a) {
  return a.value("Ciphertext.is_on_device").device_memory() != nullptr;
}

nb::object residues(const BoundCiphertext& a) {
  const Ciphertext& value = a.value("Ciphertext.residues");
  wait_for_words(value);
  const std::size_t limbs = value.coeff_modulus_size();
  std::span<std::uint64_t> words;
  const ArrayArgument array = make_array(value.size() * limbs * value.poly_modulus_degree(), words);
  auto position = words.begin();
  for (std::size_t poly = 0; poly < value.size(); ++poly) {
    const ConstResidueView view = value.view(poly);
    for (std::size_t limb = 0; limb < limbs; ++limb) {
      position = std::copy(view.limb(limb).begin(), view.limb(limb).end(), position);
    }
  }
  return array.object.attr("reshape")(value.size(), limbs, value.poly_modulus_degree());
}

std::string describe(const BoundCiphertext& a) {
  const std::string start = repr_start(a.scheme(), "Ciphertext");
  if (a.detached() != nullptr) {
    return start +
           "unpickled, not bound to a context; fingerprint=" + a.fingerprint().substr(0, 16) +
           "... bytes=" + std::to_string(a.detached()->bytes.size()) + ">";
  }
  const Ciphertext& value = a.value("repr");
  return start + "size=" + std::to_string(value.size()) +
         " level=" + std::to_string(a.level("repr")) +
         (a.scheme() == SchemeType::ckks ? " scale=" + scale_text(value.scale()) : "") +
         (value.device_memory() ? " on " + value.device_memory()->name() : "") +
         (a.has_keys() ? ">" : " not bound to a PublicContext>");
}

std::string describe(const BoundPlaintext& p) {
  const std::string start = repr_start(p.workshop->scheme(), "Plaintext");
  if (p.workshop->scheme() != SchemeType::ckks) {
    return start + "coefficients=" + std::to_string(p.value->coeff_count()) + ">";
  }
  return start + "level=" + std::to_string(level_index(*p.workshop, p.value->parms_id())) +
         " scale=" + scale_text(p.value->scale()) + ">";
}

// The content of a pickle: fingerprint and bytes.
using PickledState = std::tuple<std::string, nb::bytes>;

PickledState pickled_state(const BoundCiphertext& a) {
  if (a.detached() != nullptr) {
    const std::string& bytes = a.detached()->bytes;
    return {a.fingerprint(), nb::bytes(bytes.data(), bytes.size())};
  }
  return {a.fingerprint(), ciphertext_to_bytes(a, Compression::none)};
}

// The fingerprint appears in messages, so only hexadecimal digits are allowed.
void check_state(const std::string& fingerprint) {
  const bool is_hexadecimal = std::ranges::all_of(
      fingerprint, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (fingerprint.size() == 64 && is_hexadecimal) return;
  throw_invalid_argument({"Ciphertext.__setstate__", "the bytes hold no fingerprint of a context",
                          "the bytes of a pickled ciphertext", "check where the bytes come from"});
}

void bind_plaintext_base(nb::module_& module) {
  nb::class_<BoundPlaintext> type(
      module, "Plaintext",
      "An encoded message. `encode` of a context makes it, and `decode` reads it.");
  type.def_prop_ro(
          "nbytes", [](const BoundPlaintext& p) { return p.value->byte_count(); },
          "Size of the residues in bytes.")
      .def("__repr__", [](const BoundPlaintext& p) { return describe(p); });
  close_to_arrays(type, "a plaintext");
}

void bind_operators(nb::class_<BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def(
          "__add__", [](A a, nb::handle b) { return add_or_subtract(a, b, Sum::add); }, "other"_a,
          nb::sig("def __add__(self, other: Operand) -> Self"))
      .def(
          "__radd__", [](A a, nb::handle b) { return add_or_subtract(a, b, Sum::add); }, "other"_a,
          nb::sig("def __radd__(self, other: Operand) -> Self"))
      .def(
          "__sub__", [](A a, nb::handle b) { return add_or_subtract(a, b, Sum::subtract); },
          "other"_a, nb::sig("def __sub__(self, other: Operand) -> Self"))
      .def("__rsub__", &subtract_from, "other"_a,
           nb::sig("def __rsub__(self, other: Operand) -> Self"))
      .def("__mul__", &multiply_operator, "other"_a,
           nb::sig("def __mul__(self, other: Operand) -> Self"))
      .def("__rmul__", &multiply_operator, "other"_a,
           nb::sig("def __rmul__(self, other: Operand) -> Self"))
      .def("__rmatmul__", &multiply_matrix, "matrix"_a,
           nb::sig("def __rmatmul__(self, matrix: numpy.typing.NDArray[Any]) -> Self"))
      .def("__pow__", &power, "exponent"_a,
           nb::sig("def __pow__(self, exponent: SupportsIndex) -> Self"))
      .def("__neg__", &negate, nb::sig("def __neg__(self) -> Self"))
      .def("__pos__", [](A a) { return to_python(a); }, nb::sig("def __pos__(self) -> Self"));
  close_to_arrays(type, "a ciphertext");
}

void bind_methods(nb::class_<BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def("add", &add_exactly, "other"_a, nb::sig("def add(self, other: Operand) -> Self"),
           "Returns the sum, without changing levels or scales.\n"
           "\n"
           "Both operands need the same level and, for CKKS, the same scale; numbers are encoded\n"
           "with the level and scale of the ciphertext. Raises InvalidArgument for other\n"
           "operands.")
      .def("subtract", &subtract_exactly, "other"_a,
           nb::sig("def subtract(self, other: Operand) -> Self"),
           "Returns the difference, without changing levels or scales. Limits are those of\n"
           "`add`.")
      .def("square", &square, nb::sig("def square(self) -> Self"),
           "Returns the square, a ciphertext of size 3, without relinearization or rescaling.")
      .def("relinearize", &relinearize, nb::sig("def relinearize(self) -> Self"),
           "Returns the ciphertext brought back to size 2 with the relinearization key. Raises\n"
           "LogicError without that key.")
      .def("mod_switch_to_next", &mod_switch_to_next,
           nb::sig("def mod_switch_to_next(self) -> Self"),
           "Returns the ciphertext one level lower, with the same message and, for CKKS, the\n"
           "same scale.")
      .def("mod_switch_to", &mod_switch_to, "level"_a,
           nb::sig("def mod_switch_to(self, level: int) -> Self"),
           "Returns the ciphertext at a lower level, with the same message and, for CKKS, the\n"
           "same scale. Raises InvalidArgument for a level that it cannot reach.")
      .def("residues", &residues,
           nb::sig("def residues(self) -> numpy.typing.NDArray[numpy.uint64]"),
           "Returns a copy of the residues as an array of shape (polynomials, primes, N). BFV:\n"
           "coefficients; CKKS and BGV: NTT form.")
      .def("to_host", &to_host, nb::sig("def to_host(self) -> Self"),
           "Waits until a device has computed the ciphertext, copies it to the host and returns\n"
           "it.\n"
           "\n"
           "Raises LogicError if anyone could read the result without the key, RuntimeFailure if\n"
           "the device failed.")
      .def(
          "to_bytes",
          [](A a, const std::string& compression) {
            return ciphertext_to_bytes(a, parse_compression(compression, "Ciphertext.to_bytes"));
          },
          nb::kw_only(), "compression"_a = "none",
          "Returns the ciphertext as bytes, for load_ciphertext of a context. The bytes are a\n"
          "file of the C++ library.\n"
          "\n"
          "- compression: \"none\" or \"zstd\".\n"
          "\n"
          "A ciphertext that a SecretContext encrypted has half the size: a seed replaces one\n"
          "of its polynomials.");
}

void bind_ciphertext_properties(nb::class_<BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def_prop_ro(
          "size", [](A a) { return a.value("Ciphertext.size").size(); },
          "Number of polynomials: 2 for a fresh ciphertext, and more after products without\n"
          "relinearization.")
      .def_prop_ro(
          "level", [](A a) { return a.level("Ciphertext.level"); },
          "Level: the number of times that the ciphertext can go one level down.")
      .def_prop_ro(
          "nbytes", [](A a) { return a.value("Ciphertext.nbytes").byte_count(); },
          "Size of the residues in bytes.")
      .def_prop_ro("is_bound", &BoundCiphertext::has_keys,
                   "True if the ciphertext is bound to a PublicContext.")
      .def_prop_ro(
          "is_seeded", [](A a) { return a.seeded() != nullptr; },
          "True if a seed replaces one polynomial. Bytes and pickles of the ciphertext then\n"
          "have half the size. Only ciphertexts that a SecretContext encrypted have a seed;\n"
          "results have none.")
      .def_prop_ro("is_on_device", &is_on_device,
                   "True if a device holds the data, whether or not the host holds it too.")
      .def_prop_ro("fingerprint", &BoundCiphertext::fingerprint,
                   "Fingerprint of the contexts to which the ciphertext belongs.")
      .def("__getstate__", &pickled_state)
      .def(
          "__copy__", [](A a) { return to_python(a); }, nb::sig("def __copy__(self) -> Self"))
      .def(
          "__deepcopy__", [](A a, nb::handle) { return to_python(a); }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: object, /) -> Self"))
      .def("__repr__", [](A a) { return describe(a); });
}

void bind_ciphertext_base(nb::module_& module) {
  nb::class_<BoundCiphertext> type(
      module, "Ciphertext",
      "An encrypted message. Immutable.\n"
      "\n"
      "Operators take ciphertexts, plaintexts, arrays and numbers. `*` and `**` multiply,\n"
      "relinearize and go one level down: CKKS rescales; BGV switches the modulus after a\n"
      "product of two ciphertexts if a level is left; BFV stays at its level. CKKS raises\n"
      "InvalidArgument if no level is left.\n"
      "`matrix @ x` multiplies an m x n array by the first n slots; the result has m slots,\n"
      "then zeros.\n"
      "If two ciphertexts have different levels, the higher one goes down by itself. In\n"
      "CKKS each level l has one scale D_l: the scale of the parameters at the top, and\n"
      "D_(l-1) = D_l^2 / q_l below, exactly. An operator refuses a ciphertext or plaintext\n"
      "with another scale if its level or scale differs from that of the other operand.\n"
      "Methods such as add, multiply, relinearize and rescale do one step each: the step in\n"
      "their name.\n"
      "\n"
      "Both operands must be bound to one PublicContext. A fresh ciphertext of a\n"
      "SecretContext is not bound yet. An operation binds it to the context of the other\n"
      "operand, or public.bind() binds it.\n"
      "A pickle holds the ciphertext and the fingerprint of its context, but no keys. Bind\n"
      "an unpickled ciphertext with public.bind().");
  bind_operators(type);
  bind_methods(type);
  bind_ciphertext_properties(type);
}

// Adds the methods of one scheme beyond the common ones.
template <SchemeType kScheme>
void bind_special(nb::class_<CiphertextOf<kScheme>, BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def(
          "multiply", [](A a, nb::handle other) { return multiply(a, other, std::nullopt); },
          "other"_a, nb::sig("def multiply(self, other: Operand) -> Self"),
          "Returns the product, without relinearization: the product of two ciphertexts has\n"
          "size 3.")
      .def("rotate_rows", &rotate_rows, "steps"_a,
           nb::sig("def rotate_rows(self, steps: int) -> Self"),
           "Rotates the slots of each row by `steps`, cyclically: slot j takes the value of slot\n"
           "j + steps.\n"
           "\n"
           "- steps: |steps| < N/2. In NumPy: numpy.roll(x.reshape(2, -1), -steps, axis=1).\n"
           "\n"
           "A rotation without its own key is composed of rotations by powers of two. Raises\n"
           "InvalidArgument if a key is missing, LogicError if the PublicContext has no Galois\n"
           "keys at all.")
      .def("rotate_slots", &rotate_slots, "steps"_a, "dimension"_a = 0,
           nb::sig("def rotate_slots(self, steps: int, dimension: int = 0) -> Self"),
           "Rotates slots of bits along one dimension, cyclically: place j takes the value of\n"
           "place j + steps.\n"
           "\n"
           "In NumPy: numpy.roll(x.reshape(context.slot_shape), -steps, axis=dimension).")
      .def("swap_rows", &swap_rows, nb::sig("def swap_rows(self) -> Self"),
           "Returns the ciphertext with its two rows of slots exchanged.");
}

void bind_special(nb::class_<CiphertextOf<SchemeType::ckks>, BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def("multiply", &multiply, "other"_a, "scale"_a = nb::none(),
           nb::sig("def multiply(self, other: Operand, scale: float | None = None) -> Self"),
           "Returns the product, without relinearization and rescaling. The scales multiply; the\n"
           "product of two ciphertexts has size 3.\n"
           "\n"
           "- scale: scale at which numbers are encoded; by default that of the parameters.")
      .def("rescale", &rescale, nb::sig("def rescale(self) -> Self"),
           "Divides the ciphertext by the last prime of its level and returns it one level\n"
           "lower. The scale is divided by this prime too.")
      .def("rotate", &rotate, "steps"_a, nb::sig("def rotate(self, steps: int) -> Self"),
           "Rotates the slots by `steps`, cyclically: slot j takes the value of slot j + steps,\n"
           "as numpy.roll(x, -steps).\n"
           "\n"
           "- steps: |steps| < N/2.\n"
           "\n"
           "A rotation without its own key is composed of rotations by powers of two. Raises\n"
           "InvalidArgument if a key is missing, LogicError if the PublicContext has no Galois\n"
           "keys at all.")
      .def("conjugate", &conjugate, nb::sig("def conjugate(self) -> Self"),
           "Returns the complex conjugate of every slot.")
      .def_prop_ro(
          "scale", [](A a) { return a.value("Ciphertext.scale").scale(); },
          "Scale: the factor of the message before rounding to integers.");
}

template <SchemeType kScheme>
void bind_scheme(nb::module_& module) {
  nb::class_<PlaintextOf<kScheme>, BoundPlaintext> plaintext(
      module, (class_prefix(kScheme) + "Plaintext").c_str(),
      "An encoded message. `encode` of a context makes it, and `decode` reads it.");
  if constexpr (kScheme == SchemeType::ckks) {
    plaintext
        .def_prop_ro(
            "level",
            [](const BoundPlaintext& p) { return level_index(*p.workshop, p.value->parms_id()); },
            "Level: the number of times that a ciphertext of this level can be rescaled.")
        .def_prop_ro(
            "scale", [](const BoundPlaintext& p) { return p.value->scale(); },
            "Scale: the factor of the message before rounding to integers.");
  }
  nb::class_<CiphertextOf<kScheme>, BoundCiphertext> type(
      module, (class_prefix(kScheme) + "Ciphertext").c_str(),
      nb::cast<const char*>(module.attr("Ciphertext").attr("__doc__")));
  bind_special(type);
  type.def("__setstate__", [](CiphertextOf<kScheme>& self, const PickledState& state) {
    const auto& [fingerprint, bytes] = state;
    check_state(fingerprint);
    new (&self) CiphertextOf<kScheme>(BoundCiphertext(std::make_shared<const DetachedCiphertext>(
        DetachedCiphertext{kScheme, fingerprint, std::string(bytes.c_str(), bytes.size())})));
  });
}

}  // namespace

void bind_ciphertexts(nb::module_& module) {
  bind_plaintext_base(module);
  bind_ciphertext_base(module);
  bind_scheme<SchemeType::ckks>(module);
  bind_scheme<SchemeType::bfv>(module);
  bind_scheme<SchemeType::bgv>(module);
}

}  // namespace ringlet::python
