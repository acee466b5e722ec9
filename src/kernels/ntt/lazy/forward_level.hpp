// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/inverse_level.hpp"

// The levels of the lazy forward transform: cyclic transforms of 4 and 8 rows (Cooley-Tukey) whose
// rows come multiplied by their outer factors. Ranges are in units of q: c +- w stands for values
// at most w*(q-1) away from c*q. b is the bias of ForwardLevels, w alone is the width of row 0.
// docs/notes/lazy52.md has the proof.

namespace ringlet::kernels {

/// The part of LazyPolicy that a level uses. Intervals have it too (lazy_forward_ranges_test.cpp).
template <typename A>
concept ForwardLevelPolicy =
    InverseLevelPolicy<A> && requires(Vec<A> x, Twiddle<A> w, LazyModulus<A> m) {
      { A::fraction(x, x, w) } -> std::same_as<Vec<A>>;
      { A::residue(x, m) } -> std::same_as<Vec<A>>;
    };

/// Constants inside a level: i = psi^(N/2), zeta = psi^(N/4), and their product. Levels of three
/// stages that reduce nothing inside use (zeta - i*zeta)/2 and (zeta + i*zeta)/2 instead of zeta
/// and i*zeta: that saves a product and costs an addition.
template <typename A>
struct ForwardRoots {
  Twiddle<A> i;
  Twiddle<A> zeta;
  Twiddle<A> i_zeta;
};

/// Does two stages. Rows are at forward_biases(2, .) +- 1/2, row 0 at b +- w, results at
/// b +- (w + 3/2).
template <ForwardLevelPolicy A, bool kTight, typename Between>
RINGLET_INLINE void forward_level(Vec<A> (&x)[4], const ForwardRoots<A>& roots, const Vec<A>&,
                                  const LazyModulus<A>& m, Between&&) {
  sum_and_difference<A>(x[1], x[3]);  // 0 +- 1, 2 +- 1
  sum_and_difference<A>(x[0], x[2]);
  x[3] = inner_product<A>(x[3], roots.i, m);
  sum_and_difference<A>(x[0], x[1]);
  sum_and_difference<A>(x[2], x[3]);
}

/// Computes three stages. Rows are at forward_biases(3, kTight) +- 1/2, row 0 at b +- w, results at
/// b +- (w + 7/2), with kTight (b = 2, w = 1/2) at 2 +- 2. `centre` is b*q - (q-1)/2.
/// Calls between(step, a, b, c, d) for steps 1 and 2 with values that are needed soon. A pass may
/// do work there that does not depend on the level.
template <ForwardLevelPolicy A, bool kTight, typename Between>
RINGLET_INLINE void forward_level(Vec<A> (&x)[8], const ForwardRoots<A>& roots,
                                  const Vec<A>& centre, const LazyModulus<A>& m,
                                  Between&& between) {
  unroll<4>([&](auto c) __attribute__((always_inline)) {
    constexpr int kRow = decltype(c)::value ^ 1;
    sum_and_difference<A>(x[kRow], x[kRow + 4]);  // sums b, 1, 0, -1; differences b, 3, 2, 1
  });
  if constexpr (kTight) {  // sums 2, 2, 0, 0; differences 2, 2, 2, 2, all +- 1
    x[0] = A::product_from(centre, x[0], m.one, m);  // 2 +- 1/2
    x[6] = inner_product<A>(x[6], roots.i, m);
    x[7] = inner_product<A>(x[7], roots.i, m);
    sum_and_difference<A>(x[1], x[3]);          // 2 +- 2, 2 +- 2
    x[1] = inner_product<A>(x[1], m.one, m);    // 0 +- 1/2
    x[3] = inner_product<A>(x[3], roots.i, m);  // 0 +- 1/2
    sum_and_difference<A>(x[5], x[7]);          // 2 +- 3/2, 2 +- 3/2
    between(std::integral_constant<int, 1>{}, x[1], x[3], x[5], x[7]);
    x[5] = inner_product<A>(x[5], roots.zeta, m);
    x[7] = inner_product<A>(x[7], roots.i_zeta, m);
  } else {
    const Vec<A> sum = A::add(x[5], x[7]);  // 4 +- 2
    x[5] = A::sub(x[5], x[7]);              // 2 +- 2
    sum_and_difference<A>(x[1], x[3]);      // 0 +- 2, 2 +- 2
    x[3] = inner_product<A>(x[3], roots.i, m);
    x[6] = inner_product<A>(x[6], roots.i, m);
    x[5] = inner_product<A>(x[5], roots.zeta, m);
    x[7] = inner_product<A>(sum, roots.i_zeta, m);
    between(std::integral_constant<int, 1>{}, x[3], x[5], x[6], x[7]);
    const Vec<A> difference = A::sub(x[7], x[5]);  // 0 +- 1
    x[5] = A::add(x[7], x[5]);
    x[7] = difference;
  }
  sum_and_difference<A>(x[0], x[2]);
  sum_and_difference<A>(x[0], x[1]);
  sum_and_difference<A>(x[2], x[3]);
  sum_and_difference<A>(x[4], x[6]);
  sum_and_difference<A>(x[4], x[5]);
  sum_and_difference<A>(x[6], x[7]);
  between(std::integral_constant<int, 2>{}, x[0], x[2], x[4], x[6]);
}

/// Computes three stages with residues in [0, q) as results. A product that is only added to others
/// stays a fraction of q, modulo 1, until one operation at the end makes it a residue.
///
/// Without kTight rows 0 and 4 are such fractions (`first` and `other` of the roundings), the
/// others are at kForwardLastBiases +- 1/2. roots.zeta and roots.i_zeta are always zeta and i*zeta.
/// With kTight rows are as in forward_level, row 0 at 2 +- 1/2.
template <ForwardLevelPolicy A, bool kTight, typename Between>
RINGLET_INLINE void forward_last_level(Vec<A> (&x)[8], const ForwardRoots<A>& roots,
                                       const Vec<A>& first, const Vec<A>& other,
                                       const LazyModulus<A>& m, Between&& between) {
  sum_and_difference<A>(x[1], x[5]);          // 4 +- 1, 2 +- 1; tight: 2, 2
  sum_and_difference<A>(x[3], x[7]);          // 1 +- 1, 1 +- 1; tight: 0, 2
  sum_and_difference<A>(x[2], x[6]);          // 1 +- 1, 1 +- 1; tight: 0, 2
  sum_and_difference<A>(x[1], x[3]);          // 5 +- 2, 3 +- 2; tight: 2, 2
  x[7] = inner_product<A>(x[7], roots.i, m);  // 0 +- 1/2
  if constexpr (kTight) {
    x[6] = inner_product<A>(x[6], roots.i, m);
    sum_and_difference<A>(x[0], x[4]);  // 2 +- 1, 2 +- 1
    sum_and_difference<A>(x[0], x[2]);  // 2 +- 2, 2 +- 2
    sum_and_difference<A>(x[4], x[6]);  // 2 +- 3/2, 2 +- 3/2
  }
  x[1] = A::fraction(other, x[1], m.one);
  x[3] = A::fraction(other, x[3], roots.i);
  if constexpr (kTight) {
    x[0] = A::fraction(first, x[0], m.one);
    x[2] = A::fraction(first, x[2], m.one);
  } else {
    x[2] = A::fraction(other, x[2], m.one);
    x[6] = A::fraction(other, x[6], roots.i);
  }
  between(std::integral_constant<int, 1>{}, x[1], x[3], x[6], x[7]);
  if constexpr (!kTight) {
    sum_and_difference<A>(x[0], x[4]);
    sum_and_difference<A>(x[0], x[2]);
    sum_and_difference<A>(x[4], x[6]);
  }
  sum_and_difference<A>(x[0], x[1]);
  sum_and_difference<A>(x[2], x[3]);
  sum_and_difference<A>(x[5], x[7]);  // 2 +- 3/2, 2 +- 3/2
  x[5] = A::fraction(other, x[5], roots.zeta);
  x[7] = A::fraction(other, x[7], roots.i_zeta);
  if constexpr (kTight) {
    x[4] = A::fraction(first, x[4], m.one);
    x[6] = A::fraction(first, x[6], m.one);
  }
  unroll<4>([&](auto j) __attribute__((always_inline)) { x[j] = A::residue(x[j], m); });
  between(std::integral_constant<int, 2>{}, x[4], x[5], x[6], x[7]);
  sum_and_difference<A>(x[4], x[5]);
  sum_and_difference<A>(x[6], x[7]);
  unroll<4>([&](auto j) __attribute__((always_inline)) { x[j + 4] = A::residue(x[j + 4], m); });
}

}  // namespace ringlet::kernels
