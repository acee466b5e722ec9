// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/embedding/words.hpp"
#include "kernels/policy/float/avx512_float.hpp"

namespace ringlet::kernels {

/// Eight doubles or words, for the embedding (AVX512-DQ).
struct EmbeddingLanes512 : Avx512FloatLanes {
  using Flags = __mmask8;

  struct Divisor {
    Vec q;
    Real inverse;
  };

  static constexpr std::size_t kLanes = 8;
  /// In this range the quotient from doubles, of an integer up to 2^62, is off by less than 0.51.
  static constexpr std::uint64_t kMinReduced = std::uint64_t{1} << 20;
  static constexpr std::uint64_t kMaxReduced = std::uint64_t{1} << 62;

  RINGLET_INLINE static Real load_real(const double* p) { return _mm512_loadu_pd(p); }
  RINGLET_INLINE static void store_real(double* p, Real x) { _mm512_storeu_pd(p, x); }

  RINGLET_INLINE static void to_quarters(Real (&x)[4]) {
    const Real y[4] = {low_halves(x[0], x[2]), high_halves(x[0], x[2]), low_halves(x[1], x[3]),
                       high_halves(x[1], x[3])};
    for (int k = 0; k < 4; ++k) x[k] = y[k];
  }
  RINGLET_INLINE static void from_quarters(Real (&x)[4]) {
    const Real y[4] = {low_halves(x[0], x[1]), low_halves(x[2], x[3]), high_halves(x[0], x[1]),
                       high_halves(x[2], x[3])};
    for (int k = 0; k < 4; ++k) x[k] = y[k];
  }
  RINGLET_INLINE static void transpose(Real (&x)[4]) {
    const Real even_low = _mm512_unpacklo_pd(x[0], x[1]);
    const Real odd_low = _mm512_unpackhi_pd(x[0], x[1]);
    const Real even_high = _mm512_unpacklo_pd(x[2], x[3]);
    const Real odd_high = _mm512_unpackhi_pd(x[2], x[3]);
    const Vec first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const Vec second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    x[0] = _mm512_permutex2var_pd(even_low, first, even_high);
    x[1] = _mm512_permutex2var_pd(odd_low, first, odd_high);
    x[2] = _mm512_permutex2var_pd(even_low, second, even_high);
    x[3] = _mm512_permutex2var_pd(odd_low, second, odd_high);
  }
  RINGLET_INLINE static Real per_block(const double* p) {
    return _mm512_mask_broadcastsd_pd(_mm512_set1_pd(p[0]), 0xf0, _mm_load_sd(p + 6));
  }

  RINGLET_INLINE static Vec magnitude(Vec x) {
    return _mm512_and_si512(x, broadcast(kMagnitudeBits));
  }
  RINGLET_INLINE static Vec larger(Vec x, Vec y) { return _mm512_max_epu64(x, y); }
  /// Rounds as round_word does: shifts give 0 for counts that are negative or above 63.
  RINGLET_INLINE static Vec round(Vec x, Vec offset) {
    const Vec one = broadcast(1);
    const Vec field = _mm512_srli_epi64(magnitude(x), 52);
    const Vec fraction = _mm512_and_si512(x, broadcast(kHiddenBit - 1));
    const Vec mantissa = _mm512_mask_or_epi64(fraction, _mm512_test_epi64_mask(field, field),
                                              fraction, broadcast(kHiddenBit));
    const Vec exponent = _mm512_add_epi64(_mm512_max_epu64(field, one), offset);
    const Vec dropped = _mm512_sub_epi64(_mm512_setzero_si512(), exponent);
    const Vec half = _mm512_sllv_epi64(one, _mm512_sub_epi64(dropped, one));
    const Vec right = _mm512_srlv_epi64(_mm512_add_epi64(mantissa, half), dropped);
    const Vec size = _mm512_or_si512(_mm512_sllv_epi64(mantissa, exponent), right);
    return _mm512_mask_sub_epi64(size, _mm512_movepi64_mask(x), _mm512_setzero_si512(), size);
  }
  RINGLET_INLINE static Divisor make_divisor(std::uint64_t q) {
    return {broadcast(q), broadcast_real(1.0 / static_cast<double>(q))};
  }
  RINGLET_INLINE static Vec reduce(Vec x, const Divisor& d) {
    const Vec quotient = _mm512_cvtpd_epi64(_mm512_mul_pd(_mm512_cvtepi64_pd(x), d.inverse));
    const Vec rest = _mm512_sub_epi64(x, _mm512_mullo_epi64(quotient, d.q));
    return _mm512_min_epu64(rest, _mm512_add_epi64(rest, d.q));
  }

