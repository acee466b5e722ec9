// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/wide/policy.hpp"
#include "kernels/policy/word_range_check.hpp"

namespace ringlet::kernels {

/// How the words of two double words are multiplied: four products of words, or Karatsuba's three.
enum class WordProduct { schoolbook, karatsuba };

/// Two words of 64 bits and the arithmetic of Zhang et al., "Towards Closing the Performance Gap
/// ..." (MICRO 2025), parts I and II: residues in [0, q) between butterflies, sums and differences
/// modulo q by carries and masks, products by Barrett's reduction,
///   c = a*b - floor(a*b * mu / 2^k) * q,
/// for q of kMinModulusBits to 124 bits. Written once over words W, which have lanes and layouts
/// (as WidePolicy asks) and the instructions that the paper proposes, MQX:
///   mul_words(a, b, high, low)               product of words
///   add_carry(a, b, in, out)                a + b + in, and the carry as a Mask
///   subtract_borrow(a, b, in, out)          a - b - in, and the borrow
/// their special cases without a carry in (_out) and without one out (_in), and
///   mul_low(a, b), add(a, b)                modulo 2^64
///   select(mask, x, y)                      y where the mask is set, else x
///   add_where(mask, x, y)                   x + y where the mask is set, else x
///   either(a, b)                            bitwise or
///   shift_left(x, n), shift_right(x, n)     by counts in lanes; 0 for counts of 64 and more
///   kIsExact                                false if only the time of results has a meaning
/// Ranges: docs/notes/double_word.md.
template <typename W, WordProduct kProduct>
struct WideDoubleWord : W {
  using Vec = typename W::Vec;
  using Mask = typename W::Mask;
  using Element = WideElement<WideDoubleWord>;
  using Factor = WideTwiddle<WideDoubleWord>;
  using Pair = WordPair<WideDoubleWord>;

  static constexpr int kMaxWideRowStages = W::kEmulates ? 1 : 2;
  static constexpr LimbFormat kLimbFormat{.factor = WideFactor::plain};
  /// For shorter q, Barrett's reduction would need bits from the lowest word of a product.
  static constexpr int kMinModulusBits = 66;

  struct WideModulus {
    Pair q;
    Pair quotient;    ///< floor(2^250 / q'), q' = q * 2^shift of 124 bits.
    Vec right, left;  ///< 58 - shift and 6 + shift: 2^(122 - shift) in words.
  };

  RINGLET_INLINE static WideModulus make_wide_modulus(const WideConstants& c) {
    const auto shift = static_cast<std::uint64_t>(c.shift);
    return {{W::broadcast(c.words[0]), W::broadcast(c.words[1])},
            {W::broadcast(c.quotient[0]), W::broadcast(c.quotient[1])},
            W::broadcast(58 - shift),
            W::broadcast(6 + shift)};
  }
  RINGLET_INLINE static Element from_words(Vec low, Vec high) { return {{low, high}}; }
  RINGLET_INLINE static void to_words(const Element& x, Vec& low, Vec& high) {
    low = x.limb[0];
    high = x.limb[1];
  }

  RINGLET_INLINE static Element start_forward(const Element& x, const Element&) { return x; }
  RINGLET_INLINE static Element start_inverse(const Element& x) { return x; }
  RINGLET_INLINE static Element settle(const Element& x, const WideModulus&) { return x; }
  RINGLET_INLINE static Element finish_forward(const Element& x, const WideModulus&) { return x; }
  RINGLET_INLINE static Element finish_inverse(const Element& x, const WideModulus&) { return x; }

  /// One product, one sum and one difference modulo q; all in [0, q). An emulation is a call:
  /// inlined in every stage, its loops take minutes to compile.
  RINGLET_INLINE static void forward_butterfly(Element& u, Element& v, const Factor& w,
                                               const WideModulus& m) {
    if constexpr (W::kEmulates) return forward_call(u, v, w, m);
    forward_body(u, v, w, m);
  }
  RINGLET_INLINE static void inverse_butterfly(Element& u, Element& v, const Factor& w,
                                               const Element&, const WideModulus& m) {
    if constexpr (W::kEmulates) return inverse_call(u, v, w, m);
    inverse_body(u, v, w, m);
  }
  RINGLET_INLINE static Element scale(const Element& x, const Factor& w, const WideModulus& m) {
    return element(mul_mod(pair(x), pair(w), m));
  }

