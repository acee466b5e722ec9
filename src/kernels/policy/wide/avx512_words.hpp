// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/wide/avx512.hpp"
#include "kernels/policy/wide/double_word.hpp"

namespace ringlet::kernels {

/// The instructions of Avx512WordArithmetic. Studies derive classes that exchange one.
struct Avx512WordInstructions {
  static constexpr bool kIsExact = true;

  RINGLET_INLINE static __m512i mul_half(__m512i a, __m512i b) { return _mm512_mul_epu32(a, b); }
  RINGLET_INLINE static __m512i mul_low(__m512i a, __m512i b) { return _mm512_mullo_epi64(a, b); }
  /// x + y where the mask is set, else x.
  RINGLET_INLINE static __m512i add_where(__mmask8 mask, __m512i x, __m512i y) {
    return WideAvx512Lanes::add_where(mask, x, y);
  }
  RINGLET_INLINE static __m512i subtract_where(__mmask8 mask, __m512i x, __m512i y) {
    return WideAvx512Lanes::subtract_where(mask, x, y);
  }
};

/// The words of WideDoubleWord by AVX-512: products from four products of halves, carries and
/// borrows by comparisons.
template <typename I>
struct Avx512WordArithmetic : WideAvx512Lanes {
  using Mask = __mmask8;
  static constexpr bool kIsExact = I::kIsExact;

  RINGLET_INLINE static void mul_words(Vec a, Vec b, Vec& high, Vec& low) {
    const Vec a1 = _mm512_srli_epi64(a, 32);
    const Vec b1 = _mm512_srli_epi64(b, 32);
    const Vec p00 = I::mul_half(a, b);
    const Vec p01 = I::mul_half(a, b1);
    const Vec p10 = I::mul_half(a1, b);
    const Vec p11 = I::mul_half(a1, b1);
    const Vec middle = add(p10, _mm512_srli_epi64(p00, 32));
    const Vec carry = add(p01, _mm512_and_si512(middle, _mm512_set1_epi64(0xffffffff)));
    high = add(add(p11, _mm512_srli_epi64(middle, 32)), _mm512_srli_epi64(carry, 32));
    low = _mm512_mask_blend_epi32(0xaaaa, p00, _mm512_slli_epi64(carry, 32));
  }
  RINGLET_INLINE static Vec mul_low(Vec a, Vec b) { return I::mul_low(a, b); }

  /// The sum s = a + b + in carries if s < a. With a carry in it also does if s = a: then b is
  /// 2^64 - 1. The rule of the slides, s < a or s < b, misses that case if a is 2^64 - 1 too.
  RINGLET_INLINE static Vec add_carry(Vec a, Vec b, Mask in, Mask& out) {
    const Vec s = add_in(a, b, in);
    out = _kor_mask8(_mm512_cmplt_epu64_mask(s, a), _mm512_mask_cmpeq_epu64_mask(in, s, a));
    return s;
  }
  RINGLET_INLINE static Vec add_out(Vec a, Vec b, Mask& out) {
    const Vec s = add(a, b);
    out = _mm512_cmplt_epu64_mask(s, b);
    return s;
  }
  RINGLET_INLINE static Vec add_in(Vec a, Vec b, Mask in) {
    return I::subtract_where(in, add(a, b), _mm512_set1_epi64(-1));
  }
  /// With a borrow in, a = b borrows too.
  RINGLET_INLINE static Vec subtract_borrow(Vec a, Vec b, Mask in, Mask& out) {
    out = _kor_mask8(_mm512_cmplt_epu64_mask(a, b), _mm512_mask_cmpeq_epu64_mask(in, a, b));
    return subtract_in(a, b, in);
  }
  RINGLET_INLINE static Vec subtract_out(Vec a, Vec b, Mask& out) {
    out = _mm512_cmplt_epu64_mask(a, b);
    return sub(a, b);
  }
  RINGLET_INLINE static Vec subtract_in(Vec a, Vec b, Mask in) {
    return I::add_where(in, sub(a, b), _mm512_set1_epi64(-1));
  }

  RINGLET_INLINE static Vec select(Mask mask, Vec x, Vec y) {
    return _mm512_mask_mov_epi64(x, mask, y);
  }
  RINGLET_INLINE static Vec add_where(Mask mask, Vec x, Vec y) { return I::add_where(mask, x, y); }
  RINGLET_INLINE static Vec either(Vec a, Vec b) { return _mm512_or_si512(a, b); }
  RINGLET_INLINE static Vec shift_left(Vec x, Vec n) { return _mm512_sllv_epi64(x, n); }
  RINGLET_INLINE static Vec shift_right(Vec x, Vec n) { return _mm512_srlv_epi64(x, n); }
};

struct WideAvx512Words : Avx512WordArithmetic<Avx512WordInstructions> {};

}  // namespace ringlet::kernels
