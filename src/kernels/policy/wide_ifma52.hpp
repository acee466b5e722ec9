// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arith/double_word.hpp"
#include "kernels/policy/wide_avx512.hpp"
#include "kernels/policy/wide_ifma52_products.hpp"

namespace ringlet::kernels {

/// Eight double words in three limbs of 52 bits with the 52-bit multiply-add (AVX512-IFMA), for q of
/// 92 to 124 bits. With B = 2^52, an element stands for l0 + l1*B + l2*B^2 modulo B^3. The limbs
/// are signed words that need not be reduced, and of l2 only the low 52 bits count: q leaves 32 bits
/// of B^3 free, so that a transform adds and subtracts without a single correction. What is
/// multiplied has its carries added first (`carry`), because the instructions read the low 52 bits
/// of a lane; its value is in [0, B^3). docs/notes/wide.md derives the ranges.
template <Ifma52Reduction kReduction>
struct WideIfma52 : WideAvx512Lanes {
  using Element = WideElement<WideIfma52>;
  using Factor = WideTwiddle<WideIfma52>;
  using Products = Ifma52Products<kReduction>;
  using Pair = WordPair<WideIfma52>;

  static constexpr int kMinModulusBits = 92;
  static constexpr WideForm kWideForm = Products::kForm;
  /// Products that may be summed before they are reduced.
  static constexpr std::size_t kMaxProductTerms = 16;

  /// `estimate` is floor(2^(32 + bits) / q), `top_right` and `top_left` what the limbs are shifted
  /// by for floor(x / 2^(bits - 20)).
  struct WideModulus {
    Words words;
    typename Products::Modulus products;
    Vec estimate;
    Vec top_right;
    Vec top_left;
    Factor one;
#ifdef RINGLET_CHECK_RANGES
    uint128_t q;
#endif
  };

  RINGLET_INLINE static WideModulus make_wide_modulus(const WideConstants& c) {
    const auto bits = static_cast<std::uint64_t>(c.bits);
    return {make_words(c),
            Products::make_modulus(c),
            broadcast(c.quotient[2] >> (Products::kIsSpecial ? 124 - bits : 0)),
            broadcast(bits - 72),
            broadcast(124 - bits),
            broadcast_factor<WideIfma52>(c.one),
#ifdef RINGLET_CHECK_RANGES
            join_words(c.words[0], c.words[1])
#endif
    };
  }

  RINGLET_INLINE static Element from_words(Vec low, Vec high) {
    const Vec middle = _mm512_or_si512(_mm512_srli_epi64(low, 52), _mm512_slli_epi64(high, 12));
    return {{low52(low), low52(middle), _mm512_srli_epi64(high, 40)}};
  }
  RINGLET_INLINE static void to_words(const Element& x, Vec& low, Vec& high) {
    low = _mm512_or_si512(x.limb[0], _mm512_slli_epi64(x.limb[1], 52));
    high = _mm512_or_si512(_mm512_srli_epi64(x.limb[1], 12), _mm512_slli_epi64(x.limb[2], 40));
  }

  RINGLET_INLINE static Element start_forward(const Element& x, const Element& offset) {
    return sum(x, offset);
  }
  RINGLET_INLINE static Element start_inverse(const Element& x) { return x; }