  RINGLET_INLINE static Pair add_words(const Pair& a, const Pair& b, const WideModulus& m) {
    Mask carry;
    const Vec low = W::add_out(a.low, b.low, carry);
    return subtract_if_at_least({low, W::add_in(a.high, b.high, carry)}, m.q);
  }
  RINGLET_INLINE static Pair subtract_words(const Pair& a, const Pair& b, const WideModulus& m) {
    Mask borrow;
    Mask is_negative;
    Mask carry;
    const Vec low = W::subtract_out(a.low, b.low, borrow);
    const Vec high = W::subtract_borrow(a.high, b.high, borrow, is_negative);
    const Vec low_sum = W::add_out(low, m.q.low, carry);
    const Vec high_sum = W::add_in(high, m.q.high, carry);
    return {W::select(is_negative, low, low_sum), W::select(is_negative, high, high_sum)};
  }
  RINGLET_INLINE static Element multiply(const Element& x, const Element& y, const WideModulus& m) {
    return element(mul_mod(pair(x), pair(y), m));
  }
  RINGLET_INLINE static Element multiply_factor(const Element& x, const Factor& w,
                                                const WideModulus& m) {
    return scale(x, w, m);
  }
  /// x need not be a product of residues: this takes one subtraction more than for those.
  RINGLET_INLINE static Element reduce(const Element& x, const WideModulus& m) {
    const Vec zero = W::broadcast(0);
    return element(subtract_if_at_least(barrett({pair(x), {zero, zero}}, m), m.q));
  }

 private:
  RINGLET_INLINE static void forward_body(Element& u, Element& v, const Factor& w,
                                          const WideModulus& m) {
    const Pair product = mul_mod(pair(v), pair(w), m);
    expect_reduced(pair(u), m);
    v = element(subtract_words(pair(u), product, m));
    u = element(add_words(pair(u), product, m));
  }
  RINGLET_INLINE static void inverse_body(Element& u, Element& v, const Factor& w,
                                          const WideModulus& m) {
    const Pair difference = subtract_words(pair(u), pair(v), m);
    u = element(add_words(pair(u), pair(v), m));
    v = element(mul_mod(difference, pair(w), m));
  }
  __attribute__((noinline)) static void forward_call(Element& u, Element& v, const Factor& w,
                                                     const WideModulus& m) {
    forward_body(u, v, w, m);
  }
  __attribute__((noinline)) static void inverse_call(Element& u, Element& v, const Factor& w,
                                                     const WideModulus& m) {
    inverse_body(u, v, w, m);
  }

  struct Quad {
    Pair low;
    Pair high;
  };

  RINGLET_INLINE static Pair pair(const Element& x) { return {x.limb[0], x.limb[1]}; }
  RINGLET_INLINE static Pair pair(const Factor& w) { return {w.word[0], w.word[1]}; }
  RINGLET_INLINE static Element element(const Pair& x) { return {{x.low, x.high}}; }

  /// Checks nothing for words whose results are meaningless: their kIsExact is false.
  RINGLET_INLINE static void expect_reduced([[maybe_unused]] const Pair& x,
                                            [[maybe_unused]] const WideModulus& m) {
    if constexpr (W::kIsExact) expect_pair_below<WideDoubleWord>(x, m.q);
  }

  RINGLET_INLINE static Pair mul_mod(const Pair& a, const Pair& b, const WideModulus& m) {
    expect_reduced(a, m);
    expect_reduced(b, m);
    const Pair product = barrett(mul(a, b), m);
    expect_reduced(product, m);
    return product;
  }

  /// x mod q for x in [0, 2q).
  RINGLET_INLINE static Pair subtract_if_at_least(const Pair& x, const Pair& q) {
    Mask borrow;
    Mask is_less;
    const Vec low = W::subtract_out(x.low, q.low, borrow);
    const Vec high = W::subtract_borrow(x.high, q.high, borrow, is_less);
    return {W::select(is_less, low, x.low), W::select(is_less, high, x.high)};
  }

