// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/avx512_harvey64.hpp"
#include "kernels/policy/float_quotient.hpp"

namespace ringlet::kernels {

/// Eight words or doubles (AVX512-DQ, for the conversions between them).
struct Avx512FloatLanes : Avx512Lanes {
  using Real = __m512d;

  RINGLET_INLINE static Real to_real(Vec x) { return _mm512_cvtepu64_pd(x); }
  RINGLET_INLINE static Vec from_real(Real r) { return _mm512_cvtpd_epi64(r); }
  RINGLET_INLINE static Vec real_bits(Real r) { return _mm512_castpd_si512(r); }
  RINGLET_INLINE static Real from_bits(Vec x) { return _mm512_castsi512_pd(x); }
  RINGLET_INLINE static Real broadcast_real(double value) { return _mm512_set1_pd(value); }
  RINGLET_INLINE static Real add_real(Real r, Real s) { return _mm512_add_pd(r, s); }
  RINGLET_INLINE static Real sub_real(Real r, Real s) { return _mm512_sub_pd(r, s); }
  RINGLET_INLINE static Real mul_real(Real r, Real s) { return _mm512_mul_pd(r, s); }
  RINGLET_INLINE static Real mul_add(Real r, Real s, Real t) { return _mm512_fmadd_pd(r, s, t); }
  RINGLET_INLINE static Real mul_sub(Real r, Real s, Real t) { return _mm512_fmsub_pd(r, s, t); }
  RINGLET_INLINE static Real sub_mul(Real t, Real r, Real s) { return _mm512_fnmadd_pd(r, s, t); }

  /// The remainder is shorter than a word, so its low word is all of it.
  RINGLET_INLINE static Vec word_remainder(Vec x, const FloatModulus<Avx512FloatLanes>& m) {
    const Vec quotient = from_real(mul_real(to_real(x), m.inverse));
    return sub(x, _mm512_mullo_epi64(quotient, m.q));
  }
};

}  // namespace ringlet::kernels
