// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/circuit.hpp"
#include "support/test.hpp"

// The operations of RandomCircuit, and the climb.

namespace ringlet::test {

template <typename Value, typename Model>
bool RandomCircuit<Value, Model>::copy() {
  if (focus_ != kNone) return false;
  record("copy");
  keep(operand());
  return true;
}

template <typename Value, typename Model>
bool RandomCircuit<Value, Model>::negate() {
  const Value a = operand();
  record("negate");
  const auto f = [&](const auto& x, auto& destination) { evaluator_.negate(x, destination); };
  return accept_into(a.ciphertext, f,
                     {{}, -a.message, a.load, estimator_.negate(a.estimate), a.depth});
}

template <typename Value, typename Model>
bool RandomCircuit<Value, Model>::relinearize() {
  const Value a = operand();
  if (!bench_.has_keys() || a.load.size > 3) return false;
  const Load load = model_.relinearize(a.load);
  if (!accepts(load, a.depth)) return false;
  record(a.load.size == 2 ? "relinearize of size 2" : "relinearize");
  const auto f = [&](const auto& x, auto& destination) {
    evaluator_.relinearize(x, bench_.relin_keys, destination);
  };
  return accept_into(a.ciphertext, f,
                     {{}, a.message, load, estimator_.relinearize(a.estimate), a.depth});
}

template <typename Value, typename Model>
bool RandomCircuit<Value, Model>::apply_galois() {
  const Value a = operand();
  if (!bench_.has_keys() || a.load.size != 2) return false;
  const Load load = model_.switch_key(a.load);
  if (!accepts(load, a.depth)) return false;
  const std::uint64_t element = bench_.galois_elements[any(bench_.galois_elements.size())];
  record("apply_galois");
  const auto f = [&](const auto& x, auto& destination) {
    evaluator_.apply_galois(x, element, bench_.galois_keys, destination);
  };
  return accept_into(
      a.ciphertext, f,
      {{}, automorphism(a.message, element), load, estimator_.apply_galois(a.estimate), a.depth});
}

template <typename Value, typename Model>
bool RandomCircuit<Value, Model>::square() {
  const Value a = operand();
  if (2 * a.load.size - 1 > kLargestSize) return false;
  const Load load = model_.square(a.load);
  if (!accepts(load, a.depth + 1)) return false;
  record("square");
  const auto f = [&](const auto& x, auto& destination) { evaluator_.square(x, destination); };
  return accept_into(a.ciphertext, f,
                     {{}, a.message * a.message, load, estimator_.square(a.estimate), a.depth + 1});
}

template <typename Value, typename Model>
std::vector<Value> RandomCircuit<Value, Model>::operands_at_one_level(std::size_t count,
                                                                      bool is_sum) {
  std::vector<Value> values{operand()};
  while (values.size() < count) values.push_back(other());
  const ContextData* lowest = values.front().load.level;
  for (const Value& value : values) {
    if (value.load.level->chain_index() < lowest->chain_index()) lowest = value.load.level;
  }
  for (Value& value : values) {
    std::optional<Value> low = lowered(value, *lowest);
    if (!low || (is_sum && !align(*low, values.front()))) return {};
    value = std::move(*low);
  }
  return values;
}

template <typename Value, typename Model>
bool RandomCircuit<Value, Model>::add_or_sub() {
  const std::vector<Value> values = operands_at_one_level(2, true);
  if (values.empty()) return false;
  const Value& a = values[0];
  const Value& b = values[1];
  const bool is_sum = percent(50);
  Message message = is_sum ? a.message + b.message : a.message - b.message;
  const Load load = sum_load(a, b, message);
  const int depth = std::max(a.depth, b.depth);
  if (!accepts(load, depth) || would_cancel(*load.level, a.ciphertext, b.ciphertext, is_sum)) {
    return false;
  }
  record(std::string(is_sum ? "add" : "sub") + sum_kind(a, b));
  const auto f = [&](const auto& x, const auto& y, auto& destination) {
    is_sum ? evaluator_.add(x, y, destination) : evaluator_.sub(x, y, destination);
  };
  Ciphertext result = into(a.ciphertext, b.ciphertext, f);
  return accept(
      {std::move(result), std::move(message), load,
       is_sum ? estimator_.add(a.estimate, b.estimate) : estimator_.sub(a.estimate, b.estimate),
       depth});
}

template <typename Value, typename Model>
bool RandomCircuit<Value, Model>::add_many() {
  const std::vector<Value> values = operands_at_one_level(2 + any(4), true);
  if (values.empty()) return false;
  std::vector<Ciphertext> operands;
  std::vector<NoiseEstimate> estimates;
  std::optional<Value> sum;
  for (const Value& value : values) {
    operands.push_back(value.ciphertext);
    estimates.push_back(value.estimate);
    if (!sum) {
      sum = value;
      continue;
    }
    sum->message = sum->message + value.message;
    sum->load = sum_load(*sum, value, sum->message);
    sum->depth = std::max(sum->depth, value.depth);
    become_sum(*sum, value);
  }
  if (!accepts(sum->load, sum->depth) || sum_vanishes(*sum->load.level, operands)) return false;
  record("add_many");
  sum->estimate = estimator_.add_many(estimates);
  const auto f = [&](const auto&, auto& destination) {
    evaluator_.add_many(operands, destination);
  };
  return accept_into(operands[0], f, std::move(*sum));
}

template <typename Value, typename Model>
bool RandomCircuit<Value, Model>::multiply() {
  const std::vector<Value> values = operands_at_one_level(2, false);
  if (values.empty()) return false;
  const Value& a = values[0];
  const Value& b = values[1];
  if (a.load.size + b.load.size - 1 > kLargestSize) return false;
  Message message = a.message * b.message;
  const int depth = std::max(a.depth, b.depth) + 1;
  const Load load = product_load(a, b, message);
  if (!accepts(load, depth)) return false;
  record(load.size > 3 ? "multiply without relinearization" : "multiply");
  const auto f = [&](const auto& x, const auto& y, auto& destination) {
    evaluator_.multiply(x, y, destination);
  };
  Ciphertext result = into(a.ciphertext, b.ciphertext, f);
  return accept({std::move(result), std::move(message), load,
                 estimator_.multiply(a.estimate, b.estimate), depth});
}

template <typename Value, typename Model>
std::size_t RandomCircuit<Value, Model>::highest() const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < pool_.size(); ++k) {
    if (reach(pool_[k]) > reach(pool_[best])) best = k;
  }
  return best;
}

