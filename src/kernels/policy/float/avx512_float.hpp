// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/float/float_quotient.hpp"
#include "kernels/policy/harvey64/avx512_harvey64.hpp"

namespace ringlet::kernels {

/// Eight words or doubles (AVX512-DQ, for the conversions between them).
struct Avx512FloatLanes : Avx512Lanes {
  using Real = __m512d;

  /// From 52 bits on Avx512LongFloat is as fast, and takes operands that are not reduced.
  static constexpr int kProductModulusBits = 51;

  RINGLET_INLINE static Real to_real(Vec x) { return _mm512_cvtepu64_pd(x); }
  RINGLET_INLINE static Vec from_real(Real r) { return _mm512_cvtpd_epi64(r); }
  RINGLET_INLINE static Vec from_real_plus(Real r, Vec x) { return add(from_real(r), x); }
  RINGLET_INLINE static Vec real_bits(Real r) { return _mm512_castpd_si512(r); }
  RINGLET_INLINE static Real from_bits(Vec x) { return _mm512_castsi512_pd(x); }
  RINGLET_INLINE static Real broadcast_real(double value) { return _mm512_set1_pd(value); }
  RINGLET_INLINE static Real add_real(Real r, Real s) { return _mm512_add_pd(r, s); }
  RINGLET_INLINE static Real sub_real(Real r, Real s) { return _mm512_sub_pd(r, s); }
  RINGLET_INLINE static Real mul_real(Real r, Real s) { return _mm512_mul_pd(r, s); }
  RINGLET_INLINE static Real mul_add(Real r, Real s, Real t) { return _mm512_fmadd_pd(r, s, t); }
  RINGLET_INLINE static Real mul_sub(Real r, Real s, Real t) { return _mm512_fmsub_pd(r, s, t); }
  RINGLET_INLINE static Real sub_mul(Real t, Real r, Real s) { return _mm512_fnmadd_pd(r, s, t); }

  RINGLET_INLINE static Real where_negative(Real r, Real s) {
    return _mm512_maskz_mov_pd(_mm512_movepi64_mask(real_bits(r)), s);
  }
  /// r in (-q, q) -> r mod q, as a word.
  RINGLET_INLINE static Vec from_residue(Real r, Real, Vec q) {
    const Vec x = from_real(r);
    return _mm512_min_epu64(x, add(x, q));
  }
  /// The remainder is shorter than a word, so its low word is all of it.
  RINGLET_INLINE static Vec word_residue(Vec x, const FloatModulus<Avx512FloatLanes>& m) {
    const Vec quotient = from_real(mul_real(to_real(x), m.inverse));
    const Vec remainder = sub(x, _mm512_mullo_epi64(quotient, m.q));
    return _mm512_min_epu64(remainder, add(remainder, m.q));
  }
};

/// Products modulo q < 2^56. A double holds only a part of them, so the first quotient is off by
/// less than 81. The low words of product and multiple give the remainder, which a second quotient
/// reduces. docs/notes/float_quotient.md
struct Avx512LongFloat : Avx512FloatLanes {
  struct Barrett {
    Vec q;
    Vec two_q;
    Real inverse;  ///< 1/q, rounded to nearest.
  };

  static constexpr std::uint64_t kMultiplyModulusLimit = std::uint64_t{1} << 56;
  static constexpr int kProductRange = 2;
  static constexpr int kProductBits = 57;

  RINGLET_INLINE static Barrett make_barrett(const EltwiseArguments& e) {
    return {broadcast(e.q), broadcast(2 * e.q), broadcast_real(1.0 / static_cast<double>(e.q))};
  }
  RINGLET_INLINE static Factor<Avx512LongFloat> make_factor(std::uint64_t w,
                                                            std::uint64_t quotient) {
    return {broadcast(w), broadcast(quotient)};
  }
  RINGLET_INLINE static Vec mul(Vec x, Vec y, const Barrett& b) {
    return mul_ranges<1, 1>(x, y, b);
  }
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_ranges(Vec x, Vec y, const Barrett& b) {
    const Real product = mul_real(to_real(x), to_real(y));
    const Vec remainder = minus_multiple(_mm512_mullo_epi64(x, y), product, b);
    return add(minus_multiple(remainder, _mm512_cvtepi64_pd(remainder), b), b.q);
  }
  RINGLET_INLINE static Vec mul_factor(Vec x, const Factor<Avx512LongFloat>& w, const Barrett& b) {
    return mul(x, w.operand, b);
  }

 private:
  /// x - c*q modulo 2^64, for real_x/q rounded to an integer c.
  RINGLET_INLINE static Vec minus_multiple(Vec x, Real real_x, const Barrett& b) {
    return sub(x, _mm512_mullo_epi64(from_real(mul_real(real_x, b.inverse)), b.q));
  }
};

}  // namespace ringlet::kernels
