// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "kernels/wide/wide_kernel.hpp"
#include "ringlet/export.hpp"

// Products of limbs of 52 bits: what IFMA's arithmetics of double words differ in. B = 2^52.

namespace ringlet::kernels {

/// How a product by a factor w is reduced.
///   shoup:       by floor(w * B^3 / q), any q
///   special:     the same for q = k * 2^104 + 1, whose multiples take one product
///   montgomery:  by factors w * B^3 mod q, any q: half the words, more products
enum class Ifma52Reduction { shoup, special, montgomery };

template <Ifma52Reduction kReduction>
struct Ifma52Products {
  using Vec = __m512i;
  using Limbs = Vec[3];

  static constexpr bool kIsSpecial = kReduction == Ifma52Reduction::special;
  static constexpr bool kIsMontgomery = kReduction == Ifma52Reduction::montgomery;
  /// Products by factors are in [0, kProductRange * q).
  static constexpr int kProductRange = kIsMontgomery ? 2 : 7;
  /// Shifted by 8 bits more than what makes q 124 bits long, a quotient has 8 digits behind the
  /// point, which take up what the sums of high products leave out. Of the special moduli alone
  /// the shift is the same for all, lest they lose their form.
  static constexpr WideForm kForm{
      .limb_bits = 52,
      .limb_count = 3,
      .factor = kIsMontgomery ? WideFactor::montgomery : WideFactor::quotient,
      .barrett_bits = 132,
      .barrett_exponent = 268,
      .barrett_shift = kIsSpecial ? 8 : 0,
      .forward_growth = kProductRange,
      .inverse_multiple = 8,
      .inverse_doubles = true};

  /// `negated` is B^3 - q, `shifted` B^3 - q * 2^(shift - 8), for special q B - k in limb 2 of both;
  /// `reciprocal` is floor(2^268 / (q * 2^shift)).
  struct Modulus {
    Limbs negated;
    Limbs shifted;
    Limbs reciprocal;
    Vec inverse;  ///< -q^-1 modulo B.
    Limbs q;
    Vec shift;
    Vec shift_complement;  ///< 52 - shift.
    Vec shift_above;       ///< 12 + shift.
    Vec shift_top;         ///< 40 - shift.
  };

  /// The digits of a sum of products, base B.
  struct Sum {
    Vec digit[5];
  };

  RINGLET_INLINE static Modulus make_modulus(const WideConstants& c) {
    Modulus m;
    const auto shift = static_cast<std::uint64_t>(c.shift);
    uint128_t multiple = join_words(c.words[0], c.words[1]) << (shift - 8);
    const std::uint64_t low = (0 - low_word(multiple)) & kMask;
    multiple = 0 - multiple;
    const std::uint64_t shifted[3] = {
        low, low_word(multiple >> 52) & kMask,
        // B^3 is beyond 2^128: its bits from there on are ones.
        (low_word(multiple >> 104) | (kMask ^ ((std::uint64_t{1} << 24) - 1))) & kMask};
    for (int i = 0; i < 3; ++i) {
      m.negated[i] = set(c.negated[i]);
      m.shifted[i] = set(shifted[i]);
      m.reciprocal[i] = set(c.quotient[i]);
      m.q[i] = set(c.q[i]);
    }
    if constexpr (kIsSpecial) {
      m.negated[2] = set((kMask + 1 - c.q[2]) & kMask);
      m.shifted[2] = m.negated[2];
    }
    m.inverse = set((0 - c.inverse[0]) & kMask);
    m.shift = set(shift);
    m.shift_complement = set(52 - shift);
    m.shift_above = set(12 + shift);
    m.shift_top = set(40 - shift);
    return m;
  }

  /// y*w mod q up to kProductRange - 1 times q, modulo B^3; y in [0, B^3) with its carries added.
  RINGLET_INLINE static void multiply(Limbs& r, const Limbs& y, const Vec* w, const Modulus& m) {
    if constexpr (kIsMontgomery) {
      multiply_montgomery(r, y, w, m);
    } else {
      Limbs quotient;
      high_product(quotient, y, w + 3);
      const Vec zero = _mm512_setzero_si512();
      r[0] = r[1] = r[2] = zero;
      add_low_product(r, y, w);
      subtract_product(r, quotient, m.negated);
    }
  }

