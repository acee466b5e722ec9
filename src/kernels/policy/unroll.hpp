// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "ringlet/base/export.hpp"

namespace ringlet::kernels {

/// Calls body(std::integral_constant<int, 0>), ..., (N - 1): a loop whose index is a constant, so
/// that arrays of vectors stay in registers.
template <int N, typename Body>
RINGLET_INLINE void unroll(Body&& body) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (body(std::integral_constant<int, i>{}), ...);
  }(std::make_integer_sequence<int, N>{});
}

/// Calls body(std::integral_constant<int, count>), for a count from 1 to kMax: each has code of its
/// own.
template <std::size_t kMax, typename Body>
RINGLET_INLINE void with_count(std::size_t count, Body&& body) {
  if constexpr (kMax > 1) {
    if (count < kMax) return with_count<kMax - 1>(count, body);
  }
  body(std::integral_constant<int, static_cast<int>(kMax)>{});
}

}  // namespace ringlet::kernels