  /// Products are in [0, kProductRange * q): u loses and wins as much, and the offset that it
  /// started with keeps it positive in all stages.
  RINGLET_INLINE static void forward_butterfly(Element& u, Element& v, const Factor& w,
                                               const WideModulus& m) {
    const Element t = product(v, w, m);
    v = difference(u, t);
    u = sum(u, t);
  }
  /// The offset is more than any v of the transform.
  RINGLET_INLINE static void inverse_butterfly(Element& u, Element& v, const Factor& w,
                                               const Element& offset, const WideModulus& m) {
    const Element t = sum(difference(u, v), offset);
    u = sum(u, v);
    v = product(t, w, m);
  }
  RINGLET_INLINE static Element scale(const Element& x, const Factor& w, const WideModulus& m) {
    return product(x, w, m);
  }
  /// Limbs 0 and 1 in [0, B): sums of 2^7 such elements fit their lanes.
  RINGLET_INLINE static Element settle(const Element& x, const WideModulus&) {
    const Element y = carry(x);
    return {{low52(y.limb[0]), low52(y.limb[1]), y.limb[2]}};
  }
  /// x in [0, 2^9 q) -> reduced.
  RINGLET_INLINE static Pair finish_words(const Element& x, const WideModulus& m) {
    const Element y = carry(x);
    const Vec middle = low52(y.limb[1]);
    const Vec high = low52(y.limb[2]);
    // floor(x / q) or one less: the digits of x that are left out are 2^-20 of q.
    const Vec top = _mm512_or_si512(_mm512_srlv_epi64(middle, m.top_right),
                                    _mm512_sllv_epi64(high, m.top_left));
    const Vec quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), top, m.estimate);
    Element r{{low52(y.limb[0]), middle, high}};
    Products::subtract_multiple(r.limb, quotient, m.products);
    const Element reduced = settle(r, m);
    Pair pair;
    to_words({{reduced.limb[0], reduced.limb[1], low52(reduced.limb[2])}}, pair.low, pair.high);
    subtract_if_at_least(pair.low, pair.high, m.words);
    return pair;
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
  using ProductSum = typename Products::Sum;
  RINGLET_INLINE static ProductSum no_products() { return Products::no_sum(); }
  RINGLET_INLINE static void add_product(ProductSum& sum, const Pair& a, const Pair& b,
                                         const WideModulus& m) {
    Vec x[3];
    Vec y[3];
    Products::split_shifted(x, a.low, a.high, m.products);
    split(y, b.low, b.high);
    Products::add_product(sum, x, y);
  }
  RINGLET_INLINE static Pair reduce_products(const ProductSum& sum, const WideModulus& m) {
    Pair pair;
    Products::reduce(sum, pair.low, pair.high, m.products);
    subtract_if_at_least(pair.low, pair.high, m.words);
    return pair;
  }
  RINGLET_INLINE static Pair multiply_words(const Pair& a, const Pair& b, const WideModulus& m) {
    ProductSum sum = no_products();
    add_product(sum, a, b, m);
    return reduce_products(sum, m);
  }
  RINGLET_INLINE static Pair multiply_factor_words(const Pair& a, const Factor& w,
                                                   const WideModulus& m) {
    Element x;
    split(x.limb, a.low, a.high);
    Element r;
    Products::multiply(r.limb, x.limb, w.word, m.products);
    return finish_words(r, m);
  }
  /// Any double word is below B^3.
  RINGLET_INLINE static Pair reduce_words(const Pair& a, const WideModulus& m) {
    return multiply_factor_words(a, m.one, m);
  }

 private:
  RINGLET_INLINE static Vec low52(Vec x) {
    return _mm512_and_si512(x, broadcast((std::uint64_t{1} << 52) - 1));
  }
  /// Limbs of words, with something above bit 51 that products do not read.
  RINGLET_INLINE static void split(Vec (&limb)[3], Vec low, Vec high) {
    limb[0] = low;
    limb[1] = _mm512_or_si512(_mm512_srli_epi64(low, 52), _mm512_slli_epi64(high, 12));
    limb[2] = _mm512_srli_epi64(high, 40);
  }
  RINGLET_INLINE static Element sum(const Element& x, const Element& y) {
    return {{add(x.limb[0], y.limb[0]), add(x.limb[1], y.limb[1]), add(x.limb[2], y.limb[2])}};
  }
  RINGLET_INLINE static Element difference(const Element& x, const Element& y) {
    return {{sub(x.limb[0], y.limb[0]), sub(x.limb[1], y.limb[1]), sub(x.limb[2], y.limb[2])}};
  }
  /// Adds what is above bit 51 of limbs 0 and 1, with its sign, to the next limb, and leaves it.
  RINGLET_INLINE static Element carry(const Element& x) {
    const Vec middle = add(x.limb[1], _mm512_srai_epi64(x.limb[0], 52));
    return {{x.limb[0], middle, add(x.limb[2], _mm512_srai_epi64(middle, 52))}};
  }
  RINGLET_INLINE static Element product(const Element& y, const Factor& w, const WideModulus& m) {
    const Element v = carry(y);
    Element r;
    Products::multiply(r.limb, v.limb, w.word, m.products);
    return r;
  }
};

}  // namespace ringlet::kernels
