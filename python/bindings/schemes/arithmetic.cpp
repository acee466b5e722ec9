// SPDX-License-Identifier: Apache-2.0
#include "bindings/schemes/arithmetic.hpp"

#include "bindings/schemes/levels.hpp"
#include "bindings/schemes/values.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

// A ciphertext that is not detached, with its workshop.
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

// Returns two ciphertexts on one workshop: an unbound one moves to the workshop of the other.
std::pair<BoundCiphertext, BoundCiphertext> together(const BoundCiphertext& a,
                                                     const BoundCiphertext& b,
                                                     const char* operation) {
  const bool follows_b = a.detached() != nullptr || (!a.has_keys() && b.has_keys());
  const SharedWorkshop& workshop = (follows_b ? b : a).workshop(operation);
  (follows_b ? a : b).check_context(*workshop, operation);
  if (a.has_keys() && b.has_keys() && a.workshop(operation) != b.workshop(operation)) {
    const std::string first = a.workshop(operation)->device().name();
    const std::string second = b.workshop(operation)->device().name();
    throw_logic_error({operation,
                       "the operands are bound to different PublicContexts" +
                           (first == second ? "" : ", one on " + first + ", one on " + second),
                       "operands bound to the same PublicContext",
                       "call public.bind(ciphertext) on one of them"});
  }
  const nb::gil_scoped_release unlocked;
  return {a.bind_to(workshop, operation), b.bind_to(workshop, operation)};
}

const RelinKeys& relin_keys(const Workshop& workshop, const char* operation) {
  const RelinKeys& keys = workshop.keys(operation).relinearization;
  if (keys.size() == 0) {
    throw_logic_error({operation, "the PublicContext has no relinearization keys",
                       "a PublicContext made with relinearization=True",
                       "make it with secret.public(relinearization=True)"});
  }
  return keys;
}

const GaloisKeys& galois_keys(const Workshop& workshop, const char* operation) {
  const GaloisKeys& keys = workshop.keys(operation).galois;
  if (keys.size() == 0) {
    throw_logic_error({operation, "the PublicContext has no Galois keys",
                       "a PublicContext made with the rotations that are used",
                       "make it with secret.public(rotations=...)"});
  }
  return keys;
}

bool rescales(const Workshop& workshop) { return workshop.scheme() == SchemeType::ckks; }

// Looks up the keys first, so that a missing key is found before anything is computed.
BoundCiphertext multiply_and_reduce(const BoundCiphertext& first, const BoundCiphertext& second) {
  const char* operation = "Ciphertext.__mul__";
  const auto [a, b] = together(first, second, operation);
  const SharedWorkshop& workshop = a.workshop(operation);
  const RelinKeys& keys = relin_keys(*workshop, operation);
  const Ciphertext& x = a.value(operation);
  const Ciphertext& y = b.value(operation);
  for (const Ciphertext* factor : {&x, &y}) check_levels(*workshop, *factor, 1, operation);
  return computed(workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    const Aligned operands(*workshop, x, y);
    evaluator.multiply(operands.first(), operands.second(), result);
    reduce_product(*workshop, result, keys);
  });
}

BoundCiphertext multiply_plain_operator(const Operand& a, const Plaintext& plain) {
  check_levels(*a.workshop, a.value, 1, "Ciphertext.__mul__");
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.multiply_plain(a.value, plain, result);
    if (!rescales(*a.workshop)) return;
    evaluator.rescale_to_next_inplace(result);
    settle_scale(*a.workshop, result);
  });
}

Plaintext encode_object(const Operand& a, nb::handle object, double scale, const char* operation) {
  const SlotValues values = slot_values(*a.workshop, object, operation);
  const nb::gil_scoped_release unlocked;
  return encode(*a.workshop, values, {a.value.parms_id(), scale});
}

bool is_zero(ConstNttView plain) {
  for (std::size_t i = 0; i < plain.limb_count; ++i) {
    if (std::ranges::any_of(plain.limb(i), [](std::uint64_t word) { return word != 0; })) {
      return false;
    }
  }
  return true;
}

// Encodes the numbers that a ciphertext is multiplied by; refuses them if all are encoded as 0.
Plaintext encode_factor(const Operand& a, nb::handle object, double scale, const char* operation) {
  Plaintext plain = encode_object(a, object, scale, operation);
  if (!rescales(*a.workshop) || !is_zero(plain.ntt_view())) return plain;
  const std::string text = scale_text(scale);
  throw_logic_error(
      {operation,
       "a factor that rounds to 0 at the scale " + text + ": the product would be transparent",
       "numbers of at least about 1/" + text,
       "multiply by larger numbers, or with a larger scale: "
       "x.multiply(values, scale=...); where zero is meant, encrypt it"});
}

BoundCiphertext multiply_values_operator(const Operand& a, nb::handle object) {
  const char* operation = "Ciphertext.__mul__";
  check_levels(*a.workshop, a.value, 1, operation);
  const double scale = factor_scale(*a.workshop, a.value);
  return multiply_plain_operator(a, encode_factor(a, object, scale, operation));
}

