// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/array_protocols.hpp"
#include "bindings/core/arrays.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/schemes/arithmetic.hpp"
#include "bindings/schemes/files.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

// Other threads of Python need not wait for a device.
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

// What a pickle holds: fingerprint and bytes.
using PickledState = std::tuple<std::string, nb::bytes>;

PickledState pickled_state(const BoundCiphertext& a) {
  if (a.detached() != nullptr) {
    const std::string& bytes = a.detached()->bytes;
    return {a.fingerprint(), nb::bytes(bytes.data(), bytes.size())};
  }
  return {a.fingerprint(), ciphertext_to_bytes(a, Compression::none)};
}

// The fingerprint appears in messages: nothing but hexadecimal digits gets in.
void check_state(const std::string& fingerprint) {
  const bool is_hexadecimal = std::ranges::all_of(
      fingerprint, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (fingerprint.size() == 64 && is_hexadecimal) return;
  throw_invalid_argument({"Ciphertext.__setstate__", "no fingerprint of a context",
                          "what pickling a ciphertext gave", "check where the bytes come from"});
}

void bind_plaintext_base(nb::module_& module) {
  nb::class_<BoundPlaintext> type(
      module, "Plaintext", "Encoded numbers: made by encode of a context, read by its decode.");
  type.def_prop_ro(
          "nbytes", [](const BoundPlaintext& p) { return p.value->byte_count(); },
          "Bytes of the residues.")
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
           "The sum alone: of one level and, for CKKS, one scale; numbers are encoded to agree.")
      .def("subtract", &subtract_exactly, "other"_a,
           nb::sig("def subtract(self, other: Operand) -> Self"), "The difference alone.")
      .def("square", &square, nb::sig("def square(self) -> Self"), "The square alone, of size 3.")
      .def("relinearize", &relinearize, nb::sig("def relinearize(self) -> Self"), "Back to size 2.")
      .def("mod_switch_to_next", &mod_switch_to_next,
           nb::sig("def mod_switch_to_next(self) -> Self"),
           "One level lower, same message (and scale, for CKKS).")
      .def("mod_switch_to", &mod_switch_to, "level"_a,
           nb::sig("def mod_switch_to(self, level: int) -> Self"),
           "Down to a level, same message (and scale, for CKKS).")
      .def("residues", &residues,
           nb::sig("def residues(self) -> numpy.typing.NDArray[numpy.uint64]"),
           "A copy of the data: polynomials x primes x N; coefficients for BFV, otherwise in NTT "
           "form.")
      .def("to_host", &to_host, nb::sig("def to_host(self) -> Self"),
           "The same ciphertext, once the host has its words: waits for a result that a device is "
           "computing.\nLogicError if anybody could read the result; RuntimeFailure if the device "
           "failed.")
      .def(
          "to_bytes",
          [](A a, const std::string& compression) {
            return ciphertext_to_bytes(a, parse_compression(compression, "Ciphertext.to_bytes"));
          },
          nb::kw_only(), "compression"_a = "none",
          "As bytes, for load_ciphertext of a context; a file of the C++ library. As a "
          "SecretContext encrypted\nit, half the size: a seed stands for one polynomial. "
          "compression: none or zstd.");
}

