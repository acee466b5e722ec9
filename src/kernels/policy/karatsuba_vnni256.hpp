// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "ringlet/export.hpp"

namespace ringlet::kernels {

/// Eight 32-bit lanes, for the base products of Karatsuba's recursion with the dot products of
/// AVX512-VNNI and twice as many registers as AVX2 has. Vectors of half the width meet fewer zeros
/// at the ends of short sub-polynomials.
struct KaratsubaVnni256 {
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
    return _mm256_dpwssd_epi32(sum, x, y);
  }
  RINGLET_INLINE static void store_digits(std::uint64_t* to, Vec d0, Vec d1, Vec d2) {
    _mm512_storeu_si512(
        to, _mm512_add_epi64(_mm512_add_epi64(_mm512_cvtepi32_epi64(d0),
                                              _mm512_slli_epi64(_mm512_cvtepi32_epi64(d1), 16)),
                             _mm512_slli_epi64(_mm512_cvtepi32_epi64(d2), 32)));
  }
};

}  // namespace ringlet::kernels
