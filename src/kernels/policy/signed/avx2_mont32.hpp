// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/signed/avx2_signed.hpp"
#include "kernels/policy/signed/signed_mont32.hpp"

namespace ringlet::kernels {

/// Eight 32-bit integers (AVX2).
struct Avx2HalfWordLanes : Avx2SignedLanes {
  static constexpr LaneLayout kValueLayout{
      3, {4, 4, 8}, {{0, 0, 1, 1}, {0, 1, 2, 3}, {0, 1, 4, 5, 2, 3, 6, 7}}};

  RINGLET_INLINE static Vec load_values(const std::uint32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  RINGLET_INLINE static void store_values(std::uint32_t* p, Vec x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
  }
  RINGLET_INLINE static Vec load_packed(const std::uint64_t* p) {
    return _mm256_permute4x64_epi64(even_values(load(p), load(p + 4)), 0xd8);
  }
  RINGLET_INLINE static void store_unpacked(std::uint64_t* p, Vec x) {
    store(p, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(x)));
    store(p + 4, _mm256_cvtepu32_epi64(_mm256_extracti128_si256(x, 1)));
  }
  RINGLET_INLINE static Vec broadcast_value(std::uint32_t value) {
    return _mm256_set1_epi32(static_cast<int>(value));
  }
  RINGLET_INLINE static Vec add_values(Vec x, Vec y) { return _mm256_add_epi32(x, y); }
  RINGLET_INLINE static Vec sub_values(Vec x, Vec y) { return _mm256_sub_epi32(x, y); }
  RINGLET_INLINE static Vec smaller_value(Vec x, Vec y) { return _mm256_min_epu32(x, y); }
  RINGLET_INLINE static Vec subtract_signed_values(Vec x, Vec r) {
    return sub_values(x, _mm256_sign_epi32(r, x));
  }
  RINGLET_INLINE static Vec upper_values(Vec x) {
    return _mm256_castps_si256(_mm256_movehdup_ps(_mm256_castsi256_ps(x)));
  }
  RINGLET_INLINE static Vec merge_upper(Vec x, Vec y) {
    return _mm256_blend_epi32(upper_values(x), y, 0xaa);
  }
  RINGLET_INLINE static void split_values(Vec& a, Vec& b) {
    const Vec even = even_values(a, b);
    b = _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xdd));
    a = even;
  }
  RINGLET_INLINE static void join_values(Vec& a, Vec& b) {
    const Vec low = _mm256_unpacklo_epi32(a, b);
    b = _mm256_unpackhi_epi32(a, b);
    a = low;
  }
  RINGLET_INLINE static void to_value_order(Vec& a, Vec& b) {
    join_values(a, b);
    to_lane_stage<kLogLanes>(a, b);
  }
  RINGLET_INLINE static void from_value_order(Vec& a, Vec& b) {
    from_lane_stage<kLogLanes>(a, b);
    split_values(a, b);
  }

 private:
  /// The lower halves of a and b, 128 bits of a and of b in turn.
  RINGLET_INLINE static Vec even_values(Vec a, Vec b) {
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
  }
};

}  // namespace ringlet::kernels
