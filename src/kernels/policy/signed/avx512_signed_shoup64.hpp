// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/signed/avx512_signed.hpp"

namespace ringlet::kernels {

/// 64-bit integers with Shoup's quotients, rounded down after three products of halves; q < 2^61.
template <int kVectors>
struct SignedShoup64 : Avx512SignedWords {
  struct Factor {
    Vec operand;
    Vec low;
    Vec high;
  };

  static constexpr int kVectorsAtOnce = kVectors;
  static constexpr SignedArithmetic kArithmetic = SignedArithmetic::shoup64;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 61;

  RINGLET_INLINE static void store_result(std::uint64_t* p, Vec x, const Constants& m) {
    store(p, add_to_negative(reduce(x, x, m), m.q));
  }
  RINGLET_INLINE static void store_product(std::uint64_t* p, Vec x, const Constants& m) {
    store(p, reduce_once(add_to_negative(x, m.q), m.q));
  }
  RINGLET_INLINE static Vec product(Vec y, const Factor& w, const Constants& m) {
    const Vec y1 = high_half(add(y, broadcast(std::uint64_t{1} << 31)));
    const Vec middle = add(mul_signed(y1, w.low), mul_signed(y, w.high));
    const Vec quotient = add(mul_signed(y1, w.high), shift_half(middle));
    return sub(mul_low(y, w.operand), mul_low(quotient, m.q));
  }
  RINGLET_INLINE static Factor broadcast_factor(const std::uint64_t* words) {
    const auto* const halves = reinterpret_cast<const char*>(words + 1);
    return {broadcast(words[0]), broadcast_half(halves), broadcast_half(halves + 4)};
  }
  template <int v>
  RINGLET_INLINE static Factor lane_factor(const std::uint64_t* words) {
    const Vec quotient = lane_words<v>(words + kLaneLayout.words[v]);
    return {lane_words<v>(words), quotient, high_half(quotient)};
  }
};

}  // namespace ringlet::kernels
