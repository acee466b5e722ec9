// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include "arith/double_word.hpp"

// Ranges of double words in three limbs of 52 bits, for builds with RINGLET_CHECK_RANGES. The
// checks are calls: inlined, their loops take longer to compile than the rest of a unit.

namespace ringlet::kernels {

#ifdef RINGLET_CHECK_RANGES
/// l0 + l1*B + l2*B^2 modulo B^3 for signed words l0 and l1 and B = 2^52.
struct LimbValue {
  std::uint64_t high = 0;  ///< floor(value / B^2).
  uint128_t low = 0;

  friend bool operator<(const LimbValue& a, const LimbValue& b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }
};

inline constexpr std::uint64_t kLimbMask = (std::uint64_t{1} << 52) - 1;

RINGLET_INLINE LimbValue limb_value(const std::uint64_t* limbs, int stride) {
  const auto carry = [](std::uint64_t x) __attribute__((always_inline)) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> 52);
  };
  const std::uint64_t middle = limbs[stride] + carry(limbs[0]);
  return {(limbs[2 * stride] + carry(middle)) & kLimbMask,
          static_cast<uint128_t>(middle & kLimbMask) << 52 | (limbs[0] & kLimbMask)};
}

/// q * multiple, multiple < 2^24.
RINGLET_INLINE LimbValue limb_multiple(uint128_t q, std::uint64_t multiple) {
  constexpr uint128_t kLow = (uint128_t{1} << 104) - 1;
  const uint128_t low = (q & kLow) * multiple;
  return {low_word(q >> 104) * multiple + low_word(low >> 104), low & kLow};
}

/// Stops the process unless each lane is below q * multiple, and its first two limbs are so far
/// from the ends of their words that sums of two of them fit.
__attribute__((noinline)) static void trap_unless_limbs_below(const __m512i (&limb)[3], uint128_t q,
                                                              std::uint64_t multiple) {
  std::uint64_t words[24];
  for (int i = 0; i < 3; ++i) _mm512_storeu_si512(words + 8 * i, limb[i]);
  const LimbValue bound = limb_multiple(q, multiple);
  for (int lane = 0; lane < 8; ++lane) {
    if (!(limb_value(words + lane, 8) < bound)) __builtin_trap();
    for (int i = 0; i < 2; ++i) {
      constexpr std::uint64_t kQuarter = std::uint64_t{1} << 62;
      if (words[8 * i + lane] + kQuarter >= 2 * kQuarter) __builtin_trap();
    }
  }
}

/// Stops the process unless each lane is below `bound`, which is in limbs.
__attribute__((noinline)) static void trap_unless_limbs_below(const __m512i (&limb)[3],
                                                              const __m512i (&bound)[3]) {
  std::uint64_t words[24];
  std::uint64_t bounds[24];
  for (int i = 0; i < 3; ++i) {
    _mm512_storeu_si512(words + 8 * i, limb[i]);
    _mm512_storeu_si512(bounds + 8 * i, bound[i]);
  }
  for (int lane = 0; lane < 8; ++lane) {
    if (!(limb_value(words + lane, 8) < limb_value(bounds + lane, 8))) __builtin_trap();
  }
}
#endif

}  // namespace ringlet::kernels
