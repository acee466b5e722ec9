// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/ifma52/avx512_ifma52.hpp"
#include "kernels/policy/sampling/avx512.hpp"

namespace ringlet::kernels {

/// Lanes of eight words for Samples and SignedResidues, by AVX512-IFMA and VBMI2. Any modulus.
struct SamplingVbmi2 : SamplingHalfWords<SamplingVbmi2, SamplingLanes512> {
  static constexpr std::size_t kFieldBytes = 16;

  /// A byte for every field: byte b of 32 bits goes to b, b << 6, b << 12 and b << 18.
  RINGLET_INLINE static std::size_t append_fields(std::int8_t* p, const std::uint8_t* bytes) {
    const Vec words =
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
    const Vec two = _mm512_or_si512(words, _mm512_slli_epi32(words, 6));
    const Vec three = _mm512_set1_epi8(3);
    const Vec fields = _mm512_and_si512(_mm512_or_si512(two, _mm512_slli_epi32(two, 12)), three);
    const __mmask64 kept = _mm512_cmpneq_epi8_mask(fields, three);
    const Vec values = _mm512_sub_epi8(fields, _mm512_set1_epi8(1));
    _mm512_storeu_si512(p, _mm512_maskz_compress_epi8(kept, values));
    return static_cast<std::size_t>(__builtin_popcountll(kept));
  }
};

/// Eight words, for SignedResidues of moduli and sums that fit the 52-bit multiply-add.
struct SamplingIfma52 : SamplingLanes512 {
  struct Scale {
    Twiddle<Avx512Ifma52> factor;
    Mod<Avx512Ifma52> modulus;
  };
  static constexpr int kScaleBits = 52;
  static constexpr int kScaleModulusBits = 50;

  RINGLET_INLINE static Scale make_scale(std::uint64_t q, std::uint64_t w, std::uint64_t v) {
    return {{broadcast(w), broadcast(v >> 12)}, broadcast_modulus<Avx512Ifma52>(q)};
  }
  RINGLET_INLINE static Vec scale(Vec x, const Scale& s) {
    return reduce_once(Avx512Ifma52::mul_lazy(x, s.factor, s.modulus), s.modulus.q);
  }
};

}  // namespace ringlet::kernels
