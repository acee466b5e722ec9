// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/float/avx512_float.hpp"
#include "kernels/policy/signed/signed_mont64.hpp"

namespace ringlet::kernels {

/// Eight signed 64-bit words (AVX512-DQ). Compilers that see the operands of a multiplication of
/// halves replace it by a slower one of whole words; this assembly hides it from them.
struct Avx512SignedLanes : Avx512FloatLanes {
  static constexpr int kMaxRowStages = 3;

  /// The multiples of q from -8q to 7q.
  struct Multiples {
    Vec from_zero;   ///< 0, q, ..., 7q.
    Vec to_minus_q;  ///< -8q, -7q, ..., -q.
    Real inverse;    ///< 1/q, rounded to nearest.
  };

  static Multiples multiples_of(std::uint64_t q) {
    const Vec from_zero = mul_low(broadcast(q), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    return {from_zero, sub(from_zero, broadcast(8 * q)),
            broadcast_real(1.0 / static_cast<double>(q))};
  }
  RINGLET_INLINE static Vec mul_signed(Vec x, Vec y) {
    Vec product;
    asm("vpmuldq %2, %1, %0" : "=v"(product) : "v"(x), "v"(y));
    return product;
  }
  RINGLET_INLINE static Vec high_half(Vec x) { return _mm512_srli_epi64(x, 32); }
  RINGLET_INLINE static Vec shift_half(Vec x) { return _mm512_srai_epi64(x, 32); }
  RINGLET_INLINE static Vec mul_low(Vec x, Vec y) { return _mm512_mullo_epi64(x, y); }
  RINGLET_INLINE static Vec broadcast_half(const char* p) {
    int half;
    __builtin_memcpy(&half, p, sizeof half);
    return _mm512_set1_epi32(half);
  }
  RINGLET_INLINE static Vec add_to_negative(Vec x, Vec r) { return _mm512_min_epu64(x, add(x, r)); }
  RINGLET_INLINE static Vec minus_nearest(Vec x, const Multiples& m) {
    constexpr int kToNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    // The sum is in [2^52, 2^53], where doubles are the integers: the quotient is its lower bits.
    const Real quotient =
        _mm512_fmadd_round_pd(signed_to_real(x), m.inverse, broadcast_real(0x1.8p52), kToNearest);
    return sub(x, _mm512_permutex2var_epi64(m.from_zero, real_bits(quotient), m.to_minus_q));
  }
  /// Integers |x| < 2^63, to doubles and back.
  RINGLET_INLINE static Real signed_to_real(Vec x) { return _mm512_cvtepi64_pd(x); }
};

/// The common part of the policies on 64-bit integers that reduce by quotients in doubles.
struct Avx512SignedWords : Avx512SignedLanes {
  using Word = std::uint64_t;
  static constexpr bool kHasPlainTail = true;
  static constexpr bool kOperandsAreValues = true;
  struct Constants {
    Vec q;
    Real inverse;  ///< 1/q, rounded to nearest.
  };

  RINGLET_INLINE static Constants make_constants(std::uint64_t q, TwiddlePair) {
    return {broadcast(q), broadcast_real(1.0 / static_cast<double>(q))};
  }
  RINGLET_INLINE static Vec from_operand(const std::uint64_t* p) { return load(p); }
  RINGLET_INLINE static void reduce_operand(std::uint64_t* to, const std::uint64_t* p,
                                            const Constants& m) {
    store(to, reduce_once(reduce_once(load(p), Avx512Lanes::add(m.q, m.q)), m.q));
  }
  RINGLET_INLINE static Vec reduction(std::uint64_t) { return broadcast(0); }
  RINGLET_INLINE static Vec reduce(Vec x, Vec, const Constants& m) {
    return sub(x, mul_low(from_real(mul_real(signed_to_real(x), m.inverse)), m.q));
  }
};

}  // namespace ringlet::kernels
