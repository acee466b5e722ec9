// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/ifma52/avx512_ifma52.hpp"
#include "kernels/policy/residue/avx512.hpp"

namespace ringlet::kernels {

/// Eight words of 52 bits, for Residues and for MixedRadixLoop (AVX512-IFMA).
struct ResidueIfma52 : Avx512Ifma52, ResidueLanes512, SignedLanes512 {
  using Vec = __m512i;

  RINGLET_INLINE static Barrett make_word_barrett(std::uint64_t p, BarrettRatio ratio) {
    EltwiseArguments arguments;
    arguments.q = p;
    arguments.ratio = ratio;
    return make_barrett(arguments);
  }
  RINGLET_INLINE static Vec mul_factor52(Vec x, Vec operand, Vec quotient, Vec negated) {
    return mul_lazy(x, {operand, quotient}, {negated, negated, negated});
  }
  RINGLET_INLINE static Vec madd_low(Vec sum, Vec x, Vec y) {
    return _mm512_madd52lo_epu64(sum, x, y);
  }
  RINGLET_INLINE static Vec madd_high(Vec sum, Vec x, Vec y) {
    return _mm512_madd52hi_epu64(sum, x, y);
  }
  RINGLET_INLINE static Vec carry(Vec x) { return _mm512_srai_epi64(x, 52); }
  RINGLET_INLINE static Vec low_limb(Vec x) { return low52(x); }
  RINGLET_INLINE static Vec shift_right(Vec x, int n) {
    return _mm512_srl_epi64(x, _mm_cvtsi32_si128(n));
  }
  RINGLET_INLINE static Vec shift_left(Vec x, int n) {
    return _mm512_sll_epi64(x, _mm_cvtsi32_si128(n));
  }
};

/// HalfLimbsAvx512 under a name of this unit: its symbols must not replace those of the unit of
/// HalfLimbsAvx512, which is compiled for fewer instructions.
struct HalfLimbsIfma52 : HalfLimbsAvx512 {};

}  // namespace ringlet::kernels
