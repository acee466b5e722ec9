// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "estimates/noise_terms.hpp"

namespace ringlet::estimates {

/// Bounds of products of Gaussian variables, for one probability. Computes values, and the gamma
/// functions in them, when they are first asked for. Several threads may use it at once.
class TailTable {
 public:
  /// For the probability exp(-exponent).
  explicit TailTable(long double exponent);

  long double exponent() const noexcept { return exponent_; }
  /// Returns what |b * s^power|^2 of variance 1 exceeds with at most that probability, for the
  /// power and the degree of `term`.
  long double operator()(const NoiseTerm& term, Dependence dependence) const;

 private:
  using LogGammas = std::vector<long double>;

  const LogGammas& log_gammas(std::size_t factor) const;
  long double find(std::size_t degree, std::size_t power, Dependence dependence) const;

  long double exponent_;
  std::vector<long double> moments_;
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, LogGammas> log_gammas_;
  mutable std::map<std::tuple<std::size_t, std::size_t, Dependence>, long double> known_;
};

}  // namespace ringlet::estimates
