// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ringlet/export.hpp"

// How far values may grow between the reductions of a lazy transform, in words of 52 bits.
// Portable: the builder of the tables decides with these functions which stages reduce, and the
// test of the ranges propagates intervals through what they decided. docs/notes/lazy52.md has the
// proof.

namespace ringlet::kernels {

inline constexpr int kLazyWordBits = 52;
inline constexpr std::uint64_t kLazyWord = std::uint64_t{1} << kLazyWordBits;
inline constexpr std::uint64_t kLazyModulusLimit = std::uint64_t{1} << 50;
/// More stages than any transform has.
inline constexpr int kMaxLazyStages = 24;

/// What a product by a fraction adds to it, in units of 2^-52: more than its error, and so little
/// that q times it stays below 2^51.
inline constexpr std::uint64_t kFractionRounding = 2;

/// Values in [lower, upper) modulo 2^52.
struct LazyInterval {
  std::uint64_t lower = 0;
  std::uint64_t upper = 0;
};

/// What a reduction adds, in units of q, so that values stay above zero for K stages of a forward
/// transform, each of which moves them by at most (q - 1)/2.
RINGLET_INLINE constexpr std::uint64_t forward_bias_count(int per_reduction) {
  return static_cast<std::uint64_t>((per_reduction + 1) / 2);
}
RINGLET_INLINE constexpr std::uint64_t forward_bias(std::uint64_t q, int per_reduction) {
  return forward_bias_count(per_reduction) * q;
}

/// Where all values are `since` stages after a reduction, which leaves them in bias + [0, 2q).
RINGLET_INLINE constexpr LazyInterval forward_interval(std::uint64_t q, int per_reduction,
                                                       int since) {
  const std::uint64_t bias = forward_bias(q, per_reduction);
  const std::uint64_t moved = static_cast<std::uint64_t>(since) * (q / 2);
  return {bias - moved, bias + 2 * q + moved};
}

/// K, the largest number of forward stages per reduction for which all values fit a word: the
/// largest even K with (K + 2)*q <= 2^52, and one more where (K + 3.5)*q does too. At least 2 for
/// q < 2^50.
RINGLET_INLINE constexpr int stages_per_reduction(std::uint64_t q) {
  int stages = 1;
  for (int k = 2; k <= kMaxLazyStages; ++k) {
    if (forward_interval(q, k, k).upper <= kLazyWord) stages = k;
  }
  return stages;
}

/// The reductions of the stages from `first` on; bit u of `reducing` belongs to stage first + u.
struct ForwardStages {
  std::uint32_t reducing = 0;
  int first = 0;
  int per_reduction = 1;  ///< K.

  RINGLET_INLINE constexpr bool reduces(int u) const { return (reducing >> u & 1) != 0; }
  RINGLET_INLINE constexpr ForwardStages from(int u) const {
    return {reducing >> u, first + u, per_reduction};
  }
};

/// The stages of a forward transform: every K-th one reduces the operands that it does not
/// multiply. Stage 0 is not among them, it adds the bias to reduced input.
RINGLET_INLINE constexpr ForwardStages forward_stages(int log_degree, int per_reduction) {
  ForwardStages stages{0, 0, per_reduction};
  for (int s = per_reduction; s < log_degree; s += per_reduction) {
    stages.reducing |= std::uint32_t{1} << s;
  }
  return stages;
}

}  // namespace ringlet::kernels
