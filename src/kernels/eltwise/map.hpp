// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include "kernels/policy/policy.hpp"
#include "kernels/policy/range_check.hpp"

// What all element-wise operations are made of: one pass over vectors, ranges that are multiples of
// q, and public run-time values turned into constants outside the loops.

namespace ringlet::kernels {

/// Vectors per step of the loop below. On Zen 4 a load of 64 bytes waits for some of the stores
/// just before it, depending on where the pages are (docs/notes/barrett.md): with eight lanes, the
/// loads of a step come before the stores of the step before it, so that none is near.
template <VectorPolicy A>
inline constexpr int kVectorsPerStep = A::kLogLanes == 3 ? 4 : 1;

/// The vectors of one step, of each operand.
template <VectorPolicy A, int kVectors, int kOperands>
struct Step {
  Vec<A> words[kOperands][kVectors];

  template <typename... Operands>
  RINGLET_INLINE void load(Operands... operands) {
    const std::uint64_t* const from[] = {operands...};
    unroll<kOperands>([&](auto o) __attribute__((always_inline)) {
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
        words[o][v] = A::load(from[o] + v * kLanes<A>);
      });
    });
  }
  /// Replaces the first operand by the results.
  template <typename Operation>
  RINGLET_INLINE void apply(const Operation& operation) {
    unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
      [&]<int... o>(std::integer_sequence<int, o...>) __attribute__((always_inline)) {
        words[0][v] = operation(words[o][v]...);
      }(std::make_integer_sequence<int, kOperands>{});
    });
  }
  RINGLET_INLINE void store(std::uint64_t* result) const {
    unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
      A::store(result + v * kLanes<A>, words[0][v]);
    });
  }
};

/// result[i] = operation(operands[i]...) for i < count, in vectors. The rest that fills no step is
/// loaded and stored in partial vectors, so that a unit needs no second policy for it. No vector is
/// stored before its own operands were loaded: `result` may be one of them.
template <VectorPolicy A, typename Operation, std::same_as<const std::uint64_t*>... Operands>
RINGLET_INLINE void map(std::uint64_t* result, std::size_t count, Operation operation,
                        Operands... operands) {
  constexpr int kVectors = kVectorsPerStep<A>;
  constexpr std::size_t kStep = kVectors * kLanes<A>;
  std::size_t i = 0;
  if constexpr (kVectors == 1) {
    for (; count - i >= kStep; i += kStep) {
      A::store(result + i, operation(A::load(operands + i)...));
    }
  } else if (count >= kStep) {
    Step<A, kVectors, sizeof...(Operands)> step;
    step.load(operands...);
    for (; count - i >= 2 * kStep; i += kStep) {
      auto done = step;
      done.apply(operation);
      step.load((operands + i + kStep)...);
      asm volatile("" ::: "memory");  // The compiler keeps this order too.
      done.store(result + i);
    }
    step.apply(operation);
    step.store(result + i);
    i += kStep;
  }
  if constexpr (kLanes<A> > 1) {
    for (; i < count; i += kLanes<A>) {
      const std::size_t rest = count - i < kLanes<A> ? count - i : kLanes<A>;
      A::store_partial(result + i, operation(A::load_partial(operands + i, rest)...), rest);
    }
  }
}

/// Calls operation(words) for the vectors of all operands at one place. It replaces the first
/// kResults of them by the results. All vectors of a step are loaded before its results are stored:
/// a result may be one of the operands.
template <VectorPolicy A, int kResults, typename Operation, std::size_t kOperands>
RINGLET_INLINE void map_to_many(std::uint64_t* const* results, std::size_t count,
                                Operation operation,
                                const std::uint64_t* const (&operands)[kOperands]) {
  static_assert(kResults <= static_cast<int>(kOperands));
  constexpr int kVectors = kVectorsPerStep<A>;
  constexpr std::size_t kStep = kVectors * kLanes<A>;
  std::uint64_t* to[kResults];
  unroll<kResults>([&](auto r) __attribute__((always_inline)) { to[r] = results[r]; });
  std::size_t i = 0;
  for (; count - i >= kStep; i += kStep) {
    Vec<A> words[kVectors][kOperands];
    unroll<kOperands>([&](auto o) __attribute__((always_inline)) {
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
        words[v][o] = A::load(operands[o] + i + v * kLanes<A>);
      });
    });
    unroll<kVectors>([&](auto v) __attribute__((always_inline)) { operation(words[v]); });
    unroll<kResults>([&](auto r) __attribute__((always_inline)) {
      unroll<kVectors>([&](auto v) __attribute__((always_inline)) {
        A::store(to[r] + i + v * kLanes<A>, words[v][r]);
      });
    });
  }
  if constexpr (kLanes<A> > 1) {
    for (; i < count; i += kLanes<A>) {
      const std::size_t rest = count - i < kLanes<A> ? count - i : kLanes<A>;
      Vec<A> words[kOperands];
      unroll<kOperands>([&](auto o) __attribute__((always_inline)) {
        words[o] = A::load_partial(operands[o] + i, rest);
      });
      operation(words);
      unroll<kResults>([&](auto r) __attribute__((always_inline)) {
        A::store_partial(to[r] + i, words[r], rest);
      });
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
    expect_in_range<A, kFrom>(x, multiples);
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
