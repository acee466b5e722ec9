// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/embedding/words.hpp"
#include "kernels/policy/float/avx2_float.hpp"

namespace ringlet::kernels {

/// Four doubles or words, for the embedding (AVX2 and FMA). AVX2 has no conversions of 64-bit
/// words, so their halves become doubles, the upper one times 2^32.
struct EmbeddingAvx2 : Avx2FloatLanes {
  using Flags = __m256i;  ///< All ones or 0.

  struct Divisor {
    Vec q;
    Real real_q;
    Real inverse;
  };

  static constexpr std::size_t kLanes = 4;
  static constexpr std::uint64_t kMinReduced = std::uint64_t{1} << 20;
  /// Below this, the upper half minus the multiple of q is below q + 2^32 and exact.
  static constexpr std::uint64_t kMaxReduced = std::uint64_t{1} << 51;

  RINGLET_INLINE static Real load_real(const double* p) { return _mm256_loadu_pd(p); }
  RINGLET_INLINE static void store_real(double* p, Real x) { _mm256_storeu_pd(p, x); }

  RINGLET_INLINE static void to_quarters(Real (&)[4]) {}
  RINGLET_INLINE static void from_quarters(Real (&)[4]) {}
  RINGLET_INLINE static void transpose(Real (&x)[4]) {
    const Real even_low = _mm256_unpacklo_pd(x[0], x[1]);
    const Real odd_low = _mm256_unpackhi_pd(x[0], x[1]);
    const Real even_high = _mm256_unpacklo_pd(x[2], x[3]);
    const Real odd_high = _mm256_unpackhi_pd(x[2], x[3]);
    x[0] = _mm256_permute2f128_pd(even_low, even_high, 0x20);
    x[1] = _mm256_permute2f128_pd(odd_low, odd_high, 0x20);
    x[2] = _mm256_permute2f128_pd(even_low, even_high, 0x31);
    x[3] = _mm256_permute2f128_pd(odd_low, odd_high, 0x31);
  }
  RINGLET_INLINE static Real per_block(const double* p) { return _mm256_broadcast_sd(p); }

  RINGLET_INLINE static Vec magnitude(Vec x) {
    return _mm256_and_si256(x, broadcast(kMagnitudeBits));
  }
  RINGLET_INLINE static Vec larger(Vec x, Vec y) {
    return _mm256_blendv_epi8(x, y, _mm256_cmpgt_epi64(y, x));
  }
  /// Rounds as round_word does: shifts give 0 for counts that are negative or above 63.
  RINGLET_INLINE static Vec round(Vec x, Vec offset) {
    const Vec zero = _mm256_setzero_si256();
    const Vec one = broadcast(1);
    const Vec field = _mm256_srli_epi64(magnitude(x), 52);
    const Vec is_subnormal = _mm256_cmpeq_epi64(field, zero);
    const Vec hidden = _mm256_andnot_si256(is_subnormal, broadcast(kHiddenBit));
    const Vec mantissa = _mm256_or_si256(_mm256_and_si256(x, broadcast(kHiddenBit - 1)), hidden);
    const Vec exponent = _mm256_add_epi64(_mm256_sub_epi64(field, is_subnormal), offset);
    const Vec dropped = _mm256_sub_epi64(zero, exponent);
    const Vec half = _mm256_sllv_epi64(one, _mm256_sub_epi64(dropped, one));
    const Vec right = _mm256_srlv_epi64(_mm256_add_epi64(mantissa, half), dropped);
    const Vec size = _mm256_or_si256(_mm256_sllv_epi64(mantissa, exponent), right);
    const Vec negative = _mm256_cmpgt_epi64(zero, x);
    return _mm256_sub_epi64(_mm256_xor_si256(size, negative), negative);
  }
  RINGLET_INLINE static Divisor make_divisor(std::uint64_t q) {
    const auto real_q = static_cast<double>(q);
    return {broadcast(q), broadcast_real(real_q), broadcast_real(1.0 / real_q)};
  }
  RINGLET_INLINE static Vec reduce(Vec x, const Divisor& d) {
    // With its sign bit flipped, x is unsigned and 2^63 too large.
    const Vec flipped = _mm256_xor_si256(x, broadcast(~kMagnitudeBits));
    const Real high = _mm256_sub_pd(high_part(flipped), broadcast_real(0x1p84 + 0x1p63));
    const Real low = _mm256_sub_pd(low_part(x), broadcast_real(0x1p52));
    const Real quotient = _mm256_round_pd(_mm256_mul_pd(_mm256_add_pd(high, low), d.inverse),
                                          _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const Real rest = _mm256_add_pd(_mm256_fnmadd_pd(quotient, d.real_q, high), low);
    const Real unit = broadcast_real(0x1.8p52);
    const Vec word = _mm256_sub_epi64(real_bits(_mm256_add_pd(rest, unit)), real_bits(unit));
    const Vec negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), word);
    return _mm256_add_epi64(word, _mm256_and_si256(negative, d.q));
  }

