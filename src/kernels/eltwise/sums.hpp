// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/map.hpp"

// Sums, differences and reductions, written once over any policy. Branch-free in the data.

namespace ringlet::kernels {

/// Sums need a + b < 2q to fit a word.
inline constexpr std::uint64_t kAddModulusLimit = std::uint64_t{1} << 63;

/// Calls body(reduce, multiples), where reduce takes any word to [0, q), with the policy's cheapest
/// way for this q.
template <WordReducingPolicy A, typename Body>
RINGLET_INLINE void with_word_reduction(const EltwiseArguments& e, Body body) {
  using V = Vec<A>;
  const auto barrett = A::make_barrett(e);
  const auto multiples = multiples_of<A>(e.q);
  if constexpr (ShortQuotientPolicy<A>) {
    if (A::has_short_quotient(e.q)) {
      const auto reduce = [=](V x) __attribute__((always_inline)) {
        return narrow<A, A::kShortWordRange>(A::reduce_word_short(x, barrett), multiples);
      };
      return body(reduce, multiples);
    }
  }
  const auto reduce = [=](V x) __attribute__((always_inline)) {
    return narrow<A, A::kWordRange>(A::reduce_word(x, barrett), multiples);
  };
  body(reduce, multiples);
}

/// The operations as functions of an EltwiseArguments.
template <VectorPolicy A>
struct Sums {
  using V = Vec<A>;

  static void add(const EltwiseArguments& e) {
    const V q = A::broadcast(e.q);
    const auto operation = [=](V a, V b) __attribute__((always_inline)) {
      expect_below<A>(a, q);
      expect_below<A>(b, q);
      return A::reduce_once(A::add(a, b), q);
    };
    map<A>(e.result, e.count, operation, e.a, e.b);
  }

  static void subtract(const EltwiseArguments& e) {
    const V q = A::broadcast(e.q);
    const auto operation = [=](V a, V b) __attribute__((always_inline)) {
      expect_below<A>(a, q);
      expect_below<A>(b, q);
      return A::reduce_once(A::add(A::sub(a, b), q), q);
    };
    map<A>(e.result, e.count, operation, e.a, e.b);
  }

  static void add_scalar(const EltwiseArguments& e) { add_constant(e, e.scalar); }
  static void subtract_scalar(const EltwiseArguments& e) { add_constant(e, e.q - e.scalar); }

  static void negate(const EltwiseArguments& e) {
    const V q = A::broadcast(e.q);
    const auto operation = [=](V a) __attribute__((always_inline)) {
      expect_below<A>(a, q);
      return A::reduce_once(A::sub(q, a), q);
    };
    map<A>(e.result, e.count, operation, e.a);
  }

  static void reduce_range(const EltwiseArguments& e) {
    const auto multiples = multiples_of<A>(e.q);
    if (e.factors.input == 2) {
      narrow_all<2, 1>(e, multiples);
    } else if (e.factors.output == 1) {
      narrow_all<4, 1>(e, multiples);
    } else {
      narrow_all<4, 2>(e, multiples);
    }
  }

  static void reduce(const EltwiseArguments& e)
    requires WordReducingPolicy<A>
  {
    with_word_reduction<A>(e, [&](auto reduce, const Multiples<A>&) __attribute__((always_inline)) {
      map<A>(e.result, e.count, reduce, e.a);
    });
  }

 private:
  /// The summand is in [0, q], so that the sum is below 2q.
  RINGLET_INLINE static void add_constant(const EltwiseArguments& e, std::uint64_t summand) {
    const V q = A::broadcast(e.q);
    const V constant = A::broadcast(summand);
    const auto operation = [=](V a) __attribute__((always_inline)) {
      expect_below<A>(a, q);
      return A::reduce_once(A::add(a, constant), q);
    };
    map<A>(e.result, e.count, operation, e.a);
  }

  template <int kFrom, int kTo>
  RINGLET_INLINE static void narrow_all(const EltwiseArguments& e, const Multiples<A>& multiples) {
    const auto operation = [=](V a) __attribute__((always_inline)) {
      expect_in_range<A, kFrom>(a, multiples);
      return narrow<A, kFrom, kTo>(a, multiples);
    };
    map<A>(e.result, e.count, operation, e.a);
  }
};

}  // namespace ringlet::kernels