  /// t < q^2 -> t mod q; any double word t -> t mod q in [0, 2q).
  RINGLET_INLINE static Pair barrett(const Quad& t, const WideModulus& m) {
    const Pair top = {
        W::either(W::shift_right(t.low.high, m.right), W::shift_left(t.high.low, m.left)),
        W::either(W::shift_right(t.high.low, m.right), W::shift_left(t.high.high, m.left))};
    const Pair product = mul_low_pair(mul_high(top, m.quotient), m.q);
    Mask borrow;
    const Vec low = W::subtract_out(t.low.low, product.low, borrow);
    return subtract_if_at_least({low, W::subtract_in(t.low.high, product.high, borrow)}, m.q);
  }

  RINGLET_INLINE static Quad mul(const Pair& a, const Pair& b) {
    if constexpr (kProduct == WordProduct::karatsuba) return mul_karatsuba(a, b);
    return mul_schoolbook(a, b);
  }

  /// a*b, if the sum of the two products of a low and a high word is below 2^128.
  RINGLET_INLINE static Quad mul_schoolbook(const Pair& a, const Pair& b) {
    Pair p00;
    Pair p01;
    Pair p10;
    Pair p11;
    W::mul_words(a.low, b.low, p00.high, p00.low);
    W::mul_words(a.low, b.high, p01.high, p01.low);
    W::mul_words(a.high, b.low, p10.high, p10.low);
    W::mul_words(a.high, b.high, p11.high, p11.low);
    Mask carry;
    const Vec low = W::add_out(p01.low, p10.low, carry);
    const Pair middle = {low, W::add_in(p01.high, p10.high, carry)};
    return sum(p00, middle, p11);
  }

  /// a1*b0 + a0*b1 = (a0 + a1)(b0 + b1) - a0*b0 - a1*b1 modulo 2^128. A carry of one sum adds the
  /// other sum to the high word; the product of both carries is beyond 2^128.
  RINGLET_INLINE static Quad mul_karatsuba(const Pair& a, const Pair& b) {
    Mask a_carry;
    Mask b_carry;
    Mask borrow;
    const Vec a_sum = W::add_out(a.low, a.high, a_carry);
    const Vec b_sum = W::add_out(b.low, b.high, b_carry);
    Pair p00;
    Pair p11;
    Pair middle;
    W::mul_words(a.low, b.low, p00.high, p00.low);
    W::mul_words(a.high, b.high, p11.high, p11.low);
    W::mul_words(a_sum, b_sum, middle.high, middle.low);
    middle.high = W::add_where(a_carry, middle.high, b_sum);
    middle.high = W::add_where(b_carry, middle.high, a_sum);
    middle.low = W::subtract_out(middle.low, p00.low, borrow);
    middle.high = W::subtract_in(middle.high, p00.high, borrow);
    middle.low = W::subtract_out(middle.low, p11.low, borrow);
    middle.high = W::subtract_in(middle.high, p11.high, borrow);
    return sum(p00, middle, p11);
  }

  /// low + middle * 2^64 + high * 2^128.
  RINGLET_INLINE static Quad sum(const Pair& low, const Pair& middle, const Pair& high) {
    Mask carry;
    Mask top_carry;
    const Vec second = W::add_out(low.high, middle.low, carry);
    const Vec third = W::add_carry(high.low, middle.high, carry, top_carry);
    return {{low.low, second}, {third, W::add_in(high.high, W::broadcast(0), top_carry)}};
  }

  /// floor(a*b / 2^128).
  RINGLET_INLINE static Pair mul_high(const Pair& a, const Pair& b) {
    return mul_schoolbook(a, b).high;
  }

  /// a*b modulo 2^128.
  RINGLET_INLINE static Pair mul_low_pair(const Pair& a, const Pair& b) {
    Pair low;
    W::mul_words(a.low, b.low, low.high, low.low);
    const Vec cross = W::add(W::mul_low(a.low, b.high), W::mul_low(a.high, b.low));
    return {low.low, W::add(low.high, cross)};
  }
};

}  // namespace ringlet::kernels
