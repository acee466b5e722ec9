// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"

// Rules of all element-wise functions: vectors have n words, for any n (for n = 0 nothing happens),
// and any alignment of whole words. `result` may be the same memory as an operand, but must not
// overlap an operand partly. Ranges of elements are a precondition and are not checked; everything
// else is checked in every build. Constant time in the elements; lengths, moduli, factors and
// scalars are public. Any number of threads may call at once. Each function throws
// std::invalid_argument on a null or misaligned vector, partial overlap, or a modulus, scalar or
// factor out of range. It then leaves `result` unchanged.

namespace intel {
namespace hexl {

/// Computes result[i] = operand1[i] + operand2[i] mod modulus, for elements in [0, modulus) and a
/// modulus in [2, 2^63).
HEXL_RINGLET_API void EltwiseAddMod(uint64_t* result, const uint64_t* operand1,
                                    const uint64_t* operand2, uint64_t n, uint64_t modulus);

/// Computes result[i] = operand1[i] + operand2 mod modulus, for elements and a scalar in
/// [0, modulus) and a modulus in [2, 2^63).
HEXL_RINGLET_API void EltwiseAddMod(uint64_t* result, const uint64_t* operand1, uint64_t operand2,
                                    uint64_t n, uint64_t modulus);

}  // namespace hexl
}  // namespace intel
