// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "seal/memorymanager.h"
#include "seal/util/common.h"
#include "seal/util/defines.h"

namespace ringlet::seal4_util {

/// The pool that a MemoryPoolHandle refers to and converts to.
using MemoryPool = seal4::detail::MemoryPool;

namespace detail {

/// Returns a handle that shares the pool.
SEAL_NODISCARD RINGLET_SEAL_API seal4::MemoryPoolHandle handle_of(MemoryPool& pool);

/// Returns count * size. Throws std::logic_error if it exceeds 64 bits.
SEAL_NODISCARD inline std::size_t array_bytes(std::size_t count, std::size_t size) {
  return mul_safe(count, size);
}

}  // namespace detail

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
