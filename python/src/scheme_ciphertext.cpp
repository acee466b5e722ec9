// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "ringlet/error.hpp"
#include "scheme_files.hpp"
#include "scheme_values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

using OptionalScale = std::optional<double>;

// A ciphertext that is not detached, with what it is computed on.
struct Operand {
  SharedWorkshop workshop;
  const Ciphertext& value;
};

Operand operand(const BoundCiphertext& a, const char* operation) {
  return {a.workshop(operation), a.value(operation)};
}

// Runs `compute`, which writes the result, without the interpreter's lock.
template <typename Compute>
BoundCiphertext computed(const SharedWorkshop& workshop, const Compute& compute) {
  const nb::gil_scoped_release unlocked;
  auto result = std::make_shared<Ciphertext>();
  compute(workshop->evaluator(), *result);
  return {workshop, std::shared_ptr<const Ciphertext>(std::move(result))};
}

// Two ciphertexts on one workshop: an unbound one follows the other.
std::pair<BoundCiphertext, BoundCiphertext> together(const BoundCiphertext& a,
                                                     const BoundCiphertext& b,
                                                     const char* operation) {
  const bool follows_b = a.detached() != nullptr || (!a.has_keys() && b.has_keys());
  const SharedWorkshop& workshop = (follows_b ? b : a).workshop(operation);
  check_fingerprint((follows_b ? a : b).fingerprint(), workshop->fingerprint(), operation);
  if (a.has_keys() && b.has_keys() && a.workshop(operation) != b.workshop(operation)) {
    throw_logic_error({operation, "the operands are bound to different PublicContexts",
                       "operands bound to one PublicContext",
                       "call public.bind(ciphertext) on one of them"});
  }
  const nb::gil_scoped_release unlocked;
  return {a.bind_to(workshop, operation), b.bind_to(workshop, operation)};
}

const ContextData& level_of(const Operand& a) {
  return *a.workshop->context().get_context_data(a.value.parms_id());
}

const RelinKeys& relin_keys(const Workshop& workshop, const char* operation) {
  const RelinKeys& keys = workshop.keys(operation).relinearization;
  if (keys.size() == 0) {
    throw_logic_error({operation, "the PublicContext has no relinearization keys",
                       "a PublicContext made with relinearization=True",
                       "make one with secret.public(relinearization=True)"});
  }
  return keys;
}

const GaloisKeys& galois_keys(const Workshop& workshop, const char* operation) {
  const GaloisKeys& keys = workshop.keys(operation).galois;
  if (keys.size() == 0) {
    throw_logic_error({operation, "the PublicContext has no Galois keys",
                       "a PublicContext made with the rotations that are used",
                       "make one with secret.public(rotations=...)"});
  }
  return keys;
}

bool rescales(const Workshop& workshop) { return workshop.scheme() == SchemeType::ckks; }

// The operator's rule: one multiplication, one relinearization, and for CKKS one rescaling. The
// keys are looked up first, so that nothing is computed in vain.
BoundCiphertext multiply_operator(const BoundCiphertext& first, const BoundCiphertext& second) {
  const char* operation = "Ciphertext.__mul__";
  const auto [a, b] = together(first, second, operation);
  const SharedWorkshop& workshop = a.workshop(operation);
  const RelinKeys& keys = relin_keys(*workshop, operation);
  const Ciphertext& x = a.value(operation);
  const Ciphertext& y = b.value(operation);
  return computed(workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.multiply(x, y, result);
    evaluator.relinearize_inplace(result, keys);
    if (rescales(*workshop)) evaluator.rescale_to_next_inplace(result);
  });
}

BoundCiphertext multiply_plain_operator(const Operand& a, const Plaintext& plain) {
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.multiply_plain(a.value, plain, result);
    if (rescales(*a.workshop)) evaluator.rescale_to_next_inplace(result);
  });
}

Plaintext encode_object(const Operand& a, nb::handle object, double scale, const char* operation) {
  const SlotValues values = slot_values(*a.workshop, object, operation);
  const nb::gil_scoped_release unlocked;
  return encode(*a.workshop, values, {a.value.parms_id(), scale});
}

// Numbers are encoded at the scale of the prime that the rescaling drops: the ciphertext's own
// scale is the same before and after.
BoundCiphertext multiply_values_operator(const Operand& a, nb::handle object) {
  const auto scale = static_cast<double>(level_of(a).coeff_modulus().back().value());
  return multiply_plain_operator(a, encode_object(a, object, scale, "Ciphertext.__mul__"));
}

