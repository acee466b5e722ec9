// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/ckks_circuit.hpp"
#include "support/test.hpp"

// The operations of CkksCircuit that move slots or take several values, and the climb.

namespace ringlet::test {

inline bool CkksCircuit::rotate() {
  const CkksValue a = operand();
  if (!bench_.has_keys() || a.load.size != 2) return false;
  const int steps = bench_.rotation(rng_);
  const std::size_t switches = bench_.switches(steps);
  CkksLoad load = a.load;
  for (std::size_t k = 0; k < switches; ++k) load = model_.switch_key(load);
  if (!accepts(load, a.depth)) return false;
  record(switches > 1 ? "rotate_vector, composed" : "rotate_vector");
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    evaluator_.rotate_vector(x, steps, bench_.galois_keys, destination);
  });
  return accept({std::move(result), rotated(a.message, steps), load,
                 estimator_.apply_galois(a.estimate, switches), a.depth});
}

inline bool CkksCircuit::conjugate() {
  const CkksValue a = operand();
  if (!bench_.has_keys() || a.load.size != 2) return false;
  const CkksLoad load = model_.switch_key(a.load);
  if (!accepts(load, a.depth)) return false;
  record("complex_conjugate");
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    evaluator_.complex_conjugate(x, bench_.galois_keys, destination);
  });
  return accept({std::move(result), conjugated(a.message), load,
                 estimator_.apply_galois(a.estimate), a.depth});
}

// To coefficients, a sum or a negation there, and back.
inline bool CkksCircuit::change_form() {
  CkksValue a = operand();
  const bool doubles = percent(50);
  Slots slots = doubles ? a.message + a.message : -a.message;
  const CkksLoad load = doubles ? model_.add(a.load, a.load, largest(slots)) : a.load;
  if (!accepts(load, a.depth)) return false;
  record("transform_from_ntt");
  a.ciphertext = into(a.ciphertext, [&](const auto& x, auto& destination) {
    evaluator_.transform_from_ntt(x, destination);
  });
  record(doubles ? "add in the other form" : "negate in the other form");
  if (doubles) {
    evaluator_.add_inplace(a.ciphertext, a.ciphertext);
  } else {
    evaluator_.negate_inplace(a.ciphertext);
  }
  record("transform_to_ntt");
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    evaluator_.transform_to_ntt(x, destination);
  });
  const NoiseEstimate estimate =
      doubles ? estimator_.add(a.estimate, a.estimate) : estimator_.negate(a.estimate);
  return accept(
      {std::move(result), std::move(slots), load, estimator_.transform(estimate), a.depth});
}

inline std::optional<CkksValue> CkksCircuit::lowered(const CkksValue& value,
                                                     const ContextData& target) {
  if (value.load.level == &target) return value;
  CkksValue result{{}, value.message, value.load, value.estimate, value.depth};
  result.load.level = &target;
  if (!CkksErrors::is_sound(result.load)) return std::nullopt;
  const bool reduces = percent(30);
  const std::size_t count = target.prime_count();
  result.estimate = reduces ? estimator_.mod_reduce_to(value.estimate, count)
                            : estimator_.mod_switch_to(value.estimate, count);
  record(reduces ? "mod_reduce_to" : "mod_switch_to");
  reduces ? evaluator_.mod_reduce_to(value.ciphertext, target.parms_id(), result.ciphertext)
          : evaluator_.mod_switch_to(value.ciphertext, target.parms_id(), result.ciphertext);
  return result;
}

// A value with another scale is another message: scale/scale' times the one before.
inline bool CkksCircuit::align(CkksValue& value, const CkksValue& first) {
  const double scale = first.ciphertext.scale();
  if (value.ciphertext.scale() == scale) return true;
  const double ratio = value.ciphertext.scale() / scale;
  if (ratio > 4 || ratio < 0.25) return false;
  record("(another scale by hand)");
  value.ciphertext.scale() = scale;
  for (auto& z : value.message) z *= ratio;
  value.load.scale = scale;
  value.estimate = estimator_.with_scale(value.estimate, scale);
  value.load.magnitude = largest(value.message);
  value.load.error += value.load.scale * value.load.magnitude * 0x1p-50L;
  return true;
}

