// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// D^2 / divisor. Deep ladders double every rounding at each level: whoever follows the scales of a
/// plan computes them by this very expression.
inline double scale_below(double scale, double divisor) noexcept {
  return scale * (scale / divisor);
}

/// The levels that a plan counts in: each one takes `primes_per_level` data primes, as many as a
/// scale needs. Rung k of rungs() is the level that allows a depth of k - 1 more.
class LevelLadder {
 public:
  /// CKKS: the fewest primes, from the last one on, whose product is at least half of the scale.
  /// One prime otherwise. All of them at most.
  LevelLadder(const EncryptionParameters& parms, double scale);

  std::size_t rungs() const noexcept { return rungs_; }
  std::size_t primes_per_level() const noexcept { return primes_per_level_; }
  /// Data primes of a rung, from 1 to rungs().
  std::size_t prime_count(std::size_t rung) const noexcept {
    return prime_count_ - (rungs_ - rung) * primes_per_level_;
  }
  /// The product of the primes between that rung and the one below, above 1.
  double divisor(std::size_t rung) const;

 private:
  std::vector<double> primes_;
  std::size_t prime_count_;
  std::size_t primes_per_level_ = 1;
  std::size_t rungs_;
};

/// Steps that count levels by rungs as steps that count primes: a rescaling by several primes is
/// several steps. `outputs` are registers and change with them.
std::vector<PlanStep> expand_steps(const std::vector<PlanStep>& steps, std::size_t input_count,
                                   const LevelLadder& ladder, std::vector<std::size_t>& outputs,
                                   const EncryptionParameters& parms);

}  // namespace ringlet
