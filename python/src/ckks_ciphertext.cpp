// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "ckks_state.hpp"
#include "ringlet/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

// Runs `compute`, which writes the result, without the interpreter's lock.
template <typename Compute>
BoundCiphertext computed(const SharedWorkshop& workshop, const Compute& compute) {
  const nb::gil_scoped_release unlocked;
  auto result = std::make_shared<Ciphertext>();
  compute(workshop->evaluator(), *result);
  return {workshop, std::move(result)};
}

// Where two ciphertexts are computed on: an unbound one follows the other.
const SharedWorkshop& common_workshop(const BoundCiphertext& a, const BoundCiphertext& b,
                                      const char* operation) {
  if (a.workshop == b.workshop || !b.workshop->has_keys()) return a.workshop;
  if (!a.workshop->has_keys()) return b.workshop;
  throw_logic_error({operation, "the operands are bound to different PublicContexts",
                     "operands bound to one PublicContext",
                     "call public.bind(ciphertext) on one of them"});
}

const ContextData& level_of(const BoundCiphertext& a, const char* operation) {
  const ContextData* level = a.workshop->context().get_context_data(a.value->parms_id());
  if (level == nullptr) {
    throw_invalid_argument({operation, "the ciphertext belongs to other parameters",
                            "a ciphertext of the parameters of the context",
                            "use the context that the ciphertext was made with"});
  }
  return *level;
}

BoundCiphertext multiply_ciphertexts(const BoundCiphertext& a, const BoundCiphertext& b) {
  return computed(common_workshop(a, b, "Ciphertext.multiply"),
                  [&](const Evaluator& evaluator, Ciphertext& result) {
                    evaluator.multiply(*a.value, *b.value, result);
                  });
}

const RelinKeys& relin_keys(const BoundCiphertext& a, const char* operation) {
  const RelinKeys& keys = a.workshop->keys(operation).relinearization;
  if (keys.size() == 0) {
    throw_logic_error({operation, "the PublicContext has no relinearization keys",
                       "a PublicContext made with relinearization=True",
                       "make one with secret.public(relinearization=True)"});
  }
  return keys;
}

const GaloisKeys& galois_keys(const BoundCiphertext& a, const char* operation) {
  const GaloisKeys& keys = a.workshop->keys(operation).galois;
  if (keys.size() == 0) {
    throw_logic_error({operation, "the PublicContext has no Galois keys",
                       "a PublicContext made with the rotations that are used",
                       "make one with secret.public(rotations=...)"});
  }
  return keys;
}

// The operator's rule: one multiplication, one relinearization, one rescaling. The keys are looked
// up first, so that nothing is computed in vain.
BoundCiphertext multiply_operator(const BoundCiphertext& a, const BoundCiphertext& b) {
  const SharedWorkshop& workshop = common_workshop(a, b, "Ciphertext.__mul__");
  const RelinKeys& keys = relin_keys({workshop, a.value}, "Ciphertext.__mul__");
  return computed(workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.multiply(*a.value, *b.value, result);
    evaluator.relinearize_inplace(result, keys);
    evaluator.rescale_to_next_inplace(result);
  });
}

BoundCiphertext multiply_plain_operator(const BoundCiphertext& a, const Plaintext& plain) {
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.multiply_plain(*a.value, plain, result);
    evaluator.rescale_to_next_inplace(result);
  });
}

// Numbers are encoded at the scale of the prime that the rescaling drops: the ciphertext's own
// scale is the same before and after.
BoundCiphertext multiply_values_operator(const BoundCiphertext& a, nb::handle object) {
  const SlotValues values = slot_values(object, "Ciphertext.__mul__");
  const ContextData& level = level_of(a, "Ciphertext.__mul__");
  const auto scale = static_cast<double>(level.coeff_modulus().back().value());
  Plaintext plain;
  {
    const nb::gil_scoped_release unlocked;
    plain = encode(*a.workshop, values, level.parms_id(), scale);
  }
  return multiply_plain_operator(a, plain);
}

