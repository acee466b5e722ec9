// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/harvey64/avx2_harvey64.hpp"
#include "kernels/policy/sampling/half_words.hpp"

namespace ringlet::kernels {

/// Four words, for Samples and SignedResidues (AVX2 and BMI2). The rejected words choose the entry
/// of a table, which says nothing about the words that are kept.
struct SamplingAvx2 : SamplingHalfWords<SamplingAvx2, Avx2Words> {
  /// For each set of rejected words among four, the halves of the words that are kept, in order,
  /// and then those of any words.
  alignas(32) static constexpr std::uint32_t kKeptHalves[16][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7, 0, 1}, {0, 1, 4, 5, 6, 7, 2, 3},
      {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 2, 3, 6, 7, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5},
      {0, 1, 6, 7, 2, 3, 4, 5}, {6, 7, 0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5, 6, 7},
      {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7}, {4, 5, 0, 1, 2, 3, 6, 7},
      {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
      {0, 1, 2, 3, 4, 5, 6, 7}};

  RINGLET_INLINE static Vec bit_and(Vec x, Vec y) { return _mm256_and_si256(x, y); }
  RINGLET_INLINE static Vec bit_xor(Vec x, Vec y) { return _mm256_xor_si256(x, y); }
  RINGLET_INLINE static Vec load_bytes(const std::uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  /// Bytes 0-15 and 8-23 of 24: the second half of the groups begins 4 bytes into the latter.
  RINGLET_INLINE static Vec load_sixes(const std::uint8_t* p) {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8));
    const Vec order = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, -1, -1, 6, 7, 8, 9, 10, 11, -1, -1,  //
                                       4, 5, 6, 7, 8, 9, -1, -1, 10, 11, 12, 13, 14, 15, -1, -1);
    return _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1),
                               order);
  }
  RINGLET_INLINE static Vec count_ones(Vec x) {
    const Vec ones =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const Vec low = _mm256_set1_epi8(15);
    const Vec of_low = _mm256_shuffle_epi8(ones, _mm256_and_si256(x, low));
    const Vec of_high = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi64(x, 4), low));
    return _mm256_sad_epu8(_mm256_add_epi8(of_low, of_high), _mm256_setzero_si256());
  }
  RINGLET_INLINE static void store_small(std::int8_t* p, Vec x) {
    const Vec order =
        _mm256_setr_epi8(0, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 8,
                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const Vec bytes = _mm256_shuffle_epi8(x, order);
    const int all = _mm_cvtsi128_si32(
        _mm_or_si128(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)));
    __builtin_memcpy(p, &all, sizeof all);
  }
  RINGLET_INLINE static std::size_t append_below(std::uint64_t* p, Vec x, Vec bound) {
    const Vec kept = _mm256_cmpgt_epi64(bound, x);
    const auto rejected =
        15u & ~static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(kept)));
    const Vec order = _mm256_load_si256(reinterpret_cast<const __m256i*>(kKeptHalves[rejected]));
    store(p, _mm256_permutevar8x32_epi32(x, order));
    return static_cast<std::size_t>(4 - __builtin_popcount(rejected));
  }

  RINGLET_INLINE static Vec load_signed(const std::int8_t* p) {
    int bytes;
    __builtin_memcpy(&bytes, p, sizeof bytes);
    return _mm256_cvtepi8_epi64(_mm_cvtsi32_si128(bytes));
  }
  RINGLET_INLINE static Vec load_signed(const std::int32_t* p) {
    return _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
};

}  // namespace ringlet::kernels
