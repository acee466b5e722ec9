// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/avx512_harvey64.hpp"

namespace ringlet::kernels {

/// Avx512Harvey64 with the shift of a double word as one instruction (AVX512-VBMI2). Only products
/// by a variable differ; whole words are reduced by the policy below.
struct Avx512Vbmi2Harvey64 : Avx512Harvey64 {
  using Barrett = HalfWordBarrett<Avx512Vbmi2Harvey64>;

  RINGLET_INLINE static Vec shift_right_wide(Vec high, Vec low, Vec shift) {
    return _mm512_shrdv_epi64(low, high, shift);
  }
  RINGLET_INLINE static Barrett make_barrett(const EltwiseArguments& e) {
    return make_half_word_barrett<Avx512Vbmi2Harvey64>(e);
  }
  RINGLET_INLINE static Factor<Avx512Vbmi2Harvey64> make_factor(std::uint64_t w,
                                                                std::uint64_t quotient) {
    return make_half_word_factor<Avx512Vbmi2Harvey64>(w, quotient);
  }
  RINGLET_INLINE static Vec mul(Vec x, Vec y, const Barrett& b) {
    return half_word_mul<Avx512Vbmi2Harvey64>(x, y, b);
  }
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_ranges(Vec x, Vec y, const Barrett& b) {
    return half_word_mul<Avx512Vbmi2Harvey64>(x, y, b);
  }
  template <int kX, int kY>
  RINGLET_INLINE static Vec mul_wide(Vec x, Vec y, const Barrett& b) {
    return half_word_mul_wide<Avx512Vbmi2Harvey64>(x, y, b);
  }
  RINGLET_INLINE static Vec mul_factor_range(Vec x, const Factor<Avx512Vbmi2Harvey64>& w,
                                             const Barrett& b) {
    return half_word_mul_factor<Avx512Vbmi2Harvey64>(x, w, b);
  }
  RINGLET_INLINE static Vec mul_factor(Vec x, const Factor<Avx512Vbmi2Harvey64>& w,
                                       const Barrett& b) {
    return mul_factor_range(x, w, b);
  }
};

}  // namespace ringlet::kernels
