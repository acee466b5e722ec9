// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"
#include "hexl/util/util.hpp"

// See eltwise-add-mod.hpp for the rules of all element-wise functions.

namespace intel {
namespace hexl {

/// Computes result[i] = operand1[i] + diff modulo 2^64 if the comparison of operand1[i] with bound
/// holds, else result[i] = operand1[i]. All words are accepted.
HEXL_RINGLET_API void EltwiseCmpAdd(uint64_t* result, const uint64_t* operand1, uint64_t n,
                                    CMPINT cmp, uint64_t bound, uint64_t diff);

}  // namespace hexl
}  // namespace intel