enum class Sum { add, subtract };

BoundCiphertext combine(const BoundCiphertext& a, const BoundCiphertext& b, Sum kind) {
  const char* operation = kind == Sum::add ? "Ciphertext.__add__" : "Ciphertext.__sub__";
  return computed(common_workshop(a, b, operation),
                  [&](const Evaluator& evaluator, Ciphertext& result) {
                    if (kind == Sum::add) {
                      evaluator.add(*a.value, *b.value, result);
                    } else {
                      evaluator.sub(*a.value, *b.value, result);
                    }
                  });
}

BoundCiphertext combine_plain(const BoundCiphertext& a, const Plaintext& plain, Sum kind) {
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    if (kind == Sum::add) {
      evaluator.add_plain(*a.value, plain, result);
    } else {
      evaluator.sub_plain(*a.value, plain, result);
    }
  });
}

Plaintext encode_like(const BoundCiphertext& a, nb::handle object, const char* operation) {
  const SlotValues values = slot_values(object, operation);
  const ContextData& level = level_of(a, operation);
  const nb::gil_scoped_release unlocked;
  return encode(*a.workshop, values, level.parms_id(), a.value->scale());
}

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

// a + b and a - b for any operand b that stands for numbers.
nb::object add_or_subtract(const BoundCiphertext& a, nb::handle other, Sum kind) {
  if (nb::isinstance<BoundCiphertext>(other)) {
    return nb::cast(combine(a, nb::cast<const BoundCiphertext&>(other), kind));
  }
  if (nb::isinstance<BoundPlaintext>(other)) {
    return nb::cast(combine_plain(a, *nb::cast<const BoundPlaintext&>(other).value, kind));
  }
  if (!is_numeric(other)) return not_implemented();
  const char* operation = kind == Sum::add ? "Ciphertext.__add__" : "Ciphertext.__sub__";
  return nb::cast(combine_plain(a, encode_like(a, other, operation), kind));
}

BoundCiphertext negate(const BoundCiphertext& a) {
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.negate(*a.value, result);
  });
}

nb::object subtract_from(const BoundCiphertext& a, nb::handle other) {
  if (!is_numeric(other) && !nb::isinstance<BoundPlaintext>(other)) return not_implemented();
  return add_or_subtract(negate(a), other, Sum::add);
}

nb::object multiply_any(const BoundCiphertext& a, nb::handle other) {
  if (nb::isinstance<BoundCiphertext>(other)) {
    return nb::cast(multiply_operator(a, nb::cast<const BoundCiphertext&>(other)));
  }
  if (nb::isinstance<BoundPlaintext>(other)) {
    return nb::cast(multiply_plain_operator(a, *nb::cast<const BoundPlaintext&>(other).value));
  }
  if (!is_numeric(other)) return not_implemented();
  return nb::cast(multiply_values_operator(a, other));
}

// The explicit product: no relinearization, no rescaling.
BoundCiphertext multiply(const BoundCiphertext& a, nb::handle other, std::optional<double> scale) {
  const char* operation = "Ciphertext.multiply";
  const bool has_own_scale =
      nb::isinstance<BoundCiphertext>(other) || nb::isinstance<BoundPlaintext>(other);
  if (has_own_scale && scale) {
    throw_invalid_argument({operation, "scale was given for an operand that has one",
                            "a scale for numbers only", "leave the argument out"});
  }
  if (nb::isinstance<BoundCiphertext>(other)) {
    return multiply_ciphertexts(a, nb::cast<const BoundCiphertext&>(other));
  }
  Plaintext plain;
  if (nb::isinstance<BoundPlaintext>(other)) {
    plain = *nb::cast<const BoundPlaintext&>(other).value;
  } else {
    const SlotValues values = slot_values(other, operation);
    const ContextData& level = level_of(a, operation);
    const nb::gil_scoped_release unlocked;
    plain = encode(*a.workshop, values, level.parms_id(),
                   scale.value_or(a.workshop->parameters().scale));
  }
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.multiply_plain(*a.value, plain, result);
  });
}

