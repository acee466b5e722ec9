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

/// The policy functions that limbs of 28 bits need, on four words (AVX2).
struct HalfLimbsAvx2 : Avx2Harvey64 {
  RINGLET_INLINE static Vec load_signed(const std::int32_t* p) {
    return _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  RINGLET_INLINE static Vec load_signed_partial(const std::int32_t* p, std::size_t n) {
    const __m128i first =
        _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(n)), _mm_setr_epi32(0, 1, 2, 3));
    return _mm256_cvtepi32_epi64(_mm_maskload_epi32(p, first));
  }
  RINGLET_INLINE static Vec left(Vec x, int n) { return _mm256_sll_epi64(x, _mm_cvtsi32_si128(n)); }
  RINGLET_INLINE static Vec right(Vec x, int n) {
    return _mm256_srl_epi64(x, _mm_cvtsi32_si128(n));
  }
  /// AVX2 has no such instruction: the flipped top bit makes the word positive.
  RINGLET_INLINE static Vec right_signed(Vec x, int n) {
    const Vec top_bit = _mm256_set1_epi64x(INT64_MIN);
    return sub(right(_mm256_xor_si256(x, top_bit), n), right(top_bit, n));
  }
  RINGLET_INLINE static Vec both(Vec x, Vec y) { return _mm256_and_si256(x, y); }
  RINGLET_INLINE static Vec unless_negative(Vec test, Vec x, Vec y) {
    return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(y), _mm256_castsi256_pd(x),
                                                _mm256_castsi256_pd(test)));
  }
};

}  // namespace ringlet::kernels
