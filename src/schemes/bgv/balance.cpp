// SPDX-License-Identifier: Apache-2.0
#include "schemes/bgv/balance.hpp"

#include <cstdlib>
#include <numeric>
#include <utility>

namespace ringlet::bgv {

Balance balance(std::uint64_t factor_a, std::uint64_t factor_b, const Modulus& t) {
  if (factor_a == factor_b) return {.common = factor_a};
  // Every step keeps x = y * ratio modulo t.
  const std::uint64_t ratio = t.multiply(factor_b, inverse_mod(factor_a, t));
  auto previous_x = static_cast<std::int64_t>(t.value());
  auto x = static_cast<std::int64_t>(ratio);
  std::int64_t previous_y = 0;
  std::int64_t y = 1;
  Balance best{.of_a = x, .of_b = y, .common = 1};
  while (x != 0) {
    if (std::gcd(x, static_cast<std::int64_t>(t.value())) == 1 &&
        x + std::abs(y) < best.of_a + std::abs(best.of_b)) {
      best.of_a = x;
      best.of_b = y;
    }
    const std::int64_t quotient = previous_x / x;
    previous_x = std::exchange(x, previous_x - quotient * x);
    previous_y = std::exchange(y, previous_y - quotient * y);
  }
  best.common = t.multiply(static_cast<std::uint64_t>(best.of_a), factor_a);
  return best;
}

}  // namespace ringlet::bgv
