// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/harvey64/avx2_harvey64.hpp"

namespace ringlet::kernels {

/// Four words, for Residues (AVX2).
struct ResidueAvx2 : Avx2Words {
  RINGLET_INLINE static Vec load_small(const std::int8_t* p) {
    int bytes;
    __builtin_memcpy(&bytes, p, sizeof bytes);
    return _mm256_cvtepi8_epi64(_mm_cvtsi32_si128(bytes));
  }
  RINGLET_INLINE static Vec where_negative(Vec x, Vec y) {
    return _mm256_and_si256(y, _mm256_cmpgt_epi64(_mm256_setzero_si256(), x));
  }
  RINGLET_INLINE static Vec halve(Vec x, Vec half) {
    const Vec odd = _mm256_and_si256(x, _mm256_set1_epi64x(1));
    const Vec mask = _mm256_sub_epi64(_mm256_setzero_si256(), odd);
    return add(_mm256_srli_epi64(x, 1), _mm256_and_si256(half, mask));
  }
};

}  // namespace ringlet::kernels
