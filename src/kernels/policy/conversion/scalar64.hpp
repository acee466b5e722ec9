// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/accumulator/scalar64.hpp"

namespace ringlet::kernels {

/// One coefficient at a time, for TiledConversion.
struct ConversionScalar64 {
  using Sums = Scalar64Sums;

  static constexpr std::uint64_t kModulusLimit = std::uint64_t{1} << 61;
  static constexpr int kBlockVectors = 4;

  RINGLET_INLINE static std::size_t max_terms(int row_bits, std::uint64_t p) {
    return power_of_terms(128 - row_bits - bit_count(p), 32);
  }
  template <int kWordBits>
  RINGLET_INLINE static std::uint64_t add_high(std::uint64_t sum, std::uint64_t y,
                                               std::uint64_t theta) {
    return sum + mul_high(y << (64 - kWordBits), theta);
  }
  RINGLET_INLINE static std::uint64_t shift_right(std::uint64_t x, int n) { return x >> n; }
};

}  // namespace ringlet::kernels
