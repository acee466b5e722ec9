// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "kernels/policy/karatsuba/even_words.hpp"
#include "ringlet/base/export.hpp"

namespace ringlet::kernels {

/// Eight 32-bit words.
struct WordsAvx2 {
  using Vec = __m256i;

  static constexpr std::size_t kCount = 8;

  RINGLET_INLINE static Vec load(const std::uint32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  RINGLET_INLINE static Vec fill(int x) { return _mm256_set1_epi32(x); }
  RINGLET_INLINE static Vec fill_long(long long x) { return _mm256_set1_epi64x(x); }
  RINGLET_INLINE static Vec add(Vec x, Vec y) { return _mm256_add_epi32(x, y); }
  RINGLET_INLINE static Vec add_long(Vec x, Vec y) { return _mm256_add_epi64(x, y); }
  RINGLET_INLINE static Vec multiply_add_pairs(Vec x, Vec y) { return _mm256_madd_epi16(x, y); }
  RINGLET_INLINE static Vec multiply_even(Vec x, Vec y) { return _mm256_mul_epi32(x, y); }
  RINGLET_INLINE static Vec shift_left_word(Vec x) { return _mm256_slli_epi64(x, 32); }
  RINGLET_INLINE static Vec shift_right_word(Vec x) { return _mm256_srli_epi64(x, 32); }
  RINGLET_INLINE static Vec bit_and(Vec x, Vec y) { return _mm256_and_si256(x, y); }
  RINGLET_INLINE static void store_alternating(std::uint64_t* to, Vec even, Vec odd) {
    const Vec low = _mm256_unpacklo_epi64(even, odd);
    const Vec high = _mm256_unpackhi_epi64(even, odd);
    auto* const out = reinterpret_cast<__m256i*>(to);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(low, high, 0x31));
  }
};

using KaratsubaAvx2 = KaratsubaEvenWords<WordsAvx2>;

}  // namespace ringlet::kernels
