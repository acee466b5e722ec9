// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/limbs56/extended_policy.hpp"
#include "kernels/policy/range_check.hpp"

// Radix-4 butterflies that round once per sum of products (Bradbury, Drucker, Hillenbrand: "NTT
// software optimization using an extended Harvey butterfly"), over any policy. Built from the
// lemmas of that paper; its listings have misprints, see docs/notes/extended_harvey.md.

namespace ringlet::kernels {

/// q in all lanes with the multiples that the butterflies use, and as a word.
template <ExtendedPolicy A>
struct ExtendedModulus {
  Mod<A> m;
  Vec<A> reduced;      ///< forward_reduced * q
  Vec<A> sum;          ///< forward_sum * q
  Vec<A> inverse;      ///< inverse * q
  Vec<A> two_inverse;  ///< 2 * inverse * q
  Vec<A> ratio;        ///< floor(beta / q)
  std::uint64_t q;
};

template <ExtendedPolicy A>
RINGLET_INLINE ExtendedModulus<A> make_extended_modulus(std::uint64_t q) {
  constexpr ExtendedRanges kRanges = kExtendedRanges<A>;
  const auto multiple = [q](int factor) __attribute__((always_inline)) {
    return A::broadcast(static_cast<std::uint64_t>(factor) * q);
  };
  return {broadcast_modulus<A>(q),
          multiple(kRanges.forward_reduced),
          multiple(kRanges.forward_sum),
          multiple(kRanges.inverse),
          multiple(2 * kRanges.inverse),
          A::broadcast((~std::uint64_t{0} >> (64 - A::kQuotientBits)) / q),
          q};
}

/// The factors of a radix-4 butterfly: w1 of its first radix-2 stage, w2 and w3 of the second one,
/// w4 = w1*w2 and w5 = -w1*w3.
inline constexpr int kQuadFactors = 5;
template <typename A>
using QuadTwiddles = Twiddle<A>[kQuadFactors];

/// Reduces x in [0, kFrom*q) to [0, kTo*q) by as few conditional subtractions as possible.
template <ExtendedPolicy A, int kFrom, int kTo>
RINGLET_INLINE Vec<A> reduce_multiples(Vec<A> x, const ExtendedModulus<A>& m) {
  if constexpr (kFrom <= kTo) {
    return x;
  } else {
    constexpr int kHalf = (kFrom + 1) / 2;
    constexpr int kBound = kHalf > kTo ? kHalf : kTo;
    const Vec<A> bound = A::broadcast(static_cast<std::uint64_t>(kBound) * m.q);
    return reduce_multiples<A, kBound, kTo>(A::reduce_once(x, bound), m);
  }
}

/// Reduces x in [0, kFrom*q) to [0, q).
template <ExtendedPolicy A, int kFrom>
RINGLET_INLINE Vec<A> reduce_fully(Vec<A> x, const ExtendedModulus<A>& m) {
  if constexpr (WordExtendedPolicy<A> && kFrom > 4) {
    return A::reduce_once(A::reduce_lazy(x, m.ratio, m.m), m.m.q);
  } else {
    return reduce_multiples<A, kFrom, 1>(x, m);
  }
}

/// Returns the range after a radix-2 butterfly of the forward transform on values in [0, from*q).
/// If one step reduces values at the end, they may grow to the range of a radix-4 butterfly.
template <ExtendedPolicy A>
constexpr int range_after_pair(int from) {
  if constexpr (!WordExtendedPolicy<A>) {
    return 4;
  } else {
    return 2 + (from + 2 <= kExtendedRanges<A>.forward ? from : (from + 1) / 2);
  }
}

/// Radix-2 butterfly of the forward transform (Harvey): (u, v) -> (u + w*v, u - w*v).
template <ExtendedPolicy A, int kFrom>
RINGLET_INLINE void forward_pair(Vec<A>& u, Vec<A>& v, const Twiddle<A>& w,
                                 const ExtendedModulus<A>& m) {
  constexpr int kReduced = range_after_pair<A>(kFrom) - 2;
  const Vec<A> a = reduce_multiples<A, kFrom, kReduced>(u, m);
  expect_below<A>(a, A::broadcast(static_cast<std::uint64_t>(kReduced) * m.q));
  const Vec<A> b = A::mul_lazy(v, w, m.m);
  expect_below<A>(b, m.m.two_q);
  u = A::add(a, b);
  v = A::sub(A::add(a, m.m.two_q), b);
}

/// Computes the sums of a forward butterfly from `terms`: x in [0, forward_reduced*q), and the lazy
/// products y*w2 + t*w4 (y), z*w1 (z) and y*w3 + t*w5 (t).
template <ExtendedPolicy A>
RINGLET_INLINE void forward_quad_sums(Vec<A>& x, Vec<A>& y, Vec<A>& z, Vec<A>& t,
                                      const Quad<A>& terms, const ExtendedModulus<A>& m) {
  expect_below<A>(terms.x, m.reduced);
  expect_below<A>(terms.y, m.sum);
  expect_below<A>(terms.z, m.m.two_q);
  expect_below<A>(terms.t, m.sum);
  const Vec<A> upper = A::add(terms.x, terms.z);
  const Vec<A> lower = A::sub(A::add(terms.x, m.m.two_q), terms.z);
  x = A::add(upper, terms.y);
  y = A::sub(A::add(upper, m.sum), terms.y);
  z = A::add(lower, terms.t);
  t = A::sub(A::add(lower, m.sum), terms.t);
}

/// Forward butterfly (Lemma 1, Algorithm 5; Cooley-Tukey): two stages on the rows x, y, z, t, which
/// are a quarter of a block apart. Rows are in [0, forward*q) before and after. With kReduced, x is
/// in [0, forward_reduced*q) already.
template <ExtendedPolicy A, bool kReduced>
RINGLET_INLINE void forward_quad(Vec<A>& x, Vec<A>& y, Vec<A>& z, Vec<A>& t,
                                 const QuadTwiddles<A>& w, const ExtendedModulus<A>& m) {
  const Vec<A> u = kReduced ? x : A::reduce_once(x, m.reduced);
  const Vec<A> product = A::mul_lazy(z, w[0], m.m);
  const Vec<A> a = A::mul_sum_lazy(y, w[1], t, w[3], m.m);
  const Vec<A> b = A::mul_sum_lazy(y, w[2], t, w[4], m.m);
  forward_quad_sums<A>(x, y, z, t, {.x = u, .y = a, .z = product, .t = b}, m);
}

/// Returns the first result of an inverse butterfly from x + y + z + t in [0, 4*inverse*q).
template <ExtendedPolicy A, bool kLast>
RINGLET_INLINE Vec<A> inverse_quad_first(Vec<A> sum, const Twiddle<A>& scale,
                                         const ExtendedModulus<A>& m) {
  if constexpr (kLast) {
    return A::mul_lazy(sum, scale, m.m);
  } else {
    return A::reduce_once(A::reduce_once(sum, m.two_inverse), m.inverse);
  }
}

/// The factors of an inverse butterfly; `scale` is 1/N.
template <typename A>
struct InverseQuadFactors {
  const QuadTwiddles<A>& w;
  const Twiddle<A>& scale;
};

/// Inverse butterfly (Lemma 2, Algorithm 6; Gentleman-Sande): the stages of forward_quad backwards
/// with the inverse factors. Rows are in [0, inverse*q) before and after. With kLast, which divides
/// by N, x is multiplied by `scale`, and the other factors carry it.
template <ExtendedPolicy A, bool kLast>
RINGLET_INLINE void inverse_quad(Vec<A>& x, Vec<A>& y, Vec<A>& z, Vec<A>& t,
                                 const InverseQuadFactors<A>& factors,
                                 const ExtendedModulus<A>& m) {
  const QuadTwiddles<A>& w = factors.w;
  expect_below<A>(x, m.inverse);
  expect_below<A>(y, m.inverse);
  expect_below<A>(z, m.inverse);
  expect_below<A>(t, m.inverse);
  const Vec<A> a = A::add(x, y);
  const Vec<A> b = A::add(z, t);
  const Vec<A> c = A::add(A::sub(x, y), m.inverse);
  const Vec<A> d = A::add(A::sub(z, t), m.inverse);
  x = inverse_quad_first<A, kLast>(A::add(a, b), factors.scale, m);
  z = A::mul_lazy(A::sub(A::add(a, m.two_inverse), b), w[0], m.m);
  y = A::mul_sum_lazy(c, w[1], d, w[2], m.m);
  t = A::mul_sum_lazy(c, w[3], d, w[4], m.m);
}

}  // namespace ringlet::kernels
