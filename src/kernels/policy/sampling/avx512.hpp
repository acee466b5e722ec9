// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/harvey64/avx512_harvey64.hpp"
#include "kernels/policy/sampling/half_words.hpp"

namespace ringlet::kernels {

/// Eight words, for Samples (AVX512-BW and DQ, BMI2).
struct SamplingLanes512 : Avx512Words {
  RINGLET_INLINE static Vec bit_and(Vec x, Vec y) { return _mm512_and_si512(x, y); }
  RINGLET_INLINE static Vec bit_xor(Vec x, Vec y) { return _mm512_xor_si512(x, y); }
  RINGLET_INLINE static Vec load_bytes(const std::uint8_t* p) { return _mm512_loadu_si512(p); }
  /// Six bytes are three words of 16 bits.
  RINGLET_INLINE static Vec load_sixes(const std::uint8_t* p) {
    const Vec order = _mm512_set_epi16(0, 23, 22, 21, 0, 20, 19, 18, 0, 17, 16, 15, 0, 14, 13, 12,
                                       0, 11, 10, 9, 0, 8, 7, 6, 0, 5, 4, 3, 0, 2, 1, 0);
    return _mm512_maskz_permutexvar_epi16(0x77777777, order, _mm512_maskz_loadu_epi64(0x3f, p));
  }
  RINGLET_INLINE static Vec count_ones(Vec x) {
    const Vec ones =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const Vec low = _mm512_set1_epi8(15);
    const Vec of_low = _mm512_shuffle_epi8(ones, _mm512_and_si512(x, low));
    const Vec of_high = _mm512_shuffle_epi8(ones, _mm512_and_si512(_mm512_srli_epi64(x, 4), low));
    return _mm512_sad_epu8(_mm512_add_epi8(of_low, of_high), _mm512_setzero_si512());
  }
  RINGLET_INLINE static void store_small(std::int8_t* p, Vec x) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm512_cvtepi64_epi8(x));
  }
  /// Compresses in a register: the instruction that compresses into memory is slow on Zen.
  RINGLET_INLINE static std::size_t append_below(std::uint64_t* p, Vec x, Vec bound) {
    const __mmask8 kept = _mm512_cmplt_epu64_mask(x, bound);
    store(p, _mm512_maskz_compress_epi64(kept, x));
    return static_cast<std::size_t>(__builtin_popcount(kept));
  }

  RINGLET_INLINE static Vec load_signed(const std::int8_t* p) {
    return _mm512_cvtepi8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  RINGLET_INLINE static Vec load_signed(const std::int32_t* p) {
    return _mm512_cvtepi32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
};

struct SamplingAvx512 : SamplingHalfWords<SamplingAvx512, SamplingLanes512> {};

}  // namespace ringlet::kernels
