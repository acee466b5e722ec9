// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/policy.hpp"

// Element-wise arithmetic whose quotients are doubles, written once over the lanes L of an
// instruction set. Such lanes are a VectorPolicy with a vector Real of as many doubles and
//   kProductModulusBits:    51 or 52, how long a modulus of products may be
//   to_real(x):             words below 2^52 -> doubles
//   from_residue(r, q, q'): integers -q < r < q, none of them a negative zero, -> words, r mod q in
//                           [0, q), for q <= 2^52 as double and as word
//   from_real_plus(r, x):   integers -2^51 < r < 2^51 -> words, r + x modulo 2^64
//   broadcast_real(v)
//   add_real(r, s), sub_real(r, s), mul_real(r, s)
//   mul_add(r, s, t): r*s + t,  mul_sub(r, s, t): r*s - t,  sub_mul(t, r, s): t - r*s, each rounded
//                           once
//   where_negative(r, s):   s in the lanes where r < 0, 0 in the others
//   word_residue(x, m):     any word x -> x mod q in [0, q), q in [kWordModulusMinimum,
//                           kWordModulusLimit)
// All of it needs rounding to nearest (float_rounding.hpp). Proofs: docs/notes/float_quotient.md.

namespace ringlet::kernels {

/// Constants of FloatQuotient for q.
template <typename L>
struct FloatModulus {
  typename L::Vec q;
  typename L::Vec two_q;
  typename L::Real real_q;
  typename L::Real inverse;  ///< 1/q, rounded to nearest.
};

/// Products modulo q < 2^51 or 2^52: Boemer et al., "Intel HEXL", Algorithm 9, with a quotient that
/// is rounded to nearest instead of down, and a second quotient for q of 52 bits and for operands
/// that are not reduced. Whole words are reduced for q in [kWordModulusMinimum, kWordModulusLimit).
template <typename L>
struct FloatQuotient : L {
  using Vec = typename L::Vec;
  using Real = typename L::Real;
  using Barrett = FloatModulus<L>;

  static constexpr std::uint64_t kMultiplyModulusLimit = std::uint64_t{1} << L::kProductModulusBits;
  static constexpr int kProductRange = 1;
  static constexpr int kProductBits = 51;
  static constexpr int kUnreducedProductRange = 1;
  static constexpr int kUnreducedProductBits = 54;
  static constexpr int kReducedOperandBits = 52;
  static constexpr int kFactorOperandBits = 52;
  static constexpr int kLazyFactorRange = 2;
  static constexpr int kLazyFactorBits = 51;
  static constexpr int kWordRange = 1;
  static constexpr std::uint64_t kWordModulusMinimum = std::uint64_t{1} << 14;
  /// From here on half words (half_words.hpp) need one product for the quotient and are as fast.
  static constexpr std::uint64_t kWordModulusLimit = std::uint64_t{1} << 34;

  RINGLET_INLINE static Barrett make_barrett(const EltwiseArguments& e) {
    const auto q = static_cast<double>(e.q);
    return {L::broadcast(e.q), L::broadcast(2 * e.q), L::broadcast_real(q),
            L::broadcast_real(1.0 / q)};
  }
  /// Both parts are the bits of doubles. The quotient is w/q or w/q - 1, whichever is nearer to 0.
  RINGLET_INLINE static Factor<FloatQuotient> make_factor(std::uint64_t w, std::uint64_t quotient) {
    const auto centred = static_cast<double>(static_cast<std::int64_t>(quotient));
    return {L::real_bits(L::broadcast_real(static_cast<double>(w))),
            L::real_bits(L::broadcast_real(centred * 0x1p-64))};
  }

  RINGLET_INLINE static Vec mul(Vec x, Vec y, const Barrett& b) {
    return mul_ranges<1, 1>(x, y, b);
  }
  /// x in [0, kX*q), y in [0, kY*q), kX*kY*q < 2^51 -> x*y mod q.
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_ranges(Vec x, Vec y, const Barrett& b) {
    return residue(remainder(x, y, 0x1p52, b), b);
  }
  /// x in [0, kX*q), y in [0, kY*q), kX*kY*q < 2^54, or reduced and q < 2^52 -> x*y mod q. The
  /// first remainder is exact and below 2^53 but not near q; a second quotient brings it there.
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_unreduced(Vec x, Vec y, const Barrett& b) {
    if constexpr (kX == 4 && kY < 4) {  // For q of 51 bits, 4q is too large for to_real.
      return mul_unreduced<2, kY>(L::reduce_once(x, b.two_q), y, b);
    } else {
      const Real first = remainder(x, y, 0x1p52 * kX, b);
      const Real quotient = rounded_product(first, b.inverse, 0x1.8p52);
      return residue(L::sub_mul(first, quotient, b.real_q), b);
    }
  }
  RINGLET_INLINE static Vec mul_factor(Vec x, const Factor<FloatQuotient>& w, const Barrett& b) {
    return mul_factor_range(x, w, b);
  }
  /// x < 2^52, w in [0, q) -> x*w mod q: a product by w, or by w - q with its quotient.
  RINGLET_INLINE static Vec mul_factor_range(Vec x, const Factor<FloatQuotient>& w,
                                             const Barrett& b) {
    return residue(factor_remainder(x, w, b), b);
  }
  /// x < 2^52, w in [0, q), q < 2^51 -> x*w mod q in [0, 2q).
  RINGLET_INLINE static Vec mul_factor_lazy(Vec x, const Factor<FloatQuotient>& w,
                                            const Barrett& b) {
    return L::from_real_plus(factor_remainder(x, w, b), b.q);
  }
  RINGLET_INLINE static Vec reduce_word(Vec x, const Barrett& b) { return L::word_residue(x, b); }

  /// r*s rounded once, to a multiple of 2^-52 * unit: with a power of two as unit for r*s from 0 to
  /// unit, with 1.5 * 2^52 for r*s of either sign up to 2^51, to a multiple of 1.
  RINGLET_INLINE static Real rounded_product(Real r, Real s, double unit) {
    const Real shift = L::broadcast_real(unit);
    return L::sub_real(L::mul_add(r, s, shift), shift);
  }
  /// r in (-q, q) -> r mod q.
  RINGLET_INLINE static Vec residue(Real r, const Barrett& b) {
    return L::from_residue(r, b.real_q, b.q);
  }

 private:
  /// x*y - quotient*q, exact, with high = x*y rounded.
  RINGLET_INLINE static Real product_minus(Real x, Real y, Real high, Real quotient,
                                           const Barrett& b) {
    const Real low = L::mul_sub(x, y, high);
    return L::add_real(L::sub_mul(high, quotient, b.real_q), low);
  }
  RINGLET_INLINE static Real factor_remainder(Vec x, const Factor<FloatQuotient>& w,
                                              const Barrett& b) {
    const Real real_x = L::to_real(x);
    const Real ratio = L::from_bits(w.quotient);
    const Real operand = L::sub_real(L::from_bits(w.operand), L::where_negative(ratio, b.real_q));
    const Real quotient = rounded_product(real_x, ratio, 0x1.8p52);
    return product_minus(real_x, operand, L::mul_real(real_x, operand), quotient, b);
  }
  RINGLET_INLINE static Real remainder(Vec x, Vec y, double unit, const Barrett& b) {
    const Real real_x = L::to_real(x);
    const Real real_y = L::to_real(y);
    const Real high = L::mul_real(real_x, real_y);
    return product_minus(real_x, real_y, high, rounded_product(high, b.inverse, unit), b);
  }
};

}  // namespace ringlet::kernels
