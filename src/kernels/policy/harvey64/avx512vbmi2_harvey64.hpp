// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/harvey64/avx512_harvey64.hpp"

namespace ringlet::kernels {

/// Avx512Words with the shift of a double word as one instruction (AVX512-VBMI2).
struct Avx512Vbmi2Words : Avx512Words {
  RINGLET_INLINE static Vec shift_right_wide(Vec high, Vec low, Vec shift) {
    return _mm512_shrdv_epi64(low, high, shift);
  }
};

/// Barrett arithmetic on eight 64-bit words, q < 2^62. Only products by a variable differ from
/// Avx512Harvey64, and only they have kernels.
struct Avx512Vbmi2Barrett64 : HalfWords<Avx512Vbmi2Barrett64, Avx512Vbmi2Words> {};

}  // namespace ringlet::kernels
