// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ringlet/encryptor.hpp"
#include "ringlet/error.hpp"
#include "support/circuit_run.hpp"

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

/// The part of a random circuit that the schemes share: a pool of ciphertexts with what they should
/// hold, the choice of operands and destinations, and the record of what was done. `Value` has a
/// member `ciphertext`.
template <typename Value>
class CircuitPool {
 public:
  CircuitPool(const CircuitBench& bench, std::uint64_t seed, CircuitStatistics& statistics)
      : bench_(bench),
        statistics_(statistics),
        rng_(seed),
        encryptor_(bench.context, bench.public_key, bench.keygen.secret_key(),
                   RandomSource::for_testing(seed)) {}

 protected:
  static constexpr std::size_t kMostValues = 6;
  static constexpr std::size_t kNone = ~std::size_t{0};

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
  std::mt19937_64 rng_;
  Encryptor encryptor_;
  std::vector<Value> pool_;
  std::size_t focus_ = kNone;
  std::string trace_;
};

}  // namespace ringlet::test
