// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/barrett.hpp"
#include "kernels/policy/avx512_harvey64.hpp"

namespace ringlet::kernels {

/// Harvey arithmetic on eight 52-bit words with the 52-bit multiply-add (AVX512-IFMA), q < 2^50.
/// The instructions multiply the low 52 bits of each lane and add to all 64 bits, so sums of low
/// words carry beyond bit 51 and are masked.
struct Avx512Ifma52 : Avx512Lanes {
  /// `negated` is -q modulo 2^52, `quotient` barrett_quotient in words of 52 bits, `shift` what the
  /// first operand is shifted by so that the high word of the product is what Barrett wants.
  struct Barrett {
    Vec q;
    Vec two_q;
    Vec negated;
    Vec quotient;
    Vec shift;
  };

  static constexpr int kQuotientBits = 52;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 50;
  static constexpr std::uint64_t kMultiplyModulusLimit = std::uint64_t{1} << 50;
  static constexpr int kProductRange = 2;

  /// -q modulo 2^52: a multiply-add takes the place of multiply and subtract.
  RINGLET_INLINE static std::uint64_t negated(std::uint64_t q) {
    return (std::uint64_t{1} << 52) - q;
  }

  template <int v>
  RINGLET_INLINE static Twiddle<Avx512Ifma52> lane_twiddle(const std::uint64_t* words) {
    return {lane_words<v>(words), lane_words<v>(words + kLaneLayout.words[v])};
  }
  RINGLET_INLINE static Vec mul_lazy(Vec y, const Twiddle<Avx512Ifma52>& w,
                                     const Mod<Avx512Ifma52>& m) {
    const Vec zero = _mm512_setzero_si512();
    const Vec quotient = _mm512_madd52hi_epu64(zero, y, w.quotient);
    const Vec product = _mm512_madd52lo_epu64(zero, y, w.operand);
    return low52(_mm512_madd52lo_epu64(product, quotient, m.negated));
  }

  /// x << shift and y << 2 fit 52 bits for q < 2^50, and together they shift the product by 52 - s
  /// (s as in barrett.hpp): its high word is floor(x*y / 2^s).
  RINGLET_INLINE static Barrett make_barrett(const EltwiseArguments& e) {
    const int s = barrett_shift(e.q, 52);
    return {broadcast(e.q), broadcast(2 * e.q), broadcast(negated(e.q)),
            broadcast(barrett_quotient(e.ratio, s, 52)),
            broadcast(static_cast<std::uint64_t>(50 - s))};
  }
  RINGLET_INLINE static Factor<Avx512Ifma52> make_factor(std::uint64_t w, std::uint64_t quotient) {
    return {broadcast(w), broadcast(quotient >> 12)};
  }
  /// Algorithm 8 of Boemer et al., "Intel HEXL", in words of 52 bits.
  RINGLET_INLINE static Vec mul(Vec x, Vec y, const Barrett& b) {
    const Vec zero = _mm512_setzero_si512();
    const Vec top =
        _mm512_madd52hi_epu64(zero, _mm512_sllv_epi64(x, b.shift), _mm512_slli_epi64(y, 2));
    const Vec quotient = _mm512_madd52hi_epu64(zero, top, b.quotient);
    const Vec product = _mm512_madd52lo_epu64(zero, x, y);
    return low52(_mm512_madd52lo_epu64(product, quotient, b.negated));
  }
  RINGLET_INLINE static Vec mul_factor(Vec x, const Factor<Avx512Ifma52>& w, const Barrett& b) {
    return mul_lazy(x, {w.operand, w.quotient}, {b.q, b.two_q, b.negated});
  }

  RINGLET_INLINE static Vec low52(Vec x) {
    return _mm512_and_si512(x, _mm512_set1_epi64((1LL << 52) - 1));
  }
};

}  // namespace ringlet::kernels
