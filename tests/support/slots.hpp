// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/test.hpp"

namespace ringlet::test {

using Complex = std::complex<double>;
using Slots = std::vector<Complex>;

/// `count` complex numbers with parts in [-1, 1).
inline Slots random_slots(std::size_t count, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> distribution(-1.0, 1.0);
  Slots slots(count);
  for (auto& slot : slots) slot = {distribution(rng), distribution(rng)};
  return slots;
}

/// Slot j is the value at zeta^(3^j), by the definition with Horner's rule in extended precision.
inline std::vector<std::complex<long double>> slots_by_definition(
    const std::vector<double>& coefficients) {
  const std::size_t degree = coefficients.size();
  std::vector<std::complex<long double>> slots(degree / 2);
  std::uint64_t exponent = 1;
  for (auto& slot : slots) {
    const auto point =
        std::polar(1.0L, std::numbers::pi_v<long double> * static_cast<long double>(exponent) /
                             static_cast<long double>(degree));
    for (std::size_t t = degree; t-- > 0;) {
      slot = slot * point + static_cast<long double>(coefficients[t]);
    }
    exponent = 3 * exponent % (2 * degree);
  }
  return slots;
}

/// The largest difference of two slots; NaN if a difference is NaN.
inline double largest_difference(const Slots& a, const Slots& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t j = 0; j < std::min(a.size(), b.size()); ++j) {
    const double difference = std::abs(a[j] - b[j]);
    if (difference > largest || std::isnan(difference)) largest = difference;
  }
  return largest;
}

}  // namespace ringlet::test
