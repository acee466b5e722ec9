// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/accumulator/half_words.hpp"

namespace ringlet::kernels {

/// 64-bit lanes of an instruction set that multiplies 32-bit halves, for TiledConversion; A is its
/// arithmetic (see half_words.hpp).
template <typename A, int kVectorsAtOnce>
struct ConversionHalfWords {
  using Sums = HalfWordSums<A, kVectorsAtOnce>;
  using V = typename A::Vec;

  static constexpr std::uint64_t kModulusLimit = std::uint64_t{1} << 61;
  static constexpr int kBlockVectors = kVectorsAtOnce;

  /// A product adds less than 2^row_bits + 2^(bits of p) to the sum of the cross products, and the
  /// whole sum has to stay below 2^63 * p.
  RINGLET_INLINE static std::size_t max_terms(int row_bits, std::uint64_t p) {
    const int p_bits = bit_count(p);
    return power_of_terms(63 - (row_bits < p_bits ? p_bits : row_bits), 30);
  }
  template <int kWordBits>
  RINGLET_INLINE static V add_high(V sum, V y, V theta) {
    if constexpr (kWordBits < 64) {
      y = A::mul_low_half(A::broadcast(std::uint64_t{1} << (64 - kWordBits)), y);
    }
    return A::add(sum, A::mul_high(y, theta));
  }
  RINGLET_INLINE static V shift_right(V x, int n) {
    return A::shift_right(x, A::broadcast(static_cast<std::uint64_t>(n)));
  }
};

}  // namespace ringlet::kernels
