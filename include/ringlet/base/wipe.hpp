// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// Overwrites `bytes` bytes at `data` with zeros; the optimiser cannot remove the writes. `data`
/// may be null if `bytes` is 0. Constant time in the contents.
RINGLET_API void secure_wipe(void* data, std::size_t bytes) noexcept;

}  // namespace ringlet
