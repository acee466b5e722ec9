// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "kernels/policy/half_words.hpp"
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

/// Harvey and Barrett arithmetic on eight 64-bit words, q < 2^62 (AVX512-DQ).
struct Avx512Harvey64 : Avx512Lanes {
  static constexpr int kQuotientBits = 64;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kMultiplyModulusLimit = std::uint64_t{1} << 62;
  static constexpr int kProductRange = 3;
  static constexpr int kProductBits = 61;
  static constexpr int kWideProductRange = 6;
  static constexpr int kWideProductBits = 64;
  static constexpr int kFactorOperandBits = 62;
  static constexpr int kWordRange = 4;
  static constexpr int kShortWordRange = 2;

  RINGLET_INLINE static std::uint64_t negated(std::uint64_t q) { return q; }

  /// High words of the products x*y: four 32-bit products and their carries.
  RINGLET_INLINE static Vec mul_high(Vec x, Vec y) {
    const Vec low_half = _mm512_set1_epi64(0xffffffff);
    const Vec x1 = _mm512_srli_epi64(x, 32);
    const Vec y1 = _mm512_srli_epi64(y, 32);
    const Vec p00 = _mm512_mul_epu32(x, y);
    const Vec p01 = _mm512_mul_epu32(x, y1);
    const Vec p10 = _mm512_mul_epu32(x1, y);
    const Vec p11 = _mm512_mul_epu32(x1, y1);
    const Vec middle = _mm512_add_epi64(p10, _mm512_srli_epi64(p00, 32));
    const Vec carry = _mm512_add_epi64(p01, _mm512_and_si512(middle, low_half));
    return _mm512_add_epi64(_mm512_add_epi64(p11, _mm512_srli_epi64(middle, 32)),
                            _mm512_srli_epi64(carry, 32));
  }
  RINGLET_INLINE static Vec mul_low(Vec x, Vec y) { return _mm512_mullo_epi64(x, y); }

  template <int v>
  RINGLET_INLINE static Twiddle<Avx512Harvey64> lane_twiddle(const std::uint64_t* words) {
    return {lane_words<v>(words), lane_words<v>(words + kLaneLayout.words[v])};
  }
  RINGLET_INLINE static Vec mul_lazy(Vec y, const Twiddle<Avx512Harvey64>& w,
                                     const Mod<Avx512Harvey64>& m) {
    return sub(mul_low(y, w.operand), mul_low(mul_high(y, w.quotient), m.q));
  }

  /// Half words and element-wise arithmetic (half_words.hpp).
  using Barrett = HalfWordBarrett<Avx512Harvey64>;
  RINGLET_INLINE static Vec mul_half(Vec x, Vec y) { return _mm512_mul_epu32(x, y); }
  RINGLET_INLINE static Vec high_half(Vec x) { return _mm512_srli_epi64(x, 32); }
  RINGLET_INLINE static Vec to_high_half(Vec x) { return _mm512_slli_epi64(x, 32); }
  RINGLET_INLINE static Vec shift_right_wide(Vec high, Vec low, Vec shift) {
    const Vec left = sub(broadcast(64), shift);
    return _mm512_or_si512(_mm512_srlv_epi64(low, shift), _mm512_sllv_epi64(high, left));
  }
  RINGLET_INLINE static Barrett make_barrett(const EltwiseArguments& e) {
    return make_half_word_barrett<Avx512Harvey64>(e);
  }
  RINGLET_INLINE static Factor<Avx512Harvey64> make_factor(std::uint64_t w,
                                                           std::uint64_t quotient) {
    return make_half_word_factor<Avx512Harvey64>(w, quotient);
  }
  RINGLET_INLINE static Vec mul(Vec x, Vec y, const Barrett& b) {
    return half_word_mul<Avx512Harvey64>(x, y, b);
  }
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_ranges(Vec x, Vec y, const Barrett& b) {
    return half_word_mul<Avx512Harvey64>(x, y, b);
  }
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_wide(Vec x, Vec y, const Barrett& b) {
    return half_word_mul_wide<Avx512Harvey64>(x, y, b);
  }
  RINGLET_INLINE static Vec mul_factor_range(Vec x, const Factor<Avx512Harvey64>& w,
                                             const Barrett& b) {
    return half_word_mul_factor<Avx512Harvey64>(x, w, b);
  }
  RINGLET_INLINE static Vec mul_factor(Vec x, const Factor<Avx512Harvey64>& w, const Barrett& b) {
    return mul_factor_range(x, w, b);
  }
  RINGLET_INLINE static Vec reduce_word(Vec x, const Barrett& b) {
    return half_word_reduce<Avx512Harvey64>(x, b);
  }
  RINGLET_INLINE static bool has_short_quotient(std::uint64_t q) {
    return q >> (kShortQuotientBits - 1) != 0;
  }
  RINGLET_INLINE static Vec reduce_word_short(Vec x, const Barrett& b) {
    return half_word_reduce_short<Avx512Harvey64>(x, b);
  }
  /// Low words of the products of the low halves of x with y, for x < 2^32.
  RINGLET_INLINE static Vec mul_low_half(Vec x, Vec y) { return mul_low(x, y); }
  RINGLET_INLINE static Vec shift_right(Vec x, Vec shift) { return _mm512_srlv_epi64(x, shift); }
};

}  // namespace ringlet::kernels
