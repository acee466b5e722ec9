// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "ringlet/export.hpp"

namespace ringlet::kernels {

/// Four 32-bit lanes, for the base products of Karatsuba's recursion.
struct KaratsubaSse42 {
  using Vec = __m128i;

  static constexpr std::size_t kWords = 4;
  static constexpr std::size_t kTilePlanes = 1;
  static constexpr int kTileRows = 5;

  RINGLET_INLINE static Vec load(const std::uint32_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  RINGLET_INLINE static Vec broadcast(const std::uint32_t* p) {
    return _mm_set1_epi32(static_cast<int>(*p));
  }
  RINGLET_INLINE static Vec broadcast_pair(const std::uint32_t* p) {
    int pair;
    __builtin_memcpy(&pair, p, sizeof(pair));
    return _mm_set1_epi32(pair);
  }
  RINGLET_INLINE static Vec add_pairs(Vec sum, Vec x, Vec y) {
    return _mm_add_epi32(sum, _mm_madd_epi16(x, y));
  }
  RINGLET_INLINE static Vec add_product(Vec sum, Vec x, Vec y) {
    return _mm_add_epi64(sum, _mm_mul_epi32(x, y));
  }
  /// The low digits are extended by a multiplication, of which the even lanes take part.
  RINGLET_INLINE static void store_digits(std::uint64_t* to, Vec d0, Vec d1, Vec d2) {
    const Vec one = _mm_set1_epi64x(1);
    const Vec unit = _mm_set1_epi64x(1 << 16);
    const Vec even = _mm_add_epi64(_mm_add_epi64(_mm_mul_epi32(d0, one), _mm_mul_epi32(d1, unit)),
                                   _mm_slli_epi64(d2, 32));
    const Vec odd = _mm_add_epi64(
        _mm_add_epi64(_mm_mul_epi32(_mm_srli_epi64(d0, 32), one),
                      _mm_mul_epi32(_mm_srli_epi64(d1, 32), unit)),
        _mm_and_si128(d2, _mm_set1_epi64x(static_cast<long long>(0xffffffff00000000))));
    store_alternating(to, even, odd);
  }
  RINGLET_INLINE static void store_alternating(std::uint64_t* to, Vec even, Vec odd) {
    auto* const out = reinterpret_cast<__m128i*>(to);
    _mm_storeu_si128(out, _mm_unpacklo_epi64(even, odd));
    _mm_storeu_si128(out + 1, _mm_unpackhi_epi64(even, odd));
  }
};

}  // namespace ringlet::kernels
