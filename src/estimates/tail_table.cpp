// SPDX-License-Identifier: Apache-2.0
#include "estimates/tail_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringlet::estimates {

// Markov's inequality for the moment that gives the least: with X and Y standard complex Gaussians,
// E|X_1*...*X_g*Y^i|^(2p) = Gamma(p+1)^g * Gamma(i*p+1). Where factors may be the same variable it
// is that of X^g / sqrt(g!), which has the largest moments of all polynomials of degree g.
long double TailTable::find(std::size_t degree, std::size_t power, Dependence dependence) const {
  const auto g = static_cast<long double>(degree);
  const auto i = static_cast<long double>(power);
  const bool is_power = dependence == Dependence::dependent;
  long double least = std::numeric_limits<long double>::max();
  for (long double p = 1; p <= 2 * exponent_; p *= 1.05L) {
    const long double gaussians = is_power ? std::lgamma(g * p + 1) : g * std::lgamma(p + 1);
    least = std::min(least, (gaussians + std::lgamma(i * p + 1) + exponent_) / p);
  }
  return std::exp(is_power ? least - std::lgamma(g + 1) : least);
}

long double TailTable::operator()(const NoiseTerm& term, Dependence dependence) const {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = known_.try_emplace({term.degree, term.power, dependence}, 0.0L);
  if (is_new) place->second = find(term.degree, term.power, dependence);
  return place->second;
}

}  // namespace ringlet::estimates