  RINGLET_INLINE static Flags no_flags() { return _mm256_setzero_si256(); }
  RINGLET_INLINE static Flags above(Vec x, Vec half, Flags flags) {
    return _mm256_cmpgt_epi64(_mm256_sub_epi64(x, flags), half);
  }
  RINGLET_INLINE static Vec complement_where(Vec x, Vec top, Flags flags) {
    return _mm256_blendv_epi8(x, _mm256_sub_epi64(top, x), flags);
  }
  RINGLET_INLINE static Real to_real(Vec x) {
    const Real high = _mm256_sub_pd(high_part(x), broadcast_real(0x1p84 + 0x1p52));
    return _mm256_add_pd(high, low_part(x));
  }
  RINGLET_INLINE static Real real_where(Flags flags, Real x) {
    return _mm256_and_pd(_mm256_castsi256_pd(flags), x);
  }
  RINGLET_INLINE static Real negate_where(Real x, Flags flags) {
    return _mm256_xor_pd(x, _mm256_and_pd(_mm256_castsi256_pd(flags), broadcast_real(-0.0)));
  }

  RINGLET_INLINE static void scatter_pairs(double* re, double* im, const std::uint32_t* places,
                                           const double* slots, double factor) {
    const Real factors = _mm256_setr_pd(factor, factor, factor, -factor);
    for (int k = 0; k < 4; k += 2) {
      const Real x = _mm256_mul_pd(flush(_mm256_loadu_pd(slots + 2 * k)), factors);
      const __m128d high = _mm256_extractf128_pd(x, 1);
      _mm_storel_pd(re + places[k], _mm256_castpd256_pd128(x));
      _mm_storeh_pd(im + places[k], _mm256_castpd256_pd128(x));
      _mm_storel_pd(re + places[k + 1], high);
      _mm_storeh_pd(im + places[k + 1], high);
    }
  }
  RINGLET_INLINE static void scatter_reals(double* re, const std::uint32_t* places,
                                           const double* slots, double factor) {
    const Real x = _mm256_mul_pd(flush(_mm256_loadu_pd(slots)), broadcast_real(factor));
    const __m128d high = _mm256_extractf128_pd(x, 1);
    _mm_storel_pd(re + places[0], _mm256_castpd256_pd128(x));
    _mm_storeh_pd(re + places[1], _mm256_castpd256_pd128(x));
    _mm_storel_pd(re + places[2], high);
    _mm_storeh_pd(re + places[3], high);
  }
  RINGLET_INLINE static void gather_pairs(double* slots, const std::uint32_t* places,
                                          const double* re, const double* im) {
    const Real signs = _mm256_setr_pd(0.0, 0.0, 0.0, -0.0);
    for (int k = 0; k < 4; k += 2) {
      const __m128d low = _mm_loadh_pd(_mm_load_sd(re + places[k]), im + places[k]);
      const __m128d high = _mm_loadh_pd(_mm_load_sd(re + places[k + 1]), im + places[k + 1]);
      _mm256_storeu_pd(slots + 2 * k, _mm256_xor_pd(_mm256_set_m128d(high, low), signs));
    }
  }
  RINGLET_INLINE static void gather_reals(double* slots, const std::uint32_t* places,
                                          const double* re) {
    const __m128d low = _mm_loadh_pd(_mm_load_sd(re + places[0]), re + places[1]);
    const __m128d high = _mm_loadh_pd(_mm_load_sd(re + places[2]), re + places[3]);
    _mm256_storeu_pd(slots, _mm256_set_m128d(high, low));
  }

 private:
  /// high_part: the upper half of a word times 2^32, plus 2^84; low_part: the lower one plus 2^52.
  RINGLET_INLINE static Real high_part(Vec x) {
    const Vec unit = real_bits(broadcast_real(0x1p84));
    return _mm256_castsi256_pd(_mm256_or_si256(_mm256_srli_epi64(x, 32), unit));
  }
  RINGLET_INLINE static Real low_part(Vec x) {
    return _mm256_castsi256_pd(_mm256_blend_epi32(real_bits(broadcast_real(0x1p52)), x, 0x55));
  }
  RINGLET_INLINE static Real flush(Real x) {
    const Vec tiny = _mm256_cmpgt_epi64(broadcast(kTinyBits), magnitude(real_bits(x)));
    return _mm256_andnot_pd(_mm256_castsi256_pd(tiny), x);
  }
};

}  // namespace ringlet::kernels
