// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"
#include "hexl/util/util.hpp"

// See eltwise-add-mod.hpp for the rules of all element-wise functions.

namespace intel {
namespace hexl {

/// Computes result[i] = operand1[i] - diff mod modulus if the comparison of the unreduced
/// operand1[i] with bound holds, else result[i] = operand1[i] mod modulus. All results are in
/// [0, modulus). Elements and bound are any 64-bit words, diff is in [0, modulus), and the modulus
/// is in [2, 2^62).
HEXL_RINGLET_API void EltwiseCmpSubMod(uint64_t* result, const uint64_t* operand1, uint64_t n,
                                       uint64_t modulus, CMPINT cmp, uint64_t bound, uint64_t diff);

}  // namespace hexl
}  // namespace intel
