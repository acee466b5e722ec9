// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/schemes/encryptor.hpp"
#include "support/circuits/circuit_run.hpp"

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

/// True for operands such as {a, -a}, whose sum the library refuses too.
inline bool sum_vanishes(const ContextData& level, const std::vector<Ciphertext>& operands) {
  const std::uint64_t q = level.coeff_modulus()[0].value();
  std::vector<std::uint64_t> sum(level.degree());
  for (const Ciphertext& operand : operands) {
    const auto limb = operand.view(1).limb(0);
    for (std::size_t n = 0; n < sum.size(); ++n) sum[n] = (sum[n] + limb[n]) % q;
  }
  return std::ranges::all_of(sum, [](std::uint64_t word) { return word == 0; });
}

/// What random circuits share for all kinds of messages: chances, levels, destinations of results,
/// and the record of the operations.
class RandomChoices {
 public:
  RandomChoices(const CircuitBench& bench, std::uint64_t seed, CircuitStatistics& statistics)
      : bench_(bench),
        statistics_(statistics),
        evaluator_(bench.evaluator),
        estimator_(bench.estimator),
        rng_(seed),
        encryptor_(bench.context, bench.public_key, bench.keygen.secret_key(),
                   RandomSource::for_testing(seed)) {}
  virtual ~RandomChoices() = default;

 protected:
  /// An operation with its weight among all, and among those of one operand between products.
  struct Operation {
    std::function<bool()> run;
    std::size_t weight;
    std::size_t weight_as_step;
  };

  /// A ciphertext to be overwritten.
  virtual const Ciphertext& other_ciphertext() = 0;

  bool percent(std::size_t chance_in_percent) { return chance(rng_, chance_in_percent); }
  std::size_t any(std::size_t limit) { return below(rng_, limit); }

  const ContextData& first_level() const { return *bench_.context.first_context_data(); }
  /// A random level, from that of `from` downwards.
  const ContextData& random_level(const ContextData& from) {
    const ContextData* level = &from;
    for (std::size_t down = any(from.chain_index() + 1); down > 0; --down) {
      level = level->next_context_data();
    }
    return *level;
  }

  void record(const std::string& operation) {
    ++statistics_.operations[operation];
    trace_ += " " + operation;
  }

  /// Calls f(a, destination) into an empty or another ciphertext, or in place.
  template <typename F>
  Ciphertext into(const Ciphertext& a, F&& f) {
    Ciphertext destination;
    const std::size_t kind = any(3);
    if (kind == 1) {
      ++statistics_.operations["(into another ciphertext)"];
      destination = other_ciphertext();
    } else if (kind == 2) {
      ++statistics_.operations["(in place)"];
      destination = a;
    }
    f(kind == 2 ? destination : a, destination);
    return destination;
  }

  /// Calls f(a, b, destination), where the destination may also be the second operand.
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

  /// Runs one possible operation; now and then none.
  void random_operation(bool is_step = false) {
    const auto weight = [is_step](const Operation& one) {
      return is_step ? one.weight_as_step : one.weight;
    };
    std::size_t total = 0;
    for (const Operation& one : operations_) total += weight(one);
    for (int attempt = 0; attempt < 20; ++attempt) {
      std::size_t ticket = any(total);
      auto one = operations_.begin();
      for (; ticket >= weight(*one); ++one) ticket -= weight(*one);
      bool done = false;
      if (!refused([&] { done = one->run(); }) && done) return;
    }
  }

  /// True if the library refuses a transparent result, such as y - relinearize(y) relinearized. The
  /// run fails if that is not rare.
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

  /// Compares the estimate with the measurement, both as logarithms.
  void check_estimate(const NoiseEstimate& estimate, int depth, double estimated, double measured) {
    const std::size_t degree = bench_.context.ring().degree();
    const double gap = estimated - measured;
    const EstimateGaps::Kind kind = EstimateGaps::kind_of(degree, estimate, estimated);
    statistics_.gaps.add(kind, depth, gap);
    EXPECT_GE(gap, 0) << "noise above its estimate, depth " << depth << ", after:" << trace_;
    if (kind == EstimateGaps::Kind::held) {
      EXPECT_LE(gap, EstimateGaps::allowed(depth))
          << "noise far below its estimate, depth " << depth << ", after:" << trace_;
    }
  }

