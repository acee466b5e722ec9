// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "kernels/policy/karatsuba/even_words.hpp"
#include "ringlet/base/export.hpp"

namespace ringlet::kernels {

/// Four 32-bit words.
struct WordsSse42 {
  using Vec = __m128i;

  static constexpr std::size_t kCount = 4;

  RINGLET_INLINE static Vec load(const std::uint32_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  RINGLET_INLINE static Vec fill(int x) { return _mm_set1_epi32(x); }
  RINGLET_INLINE static Vec fill_long(long long x) { return _mm_set1_epi64x(x); }
  RINGLET_INLINE static Vec add(Vec x, Vec y) { return _mm_add_epi32(x, y); }
  RINGLET_INLINE static Vec add_long(Vec x, Vec y) { return _mm_add_epi64(x, y); }
  RINGLET_INLINE static Vec multiply_add_pairs(Vec x, Vec y) { return _mm_madd_epi16(x, y); }
  RINGLET_INLINE static Vec multiply_even(Vec x, Vec y) { return _mm_mul_epi32(x, y); }
  RINGLET_INLINE static Vec shift_left_word(Vec x) { return _mm_slli_epi64(x, 32); }
  RINGLET_INLINE static Vec shift_right_word(Vec x) { return _mm_srli_epi64(x, 32); }
  RINGLET_INLINE static Vec bit_and(Vec x, Vec y) { return _mm_and_si128(x, y); }
  RINGLET_INLINE static void store_alternating(std::uint64_t* to, Vec even, Vec odd) {
    auto* const out = reinterpret_cast<__m128i*>(to);
    _mm_storeu_si128(out, _mm_unpacklo_epi64(even, odd));
    _mm_storeu_si128(out + 1, _mm_unpackhi_epi64(even, odd));
  }
};

using KaratsubaSse42 = KaratsubaEvenWords<WordsSse42>;

}  // namespace ringlet::kernels
