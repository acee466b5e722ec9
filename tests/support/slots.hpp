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

/// NaN if there is one.
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