enum class Sum { add, subtract };

const char* name_of(Sum kind) {
  return kind == Sum::add ? "Ciphertext.__add__" : "Ciphertext.__sub__";
}

BoundCiphertext combine(const BoundCiphertext& first, const BoundCiphertext& second, Sum kind) {
  const auto [a, b] = together(first, second, name_of(kind));
  const Ciphertext& x = a.value(name_of(kind));
  const Ciphertext& y = b.value(name_of(kind));
  return computed(a.workshop(name_of(kind)), [&](const Evaluator& evaluator, Ciphertext& result) {
    if (kind == Sum::add) {
      evaluator.add(x, y, result);
    } else {
      evaluator.sub(x, y, result);
    }
  });
}

BoundCiphertext combine_plain(const Operand& a, const Plaintext& plain, Sum kind) {
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    if (kind == Sum::add) {
      evaluator.add_plain(a.value, plain, result);
    } else {
      evaluator.sub_plain(a.value, plain, result);
    }
  });
}

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

// a + b and a - b for any operand b that stands for numbers.
nb::object add_or_subtract(const BoundCiphertext& first, nb::handle other, Sum kind) {
  const char* operation = name_of(kind);
  if (nb::isinstance<BoundCiphertext>(other)) {
    return to_python(combine(first, nb::cast<const BoundCiphertext&>(other), kind));
  }
  if (nb::isinstance<BoundPlaintext>(other)) {
    const Operand a = operand(first, operation);
    const auto& plain = nb::cast<const BoundPlaintext&>(other);
    return to_python(combine_plain(a, plain.value_for(*a.workshop, operation), kind));
  }
  if (!is_numeric(other)) return not_implemented();
  const Operand a = operand(first, operation);
  return to_python(combine_plain(a, encode_object(a, other, a.value.scale(), operation), kind));
}

BoundCiphertext negative(const BoundCiphertext& first) {
  const Operand a = operand(first, "Ciphertext.__neg__");
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.negate(a.value, result);
  });
}

nb::object subtract_from(const BoundCiphertext& a, nb::handle other) {
  if (!is_numeric(other) && !nb::isinstance<BoundPlaintext>(other)) return not_implemented();
  return add_or_subtract(negative(a), other, Sum::add);
}

nb::object multiply_any(const BoundCiphertext& first, nb::handle other) {
  const char* operation = "Ciphertext.__mul__";
  if (nb::isinstance<BoundCiphertext>(other)) {
    return to_python(multiply_operator(first, nb::cast<const BoundCiphertext&>(other)));
  }
  if (nb::isinstance<BoundPlaintext>(other)) {
    const Operand a = operand(first, operation);
    const auto& plain = nb::cast<const BoundPlaintext&>(other);
    return to_python(multiply_plain_operator(a, plain.value_for(*a.workshop, operation)));
  }
  if (!is_numeric(other)) return not_implemented();
  return to_python(multiply_values_operator(operand(first, operation), other));
}

BoundCiphertext multiply_ciphertexts(const BoundCiphertext& first, const BoundCiphertext& second) {
  const char* operation = "Ciphertext.multiply";
  const auto [a, b] = together(first, second, operation);
  const Ciphertext& x = a.value(operation);
  const Ciphertext& y = b.value(operation);
  return computed(a.workshop(operation), [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.multiply(x, y, result);
  });
}

// The explicit product: no relinearization, no rescaling.
nb::object multiply(const BoundCiphertext& first, nb::handle other, const OptionalScale& scale) {
  const char* operation = "Ciphertext.multiply";
  const bool is_ciphertext = nb::isinstance<BoundCiphertext>(other);
  if ((is_ciphertext || nb::isinstance<BoundPlaintext>(other)) && scale) {
    throw_invalid_argument({operation, "scale was given for an operand that has one",
                            "a scale for numbers only", "leave the argument out"});
  }
  if (is_ciphertext) {
    return to_python(multiply_ciphertexts(first, nb::cast<const BoundCiphertext&>(other)));
  }
  const Operand a = operand(first, operation);
  const Plaintext plain =
      nb::isinstance<BoundPlaintext>(other)
          ? nb::cast<const BoundPlaintext&>(other).value_for(*a.workshop, operation)
          : encode_object(a, other, scale.value_or(a.workshop->parameters().scale), operation);
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.multiply_plain(a.value, plain, result);
  }));
}

