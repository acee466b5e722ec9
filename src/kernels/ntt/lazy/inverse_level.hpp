// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/inverse_order.hpp"
#include "kernels/policy/ifma52/lazy_policy.hpp"

// The levels of the lazy inverse transform: radix-4 and radix-8 butterflies (Gentleman-Sande) with
// the twiddles of their stages gathered at the end. Ranges are in units of q: c +- w stands for
// values at most w*(q-1) away from c*q. docs/notes/lazy52.md has the proof.

namespace ringlet::kernels {

/// The part of LazyPolicy that a level uses. Intervals have it too (lazy_inverse_ranges_test.cpp).
template <typename A>
concept InverseLevelPolicy = requires(Vec<A> x, Twiddle<A> w, LazyModulus<A> m) {
  { A::add(x, x) } -> std::same_as<Vec<A>>;
  { A::sub(x, x) } -> std::same_as<Vec<A>>;
  { A::product_from(x, x, w, m) } -> std::same_as<Vec<A>>;
  { A::reduce_from(x, x, m) } -> std::same_as<Vec<A>>;
  { A::broadcast(std::uint64_t{}) } -> std::same_as<Vec<A>>;
};

/// The inverses of the roots of unity inside a level: of i = psi^(N/2), zeta = psi^(N/4), and of
/// their product.
template <typename A>
struct InverseRoots {
  Twiddle<A> i;
  Twiddle<A> zeta;
  Twiddle<A> i_zeta;
};

/// (x, y) <- (x + y, x - y).
template <InverseLevelPolicy A>
RINGLET_INLINE void sum_and_difference(Vec<A>& x, Vec<A>& y) {
  const Vec<A> sum = A::add(x, y);
  y = A::sub(x, y);
  x = sum;
}

/// y*w mod q in [-(q-1)/2, (q-1)/2].
template <InverseLevelPolicy A>
RINGLET_INLINE Vec<A> inner_product(const Vec<A>& y, const Twiddle<A>& w, const LazyModulus<A>& m) {
  return A::product_from(m.negated_half, y, w, m);
}

/// y within q of bias * q.
template <InverseLevelPolicy A>
RINGLET_INLINE Vec<A> reduced_to(int bias, const Vec<A>& y, const LazyModulus<A>& m) {
  return A::reduce_from(A::broadcast(static_cast<std::uint64_t>(1 - bias)), y, m);
}

/// Computes two stages. Rows are at inverse_biases(2, kTight) +- 1, with kTight +- 1/2.
/// output(j, y) takes row j before its outer factor, in [0, 8q), with kTight in [0, 4q). The third
/// parameter is that of three stages, which alone take operands.
template <InverseLevelPolicy A, bool kTight, bool = false, typename Output, typename Between>
RINGLET_INLINE void inverse_level(Vec<A> (&x)[4], const InverseRoots<A>& roots,
                                  const LazyModulus<A>& m, Output&& output, Between&&) {
  sum_and_difference<A>(x[0], x[1]);          // 4 +- 2, 4 +- 2; tight: 2 +- 1, 2 +- 1
  sum_and_difference<A>(x[2], x[3]);          // 0 +- 2, 2 +- 2; tight: 0 +- 1, 2 +- 1
  x[3] = inner_product<A>(x[3], roots.i, m);  // 0 +- 1/2
  sum_and_difference<A>(x[0], x[2]);          // 4 +- 4; tight: 2 +- 2
  sum_and_difference<A>(x[1], x[3]);          // 4 +- 5/2; tight: 2 +- 3/2
  unroll<4>([&](auto j) __attribute__((always_inline)) { output(j, x[j]); });
}

/// Computes three stages. Rows are at inverse_biases(3, kTight) +- 1/2, with kResidues in [0, q)
/// plus inverse_input_biases(kTight). output(j, y) takes row j as for two stages.
/// Calls between(step, a, b, c, d) three times with values that are needed soon. A pass may do work
/// there that does not depend on the level.
template <InverseLevelPolicy A, bool kTight, bool kResidues = false, typename Output,
          typename Between>
RINGLET_INLINE void inverse_level(Vec<A> (&x)[8], const InverseRoots<A>& roots,
                                  const LazyModulus<A>& m, Output&& output, Between&& between) {
  unroll<4>([&](auto c) __attribute__((always_inline)) {
    sum_and_difference<A>(x[2 * c], x[2 * c + 1]);  // 4, 2; 0, 2; 1, 3; -1, 1, all +- 1
  });
  if constexpr (kTight && kResidues) {
    // No biases of these rows suit both their sums and their differences.
    x[1] = A::add(x[1], m.q);
    x[5] = A::add(x[5], m.q);
  }
  sum_and_difference<A>(x[0], x[2]);  // 4 +- 2, 4 +- 2; tight: 2 +- 2, 2 +- 2
  sum_and_difference<A>(x[4], x[6]);  // 0 +- 2, 2 +- 2; tight: 2 +- 2, 2 +- 2
  x[3] = inner_product<A>(x[3], roots.i, m);
  x[7] = inner_product<A>(x[7], roots.i, m);
  x[6] = inner_product<A>(x[6], roots.i, m);
  between(std::integral_constant<int, 0>{}, x[1], x[3], x[6], x[7]);
  if constexpr (kTight) {
    x[0] = reduced_to<A>(2, x[0], m);  // 2 +- 1
    x[4] = reduced_to<A>(0, x[4], m);  // 0 +- 1
    x[2] = reduced_to<A>(2, x[2], m);  // 2 +- 1
  }
  sum_and_difference<A>(x[1], x[3]);  // 2 +- 3/2, 2 +- 3/2
  sum_and_difference<A>(x[5], x[7]);  // 3 +- 3/2, 3 +- 3/2; tight: 2
  x[5] = inner_product<A>(x[5], roots.zeta, m);
  x[7] = inner_product<A>(x[7], roots.i_zeta, m);
  sum_and_difference<A>(x[0], x[4]);  // 4 +- 4, 4 +- 4; tight: 2 +- 2, 2 +- 2
  sum_and_difference<A>(x[2], x[6]);  // 4 +- 5/2; tight: 2 +- 3/2
  unroll<3>([&](auto j) __attribute__((always_inline)) {
    output(std::integral_constant<int, 2 * j + 2>{}, x[2 * j + 2]);
  });
  between(std::integral_constant<int, 1>{}, x[1], x[3], x[5], x[7]);
  output(std::integral_constant<int, 0>{}, x[0]);
  sum_and_difference<A>(x[1], x[5]);  // 2 +- 2
  sum_and_difference<A>(x[3], x[7]);  // 2 +- 2
  between(std::integral_constant<int, 2>{}, x[1], x[3], x[5], x[7]);
  unroll<4>([&](auto j) __attribute__((always_inline)) {
    output(std::integral_constant<int, 2 * j + 1>{}, x[2 * j + 1]);
  });
}

/// The `between` of passes that have no other work to do there.
struct NothingBetween {
  template <typename... Live>
  RINGLET_INLINE void operator()(const Live&...) const {}
};

}  // namespace ringlet::kernels
