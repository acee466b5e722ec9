// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/float/avx2_float.hpp"
#include "kernels/policy/signed/signed_mont64.hpp"

namespace ringlet::kernels {

/// Four signed 64-bit words (AVX2). Compilers that see the operands of a multiplication of halves
/// replace it by a slower one of whole words; this assembly hides it from them.
struct Avx2SignedLanes : Avx2Words {
  /// Without conversions between words and doubles there is no quotient to look up.
  struct Multiples {};
  static Multiples multiples_of(std::uint64_t) { return {}; }

  RINGLET_INLINE static Vec mul_signed(Vec x, Vec y) {
    Vec product;
    asm("vpmuldq %2, %1, %0" : "=x"(product) : "x"(x), "x"(y));
    return product;
  }
  RINGLET_INLINE static Vec shift_half(Vec x) {
    return _mm256_blend_epi32(high_half(x), _mm256_srai_epi32(x, 31), 0xaa);
  }
  RINGLET_INLINE static Vec broadcast_half(const char* p) {
    int half;
    __builtin_memcpy(&half, p, sizeof half);
    return _mm256_set1_epi32(half);
  }
  RINGLET_INLINE static Vec subtract_signed(Vec x, Vec r) {
    return sub(x, where_negative(x, sub(broadcast(0), r), r));
  }
  RINGLET_INLINE static Vec add_to_negative(Vec x, Vec r) {
    return where_negative(x, add(x, r), x);
  }

 private:
  /// r in the lanes where x < 0, s in the others.
  RINGLET_INLINE static Vec where_negative(Vec x, Vec r, Vec s) {
    return _mm256_castpd_si256(
        _mm256_blendv_pd(_mm256_castsi256_pd(s), _mm256_castsi256_pd(r), _mm256_castsi256_pd(x)));
  }
};

}  // namespace ringlet::kernels
