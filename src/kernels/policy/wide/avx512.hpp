// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/harvey64/avx512_harvey64.hpp"
#include "kernels/policy/wide/policy.hpp"

namespace ringlet::kernels {

/// Eight double words in two registers (AVX-512): their two layouts in memory, and sums and
/// differences modulo q, which take no products.
struct WideAvx512Lanes : Avx512Lanes {
  static constexpr int kMaxWideRowStages = 2;
  static constexpr bool kEmulates = false;  ///< Are the instructions loops over lanes?

  /// q in all lanes, as words.
  struct Words {
    Vec low;
    Vec high;
  };

  RINGLET_INLINE static Words make_words(const WideConstants& c) {
    return {broadcast(c.words[0]), broadcast(c.words[1])};
  }

  /// Pairs (low, high) of eight elements in two vectors -> low words, high words.
  RINGLET_INLINE static void separate(Vec& a, Vec& b) {
    const Vec low = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
    b = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
    a = low;
  }
  /// The inverse of `separate`.
  RINGLET_INLINE static void interleave(Vec& a, Vec& b) {
    const Vec low = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), b);
    b = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), b);
    a = low;
  }

  /// x - q where that is not negative, else x; any x. A borrow from the low words adds 1 to the
  /// high word of q, which is compared and subtracted.
  RINGLET_INLINE static void subtract_if_at_least(Vec& low, Vec& high, const Words& q) {
    const __mmask8 borrow = _mm512_cmplt_epu64_mask(low, q.low);
    const Vec q_high = plus_carry(q.high, borrow);
    const __mmask8 is_at_least = _mm512_cmpge_epu64_mask(high, q_high);
    low = _mm512_mask_sub_epi64(low, is_at_least, low, q.low);
    high = _mm512_mask_sub_epi64(high, is_at_least, high, q_high);
  }
  RINGLET_INLINE static void add_modulo(Vec& low, Vec& high, Vec b_low, Vec b_high,
                                        const Words& q) {
    const Vec sum = add(low, b_low);
    const __mmask8 carry = _mm512_cmplt_epu64_mask(sum, b_low);
    low = sum;
    high = plus_carry(add(high, b_high), carry);
    subtract_if_at_least(low, high, q);
  }
  /// Adds 0 or q, by the sign of the difference.
  RINGLET_INLINE static void subtract_modulo(Vec& low, Vec& high, Vec b_low, Vec b_high,
                                             const Words& q) {
    const __mmask8 borrow = _mm512_cmplt_epu64_mask(low, b_low);
    low = sub(low, b_low);
    high = minus_borrow(sub(high, b_high), borrow);
    const __mmask8 is_negative = _mm512_movepi64_mask(high);
    const Vec sum = _mm512_mask_add_epi64(low, is_negative, low, q.low);
    const __mmask8 carry = _mm512_cmplt_epu64_mask(sum, low);
    high = _mm512_mask_add_epi64(high, is_negative, high, q.high);
    high = plus_carry(high, carry);
    low = sum;
  }

  RINGLET_INLINE static Vec plus_carry(Vec x, __mmask8 carry) {
    return subtract_where(carry, x, _mm512_set1_epi64(-1));
  }
  RINGLET_INLINE static Vec minus_borrow(Vec x, __mmask8 borrow) {
    return add_where(borrow, x, _mm512_set1_epi64(-1));
  }
  /// x + y or x - y where the mask is set, else x. Hidden from the compiler, which would otherwise
  /// spread the mask to a vector and add that: two instructions, the first one slow.
  RINGLET_INLINE static Vec add_where(__mmask8 mask, Vec x, Vec y) {
    asm("vpaddq %1, %0, %0%{%2%}" : "+v"(x) : "v"(y), "Yk"(mask));
    return x;
  }
  RINGLET_INLINE static Vec subtract_where(__mmask8 mask, Vec x, Vec y) {
    asm("vpsubq %1, %0, %0%{%2%}" : "+v"(x) : "v"(y), "Yk"(mask));
    return x;
  }
};

}  // namespace ringlet::kernels
