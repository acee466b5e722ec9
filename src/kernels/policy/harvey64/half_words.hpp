// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/barrett.hpp"
#include "kernels/policy/policy.hpp"

// Element-wise arithmetic on the 64-bit lanes of instruction sets that multiply 32-bit halves only,
// for q < 2^62, written once over the lanes L of an instruction set. Such lanes are a VectorPolicy
// with
//   mul_half(x, y):                    products of the low halves of the lanes
//   low_half(x), high_half(x):         the halves as words;   to_high_half(x): x << 32
//   mul_low(x, y):                     low words of the products
//   mul_low_half(x, y):                low words of the products, for x < 2^32
//   shift_right(x, s):                 x >> s
//   shift_right_wide(high, low, s):    low word of (high * 2^64 + low) >> s, 0 <= s < 64
// Quotients are estimated without the product of the low halves: one conditional subtraction more
// costs less than a multiplication and its carries. Derivation: docs/notes/barrett.md.

namespace ringlet::kernels {

/// Constants of HalfWords for q.
template <typename L>
struct HalfWordBarrett {
  typename L::Vec q;
  typename L::Vec two_q;
  typename L::Vec shift;
  typename L::Vec quotient;         ///< barrett_quotient
  typename L::Vec word_quotient;    ///< floor(2^64 / q)
  typename L::Vec short_quotient;   ///< floor(2^(32 + shift) / q), at most 2^31
  typename L::Vec unreduced_shift;  ///< The number of bits of q.
  typename L::Vec excess;           ///< barrett_excess

  /// For operands below 4q, mul_unreduced costs less than reducing them if q has 60 or 61 bits; it
  /// takes no q of 62 bits.
  static constexpr bool prefers_unreduced(int bits, int doublings) {
    return doublings == 2 && (bits == 60 || bits == 61);
  }
};

/// The arithmetic of the policy A on the lanes L.
template <typename A, typename L>
struct HalfWords : L {
  using Vec = typename L::Vec;
  using Barrett = HalfWordBarrett<L>;

  static constexpr std::uint64_t kMultiplyModulusLimit = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 62;
  static constexpr int kQuotientBits = 64;
  static constexpr int kProductRange = 3;
  static constexpr int kProductBits = 61;
  static constexpr int kUnreducedProductRange = 6;
  static constexpr int kUnreducedProductBits = 64;
  static constexpr int kFactorOperandBits = 62;
  static constexpr int kFactorWordRange = 4;
  static constexpr int kWordRange = 4;
  static constexpr int kShortWordRange = 2;

  RINGLET_INLINE static Barrett make_barrett(const EltwiseArguments& e) {
    const int shift = barrett_shift(e.q, 64);
    return {L::broadcast(e.q),
            L::broadcast(2 * e.q),
            L::broadcast(static_cast<std::uint64_t>(shift)),
            L::broadcast(barrett_quotient(e.ratio, shift, 64)),
            L::broadcast(e.ratio.high),
            L::broadcast(barrett_quotient(e.ratio, shift, 32)),
            L::broadcast(static_cast<std::uint64_t>(64 - __builtin_clzll(e.q))),
            L::broadcast(barrett_excess(e.ratio, e.q, 64))};
  }
  RINGLET_INLINE static Factor<A> make_factor(std::uint64_t w, std::uint64_t quotient) {
    return {L::broadcast(w), L::broadcast(quotient)};
  }

  /// High words of the products x*y: four products of halves and their carries.
  RINGLET_INLINE static Vec mul_high(Vec x, Vec y) {
    const Vec x1 = L::high_half(x);
    const Vec y1 = L::high_half(y);
    const Vec p00 = L::mul_half(x, y);
    const Vec p01 = L::mul_half(x, y1);
    const Vec p10 = L::mul_half(x1, y);
    const Vec p11 = L::mul_half(x1, y1);
    const Vec middle = L::add(p10, L::high_half(p00));
    const Vec carry = L::add(p01, L::low_half(middle));
    return L::add(L::add(p11, L::high_half(middle)), L::high_half(carry));
  }

