// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/random_choices.hpp"

namespace ringlet::test {

/// A random circuit: operations on a few values, then a climb to the largest depth that the
/// parameters allow. Operations that do not lower this depth stand between the products of the
/// climb. The schemes differ in their messages, in a few operations and in `Model`: how operations
/// change the load of a value, a bound of its noise. `Factor` is the load of a plaintext.
template <typename Message, typename Load, typename Factor, typename Model>
class RandomCircuit : protected CircuitValues<Message, Load, Model> {
  using Values = CircuitValues<Message, Load, Model>;

 public:
  /// With `checks_each`, every result is checked at once.
  RandomCircuit(const CircuitBench& bench, std::uint64_t seed, CircuitStatistics& statistics,
                bool checks_each)
      : Values(bench, seed, statistics, checks_each) {
    operations_ = {{[this] { return encrypt(); }, 6, 0},
                   {[this] { return copy(); }, 4, 0},
                   {[this] { return negate(); }, 6, 1},
                   {[this] { return add_or_sub(); }, 16, 0},
                   {[this] { return add_or_sub_plain(); }, 10, 3},
                   {[this] { return multiply_plain(); }, 9, 2},
                   {[this] { return relinearize(); }, 9, 2},
                   {[this] { return go_down(); }, 8, 2},
                   {[this] { return rotate(); }, 11, 3},
                   {[this] { return apply_galois(); }, 5, 1},
                   {[this] { return change_form(); }, 5, 0},
                   {[this] { return square(); }, 5, 0},
                   {[this] { return add_many(); }, 6, 0},
                   {[this] { return multiply(); }, 10, 0}};
  }

  void run(std::size_t operations) {
    try {
      encrypt_message(first_level(), false);
      for (int k = 0; k < 3; ++k) encrypt();
      for (std::size_t k = 0; k < operations; ++k) random_operation();
      climb();
      for (const Value& value : pool_) check(value);
      pool_.clear();
      climb_independently();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n  after:" << trace_;
    }
  }

 protected:
  using RandomChoices::any, RandomChoices::bench_, RandomChoices::encryptor_;
  using RandomChoices::estimator_, RandomChoices::evaluator_, RandomChoices::first_level,
      RandomChoices::into;
  using RandomChoices::is_bfv_, RandomChoices::is_ckks_, RandomChoices::operations_;
  using RandomChoices::percent, RandomChoices::random_level, RandomChoices::random_operation;
  using RandomChoices::record, RandomChoices::refused, RandomChoices::rng_;
  using RandomChoices::statistics_, RandomChoices::trace_;
  using typename Values::Value;
  using Values::accept, Values::allows, Values::apply, Values::apply_to, Values::check;
  using Values::complete;
  using Values::depth_to_reach_, Values::focus_, Values::kNone, Values::load_at, Values::made;
  using Values::model_, Values::operand, Values::other, Values::pool_, Values::reach;

  struct Plain {
    Plaintext plain;
    Message message;
    Factor load;
    PlainEstimate estimate;
  };
  static constexpr std::size_t kLargestSize = 5;

  // The schemes implement these. A message may not fit the level: then there is no plaintext.
  virtual std::optional<Plain> message_for(const ContextData& level) = 0;
  virtual std::optional<Plain> addend_for(const Value& a) = 0;
  virtual std::optional<Plain> factor_for(const Value& a) = 0;
  virtual std::pair<Message, Factor> zero() const = 0;
  /// Makes a value fit for a sum with `first`, at the same level. Returns false if it cannot.
  virtual bool align(Value& /*value*/, const Value& /*first*/) { return true; }
  virtual Load sum_load(const Value& a, const Value& b) const { return model_.add(a.load, b.load); }
  virtual bool can_go_on() { return model_.remaining_depth(operand().load) > 0; }
  /// Returns the value at a level where its square leaves room for the products that must follow.
  virtual Value before_square(const Value& value) = 0;
  /// Makes both operands fit for a product and returns its level, or null if there is none.
  virtual const ContextData* level_of_product(Value& a, Value& b) = 0;

  // Inputs.

