// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"
#include "hexl/util/util.hpp"

// What is true of all element-wise functions is written in eltwise-add-mod.hpp.

namespace intel {
namespace hexl {

/// result[i] = operand1[i] + diff, modulo 2^64, where the comparison of operand1[i] with bound
/// holds, and operand1[i] elsewhere. Any words.
HEXL_RINGLET_API void EltwiseCmpAdd(uint64_t* result, const uint64_t* operand1, uint64_t n,
                                    CMPINT cmp, uint64_t bound, uint64_t diff);

}  // namespace hexl
}  // namespace intel
