// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ringlet/arith/modular.hpp"

// Operations of the embedding on single doubles and words, for the portable kernel and for every
// kernel where a vector is not full. Constant time.

namespace ringlet::kernels {

inline constexpr std::uint64_t kMagnitudeBits = ~(std::uint64_t{1} << 63);
inline constexpr std::uint64_t kHiddenBit = std::uint64_t{1} << 52;
/// The bits of 2^-900. A value below it becomes 0: subnormal intermediate results are slow on some
/// processors, and their time would tell about the data.
inline constexpr std::uint64_t kTinyBits = std::uint64_t{1023 - 900} << 52;
/// The exponent field of a double minus the exponent of its last bit.
inline constexpr std::int64_t kExponentBias = 1075;

RINGLET_INLINE std::uint64_t mask_if(bool condition) {
  return std::uint64_t{0} - static_cast<std::uint64_t>(condition);
}

RINGLET_INLINE std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

RINGLET_INLINE double flush_tiny(double value) {
  const std::uint64_t bits = bits_of(value);
  const std::uint64_t kept = bits & mask_if((bits & kMagnitudeBits) >= kTinyBits);
  __builtin_memcpy(&value, &kept, sizeof value);
  return value;
}

RINGLET_INLINE std::uint64_t larger_word(std::uint64_t x, std::uint64_t y) {
  return x ^ ((x ^ y) & mask_if(y > x));
}

/// Rounds a double times 2^(offset + kExponentBias), at most 2^62 in magnitude, to an integer,
/// halves away from zero. It shifts the mantissa left, or right after it added half a unit. Shifts
/// take the same time for all counts; masks replace what is shifted out altogether.
RINGLET_INLINE std::uint64_t round_word(std::uint64_t bits, std::int64_t offset) {
  const std::uint64_t field = (bits & kMagnitudeBits) >> 52;
  const std::uint64_t is_normal = mask_if(field != 0);
  const std::uint64_t mantissa = (bits & (kHiddenBit - 1)) | (kHiddenBit & is_normal);
  // The field of a subnormal number counts as 1.
  // Opaque, so that no compiler makes a vector of several: the checks for constant time cannot
  // follow shifts of a whole vector by data.
  const auto exponent = static_cast<std::int64_t>(opaque(field + is_normal + 1)) + offset;
  const std::int64_t dropped = -exponent;
  const std::uint64_t half = std::uint64_t{1} << ((dropped - 1) & 63);
  const std::uint64_t right = (mantissa + half) >> (dropped & 63);
  const std::uint64_t left = mantissa << (exponent & 63);
  const std::uint64_t magnitude =
      (right & mask_if(dropped > 0 && dropped < 64)) | (left & mask_if(dropped <= 0));
  const std::uint64_t negative = std::uint64_t{0} - (bits >> 63);
  return (magnitude ^ negative) - negative;
}

/// Reduces a signed word of at most 2^62 in magnitude modulo q, to [0, q).
RINGLET_INLINE std::uint64_t reduce_signed(std::uint64_t x, std::uint64_t q, BarrettRatio ratio) {
  const std::uint64_t negative = std::uint64_t{0} - (x >> 63);
  const std::uint64_t residue = barrett_reduce((x ^ negative) - negative, q, ratio);
  const std::uint64_t negated = (q - residue) & mask_if(residue != 0);
  return residue ^ ((residue ^ negated) & negative);
}

}  // namespace ringlet::kernels
