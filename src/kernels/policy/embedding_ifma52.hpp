// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/avx512_ifma52.hpp"
#include "kernels/policy/embedding_avx512.hpp"

namespace ringlet::kernels {

/// The same lanes with words of 52 bits (AVX512-IFMA).
struct EmbeddingIfma52 : EmbeddingLanes512 {
  /// What a sum of Montgomery products modulo a prime in [2^14, 2^50) is reduced with.
  struct SumDivisor {
    Vec inverse;
    Avx512Ifma52::Barrett barrett;
  };

  RINGLET_INLINE static SumDivisor make_sum_divisor(const MixedRadixPrime& prime) {
    EltwiseArguments arguments;
    arguments.q = prime.q;
    arguments.ratio = prime.ratio;
    return {broadcast(prime.inverse52), Avx512Ifma52::make_barrett(arguments)};
  }
  /// sums += x * y, low and high words apart.
  RINGLET_INLINE static void add_product(Vec& low, Vec& high, Vec x, Vec y) {
    low = _mm512_madd52lo_epu64(low, x, y);
    high = _mm512_madd52hi_epu64(high, x, y);
  }
  /// (low + high * 2^52) / 2^52 mod q in [0, q): less the multiple of q with the same low word.
  RINGLET_INLINE static Vec reduce_sum(Vec low, Vec high, const SumDivisor& d) {
    const Vec zero = _mm512_setzero_si512();
    const Vec multiple = _mm512_madd52lo_epu64(zero, low, d.inverse);
    const Vec carried = _mm512_madd52hi_epu64(zero, multiple, d.barrett.q);
    const Vec top =
        _mm512_add_epi64(_mm512_add_epi64(high, d.barrett.q), _mm512_srli_epi64(low, 52));
    const Vec rest = Avx512Ifma52::reduce_word(_mm512_sub_epi64(top, carried), d.barrett);
    return _mm512_min_epu64(rest, _mm512_sub_epi64(rest, d.barrett.q));
  }
};

}  // namespace ringlet::kernels