BoundCiphertext square(const BoundCiphertext& a) {
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.square(*a.value, result);
  });
}

BoundCiphertext relinearize(const BoundCiphertext& a) {
  const RelinKeys& keys = relin_keys(a, "Ciphertext.relinearize");
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.relinearize(*a.value, keys, result);
  });
}

BoundCiphertext rescale(const BoundCiphertext& a) {
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.rescale_to_next(*a.value, result);
  });
}

BoundCiphertext mod_switch_to_next(const BoundCiphertext& a) {
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.mod_switch_to_next(*a.value, result);
  });
}

BoundCiphertext mod_switch_to(const BoundCiphertext& a, const Integer& level) {
  const char* operation = "Ciphertext.mod_switch_to";
  const ParmsId target = a.workshop->level(level.word(operation, "level"), operation).parms_id();
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.mod_switch_to(*a.value, target, result);
  });
}

BoundCiphertext rotate(const BoundCiphertext& a, const Integer& steps) {
  const int count = steps.number("Ciphertext.rotate", "steps");
  if (count == 0) return a;
  const GaloisKeys& keys = galois_keys(a, "Ciphertext.rotate");
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.rotate_vector(*a.value, count, keys, result);
  });
}

BoundCiphertext conjugate(const BoundCiphertext& a) {
  const GaloisKeys& keys = galois_keys(a, "Ciphertext.conjugate");
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.complex_conjugate(*a.value, keys, result);
  });
}

nb::object residues(const BoundCiphertext& a) {
  const Ciphertext& value = *a.value;
  const std::size_t limbs = value.coeff_modulus_size();
  std::span<std::uint64_t> words;
  const ArrayArgument array = make_array(value.size() * limbs * value.poly_modulus_degree(), words);
  auto position = words.begin();
  for (std::size_t poly = 0; poly < value.size(); ++poly) {
    const ConstNttView view = value.ntt_view(poly);
    for (std::size_t limb = 0; limb < limbs; ++limb) {
      position = std::copy(view.limb(limb).begin(), view.limb(limb).end(), position);
    }
  }
  return array.object.attr("reshape")(value.size(), limbs, value.poly_modulus_degree());
}

std::string describe(const BoundCiphertext& a) {
  return "<ringlet.ckks.Ciphertext size=" + std::to_string(a.value->size()) +
         " level=" + std::to_string(level_index(*a.workshop, a.value->parms_id())) +
         " scale=" + scale_text(a.value->scale()) +
         (a.workshop->has_keys() ? ">" : " not bound to a PublicContext>");
}

void bind_plaintext(nb::module_& module) {
  nb::class_<BoundPlaintext>(module, "Plaintext",
                             "Encoded numbers: made by encode of a context, read by its decode.")
      .def_prop_ro(
          "level",
          [](const BoundPlaintext& p) { return level_index(*p.workshop, p.value->parms_id()); },
          "Rescalings that are left before the last level.")
      .def_prop_ro(
          "scale", [](const BoundPlaintext& p) { return p.value->scale(); },
          "The factor of the encoding.")
      .def_prop_ro(
          "nbytes", [](const BoundPlaintext& p) { return p.value->byte_count(); },
          "Bytes of the residues.")
      .def("__repr__", [](const BoundPlaintext& p) {
        return "<ringlet.ckks.Plaintext level=" +
               std::to_string(level_index(*p.workshop, p.value->parms_id())) +
               " scale=" + scale_text(p.value->scale()) + ">";
      });
}

