// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/avx512_harvey64.hpp"
#include "kernels/policy/lazy_policy.hpp"

namespace ringlet::kernels {

/// Lazy arithmetic on eight 52-bit words with the 52-bit multiply-add (AVX512-IFMA), q < 2^50. The
/// instructions multiply the low 52 bits of each lane and add to all 64 bits, so that nothing has
/// to be masked on the way.
template <LazyReduction kReduction_>
struct Avx512Lazy52 : Avx512Lanes {
  using Self = Avx512Lazy52;
  using Modulus = LazyModulus<Self>;

  static constexpr LazyReduction kReduction = kReduction_;
  /// Stages 0 and 1 exchange groups of four and of two lanes, whose twiddles repeat: stored as
  /// pairs in 128 bits, each takes one instruction to spread.
  static constexpr LaneLayout kLaneLayout{
      3, {4, 4, 8}, {{0, 0, 1, 1}, {0, 2, 1, 3}, {0, 1, 4, 5, 2, 3, 6, 7}}, 0b011};

  RINGLET_INLINE static Modulus make_modulus(const LazyConstants& c) {
    return {opaque(broadcast(c.q)),     opaque(broadcast(kLazyWord - c.q)),
            opaque(broadcast(0 - c.q)), opaque(broadcast(c.quotient)),
            opaque(broadcast(c.bias)),  opaque(load(c.multiples))};
  }

  /// Shoup's product with a quotient of 52 bits.
  RINGLET_INLINE static Vec multiply(Vec start, Vec y, const Twiddle<Self>& w, const Modulus& m) {
    const Vec quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), y, w.quotient);
    const Vec product = _mm512_madd52lo_epu64(start, y, w.operand);
    return _mm512_madd52lo_epu64(product, quotient, m.negated);
  }
  RINGLET_INLINE static Vec reduce(Vec x, const Modulus& m) {
    if constexpr (kReduction == LazyReduction::product) {
      return subtract_multiple(add(x, m.bias), x, m);
    } else {
      // The permutation reads the low three bits of each index: bits 49 to 51 of x.
      return sub(x, _mm512_permutexvar_epi64(_mm512_srli_epi64(x, kLookupShift), m.multiples));
    }
  }
  RINGLET_INLINE static Vec remainder(Vec x, const Modulus& m) {
    return subtract_multiple(x, x, m);
  }
  RINGLET_INLINE static Vec low_word(Vec x) {
    return _mm512_and_si512(x, broadcast(kLazyWord - 1));
  }

  template <int v>
  RINGLET_INLINE static Twiddle<Self> lane_twiddle(const std::uint64_t* words) {
    const Vec first = load(words);
    if constexpr (v < 2) {
      return {_mm512_unpacklo_epi64(first, first), _mm512_unpackhi_epi64(first, first)};
    } else {
      return {first, load(words + 8)};
    }
  }

  /// Of the permutations of two vectors only the last one reads three registers: on Zen 4 those
  /// take from the multipliers.
  template <int v>
  RINGLET_INLINE static void to_lane_stage(Vec& a, Vec& b) {
    const Vec x = a;
    if constexpr (v == 0) {
      a = _mm512_shuffle_i64x2(x, b, 0x44);
      b = _mm512_shuffle_i64x2(x, b, 0xee);
    } else if constexpr (v == 1) {
      a = _mm512_shuffle_i64x2(x, b, 0x88);
      b = _mm512_shuffle_i64x2(x, b, 0xdd);
    } else if constexpr (v == 2) {
      a = _mm512_unpacklo_epi64(x, b);
      b = _mm512_unpackhi_epi64(x, b);
    } else {
      a = _mm512_permutex2var_epi64(x, _mm512_setr_epi64(0, 8, 1, 9, 4, 12, 5, 13), b);
      b = _mm512_permutex2var_epi64(x, _mm512_setr_epi64(2, 10, 3, 11, 6, 14, 7, 15), b);
    }
  }

 private:
  /// start - floor(x*floor(2^52/q) / 2^52) * q modulo 2^52: Barrett's reduction of one word.
  RINGLET_INLINE static Vec subtract_multiple(Vec start, Vec x, const Modulus& m) {
    const Vec quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, m.quotient);
    return _mm512_madd52lo_epu64(start, quotient, m.negated);
  }
  /// Keeps the compiler from computing a constant anew at every use.
  RINGLET_INLINE static Vec opaque(Vec x) {
    asm("" : "+v"(x));
    return x;
  }
};

}  // namespace ringlet::kernels