  /// r - quotient * q for a quotient of one limb.
  RINGLET_INLINE static void subtract_multiple(Limbs& r, Vec quotient, const Modulus& m) {
    if constexpr (kIsSpecial) {
      r[0] = _mm512_sub_epi64(r[0], quotient);
    } else {
      r[0] = low(r[0], quotient, m.negated[0]);
      r[1] = high(low(r[1], quotient, m.negated[1]), quotient, m.negated[0]);
      r[2] = high(r[2], quotient, m.negated[1]);
    }
    r[2] = low(r[2], quotient, m.negated[2]);
  }

  /// Limbs of x * 2^shift; above bit 51 is something that products do not read.
  RINGLET_INLINE static void split_shifted(Limbs& x, Vec low_words, Vec high_words,
                                           const Modulus& m) {
    x[0] = shift_left(low_words, m.shift);
    x[1] = _mm512_or_si512(shift_right(low_words, m.shift_complement),
                           shift_left(high_words, m.shift_above));
    x[2] = shift_right(high_words, m.shift_top);
  }

  RINGLET_INLINE static Sum no_sum() {
    const Vec zero = _mm512_setzero_si512();
    return {{zero, zero, zero, zero, zero}};
  }
  /// The high limbs are below 2^28 and 2^20: their product has no high half.
  RINGLET_INLINE static void add_product(Sum& sum, const Limbs& x, const Limbs& y) {
    Vec(&t)[5] = sum.digit;
    const Vec zero = _mm512_setzero_si512();
    t[0] = low(t[0], x[0], y[0]);
    t[1] = low(high(t[1], x[0], y[0]), x[0], y[1]);
    t[1] = low(t[1], x[1], y[0]);
    // Two chains each: half the latency.
    t[2] = low(high(t[2], x[0], y[1]), x[1], y[1]);
    const Vec second = low(low(high(zero, x[1], y[0]), x[0], y[2]), x[2], y[0]);
    t[2] = _mm512_add_epi64(t[2], second);
    t[3] = low(high(t[3], x[1], y[1]), x[1], y[2]);
    const Vec third = low(high(high(zero, x[0], y[2]), x[2], y[0]), x[2], y[1]);
    t[3] = _mm512_add_epi64(t[3], third);
    t[4] = low(high(high(t[4], x[1], y[2]), x[2], y[1]), x[2], y[2]);
  }

  /// Barrett: a sum of products of elements and shifted elements, modulo q up to q: in [0, 2q), as
  /// words.
  RINGLET_INLINE static void reduce(const Sum& sum, Vec& low_words, Vec& high_words,
                                    const Modulus& m) {
    // floor(sum / B^2) without what digits 0 and 1 carry, which is less than 2^-8 of a quotient.
    Limbs top;
    top[0] = sum.digit[2];
    top[1] = _mm512_add_epi64(sum.digit[3], _mm512_srli_epi64(top[0], 52));
    top[2] = _mm512_add_epi64(sum.digit[4], _mm512_srli_epi64(top[1], 52));
    Limbs quotient;
    high_product(quotient, top, m.reciprocal);
    quotient[0] = _mm512_and_si512(quotient[0], set(~std::uint64_t{255}));
    Limbs r = {sum.digit[0], sum.digit[1], sum.digit[2]};
    subtract_product(r, quotient, m.shifted);
    r[1] = _mm512_add_epi64(r[1], _mm512_srai_epi64(r[0], 52));
    r[2] = mask(_mm512_add_epi64(r[2], _mm512_srai_epi64(r[1], 52)));
    low_words = _mm512_or_si512(shift_right(mask(r[0]), m.shift),
                                shift_left(r[1], m.shift_complement));
    high_words =
        _mm512_or_si512(shift_right(mask(r[1]), m.shift_above), shift_left(r[2], m.shift_top));
  }

 private:
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << 52) - 1;

