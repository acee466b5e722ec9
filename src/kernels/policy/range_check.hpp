// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

#ifdef RINGLET_CHECK_RANGES
/// Stops the process unless every lane of x is below bound. It is a call: inlined, these loops take
/// longer to compile than the rest of their unit.
template <VectorPolicy A>
__attribute__((noinline)) static void trap_unless_below(Vec<A> x, Vec<A> bound) {
  std::uint64_t lanes[kLanes<A>];
  std::uint64_t bounds[kLanes<A>];
  A::store(lanes, x);
  A::store(bounds, bound);
  for (std::size_t i = 0; i < kLanes<A>; ++i) {
    if (lanes[i] >= bounds[i]) __builtin_trap();
  }
}
#endif

/// In builds with RINGLET_CHECK_RANGES: stops the process unless every lane of x is below bound.
template <VectorPolicy A>
RINGLET_INLINE void expect_below([[maybe_unused]] const Vec<A>& x,
                                 [[maybe_unused]] const Vec<A>& bound) {
#ifdef RINGLET_CHECK_RANGES
  trap_unless_below<A>(x, bound);
#endif
}

}  // namespace ringlet::kernels
