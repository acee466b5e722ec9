// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "seal/util/defines.h"
#include "seal/util/pointer.h"
#include "seal/util/uintarith.h"

// Arithmetic on integers of uint64_count words modulo a modulus of as many words. Operands are
// below the modulus, which is not checked. The result may be the buffer of an operand but not of
// the modulus. Null and no words give std::invalid_argument. Constant time in the operands.

namespace ringlet::seal4_util {

RINGLET_SEAL_API void add_uint_uint_mod(const std::uint64_t* a, const std::uint64_t* b,
                                        const std::uint64_t* modulus, std::size_t uint64_count,
                                        std::uint64_t* result);
RINGLET_SEAL_API void sub_uint_uint_mod(const std::uint64_t* a, const std::uint64_t* b,
                                        const std::uint64_t* modulus, std::size_t uint64_count,
                                        std::uint64_t* result);
RINGLET_SEAL_API void increment_uint_mod(const std::uint64_t* operand, const std::uint64_t* modulus,
                                         std::size_t uint64_count, std::uint64_t* result);
RINGLET_SEAL_API void decrement_uint_mod(const std::uint64_t* operand, const std::uint64_t* modulus,
                                         std::size_t uint64_count, std::uint64_t* result);
RINGLET_SEAL_API void negate_uint_mod(const std::uint64_t* operand, const std::uint64_t* modulus,
                                      std::size_t uint64_count, std::uint64_t* result);
/// Computes operand/2 modulo an odd modulus.
/// @throws std::invalid_argument also if the modulus is even.
RINGLET_SEAL_API void div2_uint_mod(const std::uint64_t* operand, const std::uint64_t* modulus,
                                    std::size_t uint64_count, std::uint64_t* result);

/// Computes 1/operand modulo the modulus, for operands below it. Returns false, with an unspecified
/// result, if there is no inverse. Variable time: for public values.
/// @throws std::invalid_argument also if the modulus is zero or shares the buffer of the result.
RINGLET_SEAL_API bool try_invert_uint_mod(const std::uint64_t* operand,
                                          const std::uint64_t* modulus, std::size_t uint64_count,
                                          std::uint64_t* result, MemoryPool& pool);

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