  RINGLET_INLINE static Vec set(std::uint64_t x) {
    return _mm512_set1_epi64(static_cast<long long>(x));
  }
  RINGLET_INLINE static Vec mask(Vec x) { return _mm512_and_si512(x, set(kMask)); }
  RINGLET_INLINE static Vec low(Vec sum, Vec x, Vec y) { return _mm512_madd52lo_epu64(sum, x, y); }
  RINGLET_INLINE static Vec high(Vec sum, Vec x, Vec y) { return _mm512_madd52hi_epu64(sum, x, y); }
  RINGLET_INLINE static Vec shift_left(Vec x, Vec count) { return _mm512_sllv_epi64(x, count); }
  RINGLET_INLINE static Vec shift_right(Vec x, Vec count) { return _mm512_srlv_epi64(x, count); }

  /// floor(x*y / B^3) or up to 5 less, not carried: what limbs 0 to 2 carry is left out.
  RINGLET_INLINE static void high_product(Limbs& z, const Limbs& x, const Vec* y) {
    const Vec zero = _mm512_setzero_si512();
    Vec first = high(zero, x[0], y[2]);
    Vec second = high(zero, x[1], y[1]);
    first = high(first, x[2], y[0]);
    second = low(second, x[1], y[2]);
    first = low(first, x[2], y[1]);
    z[0] = _mm512_add_epi64(first, second);
    z[1] = low(high(high(zero, x[1], y[2]), x[2], y[1]), x[2], y[2]);
    z[2] = high(zero, x[2], y[2]);
  }
  /// r + x*y modulo B^3.
  RINGLET_INLINE static void add_low_product(Limbs& r, const Limbs& x, const Vec* y) {
    r[0] = low(r[0], x[0], y[0]);
    r[1] = high(r[1], x[0], y[0]);
    r[1] = low(r[1], x[0], y[1]);
    r[1] = low(r[1], x[1], y[0]);
    r[2] = low(high(r[2], x[0], y[1]), x[1], y[1]);
    const Vec second =
        low(low(high(_mm512_setzero_si512(), x[1], y[0]), x[0], y[2]), x[2], y[0]);
    r[2] = _mm512_add_epi64(r[2], second);
  }
  /// r - z*q modulo B^3 for a z that is not carried. A multiple of k * B^2 + 1 is z itself and z*k
  /// in limb 2.
  RINGLET_INLINE static void subtract_product(Limbs& r, const Limbs& z, const Limbs& negated) {
    if constexpr (kIsSpecial) {
      r[2] = low(r[2], z[0], negated[2]);
      for (int i = 0; i < 3; ++i) r[i] = _mm512_sub_epi64(r[i], z[i]);
    } else {
      const Vec middle = _mm512_add_epi64(z[1], _mm512_srli_epi64(z[0], 52));
      const Limbs carried = {z[0], middle,
                             _mm512_add_epi64(z[2], _mm512_srli_epi64(middle, 52))};
      add_low_product(r, carried, negated);
    }
  }

  /// Limb by limb: each step makes one more limb of the product zero by a multiple of q.
  RINGLET_INLINE static void multiply_montgomery(Limbs& r, const Limbs& y, const Vec* w,
                                                 const Modulus& m) {
    const Vec zero = _mm512_setzero_si512();
    // Of the product, then of the multiples of q: the second ones wait for the first.
    Vec t[6] = {zero, zero, zero, zero, zero, zero};
    Vec s[6] = {zero, zero, zero, zero, zero, zero};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        t[i + j] = low(t[i + j], y[i], w[j]);
        s[i + j + 1] = high(s[i + j + 1], y[i], w[j]);
      }
    }
    for (int i = 0; i < 3; ++i) {
      const Vec digit = _mm512_add_epi64(t[i], s[i]);
      const Vec factor = low(zero, digit, m.inverse);
      // The low 52 bits become zero: what is left of the digit is carried.
      const Vec rest = _mm512_srli_epi64(low(digit, factor, m.q[0]), 52);
      t[i + 1] = low(_mm512_add_epi64(t[i + 1], rest), factor, m.q[1]);
      s[i + 1] = high(s[i + 1], factor, m.q[0]);
      t[i + 2] = low(t[i + 2], factor, m.q[2]);
      s[i + 2] = high(s[i + 2], factor, m.q[1]);
      s[i + 3] = high(s[i + 3], factor, m.q[2]);
    }
    for (int i = 3; i < 6; ++i) t[i] = _mm512_add_epi64(t[i], s[i]);
    for (int i = 0; i < 3; ++i) r[i] = t[i + 3];
  }
};

}  // namespace ringlet::kernels