  RINGLET_INLINE static std::uint64_t negated(std::uint64_t q) { return q; }
  RINGLET_INLINE static Vec mul_lazy(Vec y, const Twiddle<A>& w, const Mod<A>& m) {
    return L::sub(L::mul_low(y, w.operand), L::mul_low(mul_high(y, w.quotient), m.q));
  }
  RINGLET_INLINE static Vec mul(Vec x, Vec y, const Barrett& b) {
    return mul_ranges<1, 1>(x, y, b);
  }
  /// x in [0, kX*q), y in [0, kY*q) with n + log2(kX*kY) <= 61 for q of n bits -> x*y mod q in
  /// [0, 3q): the quotient is one too small by Barrett (barrett.hpp) and one more by estimate_high.
  /// Boemer et al., "Intel HEXL", Algorithm 8.
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_ranges(Vec x, Vec y, const Barrett& b) {
    const auto [low, top] = two_word_product(x, y, b.shift);
    return L::sub(low, L::mul_low(estimate_high(top, b.quotient), b.q));
  }
  /// x in [0, kX*q), y in [0, kY*q) with n + log2(kX*kY) <= 64 for q of n <= 61 bits -> x*y mod q
  /// in [0, 6q): the quotient is three too small by Barrett and two more by estimate_high_any.
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_unreduced(Vec x, Vec y, const Barrett& b) {
    const auto [low, top] = two_word_product(x, y, b.unreduced_shift);
    const Vec quotient = L::add(top, estimate_high_any(top, b.excess));
    return L::sub(low, L::mul_low(quotient, b.q));
  }

  /// x < 2^62, w in [0, q) -> x*w mod q in [0, 3q): Shoup's quotient with 63 bits is at most one
  /// too small for 2x < 2^63, and estimate_high takes one more.
  RINGLET_INLINE static Vec mul_factor_range(Vec x, const Factor<A>& w, const Barrett& b) {
    const Vec half_quotient = L::shift_right(w.quotient, L::broadcast(1));
    const Vec quotient = estimate_high(L::add(x, x), half_quotient);
    return L::sub(L::mul_low(x, w.operand), L::mul_low(quotient, b.q));
  }
  /// Any 64-bit x, w in [0, q) -> x*w mod q in [0, 4q): Shoup's quotient is at most one too small,
  /// and estimate_high_any takes two more. This saves an operation and any reduction of x before.
  RINGLET_INLINE static Vec mul_factor_word(Vec x, const Factor<A>& w, const Barrett& b) {
    const Vec quotient = estimate_high_any(x, w.quotient);
    return L::sub(L::mul_low(x, w.operand), L::mul_low(quotient, b.q));
  }
  RINGLET_INLINE static Vec mul_factor(Vec x, const Factor<A>& w, const Barrett& b) {
    return mul_factor_range(x, w, b);
  }

  /// Any 64-bit x -> x mod q in [0, 4q): the estimate loses at most two, and Barrett one.
  RINGLET_INLINE static Vec reduce_word(Vec x, const Barrett& b) {
    return L::sub(x, L::mul_low(estimate_high_any(x, b.word_quotient), b.q));
  }
  /// From 35 bits on the quotient of any word fits a half word.
  RINGLET_INLINE static bool has_short_quotient(std::uint64_t q) { return q >> 34 != 0; }
  /// Any 64-bit x -> x mod q in [0, 2q): all words of Barrett's reduction are half words.
  RINGLET_INLINE static Vec reduce_word_short(Vec x, const Barrett& b) {
    const Vec top = L::shift_right(x, b.shift);
    const Vec quotient = L::high_half(L::mul_half(top, b.short_quotient));
    return L::sub(x, L::mul_low_half(quotient, b.q));
  }

 private:
  struct TwoWordProduct {
    Vec low;
    Vec top;
  };

  /// The low word of x*y, and floor(x*y / 2^shift), for x, y < 2^63: then the middle sums fit.
  RINGLET_INLINE static TwoWordProduct two_word_product(Vec x, Vec y, Vec shift) {
    const Vec x1 = L::high_half(x);
    const Vec y1 = L::high_half(y);
    const Vec p00 = L::mul_half(x, y);
    const Vec cross = L::add(L::mul_half(x, y1), L::mul_half(x1, y));
    const Vec middle = L::add(cross, L::high_half(p00));
    const Vec high = L::add(L::mul_half(x1, y1), L::high_half(middle));
    const Vec low = L::add(p00, L::to_high_half(cross));
    return {low, L::shift_right_wide(high, low, shift)};
  }
  /// floor(x*y / 2^64) or one less, for x + y < 2^64: then the sum of the middle products fits.
  RINGLET_INLINE static Vec estimate_high(Vec x, Vec y) {
    const Vec x1 = L::high_half(x);
    const Vec y1 = L::high_half(y);
    const Vec middle = L::add(L::mul_half(x, y1), L::mul_half(x1, y));
    return L::add(L::mul_half(x1, y1), L::high_half(middle));
  }
  /// floor(x*y / 2^64) or up to two less, for any words: the middle products are shifted before
  /// they are added, as their sum may not fit.
  RINGLET_INLINE static Vec estimate_high_any(Vec x, Vec y) {
    const Vec x1 = L::high_half(x);
    const Vec y1 = L::high_half(y);
    const Vec middle = L::add(L::high_half(L::mul_half(x, y1)), L::high_half(L::mul_half(x1, y)));
    return L::add(L::mul_half(x1, y1), middle);
  }
};

}  // namespace ringlet::kernels
