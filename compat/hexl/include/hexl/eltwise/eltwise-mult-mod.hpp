// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"

// See eltwise-add-mod.hpp for the rules of all element-wise functions.

namespace intel {
namespace hexl {

/// Computes result[i] = operand1[i] * operand2[i] mod modulus. Results are in [0, modulus),
/// elements in [0, input_mod_factor * modulus). The factor is 1, 2 or 4. The modulus is in
/// [2, 2^62). Boemer et al., "Intel HEXL", Algorithms 8 and 9, with corrections.
HEXL_RINGLET_API void EltwiseMultMod(uint64_t* result, const uint64_t* operand1,
                                     const uint64_t* operand2, uint64_t n, uint64_t modulus,
                                     uint64_t input_mod_factor);

}  // namespace hexl
}  // namespace intel