  bool encrypt_message(const ContextData& level, bool is_symmetric) {
    const std::optional<Plain> input = message_for(level);
    if (!input) return false;
    Value value =
        made(input->message, model_.fresh(level, is_symmetric, input->load),
             is_symmetric ? estimator_.encrypt_symmetric(input->estimate, level.prime_count())
                          : estimator_.encrypt(input->estimate, level.prime_count()),
             0);
    if (!model_.is_sound(value.load)) return false;
    record(is_symmetric ? "encrypt_symmetric" : "encrypt");
    value.ciphertext = is_symmetric ? encryptor_.encrypt_symmetric(input->plain)
                                    : encryptor_.encrypt(input->plain);
    pool_.push_back(std::move(value));
    return true;
  }

  bool encrypt_zero(const ContextData& level, bool is_symmetric) {
    const auto [message, factor] = zero();
    Value value = made(message, model_.fresh(level, is_symmetric, factor),
                       is_symmetric ? estimator_.encrypt_zero_symmetric(level.prime_count())
                                    : estimator_.encrypt_zero(level.prime_count()),
                       0);
    if (!model_.is_sound(value.load)) return false;
    record(is_symmetric ? "encrypt_zero_symmetric" : "encrypt_zero");
    value.ciphertext = is_symmetric ? encryptor_.encrypt_zero_symmetric(level.parms_id())
                                    : encryptor_.encrypt_zero(level.parms_id());
    if (is_ckks_) {
      value.ciphertext.scale() = bench_.set.scale;
      value.estimate = estimator_.with_scale(value.estimate, bench_.set.scale);
    }
    pool_.push_back(std::move(value));
    return true;
  }

  // Integers are encrypted at the first level alone.
  bool encrypt() {
    if (pool_.size() >= Values::kMostValues) return false;
    const ContextData& level = percent(60) ? first_level() : random_level(first_level());
    const bool is_symmetric = percent(50);
    return percent(12) ? encrypt_zero(level, is_symmetric)
                       : encrypt_message(is_ckks_ ? level : first_level(), is_symmetric);
  }

  // Operations of one value.

  bool copy() {
    if (focus_ != kNone) return false;
    record("copy");
    return accept(operand());
  }

  bool negate() {
    const Value a = operand();
    return apply_to("negate", a, -a.message, a.load, estimator_.negate(a.estimate),
                    [&](const auto& x, auto& to) { evaluator_.negate(x, to); });
  }

  bool relinearize() {
    const Value a = operand();
    if (!bench_.has_keys() || a.load.size > 3) return false;
    return apply_to(
        a.load.size == 2 ? "relinearize of size 2" : "relinearize", a, a.message,
        model_.relinearize(a.load), estimator_.relinearize(a.estimate),
        [&](const auto& x, auto& to) { evaluator_.relinearize(x, bench_.relin_keys, to); });
  }

  bool apply_galois() {
    const Value a = operand();
    if (!bench_.has_keys() || a.load.size != 2) return false;
    const std::uint64_t element = bench_.galois_elements[any(bench_.galois_elements.size())];
    return apply_to("apply_galois", a, automorphism(a.message, element), model_.switch_key(a.load),
                    estimator_.apply_galois(a.estimate), [&](const auto& x, auto& to) {
                      evaluator_.apply_galois(x, element, bench_.galois_keys, to);
                    });
  }

  // The conjugation of CKKS corresponds to a swap of the rows of integers.
  bool rotate() {
    const Value a = operand();
    const bool has_slots = is_ckks_ || bench_.context.using_batching();
    if (!has_slots || !bench_.has_keys() || a.load.size != 2) return false;
    const bool is_conjugate = percent(35);
    const int steps = bench_.rotation(rng_);
    const std::size_t switches = is_conjugate ? 1 : bench_.switches(steps);
    Load load = a.load;
    for (std::size_t k = 0; k < switches; ++k) load = model_.switch_key(load);
    const std::string name = is_conjugate ? (is_ckks_ ? "complex_conjugate" : "rotate_columns")
                                          : (is_ckks_ ? "rotate_vector" : "rotate_rows");
    const GaloisKeys& keys = bench_.galois_keys;
    return apply_to(name + (switches > 1 ? ", composed" : ""), a,
                    is_conjugate ? conjugated(a.message) : rotated(a.message, steps), load,
                    estimator_.apply_galois(a.estimate, switches), [&](const auto& x, auto& to) {
                      if (is_conjugate) {
                        is_ckks_ ? evaluator_.complex_conjugate(x, keys, to)
                                 : evaluator_.rotate_columns(x, keys, to);
                      } else {
                        is_ckks_ ? evaluator_.rotate_vector(x, steps, keys, to)
                                 : evaluator_.rotate_rows(x, steps, keys, to);
                      }
                    });
  }

