// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "hexl/util/defines.hpp"

// See eltwise-add-mod.hpp for the rules of all element-wise functions.

namespace intel {
namespace hexl {

/// Computes result[i] = arg1[i] * arg2 + arg3[i] mod modulus. Results are in [0, modulus), elements
/// and the scalar in [0, input_mod_factor * modulus). The factor is 1, 2, 4 or 8, the product
/// input_mod_factor * modulus is below 2^64, and the modulus is in [2, 2^62). If arg3 is null,
/// nothing is added. Boemer et al., "Intel HEXL", Algorithm 10.
HEXL_RINGLET_API void EltwiseFMAMod(uint64_t* result, const uint64_t* arg1, uint64_t arg2,
                                    const uint64_t* arg3, uint64_t n, uint64_t modulus,
                                    uint64_t input_mod_factor);

}  // namespace hexl
}  // namespace intel
