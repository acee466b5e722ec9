// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/wide/avx512_words.hpp"

// Arithmetic with wrong results, for timing alone: an existing instruction stands in for one that
// does not exist, or for another one. Each stand-in has an `asm` of its own, so that the compiler
// knows nothing about its result. The compiler cannot merge two stand-ins, drop one whose result is
// read, or compute one from constants.

namespace ringlet::kernels {

/// MQX on AVX-512 by PISA (Zhang et al., MICRO 2025). One vpmullq stands in for a product of words,
/// of which both halves are read, one masked vpaddq for an addition with carry and one masked
/// vpsubq for a subtraction with borrow. Output masks are registers that nothing writes: the
/// stand-in's cost includes them.
struct MqxProjected : WideAvx512Lanes {
  using Mask = __mmask8;
  static constexpr bool kIsExact = false;

  RINGLET_INLINE static void mul_words(Vec a, Vec b, Vec& high, Vec& low) {
    asm("vpmullq %[b], %[a], %[low]" : [low] "=v"(low) : [a] "v"(a), [b] "v"(b));
    high = low;
  }
  RINGLET_INLINE static Vec add_carry(Vec a, Vec b, Mask in, Mask& out) {
    asm("vpaddq %[b], %[a], %[a]%{%[in]%}"
        : [a] "+v"(a), [out] "=Yk"(out)
        : [b] "v"(b), [in] "Yk"(in));
    return a;
  }
  RINGLET_INLINE static Vec subtract_borrow(Vec a, Vec b, Mask in, Mask& out) {
    asm("vpsubq %[b], %[a], %[a]%{%[in]%}"
        : [a] "+v"(a), [out] "=Yk"(out)
        : [b] "v"(b), [in] "Yk"(in));
    return a;
  }
  RINGLET_INLINE static Vec add_out(Vec a, Vec b, Mask& out) {
    return add_carry(a, b, none(), out);
  }
  RINGLET_INLINE static Vec add_in(Vec a, Vec b, Mask in) {
    Mask unused;
    return add_carry(a, b, in, unused);
  }
  RINGLET_INLINE static Vec subtract_out(Vec a, Vec b, Mask& out) {
    return subtract_borrow(a, b, none(), out);
  }
  RINGLET_INLINE static Vec subtract_in(Vec a, Vec b, Mask in) {
    Mask unused;
    return subtract_borrow(a, b, in, unused);
  }

  RINGLET_INLINE static Vec mul_low(Vec a, Vec b) { return _mm512_mullo_epi64(a, b); }
  RINGLET_INLINE static Vec select(Mask mask, Vec x, Vec y) {
    return _mm512_mask_mov_epi64(x, mask, y);
  }
  RINGLET_INLINE static Vec add_where(Mask mask, Vec x, Vec y) {
    // An existing instruction, but counted with the stand-ins.
    asm("vpaddq %[y], %[x], %[x]%{%[mask]%}" : [x] "+v"(x) : [y] "v"(y), [mask] "Yk"(mask));
    return x;
  }
  RINGLET_INLINE static Vec either(Vec a, Vec b) { return _mm512_or_si512(a, b); }
  RINGLET_INLINE static Vec shift_left(Vec x, Vec n) { return _mm512_sllv_epi64(x, n); }
  RINGLET_INLINE static Vec shift_right(Vec x, Vec n) { return _mm512_srlv_epi64(x, n); }

 private:
  /// An empty mask that the compiler does not know to be empty.
  RINGLET_INLINE static Mask none() {
    Mask mask;
    asm("kxorw %0, %0, %0" : "=Yk"(mask));
    return mask;
  }
};

/// For comparisons of a stand-in with the instruction itself: the words as they are.
struct RealWords : Avx512WordArithmetic<Avx512WordInstructions> {};

/// Words whose product of halves is an instruction behind an `asm`.
#define RINGLET_HALVES_BY(name, instruction, is_exact)                 \
  struct name : Avx512WordInstructions {                               \
    static constexpr bool kIsExact = is_exact;                         \
    RINGLET_INLINE static __m512i mul_half(__m512i a, __m512i b) {     \
      __m512i product;                                                 \
      asm(instruction " %2, %1, %0" : "=v"(product) : "v"(a), "v"(b)); \
      return product;                                                  \
    }                                                                  \
  }
RINGLET_HALVES_BY(HiddenHalves, "vpmuludq", true);
RINGLET_HALVES_BY(SignedHalves, "vpmuldq", false);
RINGLET_HALVES_BY(LowProducts, "vpmullq", false);
#undef RINGLET_HALVES_BY

/// The instruction itself behind an `asm`: shows the cost of the `asm`.
struct HiddenHalfWords : Avx512WordArithmetic<HiddenHalves> {};
/// Stands in for the unsigned product of halves by the signed one.
struct SignedHalfWords : Avx512WordArithmetic<SignedHalves> {};
/// Stands in for the product of halves by the low product of words, as MQX's product does.
struct LowProductWords : Avx512WordArithmetic<LowProducts> {};

/// Stands in for masked additions by subtractions, and for subtractions by additions.
struct ExchangedSums : Avx512WordInstructions {
  static constexpr bool kIsExact = false;

  RINGLET_INLINE static __m512i add_where(__mmask8 mask, __m512i x, __m512i y) {
    asm("vpsubq %1, %0, %0%{%2%}" : "+v"(x) : "v"(y), "Yk"(mask));
    return x;
  }
  RINGLET_INLINE static __m512i subtract_where(__mmask8 mask, __m512i x, __m512i y) {
    asm("vpaddq %1, %0, %0%{%2%}" : "+v"(x) : "v"(y), "Yk"(mask));
    return x;
  }
};
struct ExchangedSumWords : Avx512WordArithmetic<ExchangedSums> {};

}  // namespace ringlet::kernels
