// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "kernels/policy/harvey64/half_words.hpp"
#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// Eight 64-bit lanes: loads, stores, additions and the register permutations that every AVX-512
/// policy shares. No multiplication.
struct Avx512Lanes {
  using Vec = __m512i;

  static constexpr int kLogLanes = 3;
  static constexpr int kMaxRowStages = 4;
  /// Lane stage v interleaves groups of 2^v lanes, so lane l of a group of 2^(v+1) works on block
  /// bit_reverse(l): the words repeat and a narrow broadcast load fills the vector.
  static constexpr LaneLayout kLaneLayout{
      3, {2, 4, 8}, {{0, 1}, {0, 2, 1, 3}, {0, 4, 2, 6, 1, 5, 3, 7}}};

  RINGLET_INLINE static Vec load(const std::uint64_t* p) { return _mm512_loadu_si512(p); }
  RINGLET_INLINE static Vec load_partial(const std::uint64_t* p, std::size_t n) {
    return _mm512_maskz_loadu_epi64(first_lanes(n), p);
  }
  RINGLET_INLINE static void store(std::uint64_t* p, Vec x) { _mm512_storeu_si512(p, x); }
  RINGLET_INLINE static void store_partial(std::uint64_t* p, Vec x, std::size_t n) {
    _mm512_mask_storeu_epi64(p, first_lanes(n), x);
  }
  RINGLET_INLINE static Vec broadcast(std::uint64_t x) {
    return _mm512_set1_epi64(static_cast<long long>(x));
  }
  RINGLET_INLINE static Vec add(Vec x, Vec y) { return _mm512_add_epi64(x, y); }
  RINGLET_INLINE static Vec sub(Vec x, Vec y) { return _mm512_sub_epi64(x, y); }
  /// The smaller of x and x - bound modulo 2^64 (a difference below zero wraps to a large word).
  RINGLET_INLINE static Vec reduce_once(Vec x, Vec bound) {
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, bound));
  }

  /// The enumerators of Comparison are the predicates of the instruction.
  template <Comparison kComparison>
  RINGLET_INLINE static Vec add_where(Vec x, Vec y, Vec bound, Vec summand) {
    constexpr int kPredicate = static_cast<int>(kComparison);
    return _mm512_mask_add_epi64(x, _mm512_cmp_epu64_mask(y, bound, kPredicate), x, summand);
  }

  /// Lane twiddles of stage v: words as kLaneLayout lists them, then their quotients.
  template <int v>
  RINGLET_INLINE static Vec lane_words(const std::uint64_t* words) {
    if constexpr (v == 0) {
      return _mm512_broadcast_i64x2(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words)));
    } else if constexpr (v == 1) {
      return _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
    } else {
      return load(words);
    }
  }

  template <int v>
  RINGLET_INLINE static void to_lane_stage(Vec& a, Vec& b) {
    if constexpr (v == 0) {
      permute_pair(a, b, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
                   _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15));
    } else if constexpr (v == 1) {
      permute_pair(a, b, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                   _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15));
    } else if constexpr (v == 2) {
      swap_halves(a, b);
    } else {
      permute_pair(a, b, _mm512_setr_epi64(0, 8, 4, 12, 2, 10, 6, 14),
                   _mm512_setr_epi64(1, 9, 5, 13, 3, 11, 7, 15));
    }
  }

  template <int v>
  RINGLET_INLINE static void from_lane_stage(Vec& a, Vec& b) {
    if constexpr (v == 0) {
      permute_pair(a, b, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14),
                   _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15));
    } else if constexpr (v == 1) {
      permute_pair(a, b, _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13),
                   _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15));
    } else {
      to_lane_stage<v>(a, b);  // its own inverse
    }
  }

 private:
  RINGLET_INLINE static __mmask8 first_lanes(std::size_t n) {
    return static_cast<__mmask8>((1U << n) - 1);
  }
  RINGLET_INLINE static void permute_pair(Vec& a, Vec& b, Vec first, Vec second) {
    const Vec low = _mm512_permutex2var_epi64(a, first, b);
    b = _mm512_permutex2var_epi64(a, second, b);
    a = low;
  }
  RINGLET_INLINE static void swap_halves(Vec& a, Vec& b) {
    const Vec low = _mm512_shuffle_i64x2(a, b, 0x44);
    b = _mm512_shuffle_i64x2(a, b, 0xee);
    a = low;
  }
};

/// Products of eight 64-bit words (AVX512-DQ).
struct Avx512Words : Avx512Lanes {
  RINGLET_INLINE static Vec mul_half(Vec x, Vec y) { return _mm512_mul_epu32(x, y); }
  RINGLET_INLINE static Vec low_half(Vec x) {
    return _mm512_and_si512(x, _mm512_set1_epi64(0xffffffff));
  }
  RINGLET_INLINE static Vec high_half(Vec x) { return _mm512_srli_epi64(x, 32); }
  RINGLET_INLINE static Vec to_high_half(Vec x) { return _mm512_slli_epi64(x, 32); }
  RINGLET_INLINE static Vec mul_low(Vec x, Vec y) { return _mm512_mullo_epi64(x, y); }
  RINGLET_INLINE static Vec mul_low_half(Vec x, Vec y) { return mul_low(x, y); }
  RINGLET_INLINE static Vec shift_right(Vec x, Vec shift) { return _mm512_srlv_epi64(x, shift); }
  RINGLET_INLINE static Vec shift_right_wide(Vec high, Vec low, Vec shift) {
    const Vec left = sub(broadcast(64), shift);
    return _mm512_or_si512(_mm512_srlv_epi64(low, shift), _mm512_sllv_epi64(high, left));
  }
};

/// Harvey and Barrett arithmetic on eight 64-bit words, q < 2^62 (AVX512-DQ).
struct Avx512Harvey64 : HalfWords<Avx512Harvey64, Avx512Words> {
  template <int v>
  RINGLET_INLINE static Twiddle<Avx512Harvey64> lane_twiddle(const std::uint64_t* words) {
    return {lane_words<v>(words), lane_words<v>(words + kLaneLayout.words[v])};
  }
};

}  // namespace ringlet::kernels
