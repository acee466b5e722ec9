// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/harvey64/scalar64.hpp"

namespace ringlet::kernels {

/// One word at a time, for Residues.
struct ResidueScalar64 : Scalar64 {
  RINGLET_INLINE static Vec load_small(const std::int8_t* p) {
    return static_cast<Vec>(static_cast<std::int64_t>(*p));
  }
  RINGLET_INLINE static Vec where_negative(Vec x, Vec y) { return y & (0 - (x >> 63)); }
  RINGLET_INLINE static Vec halve(Vec x, Vec half) { return (x >> 1) + (half & (0 - (x & 1))); }
};

}  // namespace ringlet::kernels
