// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/encryptor.hpp"
#include "ringlet/error.hpp"
#include "support/circuit_run.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// True if all polynomials but the first of a + b or a - b vanish: then the library refuses.
inline bool would_cancel(const ContextData& level, const Ciphertext& a, const Ciphertext& b,
                         bool is_sum) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 1; k < a.size(); ++k) {
    const ConstResidueView x = a.view(k);
    const ConstResidueView y = b.view(k);
    for (std::size_t i = 0; i < x.limb_count; ++i) {
      const std::uint64_t q = level.coeff_modulus()[i].value();
      for (std::size_t n = 0; n < x.degree; ++n) {
        const std::uint64_t wanted = is_sum && y.limb(i)[n] != 0 ? q - y.limb(i)[n] : y.limb(i)[n];
        if (x.limb(i)[n] != wanted) return false;
      }
    }
  }
  return true;
}

/// True for {a, -a} and the like, which the library refuses too.
inline bool sum_vanishes(const ContextData& level, const std::vector<Ciphertext>& operands) {
  const std::uint64_t q = level.coeff_modulus()[0].value();
  std::vector<std::uint64_t> sum(level.degree());
  for (const Ciphertext& operand : operands) {
    const auto limb = operand.view(1).limb(0);
    for (std::size_t n = 0; n < sum.size(); ++n) sum[n] = (sum[n] + limb[n]) % q;
  }
  return std::ranges::all_of(sum, [](std::uint64_t word) { return word == 0; });
}

/// A random circuit: operations on a few values, then a climb to the largest depth that the
/// parameters allow, with operations between the products that do not lower it. This is the part
/// that the schemes share: a pool of ciphertexts with what they should hold, the choice of operands
/// and destinations, the record of what was done, and the operations that have one meaning. A
/// `Value` has a ciphertext, the message that it should hold, its load (a bound that `Model` says
/// how operations change), an estimate, and a depth.
template <typename Value, typename Model>
class RandomCircuit {
 public:
  /// With `checks_each`, every result is checked at once.
  RandomCircuit(const CircuitBench& bench, std::uint64_t seed, CircuitStatistics& statistics,
                bool checks_each)
      : bench_(bench),
        statistics_(statistics),
        model_(bench),
        evaluator_(bench.evaluator),
        estimator_(bench.estimator),
        rng_(seed),
        encryptor_(bench.context, bench.public_key, bench.keygen.secret_key(),
                   RandomSource::for_testing(seed)),
        checks_each_(checks_each) {}
  virtual ~RandomCircuit() = default;

  void run(std::size_t operations) {
    guarded([&] {
      encrypt_message(false);
      for (int k = 0; k < 3; ++k) encrypt();
      for (std::size_t k = 0; k < operations; ++k) random_operation();
      climb();
      for (const Value& value : pool_) check(value);
      pool_.clear();
      climb_independently();
    });
  }

 protected:
  using Message = decltype(Value::message);
  using Load = decltype(Value::load);

  static constexpr std::size_t kMostValues = 6;
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::size_t kLargestSize = 5;

  // What the schemes do in their own way.
  virtual bool encrypt() = 0;
  virtual bool encrypt_message(bool is_symmetric) = 0;
  virtual void random_operation() = 0;
  /// An operation of one operand.
  virtual void random_step() = 0;
  virtual void check(const Value& value) = 0;
  /// Checks what else is known of a result, and completes it.
  virtual void complete(Value& value) = 0;
  virtual std::optional<Value> lowered(const Value& value, const ContextData& target) = 0;
  /// Makes a value fit for a sum with `first`, at the same level. False if that is not possible.
  virtual bool align(Value& /*value*/, const Value& /*first*/) { return true; }
  virtual Load sum_load(const Value& a, const Value& b, const Message& sum) const = 0;
  virtual Load product_load(const Value& a, const Value& b, const Message& product) const = 0;
  /// What the record says behind the name of a sum.
  virtual const char* sum_kind(const Value& /*a*/, const Value& /*b*/) const { return ""; }
  /// After a sum of a and b: what their ciphertext is apart from its polynomials goes to a.
  virtual void become_sum(Value& /*a*/, const Value& /*b*/) const {}
  /// Sets the value to climb with.
  virtual void choose_start() = 0;
  virtual bool can_go_on() { return model_.remaining_depth(operand().load) > 0; }
  virtual void step_up() = 0;
  virtual std::optional<Value> independent_product(const Value& a, const Value& b) = 0;

  std::mt19937_64& rng() { return rng_; }
  bool percent(std::size_t chance_in_percent) { return chance(rng_, chance_in_percent); }
  std::size_t any(std::size_t limit) { return below(rng_, limit); }

  const ContextData& level_of(const Ciphertext& a) const {
    return *bench_.context.get_context_data(a.parms_id());
  }
  const ContextData& first_level() const { return *bench_.context.first_context_data(); }
  /// A level from that of `from` down.
  const ContextData& random_level(const ContextData& from) {
    const ContextData* level = &from;
    for (std::size_t down = any(from.chain_index() + 1); down > 0; --down) {
      level = level->next_context_data();
    }
    return *level;
  }

  /// The operand of the next operation: the value that the circuit climbs with, or any.
  const Value& operand() { return pool_[focus_ != kNone ? focus_ : any(pool_.size())]; }
  const Value& other() { return pool_[any(pool_.size())]; }

  /// The result goes in the place of the value that climbs, or to a new or any place.
  void keep(Value value) {
    if (focus_ != kNone) {
      pool_[focus_] = std::move(value);
    } else if (pool_.size() < kMostValues) {
      pool_.push_back(std::move(value));
    } else {
      pool_[any(pool_.size())] = std::move(value);
    }
  }