  const CircuitBench& bench_;
  CircuitStatistics& statistics_;
  const Evaluator& evaluator_;
  const NoiseEstimator& estimator_;
  std::mt19937_64 rng_;
  Encryptor encryptor_;
  bool is_ckks_ = bench_.context.scheme() == SchemeType::ckks;
  bool is_bfv_ = bench_.context.scheme() == SchemeType::bfv;
  std::vector<Operation> operations_;
  std::string trace_;
};

/// The values of a random circuit. `Model` says how operations change the load of a value, a bound
/// of its noise.
template <typename Message, typename Load, typename Model>
class CircuitValues : protected RandomChoices {
 public:
  CircuitValues(const CircuitBench& bench, std::uint64_t seed, CircuitStatistics& statistics,
                bool checks_each)
      : RandomChoices(bench, seed, statistics), model_(bench), checks_each_(checks_each) {}

 protected:
  /// A ciphertext with its message, bounds and depth.
  struct Value {
    Ciphertext ciphertext;
    Message message;
    Load load;
    NoiseEstimate estimate;
    int depth = 0;
  };

  static constexpr std::size_t kMostValues = 6;
  static constexpr std::size_t kNone = ~std::size_t{0};

  virtual void check(const Value& value) = 0;
  /// Checks and sets the other facts that a scheme keeps about a result.
  virtual void complete(Value& value) = 0;

  /// The operand of the next operation: the value that the circuit climbs with, or any.
  const Value& operand() { return pool_[focus_ != kNone ? focus_ : any(pool_.size())]; }
  const Value& other() { return pool_[any(pool_.size())]; }

  /// A result counts only if its load stays small and, in a climb, the rest of it is possible.
  bool allows(const Load& load, int depth) const {
    return model_.is_sound(load) &&
           (focus_ == kNone || depth + model_.remaining_depth(load) >= depth_to_reach_);
  }
  bool allows(Value& result) const {
    Model::tighten(result.load, result.message);
    return allows(result.load, result.depth);
  }

  int reach(const Value& value) const { return value.depth + model_.remaining_depth(value.load); }

  Load load_at(Load load, const ContextData& target, bool reduces) const {
    if (!reduces) return model_.mod_switch(load, target);
    load.level = &target;
    return load;
  }

  /// Keeps a result: instead of the value that climbs, or as a new value, or instead of any.
  bool accept(Value value) {
    EXPECT_EQ(value.load.level, bench_.context.get_context_data(value.ciphertext.parms_id()))
        << trace_;
    EXPECT_EQ(value.ciphertext.size(), value.load.size) << trace_;
    EXPECT_EQ(value.estimate.prime_count(), value.load.level->prime_count()) << trace_;
    EXPECT_EQ(value.estimate.size(), value.load.size) << trace_;
    complete(value);
    if (checks_each_) check(value);
    if (focus_ != kNone) {
      pool_[focus_] = std::move(value);
    } else if (pool_.size() < kMostValues) {
      pool_.push_back(std::move(value));
    } else {
      pool_[any(pool_.size())] = std::move(value);
    }
    return true;
  }

  static Value made(Message message, const Load& load, const NoiseEstimate& estimate, int depth) {
    return {{}, std::move(message), load, estimate, depth};
  }
  /// Accepts `result` if it is allowed, with the ciphertext that f computes from the operands.
  template <typename... OperandsAndF>
  bool apply(const std::string& name, Value result, const OperandsAndF&... operands_and_f) {
    if (!allows(result)) return false;
    record(name);
    result.ciphertext = into(operands_and_f...);
    return accept(std::move(result));
  }

  /// The same for one operand, whose depth the result has.
  template <typename F>
  bool apply_to(const std::string& name, const Value& a, Message message, const Load& load,
                const NoiseEstimate& estimate, const F& f) {
    return apply(name, made(std::move(message), load, estimate, a.depth), a.ciphertext, f);
  }

  const Ciphertext& other_ciphertext() override { return other().ciphertext; }

  Model model_;
  bool checks_each_;
  std::vector<Value> pool_;
  std::size_t focus_ = kNone;
  int depth_to_reach_ = 0;
};

}  // namespace ringlet::test
