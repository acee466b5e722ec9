// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/ckks_circuit.hpp"

// The operations of CkksCircuit that move slots or take several values, and the climb.

namespace ringlet::test {

inline bool CkksCircuit::rotate() {
  const CkksValue a = operand();
  if (!bench_.has_keys() || a.load.size != 2) return false;
  const int steps = bench_.rotation(rng_);
  const std::size_t switches = bench_.switches(steps);
  CkksLoad load = a.load;
  for (std::size_t k = 0; k < switches; ++k) load = errors_.switch_key(load);
  if (!accepts(load, a.depth)) return false;
  record(switches > 1 ? "rotate_vector, composed" : "rotate_vector");
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
    evaluator_.rotate_vector(x, steps, bench_.galois_keys, destination);
  });
  return accept({std::move(result), rotated(a.slots, steps), load,
                 estimator_.apply_galois(a.estimate, switches), a.depth});
}

inline bool CkksCircuit::conjugate() {
  const CkksValue a = operand();
  if (!bench_.has_keys() || a.load.size != 2) return false;
  const CkksLoad load = errors_.switch_key(a.load);
  if (!accepts(load, a.depth)) return false;
  record("complex_conjugate");
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
    evaluator_.complex_conjugate(x, bench_.galois_keys, destination);
  });
  return accept(
      {std::move(result), conjugated(a.slots), load, estimator_.apply_galois(a.estimate), a.depth});
}

inline bool CkksCircuit::apply_galois() {
  const CkksValue a = operand();
  if (!bench_.has_keys() || a.load.size != 2) return false;
  const CkksLoad load = errors_.switch_key(a.load);
  if (!accepts(load, a.depth)) return false;
  const std::uint64_t element = bench_.galois_elements[any(bench_.galois_elements.size())];
  record("apply_galois");
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
    evaluator_.apply_galois(x, element, bench_.galois_keys, destination);
  });
  return accept({std::move(result), automorphism(a.slots, element), load,
                 estimator_.apply_galois(a.estimate), a.depth});
}

// To coefficients, a sum or a negation there, and back.
inline bool CkksCircuit::change_form() {
  CkksValue a = operand();
  const bool doubles = percent(50);
  Slots slots = doubles ? a.slots + a.slots : -a.slots;
  const CkksLoad load = doubles ? errors_.add(a.load, a.load, largest(slots)) : a.load;
  if (!accepts(load, a.depth)) return false;
  record("transform_from_ntt");
  a.ciphertext = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
    evaluator_.transform_from_ntt(x, destination);
  });
  record(doubles ? "add in the other form" : "negate in the other form");
  if (doubles) {
    evaluator_.add_inplace(a.ciphertext, a.ciphertext);
  } else {
    evaluator_.negate_inplace(a.ciphertext);
  }
  record("transform_to_ntt");
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
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
  CkksValue result{{}, value.slots, value.load, value.estimate, value.depth};
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
inline bool CkksCircuit::take_scale(CkksValue& value, double scale) {
  if (value.ciphertext.scale() == scale) return true;
  const double ratio = value.ciphertext.scale() / scale;
  if (ratio > 4 || ratio < 0.25) return false;
  record("(another scale by hand)");
  value.ciphertext.scale() = scale;
  for (auto& z : value.slots) z *= ratio;
  value.load.scale = scale;
  value.estimate = estimator_.with_scale(value.estimate, scale);
  value.load.magnitude = largest(value.slots);
  value.load.error += value.load.scale * value.load.magnitude * 0x1p-50L;
  return true;
}

inline std::vector<CkksValue> CkksCircuit::operands_at_one_level(std::size_t count, bool scales) {
  std::vector<CkksValue> values{operand()};
  while (values.size() < count) values.push_back(other());
  const ContextData* lowest = values.front().load.level;
  for (const CkksValue& value : values) {
    if (value.load.level->chain_index() < lowest->chain_index()) lowest = value.load.level;
  }
  for (CkksValue& value : values) {
    std::optional<CkksValue> low = lowered(value, *lowest);
    if (!low || (scales && !take_scale(*low, values.front().ciphertext.scale()))) return {};
    value = std::move(*low);
  }
  return values;
}