const char* name_of(Sum kind) {
  return kind == Sum::add ? "Ciphertext.__add__" : "Ciphertext.__sub__";
}

void sum_into(const Evaluator& evaluator, const Ciphertext& a, const Ciphertext& b, Sum kind,
              Ciphertext& result) {
  if (kind == Sum::add) {
    evaluator.add(a, b, result);
  } else {
    evaluator.sub(a, b, result);
  }
}

BoundCiphertext combine(const BoundCiphertext& first, const BoundCiphertext& second, Sum kind,
                        const char* operation, bool aligns) {
  const auto [a, b] = together(first, second, operation);
  const SharedWorkshop& workshop = a.workshop(operation);
  const Ciphertext& x = a.value(operation);
  const Ciphertext& y = b.value(operation);
  return computed(workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    if (!aligns) return sum_into(evaluator, x, y, kind, result);
    const Aligned operands(*workshop, x, y);
    sum_into(evaluator, operands.first(), operands.second(), kind, result);
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

// The kind of a sum and the operation that asks for it.
struct SumCall {
  Sum kind;
  const char* operation;
  bool aligns;
};

nb::object sum(const BoundCiphertext& first, nb::handle other, const SumCall& call) {
  const auto& [kind, operation, aligns] = call;
  if (nb::isinstance<BoundCiphertext>(other)) {
    return to_python(
        combine(first, nb::cast<const BoundCiphertext&>(other), kind, operation, aligns));
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

// A method explains a wrong operand itself; an operator leaves the error to Python.
nb::object explicit_sum(const BoundCiphertext& first, nb::handle other, const SumCall& call) {
  nb::object result = sum(first, other, call);
  if (!result.is(not_implemented())) return result;
  throw_invalid_argument({call.operation, "other of type " + name_of_type(other),
                          "a ciphertext, a plaintext, or numbers", "encrypt or encode it"});
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

// Multiplies a^(2^i) over the bits of the exponent, lowest powers first, so that the result is
// ceil(log2(exponent)) levels lower. The higher factor comes down to the level of the other: by the
// rule, or with its scale if the rule does not hold.
BoundCiphertext power_by_squaring(const Operand& a, std::uint64_t exponent, const RelinKeys& keys) {
  const Workshop& workshop = *a.workshop;
  return computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    const auto multiply_in = [&](const Ciphertext& factor) {
      if (result.size() == 0) {
        result = factor;
        return;
      }
      Ciphertext higher = result;
      if (!has_level_scale(workshop, higher) || !has_level_scale(workshop, factor)) {
        evaluator.mod_switch_to_inplace(higher, factor.parms_id());
      }
      const Aligned operands(workshop, higher, factor);
      evaluator.multiply(operands.first(), operands.second(), result);
      reduce_product(workshop, result, keys);
    };
    Ciphertext square = a.value;
    for (std::uint64_t rest = exponent; rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) multiply_in(square);
      if (rest == 1) break;
      evaluator.square_inplace(square);
      reduce_product(workshop, square, keys);
    }
  });
}

// Rotates by the evaluator's method of the scheme.
template <auto kRotate>
nb::object rotate_by(const BoundCiphertext& first, const Integer& steps, const char* operation) {
  const Operand a = operand(first, operation);
  const int count = steps.number(operation, "steps");
  if (count == 0) return to_python(first);
  const GaloisKeys& keys = galois_keys(*a.workshop, operation);
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    (evaluator.*kRotate)(a.value, count, keys, result);
  }));
}

template <auto kConjugate>
nb::object conjugate_by(const BoundCiphertext& first, const char* operation) {
  const Operand a = operand(first, operation);
  const GaloisKeys& keys = galois_keys(*a.workshop, operation);
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    (evaluator.*kConjugate)(a.value, keys, result);
  }));
}

}  // namespace

nb::object add_or_subtract(const BoundCiphertext& first, nb::handle other, Sum kind) {
  return sum(first, other, {kind, name_of(kind), true});
}

nb::object add_exactly(const BoundCiphertext& first, nb::handle other) {
  return explicit_sum(first, other, {Sum::add, "Ciphertext.add", false});
}

nb::object subtract_exactly(const BoundCiphertext& first, nb::handle other) {
  return explicit_sum(first, other, {Sum::subtract, "Ciphertext.subtract", false});
}

nb::object negate(const BoundCiphertext& first) {
  const Operand a = operand(first, "Ciphertext.__neg__");
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.negate(a.value, result);
  }));
}

nb::object subtract_from(const BoundCiphertext& a, nb::handle other) {
  if (!is_numeric(other) && !nb::isinstance<BoundPlaintext>(other)) return not_implemented();
  const nb::object negated = negate(a);
  return add_or_subtract(nb::cast<const BoundCiphertext&>(negated), other, Sum::add);
}

nb::object multiply_operator(const BoundCiphertext& first, nb::handle other) {
  const char* operation = "Ciphertext.__mul__";
  if (nb::isinstance<BoundCiphertext>(other)) {
    return to_python(multiply_and_reduce(first, nb::cast<const BoundCiphertext&>(other)));
  }
  if (nb::isinstance<BoundPlaintext>(other)) {
    const Operand a = operand(first, operation);
    const auto& plain = nb::cast<const BoundPlaintext&>(other);
    return to_python(multiply_plain_operator(a, plain.value_for(*a.workshop, operation)));
  }
  if (!is_numeric(other)) return not_implemented();
  return to_python(multiply_values_operator(operand(first, operation), other));
}

