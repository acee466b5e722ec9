// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/embedding/avx512.hpp"
#include "kernels/policy/ifma52/avx512_ifma52.hpp"

namespace ringlet::kernels {

/// EmbeddingLanes512 with words of 52 bits (AVX512-IFMA).
struct EmbeddingIfma52 : EmbeddingLanes512 {
  /// Constants that reduce a sum of Montgomery products modulo a prime in [2^14, 2^50).
  struct SumDivisor {
    Vec inverse;
    Avx512Ifma52::Barrett barrett;
  };

  RINGLET_INLINE static SumDivisor make_sum_divisor(const MixedRadixPrime& prime) {
    EltwiseArguments arguments;
    arguments.q = prime.q;
    arguments.ratio = prime.ratio;
    return {broadcast(prime.inverse), Avx512Ifma52::make_barrett(arguments)};
  }
  /// sums += x * y, low and high words apart.
  RINGLET_INLINE static void add_product(Vec& low, Vec& high, Vec x, Vec y) {
    low = _mm512_madd52lo_epu64(low, x, y);
    high = _mm512_madd52hi_epu64(high, x, y);
  }
  /// (low + high * 2^52) / 2^52 mod q in [0, q), by the multiple of q with the same low word.
  RINGLET_INLINE static Vec reduce_sum(Vec low, Vec high, const SumDivisor& d) {
    const Vec zero = _mm512_setzero_si512();
    const Vec multiple = _mm512_madd52lo_epu64(zero, low, d.inverse);
    const Vec carried = _mm512_madd52hi_epu64(zero, multiple, d.barrett.q);
    const Vec top =
        _mm512_add_epi64(_mm512_add_epi64(high, d.barrett.q), _mm512_srli_epi64(low, 52));
    const Vec rest = Avx512Ifma52::reduce_word(_mm512_sub_epi64(top, carried), d.barrett);
    return _mm512_min_epu64(rest, _mm512_sub_epi64(rest, d.barrett.q));
  }

  /// A word of two limbs of 52 bits, for primes below 2^61.
  struct Limbs {
    Vec word;  ///< Instructions read its low limb.
    Vec high;
  };
  struct LimbAccumulator {
    Vec limb[3];
  };
  struct LimbDivisor {
    Limbs q;
    Vec inverse;
  };

  RINGLET_INLINE static Limbs split(Vec x) { return {x, _mm512_srli_epi64(x, 52)}; }
  RINGLET_INLINE static Limbs broadcast_limbs(std::uint64_t x) {
    return {broadcast(x), broadcast(x >> 52)};
  }
  RINGLET_INLINE static LimbDivisor make_limb_divisor(const MixedRadixPrime& prime) {
    return {broadcast_limbs(prime.q), broadcast(prime.inverse)};
  }
  /// The product of the high limbs has one limb.
  RINGLET_INLINE static void add_product(LimbAccumulator& s, const Limbs& x, const Limbs& y) {
    s.limb[0] = _mm512_madd52lo_epu64(s.limb[0], x.word, y.word);
    s.limb[1] = _mm512_madd52hi_epu64(s.limb[1], x.word, y.word);
    s.limb[1] = _mm512_madd52lo_epu64(s.limb[1], x.word, y.high);
    s.limb[1] = _mm512_madd52lo_epu64(s.limb[1], x.high, y.word);
    s.limb[2] = _mm512_madd52hi_epu64(s.limb[2], x.word, y.high);
    s.limb[2] = _mm512_madd52hi_epu64(s.limb[2], x.high, y.word);
    s.limb[2] = _mm512_madd52lo_epu64(s.limb[2], x.high, y.high);
  }
  /// sum / 2^104 mod q in [0, q), for sums of less than 2^40 products of a word below 2^61 and a
  /// residue. Once multiples of q are subtracted, limb by limb, it is between -q and q.
  RINGLET_INLINE static Vec reduce_sum(const LimbAccumulator& s, const LimbDivisor& d) {
    const Vec zero = _mm512_setzero_si512();
    const Vec first = _mm512_madd52lo_epu64(zero, s.limb[0], d.inverse);
    const Vec first_middle = middle(first, d.q);
    const Vec carried = _mm512_add_epi64(s.limb[1], _mm512_srli_epi64(s.limb[0], 52));
    const Vec limb1 = _mm512_sub_epi64(carried, first_middle);
    const Vec limb2 = _mm512_sub_epi64(s.limb[2], _mm512_madd52hi_epu64(zero, first, d.q.high));
    const Vec second = _mm512_madd52lo_epu64(zero, limb1, d.inverse);
    const Vec low = _mm512_sub_epi64(_mm512_add_epi64(limb2, _mm512_srai_epi64(limb1, 52)),
                                     middle(second, d.q));
    const Vec top = _mm512_slli_epi64(_mm512_madd52hi_epu64(zero, second, d.q.high), 52);
    const Vec rest = _mm512_sub_epi64(low, top);
    return _mm512_min_epu64(rest, _mm512_add_epi64(rest, d.q.word));
  }

 private:
  /// The middle limb of x*y for one limb x.
  RINGLET_INLINE static Vec middle(Vec x, const Limbs& y) {
    const Vec high = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, y.word);
    return _mm512_madd52lo_epu64(high, x, y.high);
  }
};

}  // namespace ringlet::kernels
