// SPDX-License-Identifier: Apache-2.0
#include "estimates/tail_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringlet::estimates {

TailTable::TailTable(long double exponent) : exponent_(exponent) {
  for (long double p = 1; p <= 2 * exponent; p *= 1.05L) moments_.push_back(p);
}

// log(Gamma(factor*p + 1)) for all moments p: some hundred values for each of a few factors.
const TailTable::LogGammas& TailTable::log_gammas(std::size_t factor) const {
  LogGammas& values = log_gammas_[factor];
  if (values.empty()) {
    const auto f = static_cast<long double>(factor);
    for (const long double p : moments_) values.push_back(std::lgamma(f * p + 1));
  }
  return values;
}

// Applies Markov's inequality with the moment that gives the least bound. For X and Y standard
// complex Gaussians, E|X_1*...*X_g*Y^i|^(2p) = Gamma(p+1)^g * Gamma(i*p+1). If factors may be the
// same variable, X^g / sqrt(g!) has the largest moments of all polynomials of degree g.
long double TailTable::find(std::size_t degree, std::size_t power, Dependence dependence) const {
  const auto g = static_cast<long double>(degree);
  const bool is_power = dependence == Dependence::dependent;
  const LogGammas& of_gaussians = log_gammas(is_power ? degree : 1);
  const LogGammas& of_secret = log_gammas(power);
  long double least = std::numeric_limits<long double>::max();
  for (std::size_t k = 0; k < moments_.size(); ++k) {
    const long double gaussians = is_power ? of_gaussians[k] : g * of_gaussians[k];
    least = std::min(least, (gaussians + of_secret[k] + exponent_) / moments_[k]);
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
