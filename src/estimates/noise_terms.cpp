// SPDX-License-Identifier: Apache-2.0
#include "estimates/noise_terms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringlet::estimates {
namespace {

// Parts below this fraction of the largest are dropped. The factors by which later products favour
// a part are far below its inverse.
constexpr long double kNegligible = 0x1p-160L;
// The limit of variances, far beyond every modulus: a product of two variances is still finite.
constexpr long double kBeyondAll = 0x1p8000L;

// Higher powers and degrees count as this one: deep circuits would have too many parts.
constexpr std::size_t kHighest = 24;

long double sum_of_deviations(long double a, long double b) {
  return a == 0 || b == 0 ? a + b : a + b + 2 * std::sqrt(a) * std::sqrt(b);
}

// Adds two parts of one power and degree. Where deviations add, they add at each root and, by the
// inequality of Cauchy and Schwarz, on average. Products of the flat values of one part and the
// varying values of the other count as varying.
NoiseTerm merged(const NoiseTerm& a, const NoiseTerm& b, Dependence dependence) {
  if (dependence == Dependence::independent && a.degree != 0) {
    return {a.power, a.degree, a.flat + b.flat, a.mean + b.mean, a.top + b.top};
  }
  const long double flat = sum_of_deviations(a.flat, b.flat);
  const long double average = sum_of_deviations(a.average(), b.average());
  const long double largest = sum_of_deviations(a.largest(), b.largest());
  return {a.power, a.degree, flat, std::max(0.0L, average - flat), std::max(0.0L, largest - flat)};
}

NoiseTerm multiplied(const NoiseTerm& term, long double factor) {
  return {term.power, term.degree, term.flat * factor, term.mean * factor, term.top * factor};
}

// Replaces a power or degree h > kHighest by kHighest. The factor h!/kHighest! makes up for smaller
// moments of Gaussian variables. The factor 4^(h - kHighest) makes up for the growth of later
// products, which is below 2^(g+h).
NoiseTerm lowered(const NoiseTerm& term) {
  const std::size_t highest = std::max(term.power, term.degree);
  long double factor = 1;
  for (std::size_t h = kHighest + 1; h <= highest; ++h) factor *= 4 * static_cast<long double>(h);
  NoiseTerm result = multiplied(term, factor);
  result.power = std::min(term.power, kHighest);
  result.degree = std::min(term.degree, kHighest);
  return result;
}

// Drops negligible parts and cuts variances off at kBeyondAll.
NoiseTerms trimmed(const std::vector<NoiseTerm>& terms) {
  long double most = 0;
  for (const NoiseTerm& term : terms) most = std::max(most, term.largest());
  std::vector<NoiseTerm> result;
  for (NoiseTerm term : terms) {
    if (term.largest() <= std::min(most, kBeyondAll) * kNegligible) continue;
    term.flat = std::min(term.flat, kBeyondAll);
    term.mean = std::min(term.mean, kBeyondAll);
    term.top = std::min(term.top, kBeyondAll);
    result.push_back(term);
  }
  return NoiseTerms(std::move(result));
}

std::size_t highest(const std::vector<NoiseTerm>& terms) {
  std::size_t most = 0;
  for (const NoiseTerm& term : terms) most = std::max({most, term.power, term.degree});
  return most;
}

/// Adds up parts of powers and degrees up to `most`, one sum for each.
class TermSum {
 public:
  TermSum(Dependence dependence, std::size_t most)
      : dependence_(dependence), width_(std::min(most, kHighest) + 1), cells_(width_ * width_) {}

  void add(const NoiseTerm& given) {
    const bool is_high = std::max(given.power, given.degree) > kHighest;
    const NoiseTerm part = is_high ? lowered(given) : given;
    NoiseTerm& cell = cells_[part.power * width_ + part.degree];
    cell.power = part.power;
    cell.degree = part.degree;
    cell = merged(cell, part, dependence_);
  }

  NoiseTerms terms() const { return trimmed(cells_); }

