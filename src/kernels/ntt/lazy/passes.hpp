// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/levels.hpp"
#include "kernels/ntt/lazy/table.hpp"
#include "kernels/policy/ifma52/lazy_policy.hpp"

// What the passes of both lazy transforms share, and the checks of ranges in builds with
// RINGLET_CHECK_RANGES.

namespace ringlet::kernels {

/// Broadcasts a constant of the levels and hides it from the compiler, like those of the modulus.
template <LazyPolicy A>
RINGLET_INLINE Twiddle<A> hidden_twiddle(const TwiddlePair& w) {
  return A::hidden({A::broadcast(w.operand), A::broadcast(w.quotient)});
}

#ifdef RINGLET_CHECK_RANGES
template <LazyPolicy A>
RINGLET_INLINE std::uint64_t first_lane(const Vec<A>& x) {
  std::uint64_t lanes[kLanes<A>];
  A::store(lanes, x);
  return lanes[0];
}

/// Stops the process unless every lane of x is in the interval modulo 2^52. If it were inlined,
/// these loops would take longer to compile than the rest of their unit.
template <LazyPolicy A>
__attribute__((noinline)) static void expect_in_interval(Vec<A> x, LazyInterval interval) {
  std::uint64_t lanes[kLanes<A>];
  A::store(lanes, x);
  for (const std::uint64_t lane : lanes) {
    if ((lane - interval.lower) % kLazyWord >= interval.upper - interval.lower) __builtin_trap();
  }
}
#endif

}  // namespace ringlet::kernels