void bind_ciphertext_properties(nb::class_<BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def_prop_ro(
          "size", [](A a) { return a.value("Ciphertext.size").size(); }, "Number of polynomials.")
      .def_prop_ro(
          "level", [](A a) { return a.level("Ciphertext.level"); },
          "How often it can go one level down.")
      .def_prop_ro(
          "nbytes", [](A a) { return a.value("Ciphertext.nbytes").byte_count(); },
          "Bytes of the residues: what is sent, without a header.")
      .def_prop_ro("is_bound", &BoundCiphertext::has_keys,
                   "True if it is bound to a PublicContext.")
      .def_prop_ro(
          "is_seeded", [](A a) { return a.seeded() != nullptr; },
          "True if it is as a SecretContext encrypted it: its bytes and pickles have half the "
          "size.")
      .def_prop_ro("is_on_device", &is_on_device,
                   "True if a device has its words, whether or not the host has them too.")
      .def_prop_ro("fingerprint", &BoundCiphertext::fingerprint,
                   "The fingerprint of the contexts that it belongs to.")
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
      "An encrypted message. Immutable.\n\nOperators take ciphertexts, plaintexts, arrays and "
      "numbers. `*` and `**` multiply,\nrelinearize and go one level down: CKKS rescales, BGV "
      "switches the modulus after a product\nof two ciphertexts if there is a level left, BFV "
      "stays. Of two ciphertexts at different\nlevels the higher one comes down by itself; for "
      "CKKS by the rule that level l has one scale\nD_l: the parameters' at the top, D_(l-1) = "
      "D_l^2 / q_l below, exactly. Ciphertexts whose scale\nis another one are refused at "
      "different levels or scales, and so are plaintexts. Methods such\nas add, multiply, "
      "relinearize and rescale do exactly what their name says.\nTwo operands must be bound to one "
      "PublicContext; a fresh ciphertext of a SecretContext is\nbound to none and follows the "
      "other operand, or public.bind().\nA pickle holds the ciphertext and the fingerprint of its "
      "context, no keys; what comes out of it\nhas to be bound.");
  bind_operators(type);
  bind_methods(type);
  bind_ciphertext_properties(type);
}

// What a class of one scheme has beyond the common ones.
template <SchemeType kScheme>
void bind_special(nb::class_<CiphertextOf<kScheme>, BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def(
          "multiply", [](A a, nb::handle other) { return multiply(a, other, std::nullopt); },
          "other"_a, nb::sig("def multiply(self, other: Operand) -> Self"),
          "The product alone: that of two ciphertexts has size 3.")
      .def("rotate_rows", &rotate_rows, "steps"_a,
           nb::sig("def rotate_rows(self, steps: int) -> Self"),
           "Slot j of each row takes the value of slot j + steps, cyclically:\n"
           "numpy.roll(x.reshape(2, -1), -steps, axis=1).")
      .def("rotate_slots", &rotate_slots, "steps"_a, "dimension"_a = 0,
           nb::sig("def rotate_slots(self, steps: int, dimension: int = 0) -> Self"),
           "Slots of bits: place j of that dimension takes the value of place j + steps, "
           "cyclically:\nnumpy.roll(x.reshape(context.slot_shape), -steps, axis=dimension).")
      .def("swap_rows", &swap_rows, nb::sig("def swap_rows(self) -> Self"),
           "The two rows in the other order.");
}

void bind_special(nb::class_<CiphertextOf<SchemeType::ckks>, BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def("multiply", &multiply, "other"_a, "scale"_a = nb::none(),
           nb::sig("def multiply(self, other: Operand, scale: float | None = None) -> Self"),
           "The product alone: scales multiply, and that of two ciphertexts has size 3. Numbers "
           "are encoded at `scale`, by default the parameters'.")
      .def("rescale", &rescale, nb::sig("def rescale(self) -> Self"),
           "Divides by the last prime: one level and its bits of scale less.")
      .def("rotate", &rotate, "steps"_a, nb::sig("def rotate(self, steps: int) -> Self"),
           "Slot j takes the value of slot j + steps, cyclically (numpy.roll(x, -steps)).")
      .def("conjugate", &conjugate, nb::sig("def conjugate(self) -> Self"),
           "Complex conjugate of every slot.")
      .def_prop_ro(
          "scale", [](A a) { return a.value("Ciphertext.scale").scale(); },
          "The factor of the encoding.");
}

template <SchemeType kScheme>
void bind_scheme(nb::module_& module) {
  nb::class_<PlaintextOf<kScheme>, BoundPlaintext> plaintext(
      module, (class_prefix(kScheme) + "Plaintext").c_str(),
      "Encoded numbers: made by encode of a context, read by its decode.");
  if constexpr (kScheme == SchemeType::ckks) {
    plaintext
        .def_prop_ro(
            "level",
            [](const BoundPlaintext& p) { return level_index(*p.workshop, p.value->parms_id()); },
            "Rescalings that are left before the last level.")
        .def_prop_ro(
            "scale", [](const BoundPlaintext& p) { return p.value->scale(); },
            "The factor of the encoding.");
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
