// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "ringlet/base/export.hpp"

namespace ringlet::kernels {

/// Sixteen 32-bit words of which the even ones are multiplied, for the base products of Karatsuba's
/// recursion by whole chunks.
struct KaratsubaAvx512 {
  using Vec = __m512i;

  static constexpr std::size_t kWords = 16;
  static constexpr int kTileRows = 6;

  RINGLET_INLINE static Vec load(const std::uint32_t* p) { return _mm512_loadu_si512(p); }
  RINGLET_INLINE static Vec broadcast(const std::uint32_t* p) {
    return _mm512_set1_epi32(static_cast<int>(*p));
  }
  RINGLET_INLINE static Vec add_product(Vec sum, Vec x, Vec y) {
    return _mm512_add_epi64(sum, _mm512_mul_epi32(x, y));
  }
  RINGLET_INLINE static void store_alternating(std::uint64_t* to, Vec even, Vec odd) {
    _mm512_storeu_si512(
        to, _mm512_permutex2var_epi64(even, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), odd));
    _mm512_storeu_si512(to + 8, _mm512_permutex2var_epi64(
                                    even, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), odd));
  }
};

/// Eight 32-bit lanes, for base products by digits: AVX2's instructions on twice as many registers.
struct KaratsubaAvx512Limbs {
  using Vec = __m256i;

  static constexpr std::size_t kWords = 8;
  static constexpr std::size_t kTilePlanes = 3;

  RINGLET_INLINE static Vec load(const std::uint32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  RINGLET_INLINE static Vec broadcast_pair(const std::uint32_t* p) {
    int pair;
    __builtin_memcpy(&pair, p, sizeof(pair));
    return _mm256_set1_epi32(pair);
  }
  RINGLET_INLINE static Vec add_pairs(Vec sum, Vec x, Vec y) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
  }
  RINGLET_INLINE static void store_digits(std::uint64_t* to, Vec d0, Vec d1, Vec d2) {
    const __m512i low = _mm512_add_epi64(_mm512_cvtepi32_epi64(d0),
                                         _mm512_slli_epi64(_mm512_cvtepi32_epi64(d1), 16));
    _mm512_storeu_si512(to,
                        _mm512_add_epi64(low, _mm512_slli_epi64(_mm512_cvtepi32_epi64(d2), 32)));
  }
};

}  // namespace ringlet::kernels
