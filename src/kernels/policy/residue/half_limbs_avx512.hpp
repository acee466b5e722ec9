// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/harvey64/avx512_harvey64.hpp"

namespace ringlet::kernels {

/// What limbs of 28 bits ask of a policy, on eight words (AVX512-DQ).
struct HalfLimbsAvx512 : Avx512Harvey64 {
  RINGLET_INLINE static Vec load_signed(const std::int32_t* p) {
    return _mm512_cvtepi32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  RINGLET_INLINE static Vec load_signed_partial(const std::int32_t* p, std::size_t n) {
    const auto first = static_cast<__mmask16>((1U << n) - 1);
    return _mm512_cvtepi32_epi64(_mm512_castsi512_si256(_mm512_maskz_loadu_epi32(first, p)));
  }
  RINGLET_INLINE static Vec left(Vec x, int n) { return _mm512_sll_epi64(x, _mm_cvtsi32_si128(n)); }
  RINGLET_INLINE static Vec right(Vec x, int n) {
    return _mm512_srl_epi64(x, _mm_cvtsi32_si128(n));
  }
  RINGLET_INLINE static Vec right_signed(Vec x, int n) {
    return _mm512_sra_epi64(x, _mm_cvtsi32_si128(n));
  }
  RINGLET_INLINE static Vec both(Vec x, Vec y) { return _mm512_and_si512(x, y); }
  RINGLET_INLINE static Vec unless_negative(Vec test, Vec x, Vec y) {
    return _mm512_mask_mov_epi64(y, _mm512_movepi64_mask(test), x);
  }
};

}  // namespace ringlet::kernels
