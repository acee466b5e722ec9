// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ringlet/arith/modular.hpp"

// Integers of three words modulo a wide modulus, one at a time. Constant time.

namespace ringlet::kernels {

/// Little-endian words.
using ThreeWords = std::array<std::uint64_t, 3>;

/// A wide modulus with Barrett's constant.
struct WideBarrett {
  ThreeWords q{};
  int shift = 0;               ///< Bits of q, less 1.
  std::uint64_t quotient = 0;  ///< floor((2^(shift + 64) - 1) / q).
};

/// Sets `difference` to a - b modulo 2^192. Returns 1 if there is a borrow, else 0.
RINGLET_INLINE std::uint64_t subtract_words(ThreeWords& difference, const ThreeWords& a,
                                            const ThreeWords& b) {
  std::uint64_t borrow = 0;
  for (std::size_t w = 0; w < 3; ++w) {
    const uint128_t result = static_cast<uint128_t>(a[w]) - b[w] - borrow;
    difference[w] = static_cast<std::uint64_t>(result);
    borrow = static_cast<std::uint64_t>(result >> 64) & 1;
  }
  return borrow;
}

/// a += factor * b modulo 2^192.
RINGLET_INLINE void add_product(ThreeWords& a, std::uint64_t factor, const ThreeWords& b) {
  uint128_t carry = 0;
  for (std::size_t w = 0; w < 3; ++w) {
    carry += static_cast<uint128_t>(b[w]) * factor + a[w];
    a[w] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

/// a += b modulo 2^192.
RINGLET_INLINE void add_signed(ThreeWords& a, std::int32_t b) {
  const auto low = static_cast<std::uint64_t>(static_cast<std::int64_t>(b));
  const std::uint64_t sign = 0 - (low >> 63);
  const std::array<std::uint64_t, 3> addend{low, sign, sign};
  uint128_t carry = 0;
  for (std::size_t w = 0; w < 3; ++w) {
    carry += static_cast<uint128_t>(a[w]) + addend[w];
    a[w] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

/// a -= q if the difference is not negative.
RINGLET_INLINE void subtract_modulus_once(ThreeWords& a, const ThreeWords& q) {
  ThreeWords difference;
  const std::uint64_t keep = opaque(0 - subtract_words(difference, a, q));
  for (std::size_t w = 0; w < 3; ++w) {
    a[w] = (a[w] & keep) | (difference[w] & ~keep);
  }
}

/// Returns the 64 bits of a from bit `shift` on. Bits from 192 on are 0.
RINGLET_INLINE std::uint64_t bits_from(const ThreeWords& a, int shift) {
  const auto word = static_cast<std::size_t>(shift) / 64;
  const uint128_t high = word + 1 < 3 ? a[word + 1] : 0;
  return static_cast<std::uint64_t>((high << 64 | a[word]) >> (shift % 64));
}

/// Reduces a < 2^(shift + 64) modulo q. Barrett's quotient is at most two too small: it drops the
/// bits below the shift and the fractions of the constant and of the product.
RINGLET_INLINE void reduce_words_modulo(ThreeWords& a, const WideBarrett& b) {
  const std::uint64_t quotient = mul_high(bits_from(a, b.shift), b.quotient);
  ThreeWords multiple{};
  add_product(multiple, quotient, b.q);
  subtract_words(a, a, multiple);
  subtract_modulus_once(a, b.q);
  subtract_modulus_once(a, b.q);
}

}  // namespace ringlet::kernels
