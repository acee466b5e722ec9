// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// Returns D^2 / divisor. Long chains double every rounding at each level, so all code that follows
/// the scales of a plan computes them by this expression.
inline double scale_below(double scale, double divisor) noexcept {
  return scale * (scale / divisor);
}

/// The levels that a plan counts in: each one takes `primes_per_level` data primes, as many as a
/// scale needs. Levels count from 1: level k allows a depth of k - 1 more.
class ModulusChain {
 public:
  /// CKKS: the fewest primes, from the last one on, whose product is at least half of the scale.
  /// One prime otherwise. All of them at most.
  ModulusChain(const EncryptionParameters& parms, double scale);

  std::size_t levels() const noexcept { return levels_; }
  std::size_t primes_per_level() const noexcept { return primes_per_level_; }
  /// Data primes of a level, from 1 to levels().
  std::size_t prime_count(std::size_t level) const noexcept {
    return prime_count_ - (levels_ - level) * primes_per_level_;
  }
  /// The product of the primes between that level and the one below, above 1.
  double divisor(std::size_t level) const;

 private:
  std::vector<double> primes_;
  std::size_t prime_count_;
  std::size_t primes_per_level_ = 1;
  std::size_t levels_;
};

/// Steps whose prime_count is a level of `chain` as steps with counts of primes: a rescaling by
/// several primes is several steps. `outputs` are registers and change with them.
std::vector<PlanStep> expand_steps(const std::vector<PlanStep>& steps, std::size_t input_count,
                                   const ModulusChain& chain, std::vector<std::size_t>& outputs,
                                   const EncryptionParameters& parms);

}  // namespace ringlet
