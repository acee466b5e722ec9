// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/signed/avx512_signed.hpp"
#include "kernels/policy/signed/signed_mont32.hpp"

namespace ringlet::kernels {

/// Sixteen 32-bit integers (AVX512-DQ).
struct Avx512HalfWordLanes : Avx512SignedLanes {
  static constexpr LaneLayout kValueLayout{
      4,
      {2, 4, 8, 16},
      {{0, 1},
       {0, 2, 1, 3},
       {0, 4, 2, 6, 1, 5, 3, 7},
       {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}}};

  RINGLET_INLINE static Vec load_values(const std::uint32_t* p) { return _mm512_loadu_si512(p); }
  RINGLET_INLINE static void store_values(std::uint32_t* p, Vec x) { _mm512_storeu_si512(p, x); }
  RINGLET_INLINE static Vec load_packed(const std::uint64_t* p) {
    const Vec even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(load(p), even, load(p + 8));
  }
  RINGLET_INLINE static void store_unpacked(std::uint64_t* p, Vec x) {
    store(p, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(x)));
    store(p + 8, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(x, 1)));
  }
  RINGLET_INLINE static Vec broadcast_value(std::uint32_t value) {
    return _mm512_set1_epi32(static_cast<int>(value));
  }
  RINGLET_INLINE static Vec add_values(Vec x, Vec y) { return _mm512_add_epi32(x, y); }
  RINGLET_INLINE static Vec sub_values(Vec x, Vec y) { return _mm512_sub_epi32(x, y); }
  RINGLET_INLINE static Vec smaller_value(Vec x, Vec y) { return _mm512_min_epu32(x, y); }
  RINGLET_INLINE static Vec subtract_signed_values(Vec x, Vec r) {
    return _mm512_mask_add_epi32(sub_values(x, r), _mm512_movepi32_mask(x), x, r);
  }
  RINGLET_INLINE static Vec upper_values(Vec x) {
    return _mm512_castps_si512(_mm512_movehdup_ps(_mm512_castsi512_ps(x)));
  }
  RINGLET_INLINE static Vec merge_upper(Vec x, Vec y) {
    return _mm512_castps_si512(
        _mm512_mask_movehdup_ps(_mm512_castsi512_ps(y), 0x5555, _mm512_castsi512_ps(x)));
  }
  RINGLET_INLINE static void split_values(Vec& a, Vec& b) {
    const __m512 real_a = _mm512_castsi512_ps(a);
    const __m512 real_b = _mm512_castsi512_ps(b);
    a = _mm512_castps_si512(_mm512_shuffle_ps(real_a, real_b, 0x88));
    b = _mm512_castps_si512(_mm512_shuffle_ps(real_a, real_b, 0xdd));
  }
  RINGLET_INLINE static void join_values(Vec& a, Vec& b) {
    const Vec low = _mm512_unpacklo_epi32(a, b);
    b = _mm512_unpackhi_epi32(a, b);
    a = low;
  }
  RINGLET_INLINE static void to_value_order(Vec& a, Vec& b) {
    const Vec low = _mm512_permutex2var_epi32(
        a, _mm512_setr_epi32(0, 16, 2, 18, 8, 24, 10, 26, 4, 20, 6, 22, 12, 28, 14, 30), b);
    b = _mm512_permutex2var_epi32(
        a, _mm512_setr_epi32(1, 17, 3, 19, 9, 25, 11, 27, 5, 21, 7, 23, 13, 29, 15, 31), b);
    a = low;
  }
  /// The permutation is its own inverse.
  RINGLET_INLINE static void from_value_order(Vec& a, Vec& b) { to_value_order(a, b); }
};

}  // namespace ringlet::kernels