// CKKS: the product of a^(2^i) over the bits of the exponent, lowest powers first, so that the
// result is ceil(log2(exponent)) levels lower. Factors come down to each other's level.
BoundCiphertext ckks_power(const Operand& a, std::uint64_t exponent, const RelinKeys& keys) {
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    const auto multiply_in = [&](const Ciphertext& factor) {
      if (result.size() == 0) {
        result = factor;
        return;
      }
      Ciphertext other = factor;
      const Context& context = a.workshop->context();
      const auto level = [&](const Ciphertext& c) {
        return context.get_context_data(c.parms_id())->chain_index();
      };
      if (level(other) > level(result)) evaluator.mod_switch_to_inplace(other, result.parms_id());
      if (level(result) > level(other)) evaluator.mod_switch_to_inplace(result, other.parms_id());
      evaluator.multiply_inplace(result, other);
      evaluator.relinearize_inplace(result, keys);
      evaluator.rescale_to_next_inplace(result);
    };
    Ciphertext square = a.value;
    for (std::uint64_t rest = exponent; rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) multiply_in(square);
      if (rest == 1) break;
      evaluator.square_inplace(square);
      evaluator.relinearize_inplace(square, keys);
      evaluator.rescale_to_next_inplace(square);
    }
  });
}

nb::object power(const BoundCiphertext& first, nb::handle exponent) {
  const char* operation = "Ciphertext.__pow__";
  if (!PyLong_Check(exponent.ptr()) && !nb::hasattr(exponent, "__index__")) {
    return not_implemented();
  }
  const std::uint64_t value = Integer{nb::borrow(exponent)}.word(operation, "exponent");
  if (value == 0) {
    throw_invalid_argument({operation, "exponent = 0", "an integer from 1",
                            "a ciphertext of ones is public.encrypt(1)"});
  }
  const Operand a = operand(first, operation);
  if (value == 1) return to_python(first);
  const RelinKeys& keys = relin_keys(*a.workshop, operation);
  if (rescales(*a.workshop)) return to_python(ckks_power(a, value, keys));
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.exponentiate(a.value, value, keys, result);
  }));
}

BoundCiphertext square(const BoundCiphertext& first) {
  const Operand a = operand(first, "Ciphertext.square");
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.square(a.value, result);
  });
}

BoundCiphertext relinearize(const BoundCiphertext& first) {
  const Operand a = operand(first, "Ciphertext.relinearize");
  const RelinKeys& keys = relin_keys(*a.workshop, "Ciphertext.relinearize");
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.relinearize(a.value, keys, result);
  });
}

BoundCiphertext rescale(const BoundCiphertext& first) {
  const Operand a = operand(first, "Ciphertext.rescale");
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.rescale_to_next(a.value, result);
  });
}

BoundCiphertext mod_switch_to_next(const BoundCiphertext& first) {
  const Operand a = operand(first, "Ciphertext.mod_switch_to_next");
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.mod_switch_to_next(a.value, result);
  });
}

BoundCiphertext mod_switch_to(const BoundCiphertext& first, const Integer& level) {
  const char* operation = "Ciphertext.mod_switch_to";
  const Operand a = operand(first, operation);
  const ParmsId target = a.workshop->level(level.word(operation, "level"), operation).parms_id();
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.mod_switch_to(a.value, target, result);
  });
}

// Rotates by the evaluator's method of the scheme.
template <auto kRotate>
nb::object rotate(const BoundCiphertext& first, const Integer& steps, const char* operation) {
  const Operand a = operand(first, operation);
  const int count = steps.number(operation, "steps");
  if (count == 0) return to_python(first);
  const GaloisKeys& keys = galois_keys(*a.workshop, operation);
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    (evaluator.*kRotate)(a.value, count, keys, result);
  }));
}

template <auto kConjugate>
nb::object conjugate(const BoundCiphertext& first, const char* operation) {
  const Operand a = operand(first, operation);
  const GaloisKeys& keys = galois_keys(*a.workshop, operation);
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    (evaluator.*kConjugate)(a.value, keys, result);
  }));
}

