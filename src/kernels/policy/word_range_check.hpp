// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/wide/policy.hpp"

namespace ringlet::kernels {

#ifdef RINGLET_CHECK_RANGES
/// Stops the process unless every lane of x is below the bound in the same lane. It is a call, as
/// in range_check.hpp.
template <typename A>
__attribute__((noinline)) static void trap_unless_pair_below(WordPair<A> x, WordPair<A> bound) {
  constexpr std::size_t kLanes = kWideLanes<A>;
  std::uint64_t low[kLanes];
  std::uint64_t high[kLanes];
  std::uint64_t bound_low[kLanes];
  std::uint64_t bound_high[kLanes];
  A::store(low, x.low);
  A::store(high, x.high);
  A::store(bound_low, bound.low);
  A::store(bound_high, bound.high);
  for (std::size_t i = 0; i < kLanes; ++i) {
    const bool is_below =
        high[i] != bound_high[i] ? high[i] < bound_high[i] : low[i] < bound_low[i];
    if (!is_below) __builtin_trap();
  }
}
#endif

/// In builds with RINGLET_CHECK_RANGES: stops the process unless every lane of x is below the
/// bound.
template <typename A>
RINGLET_INLINE void expect_pair_below([[maybe_unused]] const WordPair<A>& x,
                                      [[maybe_unused]] const WordPair<A>& bound) {
#ifdef RINGLET_CHECK_RANGES
  trap_unless_pair_below<A>(x, bound);
#endif
}

}  // namespace ringlet::kernels
