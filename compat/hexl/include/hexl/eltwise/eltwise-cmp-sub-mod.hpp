// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"
#include "hexl/util/util.hpp"

// What is true of all element-wise functions is written in eltwise-add-mod.hpp.

namespace intel {
namespace hexl {

/// result[i] = operand1[i] - diff mod modulus where the comparison of operand1[i], not reduced,
/// with bound holds, and operand1[i] mod modulus elsewhere; in [0, modulus). Any 64-bit elements
/// and bound; diff in [0, modulus); a modulus in [2, 2^62).
HEXL_RINGLET_API void EltwiseCmpSubMod(uint64_t* result, const uint64_t* operand1, uint64_t n,
                                       uint64_t modulus, CMPINT cmp, uint64_t bound, uint64_t diff);

}  // namespace hexl
}  // namespace intel