  bool add_or_sub_plain() {
    const Value a = operand();
    const std::optional<Plain> b = addend_for(a);
    if (!b) return false;
    const bool is_sum = percent(50);
    return apply_to(
        is_sum ? "add_plain" : "sub_plain", a,
        is_sum ? a.message + b->message : a.message - b->message, model_.add_plain(a.load, b->load),
        is_sum ? estimator_.add_plain(a.estimate, b->estimate)
               : estimator_.sub_plain(a.estimate, b->estimate),
        [&](const auto& x, auto& to) {
          is_sum ? evaluator_.add_plain(x, b->plain, to) : evaluator_.sub_plain(x, b->plain, to);
        });
  }

  bool multiply_plain() {
    const Value a = operand();
    std::optional<Plain> b = factor_for(a);
    if (!b) return false;
    std::string name = "multiply_plain";
    if (!is_ckks_ && percent(50)) {
      const bool is_lowered = percent(50);
      name += is_lowered ? " by NTT form, mod_switch" : " by NTT form";
      const ParmsId level = a.ciphertext.parms_id();
      evaluator_.transform_to_ntt_inplace(b->plain,
                                          is_lowered ? bench_.context.first_parms_id() : level);
      if (is_lowered) evaluator_.mod_switch_to_inplace(b->plain, level);
    }
    return apply_to(name, a, a.message * b->message, model_.multiply_plain(a.load, b->load),
                    estimator_.multiply_plain(a.estimate, b->estimate),
                    [&](const auto& x, auto& to) { evaluator_.multiply_plain(x, b->plain, to); });
  }

  std::optional<Value> lowered(const Value& value, const ContextData& target, bool reduces) {
    if (value.load.level == &target) return value;
    const std::size_t count = target.prime_count();
    Value result = made(value.message, load_at(value.load, target, reduces),
                        reduces ? estimator_.mod_reduce_to(value.estimate, count)
                                : estimator_.mod_switch_to(value.estimate, count),
                        value.depth);
    if (!model_.is_sound(result.load)) return std::nullopt;
    record(reduces ? "mod_reduce_to" : "mod_switch_to");
    reduces ? evaluator_.mod_reduce_to(value.ciphertext, target.parms_id(), result.ciphertext)
            : evaluator_.mod_switch_to(value.ciphertext, target.parms_id(), result.ciphertext);
    return result;
  }
  // For BFV, mod_reduce loses the message.
  std::optional<Value> lowered(const Value& value, const ContextData& target) {
    return lowered(value, target, !is_bfv_ && percent(25));
  }

  bool go_down() {
    const Value a = operand();
    const ContextData* const next = a.load.level->next_context_data();
    if (next == nullptr) return false;
    const bool reduces = !is_bfv_ && percent(45);
    const bool to_next = percent(60);
    const ContextData& target = to_next ? *next : random_level(*a.load.level);
    const std::size_t count = target.prime_count();
    const NoiseEstimate& e = a.estimate;
    return apply_to(
        std::string(reduces ? "mod_reduce_to" : "mod_switch_to") + (to_next ? "_next" : ""), a,
        a.message, load_at(a.load, target, reduces),
        to_next
            ? (reduces ? estimator_.mod_reduce_to_next(e) : estimator_.mod_switch_to_next(e))
            : (reduces ? estimator_.mod_reduce_to(e, count) : estimator_.mod_switch_to(e, count)),
        [&](const auto& x, auto& to) {
          if (to_next) {
            reduces ? evaluator_.mod_reduce_to_next(x, to) : evaluator_.mod_switch_to_next(x, to);
          } else {
            reduces ? evaluator_.mod_reduce_to(x, target.parms_id(), to)
                    : evaluator_.mod_switch_to(x, target.parms_id(), to);
          }
        });
  }