 private:
  Dependence dependence_;
  std::size_t width_;
  std::vector<NoiseTerm> cells_;
};

NoiseTerms collected(const std::vector<NoiseTerm>& parts, Dependence dependence) {
  TermSum sum(dependence, highest(parts));
  for (const NoiseTerm& part : parts) sum.add(part);
  return sum.terms();
}

// (g+h)! / (g! * h!).
long double growth(std::size_t g, std::size_t h) {
  long double result = 1;
  for (std::size_t k = 1; k <= std::min(g, h); ++k) {
    result *= static_cast<long double>(std::max(g, h) + k) / static_cast<long double>(k);
  }
  return result;
}

/// The growth of products of dependent parts, for all pairs of degrees of two noises. A table pays
/// because there are many more pairs of parts than of degrees.
class GrowthTable {
 public:
  GrowthTable(const std::vector<NoiseTerm>& a, const std::vector<NoiseTerm>& b)
      : columns_(most(b) + 1) {
    for (std::size_t g = 0; g <= most(a); ++g) {
      for (std::size_t h = 0; h < columns_; ++h) values_.push_back(growth(g, h));
    }
  }

  long double operator()(std::size_t g, std::size_t h) const { return values_[g * columns_ + h]; }

 private:
  static std::size_t most(const std::vector<NoiseTerm>& terms) {
    std::size_t degree = 0;
    for (const NoiseTerm& term : terms) degree = std::max(degree, term.degree);
    return degree;
  }

  std::size_t columns_;
  std::vector<long double> values_;
};

// If the values of both parts differ from root to root, the product is largest if both peak at the
// same roots.
NoiseTerm product_of(const NoiseTerm& a, const NoiseTerm& b) {
  return {a.power + b.power, a.degree + b.degree, a.flat * b.flat,
          a.flat * b.mean + a.mean * b.flat + std::min(a.mean * b.top, a.top * b.mean),
          a.flat * b.top + a.top * b.flat + a.top * b.top};
}

}  // namespace

NoiseTerms::NoiseTerms(std::vector<NoiseTerm> terms) : terms_(std::move(terms)) {}

NoiseTerms NoiseTerms::scaled(long double factor) const {
  std::vector<NoiseTerm> terms = terms_;
  for (NoiseTerm& term : terms) term = multiplied(term, factor);
  return trimmed(terms);
}

NoiseTerms NoiseTerms::with_mean() const {
  std::vector<NoiseTerm> parts;
  for (const NoiseTerm& term : terms_) {
    if (parts.empty() || parts.back().power != term.power) parts.push_back({.power = term.power});
    parts.back().mean += term.average();
    parts.back().top += term.largest();
  }
  for (const NoiseTerm& term : terms_) {
    if (term.degree != 0) parts.push_back(term);
  }
  return collected(std::move(parts), Dependence::independent);
}

// Uses no table of all powers and degrees: sums are the most frequent operation of circuits.
NoiseTerms NoiseTerms::sum(const NoiseTerms& a, const NoiseTerms& b, Dependence dependence) {
  std::vector<NoiseTerm> parts = a.terms_;
  const auto key = [](const NoiseTerm& term) { return std::pair(term.power, term.degree); };
  for (const NoiseTerm& term : b.terms_) {
    const auto place = std::ranges::lower_bound(parts, key(term), {}, key);
    const bool is_there = place != parts.end() && key(*place) == key(term);
    if (is_there) {
      *place = merged(*place, term, dependence);
    } else {
      parts.insert(place, term);
    }
  }
  return trimmed(parts);
}

NoiseTerms NoiseTerms::product(const NoiseTerms& a, const NoiseTerms& b, Dependence dependence) {
  const bool grows = dependence == Dependence::dependent;
  const GrowthTable growth(a.terms_, b.terms_);
  TermSum sum(dependence, highest(a.terms_) + highest(b.terms_));
  for (const NoiseTerm& x : a.terms_) {
    for (const NoiseTerm& y : b.terms_) {
      const NoiseTerm part = product_of(x, y);
      sum.add(grows ? multiplied(part, growth(x.degree, y.degree)) : part);
    }
  }
  return sum.terms();
}

}  // namespace ringlet::estimates