void bind_operators(nb::class_<BoundCiphertext>& type) {
  using A = const BoundCiphertext&;
  type.def(
          "__add__", [](A a, nb::handle b) { return add_or_subtract(a, b, Sum::add); }, "other"_a,
          nb::sig("def __add__(self, other: Operand) -> Ciphertext"))
      .def(
          "__radd__", [](A a, nb::handle b) { return add_or_subtract(a, b, Sum::add); }, "other"_a,
          nb::sig("def __radd__(self, other: Operand) -> Ciphertext"))
      .def(
          "__sub__", [](A a, nb::handle b) { return add_or_subtract(a, b, Sum::subtract); },
          "other"_a, nb::sig("def __sub__(self, other: Operand) -> Ciphertext"))
      .def("__rsub__", &subtract_from, "other"_a,
           nb::sig("def __rsub__(self, other: Operand) -> Ciphertext"))
      .def("__mul__", &multiply_any, "other"_a,
           nb::sig("def __mul__(self, other: Operand) -> Ciphertext"))
      .def("__rmul__", &multiply_any, "other"_a,
           nb::sig("def __rmul__(self, other: Operand) -> Ciphertext"))
      .def("__neg__", &negate)
      .def("__pos__", [](A a) { return a; });
  // NumPy would otherwise take `array * ciphertext` apart, element by element.
  type.attr("__array_ufunc__") = nb::none();
}

}  // namespace

void bind_ciphertext(nb::module_& module) {
  bind_plaintext(module);
  nb::class_<BoundCiphertext> type(
      module, "Ciphertext",
      "An encrypted vector of slots. Immutable.\n\n"
      "`+` and `-` take ciphertexts, plaintexts, arrays and numbers; levels and scales must agree\n"
      "(numbers are encoded to agree). `*` multiplies, relinearizes and rescales once: the result "
      "is one\nlevel lower; numbers keep the scale. Methods do exactly what their name says.\n"
      "Two operands must be bound to one PublicContext; a fresh ciphertext of a SecretContext is\n"
      "bound to none and follows the other operand, or public.bind().");
  bind_operators(type);
  type.def("multiply", &multiply, "other"_a, "scale"_a = nb::none(),
           nb::sig("def multiply(self, other: Operand, scale: float | None = None) -> Ciphertext"),
           "The product alone: scales multiply, and that of two ciphertexts has size 3. Numbers "
           "are encoded at `scale`, by default the parameters'.")
      .def("square", &square, "The square alone, of size 3.")
      .def("relinearize", &relinearize, "Back to size 2.")
      .def("rescale", &rescale, "Divides by the last prime: one level and its bits of scale less.")
      .def("mod_switch_to_next", &mod_switch_to_next, "One level lower, same scale and message.")
      .def("mod_switch_to", &mod_switch_to, "level"_a, "Down to a level, same scale and message.")
      .def("rotate", &rotate, "steps"_a,
           "Slot j takes the value of slot j + steps, cyclically (numpy.roll(x, -steps)).")
      .def("conjugate", &conjugate, "Complex conjugate of every slot.")
      .def("residues", &residues,
           nb::sig("def residues(self) -> numpy.typing.NDArray[numpy.uint64]"),
           "A copy of the data: polynomials x primes x N, in NTT form.")
      .def_prop_ro(
          "size", [](const BoundCiphertext& a) { return a.value->size(); },
          "Number of polynomials.")
      .def_prop_ro(
          "level",
          [](const BoundCiphertext& a) { return level_index(*a.workshop, a.value->parms_id()); },
          "Rescalings that are left before the last level.")
      .def_prop_ro(
          "scale", [](const BoundCiphertext& a) { return a.value->scale(); },
          "The factor of the encoding.")
      .def_prop_ro(
          "nbytes", [](const BoundCiphertext& a) { return a.value->byte_count(); },
          "Bytes of the residues: what is sent, without a header.")
      .def_prop_ro(
          "is_bound", [](const BoundCiphertext& a) { return a.workshop->has_keys(); },
          "True if it is bound to a PublicContext.")
      .def("__repr__", &describe);
}

}  // namespace ringlet::python
