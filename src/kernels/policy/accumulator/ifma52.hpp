// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "kernels/policy/accumulator/policy.hpp"
#include "kernels/policy/ifma52/avx512_ifma52.hpp"

namespace ringlet::kernels {

/// Sums of the low and of the high words of 52-bit products, in 64-bit lanes that have room for
/// carries (AVX512-IFMA), q < 2^50.
struct Ifma52Sums {
  using Arithmetic = Avx512Ifma52;
  using V = __m512i;

  struct Sum {
    V low;
    V high;
  };
  struct Reduction : AccumulatorReduction<Avx512Ifma52> {
    V negated;  ///< -q modulo 2^52
  };

  static constexpr std::uint64_t kModulusLimit = std::uint64_t{1} << 50;
  static constexpr int kOperandBits = 52;
  static constexpr int kRange = 4;
  static constexpr std::uint64_t kDotModulusLimit = kModulusLimit;
  static constexpr int kVectors = 2;

  RINGLET_INLINE static std::size_t max_terms(std::uint64_t q) {
    return power_of_terms(104 - 2 * bit_count(q), 11);
  }
  RINGLET_INLINE static Sum start(V x) { return {x, _mm512_setzero_si512()}; }
  RINGLET_INLINE static Sum accumulate(const Sum& sum, V x, V y) {
    return {_mm512_madd52lo_epu64(sum.low, x, y), _mm512_madd52hi_epu64(sum.high, x, y)};
  }
  RINGLET_INLINE static Reduction make_reduction(const EltwiseArguments& e) {
    const std::uint64_t high = e.ratio.high >> 12;
    const std::uint64_t low = (e.ratio.high << 40 | e.ratio.low >> 24) & ((1ULL << 52) - 1);
    return {{Arithmetic::broadcast(high), Arithmetic::broadcast(low), Arithmetic::broadcast(e.q),
             Arithmetic::broadcast(2 * e.q)},
            Arithmetic::broadcast(Arithmetic::negated(e.q))};
  }
  RINGLET_INLINE static V reduce(const Sum& sum, const Reduction& r) {
    const V high = _mm512_add_epi64(sum.high, _mm512_srli_epi64(sum.low, 52));
    const V low = Arithmetic::low52(sum.low);
    V quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), low, r.quotient_high);
    quotient = _mm512_madd52hi_epu64(quotient, high, r.quotient_low);
    quotient = _mm512_madd52lo_epu64(quotient, high, r.quotient_high);
    return Arithmetic::low52(_mm512_madd52lo_epu64(low, quotient, r.negated));
  }
};

}  // namespace ringlet::kernels