  // Changes to the form that is not the scheme's own, runs an operation there, and changes back.
  bool change_form() {
    Value a = operand();
    const std::size_t kind = any(is_ckks_ ? 2 : 3);
    std::optional<Plain> b;
    if (kind == 0) {
      a.message = -a.message;
      a.estimate = estimator_.negate(a.estimate);
    } else if (kind == 1) {
      a.message = a.message + a.message;
      a.load = sum_load(a, a);
      a.estimate = estimator_.add(a.estimate, a.estimate);
    } else {
      b = factor_for(a);
      if (!b) return false;
      a.message = a.message * b->message;
      a.load = model_.multiply_plain(a.load, b->load);
      a.estimate = estimator_.multiply_plain(a.estimate, b->estimate);
    }
    a.estimate = estimator_.transform(a.estimate);
    if (!allows(a)) return false;
    const auto transform = [&](bool to_ntt) {
      record(to_ntt ? "transform_to_ntt" : "transform_from_ntt");
      a.ciphertext = into(a.ciphertext, [&](const auto& x, auto& to) {
        to_ntt ? evaluator_.transform_to_ntt(x, to) : evaluator_.transform_from_ntt(x, to);
      });
    };
    const bool is_ntt = a.ciphertext.is_ntt_form();
    transform(!is_ntt);
    constexpr const char* kNames[] = {"negate", "add", "multiply_plain"};
    record(std::string(kNames[kind]) + " in the other form");
    if (kind == 0) evaluator_.negate_inplace(a.ciphertext);
    if (kind == 1) evaluator_.add_inplace(a.ciphertext, a.ciphertext);
    if (kind == 2) evaluator_.multiply_plain_inplace(a.ciphertext, b->plain);
    transform(is_ntt);
    return accept(std::move(a));
  }

  bool square() {
    const Value a = operand();
    if (2 * a.load.size - 1 > kLargestSize) return false;
    return apply("square",
                 made(a.message * a.message, model_.square(a.load), estimator_.square(a.estimate),
                      a.depth + 1),
                 a.ciphertext, [&](const auto& x, auto& to) { evaluator_.square(x, to); });
  }

  // Operations of several values.