inline void CkksCircuit::random_operation() {
  static const std::array<std::pair<Operation, std::size_t>, 17> kOperations{{
      {&CkksCircuit::encrypt, 6},
      {&CkksCircuit::copy, 4},
      {&CkksCircuit::negate, 6},
      {&CkksCircuit::add_or_sub, 16},
      {&CkksCircuit::add_or_sub_plain, 10},
      {&CkksCircuit::multiply_plain, 10},
      {&CkksCircuit::relinearize, 8},
      {&CkksCircuit::rescale, 14},
      {&CkksCircuit::relinearize_and_rescale, 6},
      {&CkksCircuit::drop_primes, 6},
      {&CkksCircuit::rotate, 8},
      {&CkksCircuit::conjugate, 5},
      {&CkksCircuit::apply_galois, 5},
      {&CkksCircuit::change_form, 5},
      {&CkksCircuit::square, 5},
      {&CkksCircuit::add_many, 6},
      {&CkksCircuit::multiply, 10},
  }};
  random_one_of(*this, kOperations);
}

inline void CkksCircuit::choose_start() {
  encrypt_message(false);
  climb_from(highest());
}

// One product more: relinearized and rescaled first, as the bound of the depth supposes.
inline void CkksCircuit::step_up() {
  if (bench_.has_keys() && operand().load.size == 3) relinearize();
  CkksValue low = operand();
  const ContextData& level = model_.rescaled_level(low.load);
  if (&level != low.load.level) {
    record("rescale_to");
    low.load = model_.rescale(low.load, level);
    evaluator_.rescale_to_inplace(low.ciphertext, level.parms_id());
    low.estimate = estimator_.rescale_to(low.estimate, level.prime_count());
  }
  const CkksLoad load = model_.square(low.load);
  ASSERT_TRUE(accepts(load, low.depth + 1))
      << "no product although the bound allows one, after:" << trace_;
  const bool is_square = percent(50);
  record(is_square ? "square" : "multiply");
  Ciphertext product;
  is_square ? evaluator_.square(low.ciphertext, product)
            : evaluator_.multiply(low.ciphertext, low.ciphertext, product);
  accept({std::move(product), low.message * low.message, load, estimator_.square(low.estimate),
          low.depth + 1});
}

inline void CkksCircuit::random_step() {
  static const std::array<std::pair<Operation, std::size_t>, 9> kOperations{{
      {&CkksCircuit::negate, 1},
      {&CkksCircuit::add_or_sub_plain, 3},
      {&CkksCircuit::multiply_plain, 2},
      {&CkksCircuit::relinearize, 2},
      {&CkksCircuit::rescale, 1},
      {&CkksCircuit::drop_primes, 1},
      {&CkksCircuit::rotate, 2},
      {&CkksCircuit::conjugate, 1},
      {&CkksCircuit::apply_galois, 1},
  }};
  random_one_of(*this, kOperations);
}

// Relinearized and rescaled first, so that the next product fits.
inline std::optional<CkksValue> CkksCircuit::independent_product(const CkksValue& a,
                                                                 const CkksValue& b) {
  CkksValue low[] = {a, b};
  for (CkksValue& value : low) {
    const ContextData& level = model_.rescaled_level(value.load);
    if (&level == value.load.level) continue;
    value.load = model_.rescale(value.load, level);
    value.estimate = estimator_.rescale_to(value.estimate, level.prime_count());
    evaluator_.rescale_to_inplace(value.ciphertext, level.parms_id());
    value.load.scale = value.ciphertext.scale();
  }
  const bool a_is_lower = low[0].load.level->chain_index() < low[1].load.level->chain_index();
  const ContextData& level = a_is_lower ? *low[0].load.level : *low[1].load.level;
  const std::optional<CkksValue> x = lowered(low[0], level);
  const std::optional<CkksValue> y = lowered(low[1], level);
  if (!x || !y || x->load.size + y->load.size - 1 > kLargestSize) return std::nullopt;
  Slots slots = x->message * y->message;
  CkksLoad load = model_.multiply(x->load, y->load, largest(slots));
  if (!CkksErrors::is_sound(load)) return std::nullopt;
  record("multiply independent operands");
  CkksValue product{{},
                    std::move(slots),
                    load,
                    estimator_.multiply(x->estimate, y->estimate),
                    std::max(a.depth, b.depth) + 1};
  product.estimate = estimator_.with_magnitude(
      product.estimate, static_cast<double>(load.magnitude), rms(product.message));
  evaluator_.multiply(x->ciphertext, y->ciphertext, product.ciphertext);
  product.load.scale = product.ciphertext.scale();
  return product;
}

}  // namespace ringlet::test
