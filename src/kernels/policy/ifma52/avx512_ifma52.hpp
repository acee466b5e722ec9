// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/barrett.hpp"
#include "kernels/policy/harvey64/avx512_harvey64.hpp"

namespace ringlet::kernels {

/// Harvey arithmetic on eight 52-bit words with the 52-bit multiply-add (AVX512-IFMA), q < 2^50.
/// The instructions multiply the low 52 bits of each lane and add to all 64 bits, so sums of low
/// words carry beyond bit 51 and are masked.
struct Avx512Ifma52 : Avx512Lanes {
  /// `negated` is -q modulo 2^52, `quotient` barrett_quotient and `excess` barrett_excess in words
  /// of 52 bits. `shift` and `unreduced_shift` shift the first operand so that Barrett's reduction
  /// can use the high word of the product; `word_shift` is its own shift. `long_high` and
  /// `long_low` are the words of floor(2^104 / q).
  struct Barrett {
    Vec q;
    Vec two_q;
    Vec negated;
    Vec quotient;
    Vec excess;
    Vec shift;
    Vec unreduced_shift;
    Vec word_shift;
    Vec long_high;
    Vec long_low;
  };

  static constexpr int kQuotientBits = 52;
  static constexpr int kExtendedFloors = 2;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 50;
  static constexpr std::uint64_t kMultiplyModulusLimit = std::uint64_t{1} << 50;
  static constexpr int kProductRange = 2;
  static constexpr int kProductBits = 49;
  static constexpr int kUnreducedProductRange = 4;
  static constexpr int kUnreducedProductBits = 52;
  static constexpr int kLongOperandBits = 52;
  static constexpr int kFactorOperandBits = 52;
  /// From 15 bits on, a word without the lowest bits that Barrett drops fits 52 bits.
  static constexpr std::uint64_t kWordModulusMinimum = std::uint64_t{1} << 14;
  static constexpr int kWordRange = 2;

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

  RINGLET_INLINE static Vec reduce_lazy(Vec x, Vec ratio, const Mod<Avx512Ifma52>& m) {
    const Vec quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, ratio);
    return low52(_mm512_madd52lo_epu64(x, quotient, m.negated));
  }
  /// The high words are rounded one by one before they are added.
  RINGLET_INLINE static Vec mul_sum_lazy(Vec y, const Twiddle<Avx512Ifma52>& v, Vec t,
                                         const Twiddle<Avx512Ifma52>& w,
                                         const Mod<Avx512Ifma52>& m) {
    const Vec zero = _mm512_setzero_si512();
    const Vec quotient =
        _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(zero, y, v.quotient), t, w.quotient);
    const Vec products =
        _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(zero, y, v.operand), t, w.operand);
    return low52(_mm512_madd52lo_epu64(products, quotient, m.negated));
  }

  /// x << shift and y << 2 fit 52 bits for q < 2^50, and together they shift the product by 52 - s
  /// (s as in barrett.hpp): its high word is floor(x*y / 2^s).
  RINGLET_INLINE static Barrett make_barrett(const EltwiseArguments& e) {
    const int s = barrett_shift(e.q, 52);
    const int unreduced_shift = __builtin_clzll(e.q) - 12;
    return {broadcast(e.q),
            broadcast(2 * e.q),
            broadcast(negated(e.q)),
            broadcast(barrett_quotient(e.ratio, s, 52)),
            broadcast(barrett_excess(e.ratio, e.q, 52)),
            broadcast(static_cast<std::uint64_t>(50 - s)),
            broadcast(static_cast<std::uint64_t>(unreduced_shift)),
            broadcast(static_cast<std::uint64_t>(s)),
            broadcast(e.ratio.high >> 12),
            broadcast(((e.ratio.high << 40) | (e.ratio.low >> 24)) & kWordMask)};
  }
  RINGLET_INLINE static Factor<Avx512Ifma52> make_factor(std::uint64_t w, std::uint64_t quotient) {
    return {broadcast(w), broadcast(quotient >> 12)};
  }
  /// Algorithm 8 of Boemer et al., "Intel HEXL", in words of 52 bits.
  RINGLET_INLINE static Vec mul(Vec x, Vec y, const Barrett& b) {
    return mul_ranges<1, 1>(x, y, b);
  }
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_ranges(Vec x, Vec y, const Barrett& b) {
    constexpr int kDoublings = log2_of(kX);
    const Vec shift = sub(b.shift, broadcast(kDoublings));
    const Vec top = shifted_high(x, shift, y, 2 + kDoublings);
    return remainder(x, y, _mm512_madd52hi_epu64(_mm512_setzero_si512(), top, b.quotient), b);
  }
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_unreduced(Vec x, Vec y, const Barrett& b) {
    constexpr int kDoublings = log2_of(kX);
    const Vec shift = sub(b.unreduced_shift, broadcast(kDoublings));
    const Vec top = shifted_high(x, shift, y, kDoublings);
    return remainder(x, y, _mm512_madd52hi_epu64(top, top, b.excess), b);
  }
  /// Multiplies both words of the product by floor(2^104 / q): it needs no shifts and no free bits.
  RINGLET_INLINE static Vec mul_long(Vec x, Vec y, const Barrett& b) {
    const Vec zero = _mm512_setzero_si512();
    const Vec high = _mm512_madd52hi_epu64(zero, x, y);
    const Vec low = _mm512_madd52lo_epu64(zero, x, y);
    Vec quotient = _mm512_madd52hi_epu64(zero, low, b.long_high);
    quotient = _mm512_madd52lo_epu64(quotient, high, b.long_high);
    quotient = _mm512_madd52hi_epu64(quotient, high, b.long_low);
    return low52(_mm512_madd52lo_epu64(low, quotient, b.negated));
  }
  RINGLET_INLINE static Vec mul_factor_range(Vec x, const Factor<Avx512Ifma52>& w,
                                             const Barrett& b) {
    return mul_lazy(x, {w.operand, w.quotient}, {b.q, b.two_q, b.negated});
  }
  RINGLET_INLINE static Vec mul_factor(Vec x, const Factor<Avx512Ifma52>& w, const Barrett& b) {
    return mul_factor_range(x, w, b);
  }

  /// Any 64-bit x, q >= kWordModulusMinimum -> x mod q in [0, 2q).
  RINGLET_INLINE static Vec reduce_word(Vec x, const Barrett& b) {
    const Vec top = _mm512_srlv_epi64(x, b.word_shift);
    const Vec quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), top, b.quotient);
    return low52(_mm512_madd52lo_epu64(x, quotient, b.negated));
  }

  RINGLET_INLINE static Vec low52(Vec x) { return _mm512_and_si512(x, broadcast(kWordMask)); }

 private:
  static constexpr std::uint64_t kWordMask = (std::uint64_t{1} << 52) - 1;

  /// High word of the product of x << x_shift and y << y_shift, which fit 52 bits.
  RINGLET_INLINE static Vec shifted_high(Vec x, Vec x_shift, Vec y, unsigned y_shift) {
    return _mm512_madd52hi_epu64(_mm512_setzero_si512(), _mm512_sllv_epi64(x, x_shift),
                                 _mm512_slli_epi64(y, y_shift));
  }
  /// x*y - quotient*q modulo 2^52.
  RINGLET_INLINE static Vec remainder(Vec x, Vec y, Vec quotient, const Barrett& b) {
    const Vec product = _mm512_madd52lo_epu64(_mm512_setzero_si512(), x, y);
    return low52(_mm512_madd52lo_epu64(product, quotient, b.negated));
  }
};

}  // namespace ringlet::kernels