  /// Returns values of the pool at the lowest level among them, fit for a sum if `is_sum` is set.
  /// Returns none if that is impossible.
  std::vector<Value> operands_at_one_level(std::size_t count, bool is_sum) {
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

  bool add_or_sub() {
    const std::vector<Value> values = operands_at_one_level(2, true);
    if (values.empty()) return false;
    const Value& a = values[0];
    const Value& b = values[1];
    const bool is_sum = percent(50);
    if (would_cancel(*a.load.level, a.ciphertext, b.ciphertext, is_sum)) return false;
    const bool is_equal = a.ciphertext.correction_factor() == b.ciphertext.correction_factor();
    return apply(std::string(is_sum ? "add" : "sub") + (is_equal ? "" : " with unequal factors"),
                 made(is_sum ? a.message + b.message : a.message - b.message, sum_load(a, b),
                      is_sum ? estimator_.add(a.estimate, b.estimate)
                             : estimator_.sub(a.estimate, b.estimate),
                      std::max(a.depth, b.depth)),
                 a.ciphertext, b.ciphertext, [&](const auto& x, const auto& y, auto& to) {
                   is_sum ? evaluator_.add(x, y, to) : evaluator_.sub(x, y, to);
                 });
  }

  bool add_many() {
    const std::vector<Value> values = operands_at_one_level(2 + any(4), true);
    if (values.empty()) return false;
    std::vector<Ciphertext> operands{values[0].ciphertext};
    std::vector<NoiseEstimate> estimates{values[0].estimate};
    Value sum = values[0];
    for (const Value& value : std::span(values).subspan(1)) {
      operands.push_back(value.ciphertext);
      estimates.push_back(value.estimate);
      sum.message = sum.message + value.message;
      sum.load = sum_load(sum, value);
      Model::tighten(sum.load, sum.message);
      sum.estimate = estimator_.add(sum.estimate, value.estimate);
      sum.depth = std::max(sum.depth, value.depth);
    }
    if (sum_vanishes(*sum.load.level, operands)) return false;
    sum.estimate = estimator_.add_many(estimates);
    return apply("add_many", std::move(sum), operands[0],
                 [&](const auto&, auto& to) { evaluator_.add_many(operands, to); });
  }

  bool multiply() {
    const std::vector<Value> values = operands_at_one_level(2, false);
    if (values.empty()) return false;
    const Value& a = values[0];
    const Value& b = values[1];
    const std::size_t size = a.load.size + b.load.size - 1;
    if (size > kLargestSize) return false;
    return apply(size > 3 ? "multiply without relinearization" : "multiply",
                 made(a.message * b.message, model_.multiply(a.load, b.load),
                      estimator_.multiply(a.estimate, b.estimate), std::max(a.depth, b.depth) + 1),
                 a.ciphertext, b.ciphertext,
                 [&](const auto& x, const auto& y, auto& to) { evaluator_.multiply(x, y, to); });
  }

  // The climb.

  /// Starts from a fresh value, or from the value of the pool that can climb higher.
  void choose_start() {
    encrypt_message(first_level(), false);
    focus_ = 0;
    for (std::size_t k = 1; k < pool_.size(); ++k) {
      if (reach(pool_[k]) > reach(pool_[focus_])) focus_ = k;
    }
    depth_to_reach_ = reach(pool_[focus_]);
  }

  void step_up() {
    if (bench_.has_keys() && operand().load.size == 3) relinearize();
    const Value low = before_square(operand());
    Value product = made(low.message * low.message, model_.square(low.load),
                         estimator_.square(low.estimate), low.depth + 1);
    ASSERT_TRUE(allows(product)) << "no product although the bound allows one, after:" << trace_;
    const bool is_square = percent(50);
    record(is_square ? "square" : "multiply");
    is_square ? evaluator_.square(low.ciphertext, product.ciphertext)
              : evaluator_.multiply(low.ciphertext, low.ciphertext, product.ciphertext);
    accept(std::move(product));
  }

  void climb() {
    choose_start();
    while (can_go_on()) {
      for (std::size_t k = any(3); k > 0; --k) random_operation();
      if (model_.remaining_depth(operand().load) == 0) continue;
      if (refused([&] { step_up(); })) {
        pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(focus_));
        choose_start();
      }
    }
    const int depth = operand().depth;
    EXPECT_GE(depth, depth_to_reach_) << trace_;
    focus_ = kNone;
    ++statistics_.depths[depth];
    if (bench_.set.is_secure()) ++statistics_.depths_per_set[describe(bench_.set)][depth];
  }

  // The climb where no two operands have an encryption in common.

  /// Runs a few operations of one operand.
  void take(Value value) {
    focus_ = 0;
    pool_.assign(1, std::move(value));
    for (std::size_t k = any(3); k > 0; --k) random_operation(true);
  }

  std::optional<Value> independent_product(Value a, Value b) {
    const ContextData* const level = level_of_product(a, b);
    if (level == nullptr || a.load.size + b.load.size - 1 > kLargestSize) return std::nullopt;
    const std::optional<Value> x = lowered(a, *level);
    const std::optional<Value> y = lowered(b, *level);
    if (!x || !y) return std::nullopt;
    Value product =
        made(x->message * y->message, model_.multiply(x->load, y->load),
             estimator_.multiply(x->estimate, y->estimate), std::max(a.depth, b.depth) + 1);
    Model::tighten(product.load, product.message);
    if (!model_.is_sound(product.load)) return std::nullopt;
    record("multiply independent operands");
    evaluator_.multiply(x->ciphertext, y->ciphertext, product.ciphertext);
    complete(product);
    return product;
  }

  /// The result of a tree of products, as high as there is room.
  Value independent_value(std::size_t depth) {
    if (depth == 0) {
      pool_.clear();
      encrypt_message(first_level(), percent(50));
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

  /// Climbs by products of independent operands, and checks the value at each depth.
  void climb_independently() {
    depth_to_reach_ = 0;
    independent_value(0);
    while (true) {
      const Value a = pool_.front();
      const std::size_t depth =
          any(std::min<std::size_t>(static_cast<std::size_t>(a.depth), 2) + 1);
      const std::optional<Value> product = independent_product(a, independent_value(depth));
      if (!product) break;
      take(*product);
      if (bench_.has_keys() && operand().load.size == 3) relinearize();
      check(operand());
    }
    focus_ = kNone;
  }
};

}  // namespace ringlet::test
