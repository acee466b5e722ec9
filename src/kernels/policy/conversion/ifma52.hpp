// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/accumulator/ifma52.hpp"

namespace ringlet::kernels {

/// Eight 52-bit words, for TiledConversion (AVX512-IFMA). All primes are below 2^50, so that w of
/// BasisConversion is 52.
struct ConversionIfma52 {
  using Sums = Ifma52Sums;
  using V = __m512i;

  static constexpr std::uint64_t kModulusLimit = Ifma52Sums::kModulusLimit;
  static constexpr int kBlockVectors = 8;

  RINGLET_INLINE static std::size_t max_terms(int row_bits, std::uint64_t p) {
    return power_of_terms(104 - row_bits - bit_count(p), 11);
  }
  template <int kWordBits>
  RINGLET_INLINE static V add_high(V sum, V y, V theta) {
    return _mm512_madd52hi_epu64(sum, y, theta);
  }
  RINGLET_INLINE static V shift_right(V x, int n) {
    return _mm512_srl_epi64(x, _mm_cvtsi32_si128(n));
  }
};

}  // namespace ringlet::kernels
