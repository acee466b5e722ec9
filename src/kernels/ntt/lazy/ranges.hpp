// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ringlet/base/export.hpp"

// How far values may grow between the reductions of a lazy transform, in words of 52 bits.
// Portable: the builder of the tables decides with these functions which stages reduce, and the
// test of the ranges propagates intervals through what they decided. docs/notes/lazy52.md has the
// proof.

namespace ringlet::kernels {

inline constexpr int kLazyWordBits = 52;
inline constexpr std::uint64_t kLazyWord = std::uint64_t{1} << kLazyWordBits;
inline constexpr std::uint64_t kLazyModulusLimit = std::uint64_t{1} << 50;
/// What a product by a fraction adds to it, in units of 2^-52: more than its error, and so little
/// that q times it stays below 2^51.
inline constexpr std::uint64_t kFractionRounding = 2;

/// Values in [lower, upper) modulo 2^52.
struct LazyInterval {
  std::uint64_t lower = 0;
  std::uint64_t upper = 0;
};

}  // namespace ringlet::kernels
