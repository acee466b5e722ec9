// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/policy/unroll.hpp"

namespace ringlet::kernels {

/// Brings kBytes bytes from p on to the first-level cache. The addresses need not be valid.
template <std::size_t kBytes>
RINGLET_INLINE void prefetch(const void* p) {
  unroll<(kBytes + 63) / 64>([&](auto i) __attribute__((always_inline)) {
    __builtin_prefetch(static_cast<const char*>(p) + 64 * decltype(i)::value, 0, 3);
  });
}

}  // namespace ringlet::kernels
