// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arith/double_word.hpp"
#include "kernels/policy/limbs56/limb_range_check.hpp"
#include "kernels/policy/wide/avx512.hpp"
#include "kernels/policy/wide/ifma52_products.hpp"

namespace ringlet::kernels {

/// Eight double words in three limbs of 52 bits with the 52-bit multiply-add and funnel shifts
/// (AVX512-IFMA and -VBMI2), for q of 93 to 124 bits. With B = 2^52, an element stands for l0 +
/// l1*B + l2*B^2 modulo B^3. The limbs are signed words that need not be reduced, and of l2 only
/// the low 52 bits count: q leaves 32 bits of B^3 free, so that a transform adds and subtracts
/// without a single correction. An operand of a product has its carries added first (`carry`),
/// because the instructions read the low 52 bits of a lane; its value is in [0, B^3).
/// docs/notes/wide.md derives the ranges.
template <Ifma52Reduction kReduction>
struct WideIfma52 : WideAvx512Lanes {
  using Element = WideElement<WideIfma52>;
  using Factor = WideTwiddle<WideIfma52>;
  using Products = Ifma52Products<kReduction>;
  using Pair = WordPair<WideIfma52>;

  static constexpr int kMinModulusBits = 93;
  /// Values of a forward transform are below kForwardRange * q: for 2^n elements, n <= 20, they
  /// start at kProductRange * n * q, and stray by at most as much and by the q of the operand.
  static constexpr int kForwardRange = 2 * Products::kProductRange * 20 + 1;
  static constexpr LimbFormat kLimbFormat = Products::kFormat;
  /// Products that may be summed before they are reduced.
  static constexpr std::size_t kMaxProductTerms = 16;

  /// `estimate` is floor(2^(31 + bits) / q), `top_shift` the shift of the limbs that gives
  /// floor(x / 2^(bits - 21)).
  struct WideModulus {
    Words words;
    typename Products::Modulus products;
    Vec estimate;
    Vec top_shift;  ///< bits - 61, below 64: the instruction takes counts modulo 64.
    Factor one;
#ifdef RINGLET_CHECK_RANGES
    uint128_t q;
#endif
  };

  RINGLET_INLINE static WideModulus make_wide_modulus(const WideConstants& c) {
    const auto bits = static_cast<std::uint64_t>(c.bits);
    return {make_words(c),
            Products::make_modulus(c),
            broadcast(c.quotient[2] >> (Products::kIsSpecial ? 125 - bits : 1)),
            broadcast(bits - 61),
            broadcast_factor<WideIfma52>(c.one),
#ifdef RINGLET_CHECK_RANGES
            join_words(c.words[0], c.words[1])
#endif
    };
  }

  RINGLET_INLINE static Element from_words(Vec low, Vec high) {
    return {{mask52(low), mask52(_mm512_shrdi_epi64(low, high, 52)), _mm512_srli_epi64(high, 40)}};
  }
  RINGLET_INLINE static void to_words(const Element& x, Vec& low, Vec& high) {
    low = _mm512_or_si512(x.limb[0], _mm512_slli_epi64(x.limb[1], 52));
    high = _mm512_or_si512(_mm512_srli_epi64(x.limb[1], 12), _mm512_slli_epi64(x.limb[2], 40));
  }

  RINGLET_INLINE static Element start_forward(const Element& x, const Element& offset) {
    Element y;
    scatter({&y}, sum(gather<const Element, 1>({&x}), gather<const Element, 1>({&offset})));
    return y;
  }
  RINGLET_INLINE static Element start_inverse(const Element& x) { return x; }

  /// Butterflies side by side. Products are in [0, kProductRange * q): u changes by as much, and
  /// the offset that it started with keeps it positive in all stages.
  template <int N>
  RINGLET_INLINE static void forward_butterflies(Element* const (&u)[N], Element* const (&v)[N],
                                                 const Factor* const (&w)[N],
                                                 const WideModulus& m) {
    const Limbs52<N> x = gather(u);
    const Limbs52<N> y = gather(v);
    expect_below(x, kForwardRange, m);
    expect_below(y, kForwardRange, m);
    const Limbs52<N> t = product(y, gather_factors(w), m);
    scatter(v, difference(x, t));
    scatter(u, sum(x, t));
  }
  /// The offset is more than any v of the transform.
  template <int N>
  RINGLET_INLINE static void inverse_butterflies(Element* const (&u)[N], Element* const (&v)[N],
                                                 const Factor* const (&w)[N], const Element& offset,
                                                 const WideModulus& m) {
    const Limbs52<N> x = gather(u);
    const Limbs52<N> y = gather(v);
    expect_less(x, offset);
    expect_less(y, offset);
    const Element* offsets[N];
    for (int i = 0; i < N; ++i) offsets[i] = &offset;
    scatter(u, sum(x, y));
    scatter(v, product(sum(difference(x, y), gather(offsets)), gather_factors(w), m));
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
    Element r;
    scatter({&r}, product(gather<const Element, 1>({&x}), gather_factors<1>({&w}), m));
    return r;
  }
  /// Limbs 0 and 1 in [0, B): sums of 2^7 such elements fit their lanes.
  RINGLET_INLINE static Element settle(const Element& x, const WideModulus& m) {
    const Limbs52<1> y = carry(gather<const Element, 1>({&x}));
    return {{(y.limb[0] & m.products.mask)[0], (y.limb[1] & m.products.mask)[0], y.limb[2][0]}};
  }
  /// x in [0, 2^9 q) -> reduced words.
  template <int N>
  RINGLET_INLINE static void finish_words(Pair (&result)[N], const Element* const (&x)[N],
                                          const WideModulus& m) {
    finish(result, gather(x), m);
  }

