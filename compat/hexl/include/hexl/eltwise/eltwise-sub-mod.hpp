// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"

// See eltwise-add-mod.hpp for the rules of all element-wise functions.

namespace intel {
namespace hexl {

/// Computes result[i] = operand1[i] - operand2[i] mod modulus, for elements in [0, modulus) and a
/// modulus in [2, 2^63).
HEXL_RINGLET_API void EltwiseSubMod(uint64_t* result, const uint64_t* operand1,
                                    const uint64_t* operand2, uint64_t n, uint64_t modulus);

/// Computes result[i] = operand1[i] - operand2 mod modulus, for elements and a scalar in
/// [0, modulus) and a modulus in [2, 2^63).
HEXL_RINGLET_API void EltwiseSubMod(uint64_t* result, const uint64_t* operand1, uint64_t operand2,
                                    uint64_t n, uint64_t modulus);

}  // namespace hexl
}  // namespace intel
