// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/float/float_quotient.hpp"
#include "kernels/policy/harvey64/avx2_harvey64.hpp"

namespace ringlet::kernels {

/// Four words or doubles (AVX2 and FMA). AVX2 has no conversions of 64-bit words: the bits of a
/// small word get the exponent of a fixed power of two, which is subtracted afterwards.
struct Avx2FloatLanes : Avx2Words {
  using Real = __m256d;

  static constexpr int kProductModulusBits = 52;

  RINGLET_INLINE static Real to_real(Vec x) {
    const Real unit = _mm256_set1_pd(0x1p52);
    return _mm256_sub_pd(from_bits(_mm256_or_si256(x, real_bits(unit))), unit);
  }
  RINGLET_INLINE static Vec from_real(Real r) {
    const Real unit = _mm256_set1_pd(0x1.8p52);
    return _mm256_sub_epi64(real_bits(_mm256_add_pd(r, unit)), real_bits(unit));
  }
  RINGLET_INLINE static Vec from_real_plus(Real r, Vec x) {
    const Real unit = _mm256_set1_pd(0x1.8p52);
    return add(real_bits(_mm256_add_pd(r, unit)), sub(x, real_bits(unit)));
  }
  RINGLET_INLINE static Vec real_bits(Real r) { return _mm256_castpd_si256(r); }
  RINGLET_INLINE static Real from_bits(Vec x) { return _mm256_castsi256_pd(x); }
  RINGLET_INLINE static Real broadcast_real(double value) { return _mm256_set1_pd(value); }
  RINGLET_INLINE static Real add_real(Real r, Real s) { return _mm256_add_pd(r, s); }
  RINGLET_INLINE static Real sub_real(Real r, Real s) { return _mm256_sub_pd(r, s); }
  RINGLET_INLINE static Real mul_real(Real r, Real s) { return _mm256_mul_pd(r, s); }
  RINGLET_INLINE static Real mul_add(Real r, Real s, Real t) { return _mm256_fmadd_pd(r, s, t); }
  RINGLET_INLINE static Real mul_sub(Real r, Real s, Real t) { return _mm256_fmsub_pd(r, s, t); }
  RINGLET_INLINE static Real sub_mul(Real t, Real r, Real s) { return _mm256_fnmadd_pd(r, s, t); }

  RINGLET_INLINE static Real where_negative(Real r, Real s) {
    return _mm256_blendv_pd(_mm256_setzero_pd(), s, r);
  }
  /// r in (-q, q) -> r mod q, as a word.
  RINGLET_INLINE static Vec from_residue(Real r, Real q, Vec) {
    const Real unit = _mm256_set1_pd(0x1p52);
    const Real shift = _mm256_blendv_pd(unit, _mm256_add_pd(unit, q), r);
    return _mm256_xor_si256(real_bits(_mm256_add_pd(r, shift)), real_bits(unit));
  }
  /// In two doubles, x = (high*2^32 - 2^52) + (low + 2^52). The first minus the multiple of q is
  /// below 2^53 and exact.
  RINGLET_INLINE static Vec word_residue(Vec x, const FloatModulus<Avx2FloatLanes>& m) {
    const Real unit = _mm256_set1_pd(0x1p52);
    const Real high_unit = _mm256_set1_pd(0x1p84);
    const Real low = from_bits(_mm256_blend_epi32(real_bits(unit), x, 0x55));
    const Real high = _mm256_sub_pd(from_bits(_mm256_or_si256(high_half(x), real_bits(high_unit))),
                                    _mm256_set1_pd(0x1p84 + 0x1p52));
    const Real quotient =
        _mm256_sub_pd(_mm256_fmadd_pd(_mm256_add_pd(high, low), m.inverse, unit), unit);
    const Real remainder = _mm256_add_pd(_mm256_fnmadd_pd(quotient, m.real_q, high), low);
    return from_residue(remainder, m.real_q, m.q);
  }
};

}  // namespace ringlet::kernels