  RINGLET_INLINE static Pair add_words(Pair a, const Pair& b, const WideModulus& m) {
    add_modulo(a.low, a.high, b.low, b.high, m.words);
    return a;
  }
  RINGLET_INLINE static Pair subtract_words(Pair a, const Pair& b, const WideModulus& m) {
    subtract_modulo(a.low, a.high, b.low, b.high, m.words);
    return a;
  }

  /// Sums of up to kMaxProductTerms products, reduced once.
  using ProductSum = typename Products::template Sum<1>;
  RINGLET_INLINE static ProductSum no_products() { return Products::template no_sum<1>(); }
  RINGLET_INLINE static void add_product(ProductSum& sum, const Pair& a, const Pair& b,
                                         const WideModulus& m) {
    add_products<1>(sum, {a}, {b}, m);
  }
  RINGLET_INLINE static Pair reduce_products(const ProductSum& sum, const WideModulus& m) {
    Pair result[1];
    reduce_sums(result, sum, m);
    return result[0];
  }

  /// Products of N pairs of vectors, side by side.
  template <int N>
  RINGLET_INLINE static void multiply_words(Pair (&result)[N], const Pair (&a)[N],
                                            const Pair (&b)[N], const WideModulus& m) {
    auto sum = Products::template no_sum<N>();
    add_products(sum, a, b, m);
    reduce_sums(result, sum, m);
  }
  template <int N>
  RINGLET_INLINE static void multiply_factor_words(Pair (&result)[N], const Pair (&a)[N],
                                                   const Factor& w, const WideModulus& m) {
    finish(result, factor_product(a, w, m), m);
  }
  /// a*w + b for reduced b, which adds at most q to a product that is reduced anyway.
  template <int N>
  RINGLET_INLINE static void multiply_factor_add_words(Pair (&result)[N], const Pair (&a)[N],
                                                       const Factor& w, const Pair (&b)[N],
                                                       const WideModulus& m) {
    Limbs52<N> y = Products::split(low_words(b), high_words(b));
    y.limb[0] = y.limb[0] & m.products.mask;
    y.limb[1] = y.limb[1] & m.products.mask;
    finish(result, sum(factor_product(a, w, m), y), m);
  }
  template <int N>
  RINGLET_INLINE static void reduce_words(Pair (&result)[N], const Pair (&a)[N],
                                          const WideModulus& m) {
    multiply_factor_words(result, a, m.one, m);
  }

 private:
  /// E: Element or const Element.
  template <typename E, int N>
  RINGLET_INLINE static Limbs52<N> gather(E* const (&x)[N]) {
    Limbs52<N> y;
    for (int l = 0; l < 3; ++l) {
      for (int i = 0; i < N; ++i) y.limb[l].v[i] = x[i]->limb[l];
    }
    return y;
  }
  template <int N>
  RINGLET_INLINE static typename Products::template Factors<N> gather_factors(
      const Factor* const (&w)[N]) {
    typename Products::template Factors<N> y;
    for (int l = 0; l < kLimbFormat.factor_words(); ++l) {
      for (int i = 0; i < N; ++i) y.word[l].v[i] = w[i]->word[l];
    }
    return y;
  }
  template <int N>
  RINGLET_INLINE static void scatter(Element* const (&x)[N], const Limbs52<N>& y) {
    for (int l = 0; l < 3; ++l) {
      for (int i = 0; i < N; ++i) x[i]->limb[l] = y.limb[l][i];
    }
  }
  template <int N>
  RINGLET_INLINE static Bundle512<N> low_words(const Pair (&a)[N]) {
    return Bundle512<N>::each([&](int i) __attribute__((always_inline)) { return a[i].low; });
  }
  template <int N>
  RINGLET_INLINE static Bundle512<N> high_words(const Pair (&a)[N]) {
    return Bundle512<N>::each([&](int i) __attribute__((always_inline)) { return a[i].high; });
  }

