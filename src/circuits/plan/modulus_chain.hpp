// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// Returns D^2 / divisor. Each level doubles the rounding errors of the levels above, so all code
/// that follows the scales of a plan computes them by this expression.
inline double scale_below(double scale, double divisor) noexcept {
  return scale * (scale / divisor);
}

/// The levels that a plan counts in. Each takes `primes_per_level` data primes, as many as a scale
/// needs. Levels count from 1: level k leaves a depth of k - 1.
class ModulusChain {
 public:
  /// CKKS: a level takes the fewest primes, from the last one on, whose product is at least half of
  /// the scale, and at most all primes. BFV and BGV: a level takes one prime.
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

/// Converts steps whose prime_count is a level of `chain` to steps with counts of primes. A
/// rescaling by several primes becomes several steps. Updates the registers in `outputs`.
std::vector<PlanStep> expand_steps(const std::vector<PlanStep>& steps, std::size_t input_count,
                                   const ModulusChain& chain, std::vector<std::size_t>& outputs,
                                   const EncryptionParameters& parms);

}  // namespace ringlet