inline bool CkksCircuit::add_or_sub() {
  const std::vector<CkksValue> values = operands_at_one_level(2, true);
  if (values.empty()) return false;
  const CkksValue& a = values[0];
  const CkksValue& b = values[1];
  const bool is_sum = percent(50);
  Slots slots = is_sum ? a.slots + b.slots : a.slots - b.slots;
  const CkksLoad load = errors_.add(a.load, b.load, largest(slots));
  const int depth = std::max(a.depth, b.depth);
  if (!accepts(load, depth) || would_cancel(*load.level, a.ciphertext, b.ciphertext, is_sum)) {
    return false;
  }
  record(is_sum ? "add" : "sub");
  const auto f = [&](const Ciphertext& x, const Ciphertext& y, Ciphertext& destination) {
    is_sum ? evaluator_.add(x, y, destination) : evaluator_.sub(x, y, destination);
  };
  Ciphertext result = into(a.ciphertext, b.ciphertext, f);
  return accept(
      {std::move(result), std::move(slots), load,
       is_sum ? estimator_.add(a.estimate, b.estimate) : estimator_.sub(a.estimate, b.estimate),
       depth});
}

inline bool CkksCircuit::add_many() {
  const std::vector<CkksValue> values = operands_at_one_level(2 + any(4), true);
  if (values.empty()) return false;
  std::vector<Ciphertext> operands;
  std::vector<NoiseEstimate> estimates;
  CkksLoad load = values.front().load;
  Slots slots = values.front().slots;
  int depth = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    operands.push_back(values[k].ciphertext);
    estimates.push_back(values[k].estimate);
    depth = std::max(depth, values[k].depth);
    if (k == 0) continue;
    slots = slots + values[k].slots;
    load = errors_.add(load, values[k].load, largest(slots));
  }
  if (!accepts(load, depth) || sum_vanishes(*load.level, operands)) return false;
  record("add_many");
  Ciphertext result = into(operands[0], [&](const Ciphertext&, Ciphertext& destination) {
    evaluator_.add_many(operands, destination);
  });
  return accept({std::move(result), std::move(slots), load, estimator_.add_many(estimates), depth});
}

inline bool CkksCircuit::square() {
  const CkksValue a = operand();
  if (2 * a.load.size - 1 > kLargestSize) return false;
  const CkksLoad load = errors_.square(a.load);
  if (!accepts(load, a.depth + 1)) return false;
  record("square");
  Ciphertext result = into(a.ciphertext, [&](const Ciphertext& x, Ciphertext& destination) {
    evaluator_.square(x, destination);
  });
  return accept(
      {std::move(result), a.slots * a.slots, load, estimator_.square(a.estimate), a.depth + 1});
}

inline bool CkksCircuit::multiply() {
  const std::vector<CkksValue> values = operands_at_one_level(2, false);
  if (values.empty()) return false;
  const CkksValue& a = values[0];
  const CkksValue& b = values[1];
  if (a.load.size + b.load.size - 1 > kLargestSize) return false;
  Slots slots = a.slots * b.slots;
  const int depth = std::max(a.depth, b.depth) + 1;
  const CkksLoad load = errors_.multiply(a.load, b.load, largest(slots));
  if (!accepts(load, depth)) return false;
  record(load.size > 3 ? "multiply without relinearization" : "multiply");
  const auto f = [&](const Ciphertext& x, const Ciphertext& y, Ciphertext& destination) {
    evaluator_.multiply(x, y, destination);
  };
  Ciphertext result = into(a.ciphertext, b.ciphertext, f);
  return accept({std::move(result), std::move(slots), load,
                 estimator_.multiply(a.estimate, b.estimate), depth});
}

