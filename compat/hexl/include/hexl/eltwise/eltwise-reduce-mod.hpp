// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"

// What is true of all element-wise functions is written in eltwise-add-mod.hpp.

namespace intel {
namespace hexl {

/// result[i] congruent to operand[i] and in [0, output_mod_factor * modulus), for a modulus in
/// [2, 2^62). The pair (input_mod_factor, output_mod_factor) is one of
///   (modulus, 1), (modulus, 2), (1, 1), (1, 2): any 64-bit words; results in [0, modulus);
///   (2, 1), (4, 1), (4, 2): elements in [0, input_mod_factor * modulus);
///   (2, 2): a copy of elements in [0, 2 * modulus).
/// A modulus of 2 or 4 that is also the input factor takes any words.
HEXL_RINGLET_API void EltwiseReduceMod(uint64_t* result, const uint64_t* operand, uint64_t n,
                                       uint64_t modulus, uint64_t input_mod_factor,
                                       uint64_t output_mod_factor);

}  // namespace hexl
}  // namespace intel