nb::object residues(const BoundCiphertext& a) {
  const Ciphertext& value = a.value("Ciphertext.residues");
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
  nb::class_<BoundPlaintext>(module, "Plaintext",
                             "Encoded numbers: made by encode of a context, read by its decode.")
      .def_prop_ro(
          "nbytes", [](const BoundPlaintext& p) { return p.value->byte_count(); },
          "Bytes of the residues.")
      .def("__repr__", [](const BoundPlaintext& p) { return describe(p); });
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
      .def("__mul__", &multiply_any, "other"_a,
           nb::sig("def __mul__(self, other: Operand) -> Self"))
      .def("__rmul__", &multiply_any, "other"_a,
           nb::sig("def __rmul__(self, other: Operand) -> Self"))
      .def("__pow__", &power, "exponent"_a,
           nb::sig("def __pow__(self, exponent: SupportsIndex) -> Self"))
      .def(
          "__neg__", [](A a) { return to_python(negative(a)); },
          nb::sig("def __neg__(self) -> Self"))
      .def("__pos__", [](A a) { return to_python(a); }, nb::sig("def __pos__(self) -> Self"));
  // NumPy would otherwise take `array * ciphertext` apart, element by element.
  type.attr("__array_ufunc__") = nb::none();
}

void bind_methods(nb::class_<BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def(
          "square", [](A a) { return to_python(square(a)); }, nb::sig("def square(self) -> Self"),
          "The square alone, of size 3.")
      .def(
          "relinearize", [](A a) { return to_python(relinearize(a)); },
          nb::sig("def relinearize(self) -> Self"), "Back to size 2.")
      .def(
          "mod_switch_to_next", [](A a) { return to_python(mod_switch_to_next(a)); },
          nb::sig("def mod_switch_to_next(self) -> Self"),
          "One level lower, same message (and scale, for CKKS).")
      .def(
          "mod_switch_to",
          [](A a, const Integer& level) { return to_python(mod_switch_to(a, level)); }, "level"_a,
          nb::sig("def mod_switch_to(self, level: int) -> Self"),
          "Down to a level, same message (and scale, for CKKS).")
      .def("residues", &residues,
           nb::sig("def residues(self) -> numpy.typing.NDArray[numpy.uint64]"),
           "A copy of the data: polynomials x primes x N; coefficients for BFV, otherwise in NTT "
           "form.")
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
      "An encrypted message. Immutable.\n\n"
      "`+` and `-` take ciphertexts, plaintexts, arrays and numbers; levels and scales must agree\n"
      "(numbers are encoded to agree). `*` and `**` multiply and relinearize; those of CKKS also\n"
      "rescale once for each product: the result is one level lower, and numbers keep the scale.\n"
      "Methods do exactly what their name says.\n"
      "Two operands must be bound to one PublicContext; a fresh ciphertext of a SecretContext is\n"
      "bound to none and follows the other operand, or public.bind().\n"
      "A pickle holds the ciphertext and the fingerprint of its context, no keys; what comes out "
      "of "
      "it\nhas to be bound.");
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
      .def(
          "rotate_rows",
          [](A a, const Integer& steps) {
            return rotate<&Evaluator::rotate_rows>(a, steps, "Ciphertext.rotate_rows");
          },
          "steps"_a, nb::sig("def rotate_rows(self, steps: int) -> Self"),
          "Slot j of each row takes the value of slot j + steps, cyclically:\n"
          "numpy.roll(x.reshape(2, -1), -steps, axis=1).")
      .def(
          "swap_rows",
          [](A a) { return conjugate<&Evaluator::rotate_columns>(a, "Ciphertext.swap_rows"); },
          nb::sig("def swap_rows(self) -> Self"), "The two rows in the other order.");
}

void bind_special(nb::class_<CiphertextOf<SchemeType::ckks>, BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def("multiply", &multiply, "other"_a, "scale"_a = nb::none(),
           nb::sig("def multiply(self, other: Operand, scale: float | None = None) -> Self"),
           "The product alone: scales multiply, and that of two ciphertexts has size 3. Numbers "
           "are encoded at `scale`, by default the parameters'.")
      .def(
          "rescale", [](A a) { return to_python(rescale(a)); },
          nb::sig("def rescale(self) -> Self"),
          "Divides by the last prime: one level and its bits of scale less.")
      .def(
          "rotate",
          [](A a, const Integer& steps) {
            return rotate<&Evaluator::rotate_vector>(a, steps, "Ciphertext.rotate");
          },
          "steps"_a, nb::sig("def rotate(self, steps: int) -> Self"),
          "Slot j takes the value of slot j + steps, cyclically (numpy.roll(x, -steps)).")
      .def(
          "conjugate",
          [](A a) { return conjugate<&Evaluator::complex_conjugate>(a, "Ciphertext.conjugate"); },
          nb::sig("def conjugate(self) -> Self"), "Complex conjugate of every slot.")
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
