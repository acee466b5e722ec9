// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/harvey64/avx512_harvey64.hpp"

namespace ringlet::kernels {

/// Signed integers of eight words (AVX512-DQ).
struct SignedLanes512 {
  using Vec = __m512i;

  RINGLET_INLINE static Vec load_signed(const std::int32_t* p) {
    return _mm512_cvtepi32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  RINGLET_INLINE static Vec load_signed_partial(const std::int32_t* p, std::size_t n) {
    const auto first = static_cast<__mmask16>((1U << n) - 1);
    return _mm512_cvtepi32_epi64(_mm512_castsi512_si256(_mm512_maskz_loadu_epi32(first, p)));
  }
  RINGLET_INLINE static Vec unless_negative(Vec test, Vec x, Vec y) {
    return _mm512_mask_mov_epi64(y, _mm512_movepi64_mask(test), x);
  }
};

/// The policy functions that Residues needs, on eight words (AVX512-DQ).
struct ResidueLanes512 {
  using Vec = __m512i;

  RINGLET_INLINE static Vec load_small(const std::int8_t* p) {
    return _mm512_cvtepi8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  RINGLET_INLINE static Vec where_negative(Vec x, Vec y) {
    return _mm512_maskz_mov_epi64(_mm512_movepi64_mask(x), y);
  }
  RINGLET_INLINE static Vec halve(Vec x, Vec half) {
    const __mmask8 odd = _mm512_test_epi64_mask(x, _mm512_set1_epi64(1));
    const Vec floor = _mm512_srli_epi64(x, 1);
    return _mm512_mask_add_epi64(floor, odd, floor, half);
  }
};

struct ResidueAvx512 : Avx512Words, ResidueLanes512 {
  using Vec = __m512i;
};

/// The policy functions that limbs of 28 bits need, on eight words (AVX512-DQ).
struct HalfLimbsAvx512 : Avx512Harvey64, SignedLanes512 {
  using Vec = __m512i;

  RINGLET_INLINE static Vec left(Vec x, int n) { return _mm512_sll_epi64(x, _mm_cvtsi32_si128(n)); }
  RINGLET_INLINE static Vec right(Vec x, int n) {
    return _mm512_srl_epi64(x, _mm_cvtsi32_si128(n));
  }
  RINGLET_INLINE static Vec right_signed(Vec x, int n) {
    return _mm512_sra_epi64(x, _mm_cvtsi32_si128(n));
  }
  RINGLET_INLINE static Vec both(Vec x, Vec y) { return _mm512_and_si512(x, y); }
};

}  // namespace ringlet::kernels
