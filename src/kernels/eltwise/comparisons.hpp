// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/sums.hpp"

// Sums where a comparison holds. The comparison is public, its outcome is not: a mask, no branch.

namespace ringlet::kernels {

/// A comparison as a type.
template <Comparison kValue>
using ComparisonConstant = std::integral_constant<Comparison, kValue>;

/// Calls body(ComparisonConstant<c>) for the public comparison c.
template <typename Body>
RINGLET_INLINE void with_comparison(Comparison comparison, Body body) {
  using enum Comparison;
  switch (comparison) {
    case equal:
      return body(ComparisonConstant<equal>{});
    case less:
      return body(ComparisonConstant<less>{});
    case less_equal:
      return body(ComparisonConstant<less_equal>{});
    case never:
      return body(ComparisonConstant<never>{});
    case not_equal:
      return body(ComparisonConstant<not_equal>{});
    case not_less:
      return body(ComparisonConstant<not_less>{});
    case not_less_equal:
      return body(ComparisonConstant<not_less_equal>{});
    case always:
      return body(ComparisonConstant<always>{});
  }
}

/// The operations as functions of an EltwiseArguments.
template <ComparingPolicy A>
struct Comparisons {
  using V = Vec<A>;

  static void compare_add(const EltwiseArguments& e) {
    const V bound = A::broadcast(e.bound);
    const V summand = A::broadcast(e.scalar);
    with_comparison(e.comparison, [&](auto comparison) __attribute__((always_inline)) {
      const auto operation = [=](V a) __attribute__((always_inline)) {
        return A::template add_where<comparison()>(a, a, bound, summand);
      };
      map<A>(e.result, e.count, operation, e.a);
    });
  }

  /// The difference d is subtracted as the summand q - d, in (0, q], so that one conditional
  /// subtraction of q follows for every outcome of the comparison.
  static void compare_subtract(const EltwiseArguments& e)
    requires WordReducingPolicy<A>
  {
    const V bound = A::broadcast(e.bound);
    const V summand = A::broadcast(e.q - e.scalar);
    with_word_reduction<A>(
        e, [&](auto reduce, const Multiples<A>& multiples) __attribute__((always_inline)) {
          with_comparison(e.comparison, [&](auto comparison) __attribute__((always_inline)) {
            const auto operation = [=](V a) __attribute__((always_inline)) {
              const V sum = A::template add_where<comparison()>(reduce(a), a, bound, summand);
              return narrow<A, 2>(sum, multiples);
            };
            map<A>(e.result, e.count, operation, e.a);
          });
        });
  }
};

}  // namespace ringlet::kernels
