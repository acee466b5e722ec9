// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "support/exact_circuit.hpp"
#include "support/test.hpp"

// The operations of ExactCircuit that move slots or take several values, and the climb.

namespace ringlet::test {

inline bool ExactCircuit::rotate() {
  const ExactValue a = operand();
  if (!batch_ || !bench_.has_keys() || a.ciphertext.size() != 2) return false;
  const bool swaps_rows = percent(30);
  const int steps = bench_.rotation(rng_);
  const std::size_t switches = swaps_rows ? 1 : bench_.switches(steps);
  Load load = a.load;
  for (std::size_t k = 0; k < switches; ++k) load = model_.switch_key(load);
  if (!accepts(load, a.depth)) return false;
  record(swaps_rows ? "rotate_columns" : switches > 1 ? "rotate_rows, composed" : "rotate_rows");
  const std::uint64_t m = 2 * degree_;
  std::uint64_t element = swaps_rows ? m - 1 : 1;
  const int turns = (steps + static_cast<int>(degree_ / 2)) % static_cast<int>(degree_ / 2);
  for (int k = 0; k < turns && !swaps_rows; ++k) element = element * 3 % m;
  Message message{a.message.poly.automorphism(element), std::nullopt};
  message.slots = swaps_rows ? a.message.slots->swapped() : a.message.slots->rotated(steps);
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    swaps_rows ? evaluator_.rotate_columns(x, bench_.galois_keys, destination)
               : evaluator_.rotate_rows(x, steps, bench_.galois_keys, destination);
  });
  return accept({std::move(result), std::move(message), load,
                 estimator_.apply_galois(a.estimate, switches), a.depth});
}

// To the form that is not the scheme's own, an operation there, and back.
inline bool ExactCircuit::change_form() {
  ExactValue a = operand();
  const std::size_t kind = any(3);
  const ExactPlain b = random_plain();
  Load load = a.load;
  if (kind == 1) load = model_.multiply_plain(load, norm_of(b.message.poly));
  if (kind == 2) load = model_.add(load, 1, load, 1);
  if (!accepts(load, a.depth)) return false;
  const auto transform = [&](Ciphertext& x, bool to_ntt) {
    record(to_ntt ? "transform_to_ntt" : "transform_from_ntt");
    x = into(x, [&](const auto& y, auto& destination) {
      to_ntt ? evaluator_.transform_to_ntt(y, destination)
             : evaluator_.transform_from_ntt(y, destination);
    });
  };
  transform(a.ciphertext, !is_bgv_);
  if (kind == 1) {
    record("multiply_plain in the other form");
    evaluator_.multiply_plain_inplace(a.ciphertext, b.plain);
    a.message = a.message * b.message;
    a.estimate = estimator_.multiply_plain(a.estimate, b.estimate);
  } else if (kind == 2) {
    record("add in the other form");
    evaluator_.add(a.ciphertext, a.ciphertext, a.ciphertext);
    a.message = a.message + a.message;
    a.estimate = estimator_.add(a.estimate, a.estimate);
  } else {
    record("negate in the other form");
    evaluator_.negate_inplace(a.ciphertext);
    a.message = -a.message;
  }
  transform(a.ciphertext, is_bgv_);
  return accept({std::move(a.ciphertext), std::move(a.message), load,
                 estimator_.transform(a.estimate), a.depth});
}

inline std::optional<ExactValue> ExactCircuit::lowered(const ExactValue& value,
                                                       const ContextData& target) {
  if (value.load.level == &target) return value;
  const bool reduces = is_bgv_ && percent(25);
  const Load load = reduces ? Load{&target, value.load.size, value.load.noise}
                            : model_.mod_switch(value.load, target);
  if (!model_.is_sound(load)) return std::nullopt;
  const NoiseEstimate estimate =
      reduces ? estimator_.mod_reduce_to(value.estimate, target.prime_count())
              : estimator_.mod_switch_to(value.estimate, target.prime_count());
  ExactValue result{{}, value.message, load, estimate, value.depth};
  if (reduces) {
    record("mod_reduce_to");
    evaluator_.mod_reduce_to(value.ciphertext, target.parms_id(), result.ciphertext);
  } else {
    record("mod_switch_to");
    evaluator_.mod_switch_to(value.ciphertext, target.parms_id(), result.ciphertext);
  }
  return result;
}

inline Load ExactCircuit::sum_load(const ExactValue& a, const ExactValue& b,
                                   const Message& /*sum*/) const {
  return model_.add(a.load, a.ciphertext.correction_factor(), b.load,
                    b.ciphertext.correction_factor());
}