  RINGLET_INLINE static Flags no_flags() { return 0; }
  RINGLET_INLINE static Flags above(Vec x, Vec half, Flags flags) {
    return _mm512_cmpgt_epu64_mask(_mm512_mask_add_epi64(x, flags, x, broadcast(1)), half);
  }
  RINGLET_INLINE static Vec complement_where(Vec x, Vec top, Flags flags) {
    return _mm512_mask_sub_epi64(x, flags, top, x);
  }
  RINGLET_INLINE static Real real_where(Flags flags, Real x) {
    return _mm512_maskz_mov_pd(flags, x);
  }
  RINGLET_INLINE static Real negate_where(Real x, Flags flags) {
    const Real sign = _mm512_maskz_mov_pd(flags, _mm512_set1_pd(-0.0));
    return _mm512_xor_pd(x, sign);
  }

  RINGLET_INLINE static void scatter_pairs(double* re, double* im, const std::uint32_t* places,
                                           const double* slots, double factor) {
    const Real factors =
        _mm512_setr_pd(factor, factor, factor, -factor, factor, factor, factor, -factor);
    const Real x = _mm512_mul_pd(flush(_mm512_loadu_pd(slots)), factors);
    store_pair(re, im, places[0], _mm512_castpd512_pd128(x));
    store_pair(re, im, places[1], _mm512_extractf64x2_pd(x, 1));
    store_pair(re, im, places[2], _mm512_extractf64x2_pd(x, 2));
    store_pair(re, im, places[3], _mm512_extractf64x2_pd(x, 3));
  }
  RINGLET_INLINE static void scatter_reals(double* re, const std::uint32_t* places,
                                           const double* slots, double factor) {
    const Real all = flush(_mm512_castpd256_pd512(_mm256_loadu_pd(slots)));
    const __m256d x = _mm256_mul_pd(_mm512_castpd512_pd256(all), _mm256_set1_pd(factor));
    const __m128d high = _mm256_extractf128_pd(x, 1);
    _mm_storel_pd(re + places[0], _mm256_castpd256_pd128(x));
    _mm_storeh_pd(re + places[1], _mm256_castpd256_pd128(x));
    _mm_storel_pd(re + places[2], high);
    _mm_storeh_pd(re + places[3], high);
  }
  RINGLET_INLINE static void gather_pairs(double* slots, const std::uint32_t* places,
                                          const double* re, const double* im) {
    const __m256d low =
        _mm256_set_m128d(load_pair(re, im, places[1]), load_pair(re, im, places[0]));
    const __m256d high =
        _mm256_set_m128d(load_pair(re, im, places[3]), load_pair(re, im, places[2]));
    const Real x = _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
    const Real signs = _mm512_setr_pd(0.0, 0.0, 0.0, -0.0, 0.0, 0.0, 0.0, -0.0);
    _mm512_storeu_pd(slots, _mm512_xor_pd(x, signs));
  }
  RINGLET_INLINE static void gather_reals(double* slots, const std::uint32_t* places,
                                          const double* re) {
    const __m128d low = _mm_loadh_pd(_mm_load_sd(re + places[0]), re + places[1]);
    const __m128d high = _mm_loadh_pd(_mm_load_sd(re + places[2]), re + places[3]);
    _mm256_storeu_pd(slots, _mm256_set_m128d(high, low));
  }

 private:
  RINGLET_INLINE static Real low_halves(Real x, Real y) { return _mm512_shuffle_f64x2(x, y, 0x44); }
  RINGLET_INLINE static Real high_halves(Real x, Real y) {
    return _mm512_shuffle_f64x2(x, y, 0xee);
  }
  RINGLET_INLINE static Real flush(Real x) {
    const __mmask8 kept = _mm512_cmpge_epu64_mask(magnitude(real_bits(x)), broadcast(kTinyBits));
    return _mm512_maskz_mov_pd(kept, x);
  }
  RINGLET_INLINE static void store_pair(double* re, double* im, std::size_t place, __m128d x) {
    _mm_storel_pd(re + place, x);
    _mm_storeh_pd(im + place, x);
  }
  RINGLET_INLINE static __m128d load_pair(const double* re, const double* im, std::size_t place) {
    return _mm_loadh_pd(_mm_load_sd(re + place), im + place);
  }
};

struct EmbeddingAvx512 : EmbeddingLanes512 {};

}  // namespace ringlet::kernels
