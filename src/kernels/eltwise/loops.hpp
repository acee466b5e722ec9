// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "kernels/eltwise/barrett.hpp"
#include "kernels/policy/policy.hpp"
#include "kernels/policy/range_check.hpp"

// The element-wise operations, written once over any policy. A vector at the end that is not full
// is loaded and stored in part, so that a unit needs no second policy for the rest. All operands
// are in [0, q) and all results too; branch-free in the data.

namespace ringlet::kernels {

/// result[i] = operation(operands[i]...) for i < count, in vectors. Each vector is stored after its
/// operands were loaded: `result` may be one of them.
template <ElementwisePolicy A, typename Operation, std::same_as<const std::uint64_t*>... Operands>
RINGLET_INLINE void map(std::uint64_t* result, std::size_t count, Operation operation,
                        Operands... operands) {
  std::size_t i = 0;
  for (; count - i >= kLanes<A>; i += kLanes<A>) {
    A::store(result + i, operation(A::load(operands + i)...));
  }
  if constexpr (kLanes<A> > 1) {
    const std::size_t rest = count - i;
    if (rest != 0) {
      A::store_partial(result + i, operation(A::load_partial(operands + i, rest)...), rest);
    }
  }
}

/// x in [0, kRange*q) -> x mod q in [0, q).
template <ElementwisePolicy A, int kRange>
RINGLET_INLINE Vec<A> reduce_from(Vec<A> x, const typename A::Barrett& b) {
  static_assert(kRange >= 2 && kRange <= 4);
  if constexpr (kRange > 2) x = A::reduce_once(x, b.two_q);
  expect_below<A>(x, b.two_q);
  x = A::reduce_once(x, b.q);
  expect_below<A>(x, b.q);
  return x;
}

/// The operations as functions of an EltwiseArguments.
template <ElementwisePolicy A>
struct EltwiseLoops {
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

  static void negate(const EltwiseArguments& e) {
    const V q = A::broadcast(e.q);
    const auto operation = [=](V a) __attribute__((always_inline)) {
      expect_below<A>(a, q);
      return A::reduce_once(A::sub(q, a), q);
    };
    map<A>(e.result, e.count, operation, e.a);
  }

  static void multiply(const EltwiseArguments& e) {
    const auto barrett = A::make_barrett(e);
    const auto operation = [=](V a, V b) __attribute__((always_inline)) {
      expect_below<A>(a, barrett.q);
      expect_below<A>(b, barrett.q);
      return reduce_from<A, A::kProductRange>(A::mul(a, b, barrett), barrett);
    };
    map<A>(e.result, e.count, operation, e.a, e.b);
  }

  /// The addend joins before the reduction: kProductRange*q + q is at most 4q and fits a word.
  static void multiply_add(const EltwiseArguments& e) {
    const auto barrett = A::make_barrett(e);
    const auto operation = [=](V a, V b, V c) __attribute__((always_inline)) {
      expect_below<A>(a, barrett.q);
      expect_below<A>(b, barrett.q);
      expect_below<A>(c, barrett.q);
      return reduce_from<A, A::kProductRange + 1>(A::add(A::mul(a, b, barrett), c), barrett);
    };
    map<A>(e.result, e.count, operation, e.a, e.b, e.c);
  }

  static void multiply_scalar(const EltwiseArguments& e) {
    const auto barrett = A::make_barrett(e);
    const Factor<A> factor = A::make_factor(e.scalar, factor_quotient(e.scalar, e.q, e.ratio));
    const auto operation = [=](V a) __attribute__((always_inline)) {
      expect_below<A>(a, barrett.q);
      return reduce_from<A, A::kProductRange>(A::mul_factor(a, factor, barrett), barrett);
    };
    map<A>(e.result, e.count, operation, e.a);
  }

  /// Boemer et al., "Intel HEXL", Algorithm 10, with one reduction for product and sum.
  static void multiply_scalar_add(const EltwiseArguments& e) {
    const auto barrett = A::make_barrett(e);
    const Factor<A> factor = A::make_factor(e.scalar, factor_quotient(e.scalar, e.q, e.ratio));
    const auto operation = [=](V a, V c) __attribute__((always_inline)) {
      expect_below<A>(a, barrett.q);
      expect_below<A>(c, barrett.q);
      return reduce_from<A, A::kProductRange + 1>(A::add(A::mul_factor(a, factor, barrett), c),
                                                  barrett);
    };
    map<A>(e.result, e.count, operation, e.a, e.c);
  }

  static void reduce(const EltwiseArguments& e)
    requires WordReducingPolicy<A>
  {
    const auto barrett = A::make_barrett(e);
    const auto operation = [=](V a) __attribute__((always_inline)) {
      return reduce_from<A, A::kWordRange>(A::reduce_word(a, barrett), barrett);
    };
    map<A>(e.result, e.count, operation, e.a);
  }
};

/// Additions need q < 2^63 at most; products what the policy says.
inline constexpr std::uint64_t kAddModulusLimit = std::uint64_t{1} << 62;

/// The descriptor of one operation.
template <ElementwisePolicy A, EltwiseOperation kOperation>
consteval EltwiseKernel eltwise_kernel(const char* table, CpuFeatureMask needs,
                                       const char* product_algorithm = "barrett") {
  using Loops = EltwiseLoops<A>;
  using enum EltwiseOperation;
  EltwiseKernel kernel{.table = table,
                       .algorithm = "direct",
                       .operation = kOperation,
                       .needs = needs,
                       .modulus_limit = kAddModulusLimit};
  if constexpr (kOperation == add) {
    kernel.run = &Loops::add;
  } else if constexpr (kOperation == subtract) {
    kernel.run = &Loops::subtract;
  } else if constexpr (kOperation == negate) {
    kernel.run = &Loops::negate;
  } else {
    kernel.modulus_limit = A::kMultiplyModulusLimit;
    kernel.algorithm = product_algorithm;
    if constexpr (kOperation == multiply) {
      kernel.run = &Loops::multiply;
    } else if constexpr (kOperation == multiply_add) {
      kernel.run = &Loops::multiply_add;
    } else if constexpr (kOperation == reduce) {
      kernel.run = &Loops::reduce;
    } else {
      kernel.algorithm = "shoup";
      kernel.run =
          kOperation == multiply_scalar ? &Loops::multiply_scalar : &Loops::multiply_scalar_add;
    }
  }
  return kernel;
}

}  // namespace ringlet::kernels
