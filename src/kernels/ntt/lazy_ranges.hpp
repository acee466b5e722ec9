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
/// A lookup goes by the top three bits of a word.
inline constexpr int kLookupBits = 3;
inline constexpr int kLookupEntries = 1 << kLookupBits;
inline constexpr int kLookupShift = kLazyWordBits - kLookupBits;
inline constexpr std::uint64_t kLookupStep = std::uint64_t{1} << kLookupShift;

/// How values are brought back near zero:
///   product: by two multiply-adds (Barrett);
///   lookup:  by a table of eight multiples of q, which takes one operation more and no multiplier.
enum class LazyReduction { product, lookup };

/// Width of the interval that a reduction of any word of 52 bits leaves: 2q, or for a lookup
/// max over i < 8 of (i*2^49 mod q) + 2^49, which is less than q + 2^49.
RINGLET_INLINE constexpr std::uint64_t reduced_width(std::uint64_t q, LazyReduction reduction) {
  if (reduction == LazyReduction::product) return 2 * q;
  std::uint64_t widest = 0;
  for (std::uint64_t i = 0; i < kLookupEntries; ++i) {
    const std::uint64_t rest = i * kLookupStep % q;
    if (rest > widest) widest = rest;
  }
  return widest + kLookupStep;
}

/// K, the number of forward stages per reduction: a stage moves both ends of an interval by at most
/// q, so all fits a word as long as width + 2*K*q <= 2^52. At least 1 for q < 2^50.
RINGLET_INLINE constexpr int stages_per_reduction(std::uint64_t q, LazyReduction reduction) {
  const std::uint64_t stages = (kLazyWord - reduced_width(q, reduction)) / (2 * q);
  return stages > 31 ? 31 : static_cast<int>(stages);
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

/// Values in [lower, upper) modulo 2^52.
struct LazyInterval {
  std::uint64_t lower = 0;
  std::uint64_t upper = 0;
};

/// What all values lie in after stage s of a forward transform with K = `per_reduction`.
RINGLET_INLINE constexpr LazyInterval forward_interval(std::uint64_t q, LazyReduction reduction,
                                                       int per_reduction, int s) {
  const auto since = static_cast<std::uint64_t>(s % per_reduction + 1);
  const std::uint64_t bias = static_cast<std::uint64_t>(per_reduction) * q;
  return {bias - since * q, bias + reduced_width(q, reduction) + since * q};
}

}  // namespace ringlet::kernels
