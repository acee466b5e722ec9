// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"

// See eltwise-add-mod.hpp for the rules of all element-wise functions.

namespace intel {
namespace hexl {

/// Maps operand[i] to a congruent result[i] in [0, output_mod_factor * modulus), for a modulus in
/// [2, 2^62). The pair (input_mod_factor, output_mod_factor) is one of
///   (modulus, 1), (modulus, 2), (1, 1), (1, 2): any 64-bit words; results in [0, modulus);
///   (2, 1), (4, 1), (4, 2): elements in [0, input_mod_factor * modulus);
///   (2, 2): a copy of elements in [0, 2 * modulus).
/// If the modulus is 2 or 4 and equals the input factor, any words are accepted.
HEXL_RINGLET_API void EltwiseReduceMod(uint64_t* result, const uint64_t* operand, uint64_t n,
                                       uint64_t modulus, uint64_t input_mod_factor,
                                       uint64_t output_mod_factor);

}  // namespace hexl
}  // namespace intel