  void record(const std::string& operation) {
    ++statistics_.operations[operation];
    trace_ += " " + operation;
  }

  /// f(a, destination) into an empty ciphertext, one that held something else, or in place.
  template <typename F>
  Ciphertext into(const Ciphertext& a, F&& f) {
    switch (any(3)) {
      case 0: {
        Ciphertext destination;
        f(a, destination);
        return destination;
      }
      case 1: {
        ++statistics_.operations["(into another ciphertext)"];
        Ciphertext destination = other().ciphertext;
        f(a, destination);
        return destination;
      }
      default: {
        ++statistics_.operations["(in place)"];
        Ciphertext destination = a;
        f(destination, destination);
        return destination;
      }
    }
  }

  /// f(a, b, destination), where the destination may also be the second operand.
  template <typename F>
  Ciphertext into(const Ciphertext& a, const Ciphertext& b, F&& f) {
    if (!percent(25)) {
      return into(a, [&](const Ciphertext& x, Ciphertext& destination) { f(x, b, destination); });
    }
    ++statistics_.operations["(in place of the second operand)"];
    Ciphertext destination = b;
    f(a, destination, destination);
    return destination;
  }

  /// A result counts only if its load stays small and, in a climb, the rest of it is possible.
  bool accepts(const Load& load, int depth) const {
    return model_.is_sound(load) &&
           (focus_ == kNone || depth + model_.remaining_depth(load) >= depth_to_reach_);
  }

  bool accept(Value value) {
    EXPECT_EQ(value.load.level, &level_of(value.ciphertext)) << trace_;
    EXPECT_EQ(value.ciphertext.size(), value.load.size) << trace_;
    EXPECT_EQ(value.estimate.prime_count(), value.load.level->prime_count()) << trace_;
    EXPECT_EQ(value.estimate.size(), value.load.size) << trace_;
    complete(value);
    if (checks_each_) check(value);
    keep(std::move(value));
    return true;
  }

  /// Runs f as into() does, and accepts `result` with the ciphertext that comes out.
  template <typename F>
  bool accept_into(const Ciphertext& a, F&& f, Value result) {
    result.ciphertext = into(a, f);
    return accept(std::move(result));
  }

  // Operations.
  bool copy();
  bool negate();
  bool relinearize();
  bool apply_galois();
  bool square();
  bool add_or_sub();
  bool add_many();
  bool multiply();

  /// Values of the pool at the level of the lowest of them, fit for a sum if `is_sum` is set; empty
  /// if that is not possible.
  std::vector<Value> operands_at_one_level(std::size_t count, bool is_sum);
  /// The value of the pool from which a climb gets highest.
  std::size_t highest() const;
  int reach(const Value& value) const { return value.depth + model_.remaining_depth(value.load); }
  void climb_from(std::size_t start) {
    focus_ = start;
    depth_to_reach_ = reach(pool_[start]);
  }
  void climb();
  /// A climb where no two operands have an encryption in common; checks the value at each depth.
  void climb_independently();
  bool step_up_independently();
  Value independent_value(std::size_t depth);
  void take(Value value);

  /// One operation that is possible, of pairs of a method and its weight; now and then none.
  template <typename Circuit, typename Table>
  void random_one_of(Circuit& circuit, const Table& operations) {
    std::size_t total = 0;
    for (const auto& [operation, weight] : operations) total += weight;
    for (int attempt = 0; attempt < 20; ++attempt) {
      std::size_t ticket = any(total);
      std::size_t k = 0;
      while (ticket >= operations[k].second) ticket -= operations[k++].second;
      bool done = false;
      if (!refused([&] { done = (circuit.*operations[k].first)(); }) && done) return;
    }
  }

  /// True if the library refuses a transparent result, such as y - relinearize(y) relinearized. The
  /// run fails if that is more than a rare chance.
  template <typename F>
  bool refused(F&& operation) {
    try {
      operation();
      return false;
    } catch (const LogicError& error) {
      if (std::string(error.what()).find("a transparent result") == std::string::npos) throw;
      record("(refused as transparent)");
      return true;
    }
  }

  /// Takes the value that climbs out of the pool.
  void drop_focus() {
    pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(focus_));
    focus_ = kNone;
  }

  /// Holds the estimate against what was measured, both as logarithms.
  void check_estimate(const Value& value, double estimated, double measured) {
    const std::size_t degree = bench_.context.ring().degree();
    const double gap = estimated - measured;
    const EstimateGaps::Kind kind = EstimateGaps::kind_of(degree, value.estimate, estimated);
    statistics_.gaps.add(kind, value.depth, gap);
    EXPECT_GE(gap, 0) << "noise above its estimate, depth " << value.depth << ", after:" << trace_;
    if (kind == EstimateGaps::Kind::held) {
      EXPECT_LE(gap, EstimateGaps::allowed(value.depth))
          << "noise far below its estimate, depth " << value.depth << ", after:" << trace_;
    }
  }

  /// Runs `circuit`; an exception is a failure with the operations so far.
  template <typename F>
  void guarded(F&& circuit) {
    try {
      circuit();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n  after:" << trace_;
    }
  }

  const CircuitBench& bench_;
  CircuitStatistics& statistics_;
  Model model_;
  const Evaluator& evaluator_;
  const NoiseEstimator& estimator_;
  std::mt19937_64 rng_;
  Encryptor encryptor_;
  bool checks_each_;
  std::vector<Value> pool_;
  std::size_t focus_ = kNone;
  int depth_to_reach_ = 0;
  std::string trace_;
};

}  // namespace ringlet::test
