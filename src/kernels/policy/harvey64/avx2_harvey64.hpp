// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "kernels/policy/harvey64/half_words.hpp"
#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// Four 64-bit words (AVX2): loads, stores, sums, products of halves, and the permutations of the
/// transforms.
struct Avx2Words {
  using Vec = __m256i;

  static constexpr int kLogLanes = 2;
  static constexpr int kMaxRowStages = 3;
  static constexpr LaneLayout kLaneLayout{2, {4, 4}, {{0, 0, 1, 1}, {0, 1, 2, 3}}};

  RINGLET_INLINE static Vec load(const std::uint64_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  RINGLET_INLINE static Vec load_partial(const std::uint64_t* p, std::size_t n) {
    return _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), first_lanes(n));
  }
  RINGLET_INLINE static void store(std::uint64_t* p, Vec x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
  }
  RINGLET_INLINE static void store_partial(std::uint64_t* p, Vec x, std::size_t n) {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), first_lanes(n), x);
  }
  RINGLET_INLINE static Vec broadcast(std::uint64_t x) {
    return _mm256_set1_epi64x(static_cast<long long>(x));
  }
  RINGLET_INLINE static Vec add(Vec x, Vec y) { return _mm256_add_epi64(x, y); }
  RINGLET_INLINE static Vec sub(Vec x, Vec y) { return _mm256_sub_epi64(x, y); }
  /// x in [0, 2*bound) with bound <= 2^63: the sign of x - bound tells which one to keep.
  RINGLET_INLINE static Vec reduce_once(Vec x, Vec bound) {
    const Vec difference = _mm256_sub_epi64(x, bound);
    return _mm256_castpd_si256(_mm256_blendv_pd(
        _mm256_castsi256_pd(difference), _mm256_castsi256_pd(x), _mm256_castsi256_pd(difference)));
  }
  /// AVX2 compares signed words only: flipped top bits make the comparison unsigned.
  template <Comparison kComparison>
  RINGLET_INLINE static Vec add_where(Vec x, Vec y, Vec bound, Vec summand) {
    using enum Comparison;
    if constexpr (kComparison == always) {
      return add(x, summand);
    } else if constexpr (kComparison == never) {
      return x;
    } else if constexpr (kComparison == equal || kComparison == not_equal) {
      return add_in<(kComparison == equal)>(x, _mm256_cmpeq_epi64(y, bound), summand);
    } else {
      const Vec top_bit = _mm256_set1_epi64x(INT64_MIN);
      const Vec y_flipped = _mm256_xor_si256(y, top_bit);
      const Vec bound_flipped = _mm256_xor_si256(bound, top_bit);
      if constexpr (kComparison == less || kComparison == not_less) {
        return add_in<(kComparison == less)>(x, _mm256_cmpgt_epi64(bound_flipped, y_flipped),
                                             summand);
      } else {
        return add_in<(kComparison == not_less_equal)>(
            x, _mm256_cmpgt_epi64(y_flipped, bound_flipped), summand);
      }
    }
  }
  RINGLET_INLINE static Vec mul_half(Vec x, Vec y) { return _mm256_mul_epu32(x, y); }
  RINGLET_INLINE static Vec low_half(Vec x) {
    return _mm256_and_si256(x, _mm256_set1_epi64x(0xffffffff));
  }
  RINGLET_INLINE static Vec high_half(Vec x) { return _mm256_srli_epi64(x, 32); }
  RINGLET_INLINE static Vec to_high_half(Vec x) { return _mm256_slli_epi64(x, 32); }
  /// AVX2 has no such instruction: this adds the products of halves that reach below bit 64.
  RINGLET_INLINE static Vec mul_low(Vec x, Vec y) {
    const Vec cross = add(mul_half(high_half(x), y), mul_half(x, high_half(y)));
    return add(mul_half(x, y), to_high_half(cross));
  }
  RINGLET_INLINE static Vec mul_low_half(Vec x, Vec y) {
    return add(mul_half(x, y), to_high_half(mul_half(x, high_half(y))));
  }
  RINGLET_INLINE static Vec shift_right(Vec x, Vec shift) { return _mm256_srlv_epi64(x, shift); }
  RINGLET_INLINE static Vec shift_right_wide(Vec high, Vec low, Vec shift) {
    const Vec left = sub(broadcast(64), shift);
    return _mm256_or_si256(_mm256_srlv_epi64(low, shift), _mm256_sllv_epi64(high, left));
  }

  /// Lane twiddles of stage v: words as kLaneLayout lists them, then their quotients.
  template <int v>
  RINGLET_INLINE static Vec lane_words(const std::uint64_t* words) {
    return load(words);
  }

  /// Stage 0 exchanges halves, stage 1 neighbours: cheap shuffles, whose reverse is the way back.
  template <int v>
  RINGLET_INLINE static void to_lane_stage(Vec& a, Vec& b) {
    if constexpr (v == 0) {
      exchange_halves(a, b);
    } else if constexpr (v == 1) {
      exchange_neighbours(a, b);
    } else {
      exchange_neighbours(a, b);
      exchange_halves(a, b);
    }
  }
  template <int v>
  RINGLET_INLINE static void from_lane_stage(Vec& a, Vec& b) {
    if constexpr (v == 0) {
      exchange_halves(a, b);
    } else if constexpr (v == 1) {
      exchange_neighbours(a, b);
    } else {
      exchange_halves(a, b);
      exchange_neighbours(a, b);
    }
  }

 private:
  /// x + summand where the mask is all ones (kWhere) or all zeros (not kWhere), else x.
  template <bool kWhere>
  RINGLET_INLINE static Vec add_in(Vec x, Vec mask, Vec summand) {
    return add(x, kWhere ? _mm256_and_si256(mask, summand) : _mm256_andnot_si256(mask, summand));
  }
  RINGLET_INLINE static Vec first_lanes(std::size_t n) {
    return _mm256_cmpgt_epi64(broadcast(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  RINGLET_INLINE static void exchange_halves(Vec& a, Vec& b) {
    const Vec low = _mm256_permute2x128_si256(a, b, 0x20);
    b = _mm256_permute2x128_si256(a, b, 0x31);
    a = low;
  }
  RINGLET_INLINE static void exchange_neighbours(Vec& a, Vec& b) {
    const Vec even = _mm256_unpacklo_epi64(a, b);
    b = _mm256_unpackhi_epi64(a, b);
    a = even;
  }
};

/// Harvey and Barrett arithmetic on four 64-bit words, q < 2^62 (AVX2).
struct Avx2Harvey64 : HalfWords<Avx2Harvey64, Avx2Words> {
  template <int v>
  RINGLET_INLINE static Twiddle<Avx2Harvey64> lane_twiddle(const std::uint64_t* words) {
    return {load(words), load(words + 4)};
  }
};

}  // namespace ringlet::kernels
