// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/wide_avx512.hpp"

namespace ringlet::kernels {

/// Eight double words in two registers (AVX512-DQ), q of kMinModulusBits to 124 bits: Harvey's
/// butterflies with Shoup's quotients of 128 bits, and Barrett. Quotients are up to 7 too small,
/// which saves the products of low halves and their carries: a product is in [0, 8q), and 16q is
/// below 2^128. Derivation: docs/notes/double_word.md.
struct WideAvx512Shoup : WideAvx512Lanes {
  using Element = WideElement<WideAvx512Shoup>;
  using Factor = WideTwiddle<WideAvx512Shoup>;
  using Pair = WordPair<WideAvx512Shoup>;

  static constexpr WideForm kWideForm{};
  /// Below, what Barrett's reduction takes of a product would begin in its lowest word.
  static constexpr int kMinModulusBits = 66;

  struct WideModulus {
    Words q, two_q, four_q, eight_q;
    Words quotient;   ///< floor(2^250 / q'), q' = q * 2^shift of 124 bits.
    Vec right, left;  ///< 58 - shift and 6 + shift: 2^(122 - shift) in words.
  };

  RINGLET_INLINE static WideModulus make_wide_modulus(const WideConstants& c) {
    const auto shift = static_cast<std::uint64_t>(c.shift);
    return {multiple(c, 0),
            multiple(c, 1),
            multiple(c, 2),
            multiple(c, 3),
            {broadcast(c.quotient[0]), broadcast(c.quotient[1])},
            broadcast(58 - shift),
            broadcast(6 + shift)};
  }
  RINGLET_INLINE static Element from_words(Vec low, Vec high) { return {{low, high}}; }
  RINGLET_INLINE static void to_words(const Element& x, Vec& low, Vec& high) {
    low = x.limb[0];
    high = x.limb[1];
  }

  RINGLET_INLINE static Element start_forward(const Element& x, const Element&) { return x; }
  RINGLET_INLINE static Element start_inverse(const Element& x) { return x; }
  RINGLET_INLINE static Element settle(const Element& x, const WideModulus&) { return x; }

  /// u, v in [0, 16q) -> [0, 16q).
  RINGLET_INLINE static void forward_butterfly(Element& u, Element& v, const Factor& w,
                                               const WideModulus& m) {
    const Pair a = reduce_once(pair(u), m.eight_q);  // [0, 8q)
    const Pair b = mul_lazy(pair(v), w, m);          // [0, 8q)
    u = element(add_pairs(a, b));
    v = element(difference(a, b, m));
  }
  /// u, v in [0, 8q) -> [0, 8q).
  RINGLET_INLINE static void inverse_butterfly(Element& u, Element& v, const Factor& w,
                                               const Element&, const WideModulus& m) {
    const Pair b = difference(pair(u), pair(v), m);
    u = element(reduce_once(add_pairs(pair(u), pair(v)), m.eight_q));
    v = element(mul_lazy(b, w, m));
  }
  RINGLET_INLINE static Element scale(const Element& x, const Factor& w, const WideModulus& m) {
    return element(mul_lazy(pair(x), w, m));
  }
  RINGLET_INLINE static Element finish_forward(const Element& x, const WideModulus& m) {
    return element(finish(reduce_once(pair(x), m.eight_q), m));
  }
  RINGLET_INLINE static Element finish_inverse(const Element& x, const WideModulus& m) {
    return element(finish(pair(x), m));
  }

  RINGLET_INLINE static Pair add_words(const Pair& a, const Pair& b, const WideModulus& m) {
    Pair sum = a;
    add_modulo(sum.low, sum.high, b.low, b.high, m.q);
    return sum;
  }
  RINGLET_INLINE static Pair subtract_words(const Pair& a, const Pair& b, const WideModulus& m) {
    Pair difference = a;
    subtract_modulo(difference.low, difference.high, b.low, b.high, m.q);
    return difference;
  }
  RINGLET_INLINE static Element multiply(const Element& x, const Element& y, const WideModulus& m) {
    const Pair a = pair(x);
    const Pair b = pair(y);
    const Pair p00 = mul_wide(a.low, b.low);
    const Pair p11 = mul_wide(a.high, b.high);
    // Both below 2^124.
    const Pair middle = add_pairs(mul_wide(a.low, b.high), mul_wide(a.high, b.low));
    const Pair low = {p00.low, add(p00.high, middle.low)};
    const Vec top = plus_carry(middle.high, _mm512_cmplt_epu64_mask(low.high, middle.low));
    return element(finish(barrett(low, add_pairs(p11, {top, broadcast(0)}), m), m));
  }
  RINGLET_INLINE static Element multiply_factor(const Element& x, const Factor& w,
                                                const WideModulus& m) {
    return element(finish(mul_lazy(pair(x), w, m), m));
  }
  RINGLET_INLINE static Element reduce(const Element& x, const WideModulus& m) {
    return element(finish(barrett(pair(x), {broadcast(0), broadcast(0)}, m), m));
  }

