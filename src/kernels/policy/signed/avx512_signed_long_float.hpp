// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/signed/avx512_signed.hpp"

namespace ringlet::kernels {

/// 64-bit integers whose quotients are doubles, q < 2^54.
template <int kVectors>
struct SignedLongFloat : Avx512SignedWords {
  using Factor = Twiddle<SignedLongFloat>;

  static constexpr int kVectorsAtOnce = kVectors;
  static constexpr SignedArithmetic kArithmetic = SignedArithmetic::long_real;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 54;

  RINGLET_INLINE static void store_result(std::uint64_t* p, Vec x, const Constants& m) {
    store_product(p, x, m);
  }
  RINGLET_INLINE static void store_product(std::uint64_t* p, Vec x, const Constants& m) {
    store(p, add_to_negative(reduce(x, x, m), m.q));
  }
  RINGLET_INLINE static Vec product(Vec y, const Factor& w, const Constants& m) {
    const Vec quotient = from_real(mul_real(signed_to_real(y), from_bits(w.quotient)));
    return sub(mul_low(y, w.operand), mul_low(quotient, m.q));
  }
  RINGLET_INLINE static Factor broadcast_factor(const std::uint64_t* words) {
    return {broadcast(words[0]), broadcast(words[1])};
  }
  template <int v>
  RINGLET_INLINE static Factor lane_factor(const std::uint64_t* words) {
    return {lane_words<v>(words), lane_words<v>(words + kLaneLayout.words[v])};
  }
};

}  // namespace ringlet::kernels