template <typename Value, typename Model>
void RandomCircuit<Value, Model>::climb() {
  choose_start();
  while (can_go_on()) {
    for (std::size_t k = any(3); k > 0; --k) random_operation();
    if (model_.remaining_depth(operand().load) == 0) continue;
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

// A few operations of one operand.
template <typename Value, typename Model>
void RandomCircuit<Value, Model>::take(Value value) {
  focus_ = 0;
  pool_.assign(1, std::move(value));
  for (std::size_t k = any(3); k > 0; --k) random_step();
}

// A tree of products, as high as there is room.
template <typename Value, typename Model>
Value RandomCircuit<Value, Model>::independent_value(std::size_t depth) {
  if (depth == 0) {
    pool_.clear();
    encrypt_message(percent(50));
    take(pool_.back());
    return pool_.front();
  }
  const Value a = independent_value(depth - 1);
  const Value b = independent_value(any(depth));
  const std::optional<Value> product = independent_product(a, b);
  if (!product) return a;
  take(*product);
  if (bench_.has_keys() && percent(80)) relinearize();
  return pool_.front();
}

template <typename Value, typename Model>
bool RandomCircuit<Value, Model>::step_up_independently() {
  const Value a = pool_.front();
  const std::size_t depth = any(std::min<std::size_t>(static_cast<std::size_t>(a.depth), 2) + 1);
  const std::optional<Value> product = independent_product(a, independent_value(depth));
  if (!product) return false;
  take(*product);
  if (bench_.has_keys() && operand().load.size == 3) relinearize();
  check(operand());
  return true;
}

template <typename Value, typename Model>
void RandomCircuit<Value, Model>::climb_independently() {
  depth_to_reach_ = 0;
  independent_value(0);
  while (step_up_independently()) {
  }
  focus_ = kNone;
}

}  // namespace ringlet::test
