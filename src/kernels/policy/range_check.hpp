// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/policy.hpp"

namespace ringlet::kernels {

/// In builds with RINGLET_CHECK_RANGES: stops the process unless every lane of x is below bound.
template <VectorPolicy A>
RINGLET_INLINE void expect_below([[maybe_unused]] const Vec<A>& x,
                                 [[maybe_unused]] const Vec<A>& bound) {
#ifdef RINGLET_CHECK_RANGES
  std::uint64_t lanes[kLanes<A>];
  std::uint64_t bounds[kLanes<A>];
  A::store(lanes, x);
  A::store(bounds, bound);
  for (std::size_t i = 0; i < kLanes<A>; ++i) {
    if (lanes[i] >= bounds[i]) __builtin_trap();
  }
#endif
}

}  // namespace ringlet::kernels
