// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/float/avx2_float.hpp"
#include "kernels/policy/wide/policy.hpp"

namespace ringlet::kernels {

/// Four double words in two registers (AVX2): their two layouts in memory, bits, and sums and
/// differences modulo q < 2^124, which take no products.
struct WideAvx2Lanes : Avx2FloatLanes {
  static constexpr int kMaxWideRowStages = 3;

  /// q in all lanes, as words.
  struct Words {
    Vec low;
    Vec high;
  };
  /// Low and high words of four elements.
  struct Pair {
    Vec low;
    Vec high;
  };

  RINGLET_INLINE static Words make_words(const WideConstants& c) {
    return {broadcast(c.words[0]), broadcast(c.words[1])};
  }

  template <int v>
  RINGLET_INLINE static Vec lane_words(const std::uint64_t* words) {
    return load(words);
  }
  /// Pairs (low, high) of four elements in two vectors -> low words, high words.
  RINGLET_INLINE static void separate(Vec& a, Vec& b) { from_lane_stage<kLogLanes>(a, b); }
  /// The inverse of `separate`.
  RINGLET_INLINE static void interleave(Vec& a, Vec& b) { to_lane_stage<kLogLanes>(a, b); }

  RINGLET_INLINE static Vec bit_and(Vec x, Vec y) { return _mm256_and_si256(x, y); }
  RINGLET_INLINE static Vec bit_or(Vec x, Vec y) { return _mm256_or_si256(x, y); }
  template <int bits>
  RINGLET_INLINE static Vec shift_left_by(Vec x) {
    return _mm256_slli_epi64(x, bits);
  }
  template <int bits>
  RINGLET_INLINE static Vec shift_right_by(Vec x) {
    return _mm256_srli_epi64(x, bits);
  }

  /// Takes the carry of the low words, and chooses by the sign of the difference of the high words.
  RINGLET_INLINE static Pair add_modulo(const Pair& a, const Pair& b, const Words& q) {
    const Vec low = add(a.low, b.low);
    const Vec high = sub(add(a.high, b.high), all_ones_if_less(low, b.low));
    const Vec low_difference = sub(low, q.low);
    const Vec high_difference = add(sub(high, q.high), all_ones_if_less(low, q.low));
    return {keep_if_negative(high_difference, low, low_difference),
            keep_if_negative(high_difference, high, high_difference)};
  }
  /// Adds 0 or q, by the sign of the difference.
  RINGLET_INLINE static Pair subtract_modulo(const Pair& a, const Pair& b, const Words& q) {
    const Vec low = sub(a.low, b.low);
    const Vec high = add(sub(a.high, b.high), all_ones_if_less(a.low, b.low));
    const Vec is_negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), high);
    const Vec low_multiple = bit_and(is_negative, q.low);
    const Vec sum = add(low, low_multiple);
    const Vec carry = all_ones_if_less(sum, low_multiple);
    return {sum, sub(add(high, bit_and(is_negative, q.high)), carry)};
  }

 private:
  /// AVX2 compares signed words only: flipped top bits make the comparison unsigned.
  RINGLET_INLINE static Vec all_ones_if_less(Vec x, Vec y) {
    const Vec top_bit = _mm256_set1_epi64x(INT64_MIN);
    return _mm256_cmpgt_epi64(_mm256_xor_si256(y, top_bit), _mm256_xor_si256(x, top_bit));
  }
  RINGLET_INLINE static Vec keep_if_negative(Vec sign, Vec x, Vec y) {
    return real_bits(_mm256_blendv_pd(from_bits(y), from_bits(x), from_bits(sign)));
  }
};

}  // namespace ringlet::kernels