 private:
  RINGLET_INLINE static Pair pair(const Element& x) { return {x.limb[0], x.limb[1]}; }
  RINGLET_INLINE static Element element(const Pair& x) { return {{x.low, x.high}}; }

  /// q * 2^log.
  RINGLET_INLINE static Words multiple(const WideConstants& c, int log) {
    const std::uint64_t carry = log == 0 ? 0 : c.words[0] >> (64 - log);
    return {broadcast(c.words[0] << log), broadcast(c.words[1] << log | carry)};
  }

  RINGLET_INLINE static Pair add_pairs(const Pair& a, const Pair& b) {
    const Vec low = add(a.low, b.low);
    return {low, plus_carry(add(a.high, b.high), _mm512_cmplt_epu64_mask(low, b.low))};
  }
  RINGLET_INLINE static Pair subtract_pairs(const Pair& a, const Pair& b) {
    const __mmask8 borrow = _mm512_cmplt_epu64_mask(a.low, b.low);
    return {sub(a.low, b.low), minus_borrow(sub(a.high, b.high), borrow)};
  }
  /// a - b + 8q modulo 2^128.
  RINGLET_INLINE static Pair difference(const Pair& a, const Pair& b, const WideModulus& m) {
    return add_pairs(subtract_pairs(a, b), {m.eight_q.low, m.eight_q.high});
  }
  /// x - bound where that is not negative, else x; any x.
  RINGLET_INLINE static Pair reduce_once(Pair x, const Words& bound) {
    subtract_if_at_least(x.low, x.high, bound);
    return x;
  }
  RINGLET_INLINE static Pair finish(const Pair& x, const WideModulus& m) {
    return reduce_once(reduce_once(reduce_once(x, m.four_q), m.two_q), m.q);
  }

  RINGLET_INLINE static Vec half(Vec x) { return _mm512_srli_epi64(x, 32); }
  RINGLET_INLINE static Vec mul_half(Vec x, Vec y) { return _mm512_mul_epu32(x, y); }
  RINGLET_INLINE static Vec mul_low(Vec x, Vec y) { return _mm512_mullo_epi64(x, y); }

  RINGLET_INLINE static Pair mul_wide(Vec x, Vec y) {
    const Vec p00 = mul_half(x, y);
    const Vec p01 = mul_half(x, half(y));
    const Vec p10 = mul_half(half(x), y);
    const Vec p11 = mul_half(half(x), half(y));
    const Vec middle = add(p10, half(p00));
    const Vec carry = add(p01, _mm512_and_si512(middle, _mm512_set1_epi64(0xffffffff)));
    return {_mm512_mask_blend_epi32(0xaaaa, p00, _mm512_slli_epi64(carry, 32)),
            add(add(p11, half(middle)), half(carry))};
  }
  /// floor(x*y / 2^64) or up to two less.
  RINGLET_INLINE static Vec estimate_high(Vec x, Vec y) {
    const Vec middle = add(half(mul_half(x, half(y))), half(mul_half(half(x), y)));
    return add(mul_half(half(x), half(y)), middle);
  }
  /// floor(x*y / 2^128) or up to six less.
  RINGLET_INLINE static Pair estimate_quotient(const Pair& x, Vec y_low, Vec y_high) {
    const Pair top = mul_wide(x.high, y_high);
    const Vec first = add(top.low, estimate_high(x.high, y_low));
    const Vec cross = estimate_high(x.low, y_high);
    const Vec low = add(first, cross);
    const Vec high = plus_carry(top.high, _mm512_cmplt_epu64_mask(first, top.low));
    return {low, plus_carry(high, _mm512_cmplt_epu64_mask(low, cross))};
  }
  /// a*b modulo 2^128.
  RINGLET_INLINE static Pair mul_low_pair(const Pair& a, Vec b_low, Vec b_high) {
    const Pair low = mul_wide(a.low, b_low);
    return {low.low, add(low.high, add(mul_low(a.low, b_high), mul_low(a.high, b_low)))};
  }

  /// Any y -> y*w mod q in [0, 8q).
  RINGLET_INLINE static Pair mul_lazy(const Pair& y, const Factor& w, const WideModulus& m) {
    const Pair quotient = estimate_quotient(y, w.word[2], w.word[3]);
    return subtract_pairs(mul_low_pair(y, w.word[0], w.word[1]),
                          mul_low_pair(quotient, m.q.low, m.q.high));
  }
  /// low + high * 2^128 mod q in [0, 8q), for a product of residues and for any double word.
  RINGLET_INLINE static Pair barrett(const Pair& low, const Pair& high, const WideModulus& m) {
    const Pair top = {
        _mm512_or_si512(_mm512_srlv_epi64(low.high, m.right), _mm512_sllv_epi64(high.low, m.left)),
        _mm512_or_si512(_mm512_srlv_epi64(high.low, m.right),
                        _mm512_sllv_epi64(high.high, m.left))};
    const Pair quotient = estimate_quotient(top, m.quotient.low, m.quotient.high);
    return subtract_pairs(low, mul_low_pair(quotient, m.q.low, m.q.high));
  }
};

}  // namespace ringlet::kernels
