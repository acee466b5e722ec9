// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/harvey64/avx512_harvey64.hpp"

namespace ringlet::kernels {

/// Products by fractions for transforms on eight 52-bit words (AVX512-IFMA), q < 2^51. Each product
/// is the residue itself, so that sums of two fit a word: docs/notes/lazy52.md.
struct Avx512Exact52 : Avx512Lanes {
  static constexpr int kQuotientBits = 52;
  static constexpr bool kProductsAreResidues = true;
  static constexpr int kMaxRowStages = 3;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 51;

  RINGLET_INLINE static std::uint64_t negated(std::uint64_t q) { return 0 - q; }

  template <int v>
  RINGLET_INLINE static Twiddle<Avx512Exact52> lane_twiddle(const std::uint64_t* words) {
    return {lane_words<v>(words), lane_words<v>(words + kLaneLayout.words[v])};
  }
  /// y in [0, 2^52) -> y*w mod q in [0, q), for w as a fraction.
  RINGLET_INLINE static Vec mul_lazy(Vec y, const Twiddle<Avx512Exact52>& w,
                                     const Mod<Avx512Exact52>& m) {
    const Vec rest = _mm512_madd52hi_epu64(broadcast(2), y, w.operand);
    const Vec fraction = _mm512_madd52lo_epu64(rest, y, w.quotient);
    return _mm512_madd52hi_epu64(_mm512_setzero_si512(), fraction, m.q);
  }
};

}  // namespace ringlet::kernels