inline void ExactCircuit::become_sum(ExactValue& a, const ExactValue& b) const {
  a.ciphertext.correction_factor() =
      bgv::balance(a.ciphertext.correction_factor(), b.ciphertext.correction_factor(),
                   bench_.context.plain_modulus())
          .common;
}

inline bool ExactCircuit::exponentiate() {
  const ExactValue a = operand();
  if (!bench_.has_keys() || a.load.size != 2) return false;
  const std::uint64_t exponent = 1 + any(5);
  Load load = a.load;
  Load power = a.load;
  int gained = 0;
  bool has_product = exponent % 2 == 1;
  for (int k = 1; exponent >> k != 0; ++k) {
    power = model_.relinearize(model_.multiply(power, power));
    gained = k;
    if ((exponent >> k) % 2 == 0) continue;
    if (has_product) ++gained;
    load = has_product ? model_.relinearize(model_.multiply(load, power)) : power;
    has_product = true;
  }
  if (!accepts(load, a.depth + gained)) return false;
  record("exponentiate");
  Message message = a.message;
  for (std::uint64_t k = 1; k < exponent; ++k) message = message * a.message;
  Ciphertext result = into(a.ciphertext, [&](const auto& x, auto& destination) {
    evaluator_.exponentiate(x, exponent, bench_.relin_keys, destination);
  });
  return accept({std::move(result), std::move(message), load,
                 estimator_.exponentiate(a.estimate, exponent), a.depth + gained});
}

inline bool ExactCircuit::multiply_many() {
  if (!bench_.has_keys()) return false;
  const std::vector<ExactValue> values = operands_at_one_level(1 + any(4), false);
  if (values.empty()) return false;
  // A queue: two from the front, their product to the end.
  std::deque<std::pair<Load, int>> factors;
  std::vector<Ciphertext> operands;
  std::vector<NoiseEstimate> estimates;
  std::optional<Message> message;
  for (const ExactValue& value : values) {
    if (value.load.size != 2) return false;
    factors.emplace_back(value.load, value.depth);
    operands.push_back(value.ciphertext);
    estimates.push_back(value.estimate);
    message = message ? *message * value.message : value.message;
  }
  while (factors.size() > 1) {
    const auto [a, b] = std::pair(factors[0], factors[1]);
    factors.erase(factors.begin(), factors.begin() + 2);
    factors.emplace_back(model_.relinearize(model_.multiply(a.first, b.first)),
                         std::max(a.second, b.second) + 1);
  }
  const auto [load, depth] = factors.front();
  if (!accepts(load, depth)) return false;
  record("multiply_many");
  Ciphertext result = into(operands[0], [&](const auto&, auto& destination) {
    evaluator_.multiply_many(operands, bench_.relin_keys, destination);
  });
  return accept(
      {std::move(result), std::move(*message), load, estimator_.multiply_many(estimates), depth});
}

inline void ExactCircuit::random_operation() {
  static const std::array<std::pair<Operation, std::size_t>, 18> kOperations{{
      {&ExactCircuit::encrypt, 6},
      {&ExactCircuit::copy, 4},
      {&ExactCircuit::negate, 6},
      {&ExactCircuit::add_or_sub, 16},
      {&ExactCircuit::add_or_sub_plain, 10},
      {&ExactCircuit::multiply_plain, 8},
      {&ExactCircuit::relinearize, 6},
      {&ExactCircuit::mod_switch, 6},
      {&ExactCircuit::mod_reduce, 4},
      {&ExactCircuit::rotate, 8},
      {&ExactCircuit::apply_galois, 5},
      {&ExactCircuit::change_form, 5},
      {&ExactCircuit::square, 5},
      {&ExactCircuit::exponentiate, 3},
      {&ExactCircuit::add_many, 6},
      {&ExactCircuit::multiply, 10},
      {&ExactCircuit::multiply_many, 3},
      {&ExactCircuit::relinearize, 4},
  }};
  random_one_of(*this, kOperations);
}

inline void ExactCircuit::choose_start() {
  const int from_fresh = model_.remaining_depth(model_.fresh(first_level(), false));
  if (pool_.empty() || reach(pool_[highest()]) < from_fresh) {
    encrypt_message(false);
    climb_from(pool_.size() - 1);
  } else {
    climb_from(highest());
  }
}