nb::object multiply(const BoundCiphertext& first, nb::handle other,
                    const std::optional<double>& scale) {
  const char* operation = "Ciphertext.multiply";
  const bool is_ciphertext = nb::isinstance<BoundCiphertext>(other);
  if ((is_ciphertext || nb::isinstance<BoundPlaintext>(other)) && scale) {
    throw_invalid_argument({operation, "scale was given for an operand that has its own scale",
                            "a scale for numbers only", "leave the argument out"});
  }
  if (is_ciphertext) {
    return to_python(multiply_ciphertexts(first, nb::cast<const BoundCiphertext&>(other)));
  }
  const Operand a = operand(first, operation);
  const Plaintext plain =
      nb::isinstance<BoundPlaintext>(other)
          ? nb::cast<const BoundPlaintext&>(other).value_for(*a.workshop, operation)
          : encode_factor(a, other, scale.value_or(a.workshop->parameters().scale), operation);
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.multiply_plain(a.value, plain, result);
  }));
}

nb::object power(const BoundCiphertext& first, nb::handle exponent) {
  const char* operation = "Ciphertext.__pow__";
  if (!PyLong_Check(exponent.ptr()) && !nb::hasattr(exponent, "__index__")) {
    return not_implemented();
  }
  const std::uint64_t value = Integer{nb::borrow(exponent)}.word(operation, "exponent");
  if (value == 0) {
    throw_invalid_argument({operation, "exponent = 0", "an integer from 1",
                            "call public.encrypt(1) to get a ciphertext of ones"});
  }
  const Operand a = operand(first, operation);
  if (value == 1) return to_python(first);
  const RelinKeys& keys = relin_keys(*a.workshop, operation);
  check_levels(*a.workshop, a.value, std::bit_width(value - 1), operation);
  if (a.workshop->scheme() != SchemeType::bfv) {
    return to_python(power_by_squaring(a, value, keys));
  }
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.exponentiate(a.value, value, keys, result);
  }));
}

nb::object square(const BoundCiphertext& first) {
  const Operand a = operand(first, "Ciphertext.square");
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.square(a.value, result);
  }));
}

nb::object relinearize(const BoundCiphertext& first) {
  const Operand a = operand(first, "Ciphertext.relinearize");
  const RelinKeys& keys = relin_keys(*a.workshop, "Ciphertext.relinearize");
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.relinearize(a.value, keys, result);
  }));
}

nb::object rescale(const BoundCiphertext& first) {
  const Operand a = operand(first, "Ciphertext.rescale");
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.rescale_to_next(a.value, result);
  }));
}

nb::object mod_switch_to_next(const BoundCiphertext& first) {
  const Operand a = operand(first, "Ciphertext.mod_switch_to_next");
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.mod_switch_to_next(a.value, result);
  }));
}

nb::object mod_switch_to(const BoundCiphertext& first, const Integer& level) {
  const char* operation = "Ciphertext.mod_switch_to";
  const Operand a = operand(first, operation);
  const ParmsId target = a.workshop->level(level.word(operation, "level"), operation).parms_id();
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    evaluator.mod_switch_to(a.value, target, result);
  }));
}

nb::object rotate(const BoundCiphertext& a, const Integer& steps) {
  return rotate_by<&Evaluator::rotate_vector>(a, steps, "Ciphertext.rotate");
}

nb::object conjugate(const BoundCiphertext& a) {
  return conjugate_by<&Evaluator::complex_conjugate>(a, "Ciphertext.conjugate");
}

nb::object rotate_rows(const BoundCiphertext& a, const Integer& steps) {
  return rotate_by<&Evaluator::rotate_rows>(a, steps, "Ciphertext.rotate_rows");
}

nb::object rotate_slots(const BoundCiphertext& first, const Integer& steps,
                        const Integer& dimension) {
  const char* operation = "Ciphertext.rotate_slots";
  const Operand a = operand(first, operation);
  const SlotEncoder* const slots = a.workshop->slot_encoder();
  if (slots == nullptr) {
    throw_logic_error({operation, "the messages are not slots of bits",
                       "parameters over Phi_m, m odd, with plain_modulus 2",
                       "use rotate_rows, or make Parameters(ring=m)"});
  }
  const int count = steps.number(operation, "steps");
  const auto along = static_cast<std::size_t>(dimension.word(operation, "dimension"));
  const GaloisKeys& keys = galois_keys(*a.workshop, operation);
  return to_python(computed(a.workshop, [&](const Evaluator& evaluator, Ciphertext& result) {
    result = a.value;
    slots->rotate_inplace(evaluator, result, along, count, keys);
  }));
}

nb::object swap_rows(const BoundCiphertext& a) {
  return conjugate_by<&Evaluator::rotate_columns>(a, "Ciphertext.swap_rows");
}

}  // namespace ringlet::python
