// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "base/text.hpp"

// Lengths at which products of polynomials are computed. X^A + 1 and X^B + 1 are coprime for
// powers of two A > B: modulo the second, the first is 2. A polynomial f of degree below A + B is
// therefore known from its remainders f1 and f2, which two negacyclic transforms compute: with
// h = (f2 - f1) / 2 modulo X^B + 1, f = f1 + h * (X^A + 1).

namespace ringlet::wide {

/// A, or A + B.
struct ProductLength {
  std::size_t first = 0;   ///< A.
  std::size_t second = 0;  ///< B, a power of two below A, or 0.

  std::size_t total() const { return first + second; }
  /// Returns "2^14" or "5*2^10".
  std::string to_string() const {
    const std::size_t unit = second == 0 ? first : second;
    const std::string power = concat("2^", std::bit_width(unit) - 1);
    return second == 0 ? power : concat(total() / unit, "*", power);
  }
};

/// The least length of both transforms.
inline constexpr std::size_t kMinProductLength = 64;

/// The largest ratio of the first length to the second.
inline constexpr std::size_t kMaxLengthRatio = 64;

/// Returns the shortest length for `count` coefficients.
inline ProductLength product_length(std::size_t count) {
  const std::size_t whole = std::bit_ceil(std::max(count, kMinProductLength));
  const std::size_t half = whole / 2;
  if (half < 2 * kMinProductLength) return {whole, 0};
  const std::size_t least = std::max(kMinProductLength, half / kMaxLengthRatio);
  const std::size_t rest = std::bit_ceil(std::max(count - half, least));
  return rest < half ? ProductLength{half, rest} : ProductLength{whole, 0};
}

}  // namespace ringlet::wide
