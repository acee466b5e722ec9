// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "kernels/policy/harvey64/half_words.hpp"

namespace ringlet::kernels {

/// Fields of two bits, for Samples (BMI2): every field becomes a byte, and pext takes out the bytes
/// that are 3.
template <typename L>
struct SamplingFields : L {
  static constexpr std::size_t kFieldBytes = 2;

  RINGLET_INLINE static std::size_t append_fields(std::int8_t* p, const std::uint8_t* bytes) {
    constexpr std::uint64_t kOnes = 0x0101010101010101u;
    std::uint16_t two;
    __builtin_memcpy(&two, bytes, sizeof two);
    const std::uint64_t fields = _pdep_u64(two, 3 * kOnes);
    const std::uint64_t kept = ((fields & (fields >> 1) & kOnes) ^ kOnes) * 255;
    // Flipping the top bit on both sides keeps the subtraction inside of its byte.
    const std::uint64_t values = ((fields | 128 * kOnes) - kOnes) ^ (128 * kOnes);
    const std::uint64_t all = _pext_u64(values, kept);
    __builtin_memcpy(p, &all, sizeof all);
    return static_cast<std::size_t>(__builtin_popcountll(kept)) / 8;
  }
};

/// The functions that SignedResidues needs of the policy A on the lanes L. Each unit has an
/// instance of its own for its instruction set.
template <typename A, typename L>
struct SamplingHalfWords : HalfWords<A, SamplingFields<L>> {
  using Base = HalfWords<A, SamplingFields<L>>;
  using typename Base::Vec;
  struct Scale {
    Factor<A> factor;
    typename Base::Barrett barrett;
  };
  static constexpr int kScaleBits = 64;
  static constexpr int kScaleModulusBits = 62;

  RINGLET_INLINE static Scale make_scale(std::uint64_t q, std::uint64_t w, std::uint64_t v) {
    typename Base::Barrett barrett{};
    barrett.q = Base::broadcast(q);
    barrett.two_q = Base::broadcast(2 * q);
    return {Base::make_factor(w, v), barrett};
  }
  RINGLET_INLINE static Vec scale(Vec x, const Scale& s) {
    const Vec product = Base::mul_factor_word(x, s.factor, s.barrett);
    return Base::reduce_once(Base::reduce_once(product, s.barrett.two_q), s.barrett.q);
  }
};

}  // namespace ringlet::kernels
