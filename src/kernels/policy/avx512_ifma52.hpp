// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/avx512_harvey64.hpp"

namespace ringlet::kernels {

/// Harvey arithmetic on eight 52-bit words with the 52-bit multiply-add (AVX512-IFMA), q < 2^50.
/// The instructions multiply the low 52 bits of each lane and add to all 64 bits, so sums of low
/// words carry beyond bit 51 and are masked.
struct Avx512Ifma52 : Avx512Lanes {
  static constexpr int kQuotientBits = 52;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 50;

  /// -q modulo 2^52: a multiply-add takes the place of multiply and subtract.
  RINGLET_INLINE static std::uint64_t negated(std::uint64_t q) {
    return (std::uint64_t{1} << 52) - q;
  }

  template <int v>
  RINGLET_INLINE static Twiddle<Avx512Ifma52> lane_twiddle(const std::uint64_t* words) {
    return {lane_words<v>(words), lane_words<v>(words + kLaneLayout.words[v])};
  }
  RINGLET_INLINE static Vec mul_lazy(Vec y, const Twiddle<Avx512Ifma52>& w,
                                     const Mod<Avx512Ifma52>& m) {
    const Vec zero = _mm512_setzero_si512();
    const Vec quotient = _mm512_madd52hi_epu64(zero, y, w.quotient);
    const Vec product = _mm512_madd52lo_epu64(zero, y, w.operand);
    return low52(_mm512_madd52lo_epu64(product, quotient, m.negated));
  }

  RINGLET_INLINE static Vec low52(Vec x) {
    return _mm512_and_si512(x, _mm512_set1_epi64((1LL << 52) - 1));
  }
};

}  // namespace ringlet::kernels
