// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/barrett.hpp"
#include "kernels/policy/policy.hpp"

// Element-wise arithmetic on 64-bit lanes of instruction sets that multiply 32-bit halves only, for
// q < 2^62. Such a policy A offers
//   mul_half(x, y):                    products of the low halves of the lanes
//   high_half(x):                      x >> 32;   to_high_half(x): x << 32
//   mul_low(x, y):                     low words of the products
//   mul_low_half(x, y):                the same for x < 2^32
//   shift_right(x, s):                 x >> s
//   shift_right_wide(high, low, s):    low word of (high * 2^64 + low) >> s, 0 <= s < 64
// Quotients are estimated without the product of the low halves: one conditional subtraction more
// costs less than a multiplication and its carries. Derivation: docs/notes/barrett.md.

namespace ringlet::kernels {

/// What the functions below know about q.
template <typename A>
struct HalfWordBarrett {
  Vec<A> q;
  Vec<A> two_q;
  Vec<A> shift;
  Vec<A> quotient;        ///< barrett_quotient
  Vec<A> word_quotient;   ///< floor(2^64 / q)
  Vec<A> short_quotient;  ///< floor(2^(32 + shift) / q), at most 2^31
  Vec<A> wide_shift;      ///< The number of bits of q.
  Vec<A> excess;          ///< barrett_excess

  /// For operands below 4q, half_word_mul_wide costs less than reducing them where q has 60 or 61
  /// bits; it is not for 62.
  static constexpr bool prefers_wide(int bits, int doublings) {
    return doublings == 2 && (bits == 60 || bits == 61);
  }
};

/// Bits of q from which on the quotient of any word fits a half word (half_word_reduce_short).
inline constexpr int kShortQuotientBits = 35;

template <typename A>
RINGLET_INLINE HalfWordBarrett<A> make_half_word_barrett(const EltwiseArguments& e) {
  const int shift = barrett_shift(e.q, 64);
  return {A::broadcast(e.q),
          A::broadcast(2 * e.q),
          A::broadcast(static_cast<std::uint64_t>(shift)),
          A::broadcast(barrett_quotient(e.ratio, shift, 64)),
          A::broadcast(e.ratio.high),
          A::broadcast(barrett_quotient(e.ratio, shift, 32)),
          A::broadcast(static_cast<std::uint64_t>(64 - __builtin_clzll(e.q))),
          A::broadcast(barrett_excess(e.ratio, e.q, 64))};
}

/// floor(x*y / 2^64) or one less, for x + y < 2^64: then the sum of the middle products fits.
template <typename A>
RINGLET_INLINE Vec<A> estimate_high(Vec<A> x, Vec<A> y) {
  const Vec<A> x1 = A::high_half(x);
  const Vec<A> y1 = A::high_half(y);
  const Vec<A> middle = A::add(A::mul_half(x, y1), A::mul_half(x1, y));
  return A::add(A::mul_half(x1, y1), A::high_half(middle));
}

/// floor(x*y / 2^64) or up to two less, for any words: the middle products are shifted before they
/// are added, as their sum may not fit.
template <typename A>
RINGLET_INLINE Vec<A> estimate_high_any(Vec<A> x, Vec<A> y) {
  const Vec<A> x1 = A::high_half(x);
  const Vec<A> y1 = A::high_half(y);
  const Vec<A> middle = A::add(A::high_half(A::mul_half(x, y1)), A::high_half(A::mul_half(x1, y)));
  return A::add(A::mul_half(x1, y1), middle);
}

/// The low word of x*y, and floor(x*y / 2^shift), for x, y < 2^63: then the middle sums fit.
template <typename A>
struct HalfWordProduct {
  Vec<A> low;
  Vec<A> top;
};

template <typename A>
RINGLET_INLINE HalfWordProduct<A> half_word_product(Vec<A> x, Vec<A> y, Vec<A> shift) {
  const Vec<A> x1 = A::high_half(x);
  const Vec<A> y1 = A::high_half(y);
  const Vec<A> p00 = A::mul_half(x, y);
  const Vec<A> cross = A::add(A::mul_half(x, y1), A::mul_half(x1, y));
  const Vec<A> middle = A::add(cross, A::high_half(p00));
  const Vec<A> high = A::add(A::mul_half(x1, y1), A::high_half(middle));
  const Vec<A> low = A::add(p00, A::to_high_half(cross));
  return {low, A::shift_right_wide(high, low, shift)};
}

/// x, y in [0, q), or in [0, kX*q) and [0, kY*q) with n + log2(kX*kY) <= 61 for q of n bits
/// -> x*y mod q in [0, 3q): the quotient is one too small by Barrett (barrett.hpp) and one more by
/// estimate_high. Boemer et al., "Intel HEXL", Algorithm 8.
template <typename A>
RINGLET_INLINE Vec<A> half_word_mul(Vec<A> x, Vec<A> y, const HalfWordBarrett<A>& b) {
  const auto [low, top] = half_word_product<A>(x, y, b.shift);
  return A::sub(low, A::mul_low(estimate_high<A>(top, b.quotient), b.q));
}

/// x in [0, kX*q) and y in [0, kY*q) with n + log2(kX*kY) <= 64 for q of n <= 61 bits -> x*y mod q
/// in [0, 6q): the quotient is three too small by Barrett and two more by estimate_high_any.
template <typename A>
RINGLET_INLINE Vec<A> half_word_mul_wide(Vec<A> x, Vec<A> y, const HalfWordBarrett<A>& b) {
  const auto [low, top] = half_word_product<A>(x, y, b.wide_shift);
  const Vec<A> quotient = A::add(top, estimate_high_any<A>(top, b.excess));
  return A::sub(low, A::mul_low(quotient, b.q));
}

/// A factor for half_word_mul_factor; quotient = floor(w * 2^64 / q).
template <typename A>
RINGLET_INLINE Factor<A> make_half_word_factor(std::uint64_t w, std::uint64_t quotient) {
  return {A::broadcast(w), A::broadcast(quotient >> 1)};
}

/// x < 2^62, w in [0, q) -> x*w mod q in [0, 3q): Shoup's quotient with 63 bits is at most one too
/// small for 2x < 2^63, and estimate_high takes one more.
template <typename A>
RINGLET_INLINE Vec<A> half_word_mul_factor(Vec<A> x, const Factor<A>& w,
                                           const HalfWordBarrett<A>& b) {
  const Vec<A> quotient = estimate_high<A>(A::add(x, x), w.quotient);
  return A::sub(A::mul_low(x, w.operand), A::mul_low(quotient, b.q));
}

/// Any 64-bit x -> x mod q in [0, 4q): at most two are lost by the estimate, and one by Barrett.
template <typename A>
RINGLET_INLINE Vec<A> half_word_reduce(Vec<A> x, const HalfWordBarrett<A>& b) {
  return A::sub(x, A::mul_low(estimate_high_any<A>(x, b.word_quotient), b.q));
}

/// The same in [0, 2q) for q of kShortQuotientBits or more: all words of Barrett's reduction are
/// half words.
template <typename A>
RINGLET_INLINE Vec<A> half_word_reduce_short(Vec<A> x, const HalfWordBarrett<A>& b) {
  const Vec<A> top = A::shift_right(x, b.shift);
  const Vec<A> quotient = A::high_half(A::mul_half(top, b.short_quotient));
  return A::sub(x, A::mul_low_half(quotient, b.q));
}

}  // namespace ringlet::kernels
