// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "kernels/policy/karatsuba/avx512.hpp"
#include "ringlet/base/export.hpp"

namespace ringlet::kernels {

/// Eight 32-bit lanes, for the base products of Karatsuba's recursion with the dot products of
/// AVX512-VNNI. Vectors of half the width meet fewer zeros at the ends of short sub-polynomials.
struct KaratsubaVnni256 : KaratsubaAvx512Limbs {
  RINGLET_INLINE static Vec add_pairs(Vec sum, Vec x, Vec y) {
    return _mm256_dpwssd_epi32(sum, x, y);
  }
};

}  // namespace ringlet::kernels
