// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/residue/avx512.hpp"

namespace ringlet::kernels {

/// What limbs of 28 bits ask of a policy, on eight words (AVX512-DQ).
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
