// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/bundle512.hpp"
#include "kernels/policy/wide/avx512.hpp"
#include "kernels/policy/word_range_check.hpp"

namespace ringlet::kernels {

/// Eight double words in two registers (AVX512-DQ), q of kMinModulusBits to 124 bits: Harvey's
/// butterflies with Shoup's quotients of 128 bits, and Barrett. Quotients are up to 7 too small,
/// which saves the products of low halves and their carries: a product is in [0, 8q), and 16q is
/// below 2^128. Derivation: docs/notes/double_word.md.
struct WideAvx512Shoup : WideAvx512Lanes {
  using Element = WideElement<WideAvx512Shoup>;
  using Factor = WideTwiddle<WideAvx512Shoup>;
  using Pair = WordPair<WideAvx512Shoup>;

  static constexpr LimbFormat kLimbFormat{};
  /// For shorter q, Barrett's reduction would need bits from the lowest word of a product.
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
  template <int N>
  RINGLET_INLINE static void forward_butterflies(Element* const (&u)[N], Element* const (&v)[N],
                                                 const Factor* const (&w)[N],
                                                 const WideModulus& m) {
    const Pairs<N> b = mul_lazy(gather(v), gather(w), m);  // [0, 8q)
    const Pairs<N> a = reduce_once(gather(u), m.eight_q);  // [0, 8q)
    expect_below(a, m.eight_q);
    scatter(u, sum(a, b));
    scatter(v, sum(difference(a, b), all<N>(m.eight_q)));
  }
  /// u, v in [0, 8q) -> [0, 8q).
  template <int N>
  RINGLET_INLINE static void inverse_butterflies(Element* const (&u)[N], Element* const (&v)[N],
                                                 const Factor* const (&w)[N], const Element&,
                                                 const WideModulus& m) {
    const Pairs<N> x = gather(u);
    const Pairs<N> y = gather(v);
    expect_below(x, m.eight_q);
    expect_below(y, m.eight_q);
    scatter(u, reduce_once(sum(x, y), m.eight_q));
    scatter(v, mul_lazy(sum(difference(x, y), all<N>(m.eight_q)), gather(w), m));
  }
  RINGLET_INLINE static void forward_butterfly(Element& u, Element& v, const Factor& w,
                                               const WideModulus& m) {
    forward_butterflies<1>({&u}, {&v}, {&w}, m);
  }
  RINGLET_INLINE static void inverse_butterfly(Element& u, Element& v, const Factor& w,
                                               const Element& offset, const WideModulus& m) {
    inverse_butterflies<1>({&u}, {&v}, {&w}, offset, m);
  }
  RINGLET_INLINE static Element scale(const Element& x, const Factor& w, const WideModulus& m) {
    return element(mul_lazy(single(x), gather<1>({&w}), m));
  }
  RINGLET_INLINE static Element finish_forward(const Element& x, const WideModulus& m) {
    return element(finish(reduce_once(single(x), m.eight_q), m));
  }
  RINGLET_INLINE static Element finish_inverse(const Element& x, const WideModulus& m) {
    return element(finish(single(x), m));
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
  template <int N>
  RINGLET_INLINE static void multiply_words(Pair (&result)[N], const Pair (&a)[N],
                                            const Pair (&b)[N], const WideModulus& m) {
    const Pairs<N> x = gather(a);
    const Pairs<N> y = gather(b);
    const Pairs<N> p00 = mul_words(x.low, y.low);
    const Pairs<N> p11 = mul_words(x.high, y.high);
    // Both products are below 2^124.
    const Pairs<N> middle = sum(mul_words(x.low, y.high), mul_words(x.high, y.low));
    const Pairs<N> low = {p00.low, p00.high + middle.low};
    const Bundle512<N> top = plus_if_less(middle.high, low.high, middle.low);
    scatter(result, finish(barrett(low, sum(p11, {top, Bundle512<N>::zero()}), m), m));
  }
  template <int N>
  RINGLET_INLINE static void multiply_factor_words(Pair (&result)[N], const Pair (&a)[N],
                                                   const Factor& w, const WideModulus& m) {
    const Factor* factors[N];
    for (int i = 0; i < N; ++i) factors[i] = &w;
    scatter(result, finish(mul_lazy(gather(a), gather(factors), m), m));
  }
  template <int N>
  RINGLET_INLINE static void reduce_words(Pair (&result)[N], const Pair (&a)[N],
                                          const WideModulus& m) {
    const Bundle512<N> zero = Bundle512<N>::zero();
    scatter(result, finish(barrett(gather(a), {zero, zero}, m), m));
  }

 private:
  /// Double words and factors that go through the same steps side by side.
  template <int N>
  struct Pairs {
    Bundle512<N> low;
    Bundle512<N> high;
  };
  template <int N>
  struct Factors {
    Pairs<N> operand;
    Pairs<N> quotient;
  };

  /// q * 2^log.
  RINGLET_INLINE static Words multiple(const WideConstants& c, int log) {
    const std::uint64_t carry = log == 0 ? 0 : c.words[0] >> (64 - log);
    return {broadcast(c.words[0] << log), broadcast(c.words[1] << log | carry)};
  }

  template <int N>
  RINGLET_INLINE static Pairs<N> all(const Words& x) {
    return {Bundle512<N>::all(x.low), Bundle512<N>::all(x.high)};
  }
  template <int N>
  RINGLET_INLINE static Pairs<N> gather(Element* const (&x)[N]) {
    return {
        Bundle512<N>::each([&](int i) __attribute__((always_inline)) { return x[i]->limb[0]; }),
        Bundle512<N>::each([&](int i) __attribute__((always_inline)) { return x[i]->limb[1]; })};
  }
  template <int N>
  RINGLET_INLINE static Factors<N> gather(const Factor* const (&w)[N]) {
    const auto word = [&](int k) __attribute__((always_inline)) {
      return Bundle512<N>::each([&](int i)
                                    __attribute__((always_inline)) { return w[i]->word[k]; });
    };
    return {{word(0), word(1)}, {word(2), word(3)}};
  }
  template <int N>
  RINGLET_INLINE static Pairs<N> gather(const Pair (&x)[N]) {
    return {Bundle512<N>::each([&](int i) __attribute__((always_inline)) { return x[i].low; }),
            Bundle512<N>::each([&](int i) __attribute__((always_inline)) { return x[i].high; })};
  }
  template <int N>
  RINGLET_INLINE static void scatter(Element* const (&to)[N], const Pairs<N>& x) {
    for (int i = 0; i < N; ++i) *to[i] = {{x.low[i], x.high[i]}};
  }
  template <int N>
  RINGLET_INLINE static void scatter(Pair (&to)[N], const Pairs<N>& x) {
    for (int i = 0; i < N; ++i) to[i] = {x.low[i], x.high[i]};
  }
  RINGLET_INLINE static Pairs<1> single(const Element& x) { return {{x.limb[0]}, {x.limb[1]}}; }
  RINGLET_INLINE static Element element(const Pairs<1>& x) { return {{x.low[0], x.high[0]}}; }

  /// x + 1 or x - 1 where a < b, else x.
  template <int N>
  RINGLET_INLINE static Bundle512<N> plus_if_less(const Bundle512<N>& x, const Bundle512<N>& a,
                                                  const Bundle512<N>& b) {
    return Bundle512<N>::each([&](int i) __attribute__((always_inline)) {
      return plus_carry(x[i], _mm512_cmplt_epu64_mask(a[i], b[i]));
    });
  }
  template <int N>
  RINGLET_INLINE static Bundle512<N> minus_if_less(const Bundle512<N>& x, const Bundle512<N>& a,
                                                   const Bundle512<N>& b) {
    return Bundle512<N>::each([&](int i) __attribute__((always_inline)) {
      return minus_borrow(x[i], _mm512_cmplt_epu64_mask(a[i], b[i]));
    });
  }
  template <int N>
  RINGLET_INLINE static Pairs<N> sum(const Pairs<N>& a, const Pairs<N>& b) {
    const Bundle512<N> low = a.low + b.low;
    return {low, plus_if_less(a.high + b.high, low, b.low)};
  }
  template <int N>
  RINGLET_INLINE static Pairs<N> difference(const Pairs<N>& a, const Pairs<N>& b) {
    return {a.low - b.low, minus_if_less(a.high - b.high, a.low, b.low)};
  }
  /// x - bound where that is not negative, else x; any x.
  template <int N>
  RINGLET_INLINE static Pairs<N> reduce_once(Pairs<N> x, const Words& bound) {
    unroll<N>([&](auto i) __attribute__((always_inline)) {
      subtract_if_at_least(x.low.v[i], x.high.v[i], bound);
    });
    return x;
  }
  template <int N>
  RINGLET_INLINE static void expect_below(const Pairs<N>& x, const Words& bound) {
    unroll<N>([&](auto i) __attribute__((always_inline)) {
      expect_pair_below<WideAvx512Shoup>({x.low[i], x.high[i]}, {bound.low, bound.high});
    });
  }
  template <int N>
  RINGLET_INLINE static Pairs<N> finish(const Pairs<N>& x, const WideModulus& m) {
    const Pairs<N> reduced = reduce_once(reduce_once(reduce_once(x, m.four_q), m.two_q), m.q);
    expect_below(reduced, m.q);
    return reduced;
  }

  template <int N>
  RINGLET_INLINE static Bundle512<N> mul_half(const Bundle512<N>& x, const Bundle512<N>& y) {
    return Bundle512<N>::each(
        [&](int i) __attribute__((always_inline)) { return _mm512_mul_epu32(x[i], y[i]); });
  }
  template <int N>
  RINGLET_INLINE static Bundle512<N> mul_low(const Bundle512<N>& x, const Bundle512<N>& y) {
    return Bundle512<N>::each(
        [&](int i) __attribute__((always_inline)) { return _mm512_mullo_epi64(x[i], y[i]); });
  }
  template <int N>
  RINGLET_INLINE static Pairs<N> mul_words(const Bundle512<N>& x, const Bundle512<N>& y) {
    const Bundle512<N> x1 = x >> 32U;
    const Bundle512<N> y1 = y >> 32U;
    const Bundle512<N> p00 = mul_half(x, y);
    const Bundle512<N> p01 = mul_half(x, y1);
    const Bundle512<N> p10 = mul_half(x1, y);
    const Bundle512<N> p11 = mul_half(x1, y1);
    const Bundle512<N> middle = p10 + (p00 >> 32U);
    const Bundle512<N> carry = Bundle512<N>::each([&](int i) __attribute__((always_inline)) {
      return add(p01[i], _mm512_and_si512(middle[i], _mm512_set1_epi64(0xffffffff)));
    });
    const Bundle512<N> low = Bundle512<N>::each([&](int i) __attribute__((always_inline)) {
      return _mm512_mask_blend_epi32(0xaaaa, p00[i], _mm512_slli_epi64(carry[i], 32));
    });
    return {low, p11 + (middle >> 32U) + (carry >> 32U)};
  }
  /// floor(x*y / 2^64) or up to two less.
  template <int N>
  RINGLET_INLINE static Bundle512<N> estimate_high(const Bundle512<N>& x, const Bundle512<N>& y) {
    const Bundle512<N> x1 = x >> 32U;
    const Bundle512<N> y1 = y >> 32U;
    return mul_half(x1, y1) + ((mul_half(x, y1) >> 32U) + (mul_half(x1, y) >> 32U));
  }
  /// floor(x*y / 2^128) or up to six less.
  template <int N>
  RINGLET_INLINE static Pairs<N> estimate_quotient(const Pairs<N>& x, const Pairs<N>& y) {
    const Pairs<N> top = mul_words(x.high, y.high);
    const Bundle512<N> cross = estimate_high(x.low, y.high);
    const Bundle512<N> first = top.low + estimate_high(x.high, y.low);
    const Bundle512<N> low = first + cross;
    return {low, plus_if_less(plus_if_less(top.high, first, top.low), low, cross)};
  }
  /// a*b modulo 2^128.
  template <int N>
  RINGLET_INLINE static Pairs<N> mul_low_pair(const Pairs<N>& a, const Pairs<N>& b) {
    const Pairs<N> low = mul_words(a.low, b.low);
    return {low.low, low.high + (mul_low(a.low, b.high) + mul_low(a.high, b.low))};
  }

  /// Any y -> y*w mod q in [0, 8q).
  template <int N>
  RINGLET_INLINE static Pairs<N> mul_lazy(const Pairs<N>& y, const Factors<N>& w,
                                          const WideModulus& m) {
    const Pairs<N> quotient = estimate_quotient(y, w.quotient);
    const Pairs<N> product =
        difference(mul_low_pair(y, w.operand), mul_low_pair(quotient, all<N>(m.q)));
    expect_below(product, m.eight_q);
    return product;
  }
  /// low + high * 2^128 mod q in [0, 8q), for a product of residues and for any double word.
  template <int N>
  RINGLET_INLINE static Pairs<N> barrett(const Pairs<N>& low, const Pairs<N>& high,
                                         const WideModulus& m) {
    const Pairs<N> top = {low.high >> m.right | high.low << m.left,
                          high.low >> m.right | high.high << m.left};
    const Pairs<N> quotient = estimate_quotient(top, all<N>(m.quotient));
    const Pairs<N> rest = difference(low, mul_low_pair(quotient, all<N>(m.q)));
    expect_below(rest, m.eight_q);
    return rest;
  }
};

}  // namespace ringlet::kernels
