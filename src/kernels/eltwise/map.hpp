// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include "kernels/policy/policy.hpp"
#include "kernels/policy/range_check.hpp"

// What all element-wise operations are made of: one pass over vectors, ranges that are multiples of
// q, and public run-time values turned into constants outside the loops.

namespace ringlet::kernels {

/// Vectors that are loaded before the first one of them is stored.
template <VectorPolicy A>
inline constexpr int kVectorsPerStep = A::kLogLanes == 3 ? 4 : 1;

template <VectorPolicy A>
RINGLET_INLINE Vec<A> load_streamed(const std::uint64_t* p) {
  if constexpr (requires { A::load_streamed(p); }) {
    return A::load_streamed(p);
  } else {
    return A::load(p);
  }
}

/// result[i] = operation(operands[i]...) for i < count, in vectors. Those that do not fill a step
/// are loaded and stored in part, so that a unit needs no second policy for the rest. A vector is
/// stored after its operands were loaded: `result` may be one of them.
template <VectorPolicy A, typename Operation, std::same_as<const std::uint64_t*>... Operands>
RINGLET_INLINE void map(std::uint64_t* result, std::size_t count, Operation operation,
                        Operands... operands) {
  constexpr int kVectors = kVectorsPerStep<A>;
  constexpr std::size_t kStep = kVectors * kLanes<A>;
  std::size_t i = 0;
  for (; count - i >= kStep; i += kStep) {
    Vec<A> results[kVectors];
    unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
      results[v] = operation(load_streamed<A>(operands + i + v * kLanes<A>)...);
    });
    unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
      A::store(result + i + v * kLanes<A>, results[v]);
    });
  }
  if constexpr (kStep > 1) {
    for (; i < count; i += kLanes<A>) {
      const std::size_t rest = count - i < kLanes<A> ? count - i : kLanes<A>;
      A::store_partial(result + i, operation(A::load_partial(operands + i, rest)...), rest);
    }
  }
}

/// q times 1, 2, 4 and 8, modulo 2^64: a multiple that does not fit a word is not used.
template <VectorPolicy A>
struct Multiples {
  Vec<A> times[4];
};

template <VectorPolicy A>
RINGLET_INLINE Multiples<A> multiples_of(std::uint64_t q) {
  return {{A::broadcast(q), A::broadcast(2 * q), A::broadcast(4 * q), A::broadcast(8 * q)}};
}

/// The largest power of two below `range` > 1.
constexpr int half_range(int range) { return range <= 2 ? 1 : 2 * half_range((range + 1) / 2); }

/// In builds with range checks: stops the process unless x is in [0, kRange*q).
template <VectorPolicy A, int kRange>
RINGLET_INLINE void expect_in_range(const Vec<A>& x, const Multiples<A>& multiples) {
  if constexpr ((kRange & (kRange - 1)) == 0) {
    expect_below<A>(x, multiples.times[log2_of(kRange)]);
  }
}

/// x in [0, kFrom*q) -> congruent in [0, kTo*q), for kTo a power of two and kFrom*q <= 2^64: as
/// many conditional subtractions as kFrom has doublings of kTo.
template <VectorPolicy A, int kFrom, int kTo = 1>
RINGLET_INLINE Vec<A> narrow(Vec<A> x, const Multiples<A>& multiples) {
  static_assert(kFrom >= 1 && kFrom <= 16 && (kTo & (kTo - 1)) == 0);
  if constexpr (kFrom <= kTo) {
    return x;
  } else {
    constexpr int kHalf = half_range(kFrom);
    x = A::reduce_once(x, multiples.times[log2_of(kHalf)]);
    expect_in_range<A, kHalf>(x, multiples);
    return narrow<A, kHalf, kTo>(x, multiples);
  }
}

/// A number as a type.
template <int kValue>
using Constant = std::integral_constant<int, kValue>;

/// Calls body(Constant<f>) for the public factor f = 1, 2, 4, ..., at most kLargest.
template <int kLargest, typename Body>
RINGLET_INLINE void with_factor(int factor, Body body) {
  if constexpr (kLargest == 1) {
    body(Constant<1>{});
  } else {
    if (factor == kLargest) return body(Constant<kLargest>{});
    with_factor<kLargest / 2>(factor, body);
  }
}

}  // namespace ringlet::kernels
