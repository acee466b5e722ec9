// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "ringlet/export.hpp"

namespace ringlet::kernels {

/// Eight 32-bit lanes, for the base products of Karatsuba's recursion.
struct KaratsubaAvx2 {
  using Vec = __m256i;

  static constexpr std::size_t kWords = 8;
  static constexpr std::size_t kTilePlanes = 1;
  static constexpr int kTileRows = 5;

  RINGLET_INLINE static Vec load(const std::uint32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  RINGLET_INLINE static Vec broadcast(const std::uint32_t* p) {
    return _mm256_set1_epi32(static_cast<int>(*p));
  }
  RINGLET_INLINE static Vec broadcast_pair(const std::uint32_t* p) {
    int pair;
    __builtin_memcpy(&pair, p, sizeof(pair));
    return _mm256_set1_epi32(pair);
  }
  RINGLET_INLINE static Vec add_pairs(Vec sum, Vec x, Vec y) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
  }
  RINGLET_INLINE static Vec add_product(Vec sum, Vec x, Vec y) {
    return _mm256_add_epi64(sum, _mm256_mul_epi32(x, y));
  }
  /// The low digits are extended by a multiplication, of which the even lanes take part.
  RINGLET_INLINE static void store_digits(std::uint64_t* to, Vec d0, Vec d1, Vec d2) {
    const Vec one = _mm256_set1_epi64x(1);
    const Vec unit = _mm256_set1_epi64x(1 << 16);
    const Vec even =
        _mm256_add_epi64(_mm256_add_epi64(_mm256_mul_epi32(d0, one), _mm256_mul_epi32(d1, unit)),
                         _mm256_slli_epi64(d2, 32));
    const Vec odd = _mm256_add_epi64(
        _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(d0, 32), one),
                         _mm256_mul_epi32(_mm256_srli_epi64(d1, 32), unit)),
        _mm256_and_si256(d2, _mm256_set1_epi64x(static_cast<long long>(0xffffffff00000000))));
    store_alternating(to, even, odd);
  }
  RINGLET_INLINE static void store_alternating(std::uint64_t* to, Vec even, Vec odd) {
    const Vec low = _mm256_unpacklo_epi64(even, odd);
    const Vec high = _mm256_unpackhi_epi64(even, odd);
    auto* const out = reinterpret_cast<__m256i*>(to);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(low, high, 0x31));
  }
};

}  // namespace ringlet::kernels