  RINGLET_INLINE static Vec mask52(Vec x) {
    return _mm512_and_si512(x, broadcast((std::uint64_t{1} << 52) - 1));
  }
  template <int N>
  RINGLET_INLINE static Limbs52<N> sum(const Limbs52<N>& x, const Limbs52<N>& y) {
    return {{x.limb[0] + y.limb[0], x.limb[1] + y.limb[1], x.limb[2] + y.limb[2]}};
  }
  template <int N>
  RINGLET_INLINE static Limbs52<N> difference(const Limbs52<N>& x, const Limbs52<N>& y) {
    return {{x.limb[0] - y.limb[0], x.limb[1] - y.limb[1], x.limb[2] - y.limb[2]}};
  }
  /// Adds the bits above bit 51 of limbs 0 and 1, signed, to the next limb; they stay in theirs.
  template <int N>
  RINGLET_INLINE static Limbs52<N> carry(const Limbs52<N>& x) {
    const Bundle512<N> middle = x.limb[1] + shift_signed(x.limb[0], 52);
    return {{x.limb[0], middle, x.limb[2] + shift_signed(middle, 52)}};
  }
  template <int N>
  RINGLET_INLINE static Limbs52<N> product(const Limbs52<N>& y,
                                           const typename Products::template Factors<N>& w,
                                           const WideModulus& m) {
    const Limbs52<N> r = Products::multiply(carry(y), w, m.products);
    expect_below(r, Products::kProductRange, m);
    return r;
  }
  template <int N>
  RINGLET_INLINE static void finish(Pair (&result)[N], const Limbs52<N>& x, const WideModulus& m) {
    const Limbs52<N> y = carry(x);
    // floor(x / q) or one less: the omitted digits of x are 2^-21 of q.
    const Bundle512<N> top =
        funnel_shift(y.limb[1] << 12U, y.limb[2] & m.products.mask, m.top_shift);
    const Bundle512<N> quotient = high52(Bundle512<N>::zero(), top, m.estimate);
    Limbs52<N> r = x;
    Products::subtract_multiple(r, quotient, m.products);
    const Limbs52<N> z = carry(r);
    const Bundle512<N> low = funnel_shift<12>(z.limb[0] << 12U, z.limb[1]);
    const Bundle512<N> high = funnel_shift<24>(z.limb[1] << 12U, z.limb[2]);
    for (int i = 0; i < N; ++i) {
      result[i] = {low[i], high[i]};
      subtract_if_at_least(result[i].low, result[i].high, m.words);
    }
  }
  /// In builds with RINGLET_CHECK_RANGES: stops the process unless all lanes are below multiple *
  /// q.
  template <int N>
  RINGLET_INLINE static void expect_below([[maybe_unused]] const Limbs52<N>& x,
                                          [[maybe_unused]] int multiple,
                                          [[maybe_unused]] const WideModulus& m) {
#ifdef RINGLET_CHECK_RANGES
    for (int i = 0; i < N; ++i) {
      trap_unless_limbs_below({x.limb[0][i], x.limb[1][i], x.limb[2][i]}, m.q,
                              static_cast<std::uint64_t>(multiple));
    }
#endif
  }
  /// In such builds: stops the process unless all lanes are below those of the bound.
  template <int N>
  RINGLET_INLINE static void expect_less([[maybe_unused]] const Limbs52<N>& x,
                                         [[maybe_unused]] const Element& bound) {
#ifdef RINGLET_CHECK_RANGES
    for (int i = 0; i < N; ++i) {
      trap_unless_limbs_below({x.limb[0][i], x.limb[1][i], x.limb[2][i]}, bound.limb);
    }
#endif
  }
  /// a*w for any double words a, which are below B^3.
  template <int N>
  RINGLET_INLINE static Limbs52<N> factor_product(const Pair (&a)[N], const Factor& w,
                                                  const WideModulus& m) {
    const Factor* factors[N];
    for (int i = 0; i < N; ++i) factors[i] = &w;
    return Products::multiply(Products::split(low_words(a), high_words(a)), gather_factors(factors),
                              m.products);
  }
  template <int N>
  RINGLET_INLINE static void add_products(typename Products::template Sum<N>& sum,
                                          const Pair (&a)[N], const Pair (&b)[N],
                                          const WideModulus& m) {
    Products::add_product(sum, Products::split_shifted(low_words(a), high_words(a), m.products),
                          Products::split(low_words(b), high_words(b)));
  }
  template <int N>
  RINGLET_INLINE static void reduce_sums(Pair (&result)[N],
                                         const typename Products::template Sum<N>& sum,
                                         const WideModulus& m) {
    Bundle512<N> low;
    Bundle512<N> high;
    Products::reduce(sum, low, high, m.products);
    for (int i = 0; i < N; ++i) {
      result[i] = {low[i], high[i]};
#ifdef RINGLET_CHECK_RANGES
      const Element x = from_words(result[i].low, result[i].high);
      expect_below(gather<const Element, 1>({&x}), 2, m);
#endif
      subtract_if_at_least(result[i].low, result[i].high, m.words);
    }
  }
};

}  // namespace ringlet::kernels