// By the bound, or where that ends, by the noise as it is: bounds of many operations pile up.
inline bool ExactCircuit::can_go_on() {
  if (model_.remaining_depth(operand().load) > 0) return true;
  ExactValue& value = pool_[focus_];
  const long double noise = measure_noise(bench_, value.ciphertext).norm * (1 + 0x1p-20L);
  EXPECT_LE(noise, value.load.noise * (1 + 0x1p-20L)) << "noise above its bound, after:" << trace_;
  record("(noise measured)");
  value.load.noise = noise;
  const int more = model_.remaining_depth(value.load);
  depth_to_reach_ = value.depth + more;
  return more > 0;
}

// One product more, at any level that allows for those that must follow.
inline void ExactCircuit::step_up() {
  if (bench_.has_keys() && operand().load.size == 3) relinearize();
  std::vector<const ContextData*> levels;
  const ExactValue start = operand();
  const auto allows = [&](const ContextData& level) {
    const Load low = model_.mod_switch(start.load, level);
    return model_.is_sound(low) && accepts(model_.multiply(low, low), start.depth + 1);
  };
  for (const ContextData* level = start.load.level; level != nullptr;
       level = level->next_context_data()) {
    if (allows(*level)) levels.push_back(level);
  }
  ASSERT_FALSE(levels.empty()) << "no product although the bound allows one, after:" << trace_;
  const ContextData& level = *levels[any(levels.size())];
  ExactValue low{{},
                 start.message,
                 model_.mod_switch(start.load, level),
                 estimator_.mod_switch_to(start.estimate, level.prime_count()),
                 start.depth};
  evaluator_.mod_switch_to(start.ciphertext, level.parms_id(), low.ciphertext);
  if (&level != start.load.level) record("mod_switch_to");
  const Load load = model_.multiply(low.load, low.load);
  Ciphertext product;
  if (percent(50)) {
    record("square");
    evaluator_.square(low.ciphertext, product);
  } else {
    record("multiply");
    evaluator_.multiply(low.ciphertext, low.ciphertext, product);
  }
  accept({std::move(product), low.message * low.message, load, estimator_.square(low.estimate),
          low.depth + 1});
}

inline void ExactCircuit::random_step() {
  static const std::array<std::pair<Operation, std::size_t>, 8> kOperations{{
      {&ExactCircuit::negate, 1},
      {&ExactCircuit::add_or_sub_plain, 3},
      {&ExactCircuit::multiply_plain, 2},
      {&ExactCircuit::relinearize, 2},
      {&ExactCircuit::mod_switch, 2},
      {&ExactCircuit::mod_reduce, 1},
      {&ExactCircuit::rotate, 2},
      {&ExactCircuit::apply_galois, 1},
  }};
  random_one_of(*this, kOperations);
}

// The product at one of the levels that leave room, mostly that which leaves the most.
inline std::optional<ExactValue> ExactCircuit::independent_product(const ExactValue& a,
                                                                   const ExactValue& b) {
  if (a.load.size + b.load.size - 1 > kLargestSize) return std::nullopt;
  const ContextData* level =
      a.load.level->chain_index() < b.load.level->chain_index() ? a.load.level : b.load.level;
  const ContextData* best = nullptr;
  long double most = 0;
  for (; level != nullptr; level = level->next_context_data()) {
    const Load low_a = model_.mod_switch(a.load, *level);
    const Load low_b = model_.mod_switch(b.load, *level);
    const Load product = model_.relinearize_if_possible(model_.multiply(low_a, low_b));
    if (!model_.is_sound(low_a) || !model_.is_sound(low_b) || !model_.is_sound(product)) continue;
    const long double room = modulus_of(*level) / product.noise;
    if (best != nullptr && room < most && !percent(15)) continue;
    best = level;
    most = room;
  }
  if (best == nullptr) return std::nullopt;
  const std::optional<ExactValue> low_a = lowered(a, *best);
  const std::optional<ExactValue> low_b = lowered(b, *best);
  if (!low_a || !low_b) return std::nullopt;
  const Load load = model_.multiply(low_a->load, low_b->load);
  if (!model_.is_sound(load)) return std::nullopt;
  record("multiply independent operands");
  Ciphertext product;
  evaluator_.multiply(low_a->ciphertext, low_b->ciphertext, product);
  return ExactValue{std::move(product), low_a->message * low_b->message, load,
                    estimator_.multiply(low_a->estimate, low_b->estimate),
                    std::max(a.depth, b.depth) + 1};
}

}  // namespace ringlet::test
