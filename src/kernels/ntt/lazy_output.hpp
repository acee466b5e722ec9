// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/lazy_policy.hpp"

// What the passes of a lazy transform do with words on their way from and to memory, and what debug
// builds say to words that are not where they should be.

namespace ringlet::kernels {

#ifdef RINGLET_CHECK_RANGES
template <LazyPolicy A>
RINGLET_INLINE std::uint64_t first_lane(const Vec<A>& x) {
  std::uint64_t lanes[kLanes<A>];
  A::store(lanes, x);
  return lanes[0];
}

/// Stops the process unless every lane of x is in the interval modulo 2^52.
template <LazyPolicy A>
RINGLET_INLINE void expect_in_interval(const Vec<A>& x, const LazyInterval& interval) {
  std::uint64_t lanes[kLanes<A>];
  A::store(lanes, x);
  for (const std::uint64_t lane : lanes) {
    if ((lane - interval.lower) % kLazyWord >= interval.upper - interval.lower) __builtin_trap();
  }
}
#endif

/// Operands of a later pass, or that are multiplied.
template <LazyPolicy A>
struct SameInput {
  RINGLET_INLINE static Vec<A> start(const Vec<A>& x, const LazyModulus<A>&) { return x; }
};

/// Operands of the first forward stage that are not multiplied, in [0, q).
template <LazyPolicy A>
struct ReducedInput {
  RINGLET_INLINE static Vec<A> start(const Vec<A>& x, const LazyModulus<A>& m) {
    return A::add(x, m.bias);
  }
};

/// The same, any word below 2^52.
template <LazyPolicy A>
struct WordInput {
  RINGLET_INLINE static Vec<A> start(const Vec<A>& x, const LazyModulus<A>& m) {
    return A::reduce(x, m);
  }
};

/// Words at the end of a forward transform, as they are: below LazyConstants::forward_bound.
template <LazyPolicy A>
struct WordOutput {
  RINGLET_INLINE static Vec<A> finish(const Vec<A>& x, const LazyModulus<A>&) {
    return A::low_word(x);
  }
};

/// Words in [0, q).
template <LazyPolicy A>
struct ReducedOutput {
  RINGLET_INLINE static Vec<A> finish(const Vec<A>& x, const LazyModulus<A>& m) {
    return A::product(x, m.one, m);
  }
};

}  // namespace ringlet::kernels