inline void CkksCircuit::random_operation() {
  static constexpr std::array<std::pair<Operation, std::size_t>, 17> kOperations{{
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
  const auto reach = [this](const CkksValue& value) {
    return value.depth + errors_.remaining_depth(value.load);
  };
  encrypt_message(first_level(), false);
  std::size_t best = 0;
  for (std::size_t k = 1; k < pool_.size(); ++k) {
    if (reach(pool_[k]) > reach(pool_[best])) best = k;
  }
  focus_ = best;
  depth_to_reach_ = reach(pool_[best]);
}

inline void CkksCircuit::climb() {
  choose_start();
  while (errors_.remaining_depth(operand().load) > 0) {
    for (std::size_t k = any(3); k > 0; --k) random_operation();
    if (errors_.remaining_depth(operand().load) == 0) break;
    if (refused([&] { step_up(); })) {
      drop_focus();
      choose_start();
    }
  }
  const int depth = operand().depth;
  EXPECT_GE(depth, depth_to_reach_) << trace_;
  focus_ = kNone;
  ++statistics_.depths[depth];
  if (bench_.set.is_secure()) ++statistics_.depths_per_set[describe(bench_.set)][depth];
}

// One product more: relinearized and rescaled first, as the bound of the depth supposes.
inline void CkksCircuit::step_up() {
  if (bench_.has_keys() && operand().load.size == 3) relinearize();
  CkksValue low = operand();
  const ContextData& level = errors_.rescaled_level(low.load);
  if (&level != low.load.level) {
    record("rescale_to");
    low.load = errors_.rescale(low.load, level);
    evaluator_.rescale_to_inplace(low.ciphertext, level.parms_id());
    low.estimate = estimator_.rescale_to(low.estimate, level.prime_count());
  }
  const CkksLoad load = errors_.square(low.load);
  ASSERT_TRUE(accepts(load, low.depth + 1))
      << "no product although the bound allows one, after:" << trace_;
  const bool is_square = percent(50);
  record(is_square ? "square" : "multiply");
  Ciphertext product;
  is_square ? evaluator_.square(low.ciphertext, product)
            : evaluator_.multiply(low.ciphertext, low.ciphertext, product);
  accept({std::move(product), low.slots * low.slots, load, estimator_.square(low.estimate),
          low.depth + 1});
}

// A few operations of one operand.
inline void CkksCircuit::take(CkksValue value) {
  static constexpr std::array<std::pair<Operation, std::size_t>, 9> kOperations{{
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
  focus_ = 0;
  pool_.assign(1, std::move(value));
  for (std::size_t k = any(3); k > 0; --k) random_one_of(*this, kOperations);
}

// Relinearized and rescaled first, so that the next product fits.
inline std::optional<CkksValue> CkksCircuit::independent_product(const CkksValue& a,
                                                                 const CkksValue& b) {
  CkksValue low[] = {a, b};
  for (CkksValue& value : low) {
    const ContextData& level = errors_.rescaled_level(value.load);
    if (&level == value.load.level) continue;
    value.load = errors_.rescale(value.load, level);
    value.estimate = estimator_.rescale_to(value.estimate, level.prime_count());
    evaluator_.rescale_to_inplace(value.ciphertext, level.parms_id());
    value.load.scale = value.ciphertext.scale();
  }
  const bool a_is_lower = low[0].load.level->chain_index() < low[1].load.level->chain_index();
  const ContextData& level = a_is_lower ? *low[0].load.level : *low[1].load.level;
  const std::optional<CkksValue> x = lowered(low[0], level);
  const std::optional<CkksValue> y = lowered(low[1], level);
  if (!x || !y || x->load.size + y->load.size - 1 > kLargestSize) return std::nullopt;
  Slots slots = x->slots * y->slots;
  CkksLoad load = errors_.multiply(x->load, y->load, largest(slots));
  if (!CkksErrors::is_sound(load)) return std::nullopt;
  record("multiply independent operands");
  CkksValue product{{},
                    std::move(slots),
                    load,
                    estimator_.multiply(x->estimate, y->estimate),
                    std::max(a.depth, b.depth) + 1};
  product.estimate = estimator_.with_magnitude(
      product.estimate, static_cast<double>(load.magnitude), rms(product.slots));
  evaluator_.multiply(x->ciphertext, y->ciphertext, product.ciphertext);
  product.load.scale = product.ciphertext.scale();
  return product;
}

// A tree of products, as high as there is room.
inline CkksValue CkksCircuit::independent_value(std::size_t depth) {
  if (depth == 0) {
    pool_.clear();
    encrypt_message(first_level(), percent(50));
    take(pool_.back());
    return pool_.front();
  }
  const CkksValue a = independent_value(depth - 1);
  const CkksValue b = independent_value(any(depth));
  const std::optional<CkksValue> product = independent_product(a, b);
  if (!product) return a;
  take(*product);
  if (bench_.has_keys() && percent(80)) relinearize();
  return pool_.front();
}

inline bool CkksCircuit::step_up_independently() {
  const CkksValue a = pool_.front();
  const std::size_t depth = any(std::min<std::size_t>(static_cast<std::size_t>(a.depth), 2) + 1);
  const std::optional<CkksValue> product = independent_product(a, independent_value(depth));
  if (!product) return false;
  take(*product);
  if (bench_.has_keys() && operand().load.size == 3) relinearize();
  check(operand());
  return true;
}

inline void CkksCircuit::climb_independently() {
  depth_to_reach_ = 0;
  independent_value(0);
  while (step_up_independently()) {
  }
  focus_ = kNone;
}

}  // namespace ringlet::test
