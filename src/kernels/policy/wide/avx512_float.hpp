// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/float/avx512_float.hpp"
#include "kernels/policy/wide/avx512.hpp"

namespace ringlet::kernels {

/// Eight double words in doubles (AVX-512): lanes for WideFloat.
struct WideAvx512FloatLanes : Avx512FloatLanes {
  using Words = WideAvx512Lanes::Words;
  /// Low and high words of eight elements.
  struct Pair {
    Vec low;
    Vec high;
  };

  static constexpr int kMaxWideRowStages = 2;

  RINGLET_INLINE static Words make_words(const WideConstants& c) {
    return WideAvx512Lanes::make_words(c);
  }
  RINGLET_INLINE static void separate(Vec& a, Vec& b) { WideAvx512Lanes::separate(a, b); }
  RINGLET_INLINE static void interleave(Vec& a, Vec& b) { WideAvx512Lanes::interleave(a, b); }

  RINGLET_INLINE static Vec bit_and(Vec x, Vec y) { return _mm512_and_si512(x, y); }
  RINGLET_INLINE static Vec bit_or(Vec x, Vec y) { return _mm512_or_si512(x, y); }
  template <int bits>
  RINGLET_INLINE static Vec shift_left_by(Vec x) {
    return _mm512_slli_epi64(x, bits);
  }
  template <int bits>
  RINGLET_INLINE static Vec shift_right_by(Vec x) {
    return _mm512_srli_epi64(x, bits);
  }

  RINGLET_INLINE static Pair add_modulo(Pair a, const Pair& b, const Words& q) {
    WideAvx512Lanes::add_modulo(a.low, a.high, b.low, b.high, q);
    return a;
  }
  RINGLET_INLINE static Pair subtract_modulo(Pair a, const Pair& b, const Words& q) {
    WideAvx512Lanes::subtract_modulo(a.low, a.high, b.low, b.high, q);
    return a;
  }
};

}  // namespace ringlet::kernels
