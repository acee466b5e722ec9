// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ringlet/base/export.hpp"

// Scalar modular arithmetic on 64-bit words. Unless a comment says otherwise, functions are
// constant time and do not branch on their operands. They are always inlined, so that kernel units
// of every instruction set may include this file. A "reduced" number is in [0, q), where q is the
// modulus.

namespace ringlet {

__extension__ using uint128_t = unsigned __int128;

/// Returns the high 64 bits of the 128-bit product a*b.
RINGLET_INLINE constexpr std::uint64_t mul_high(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::uint64_t>((static_cast<uint128_t>(a) * b) >> 64);
}

/// Returns `value` in a way that hides it from the optimiser. Otherwise the optimiser may turn a
/// mask that comes from a comparison back into a branch, and the time then depends on the data.
RINGLET_INLINE constexpr std::uint64_t opaque(std::uint64_t value) noexcept {
  if (!std::is_constant_evaluated()) asm("" : "+r"(value));
  return value;
}

/// Returns x - bound if x >= bound, else x: in [0, bound) for x in [0, 2*bound) and bound <= 2^63.
/// Tests the sign of the difference, which costs less than a comparison.
RINGLET_INLINE constexpr std::uint64_t subtract_if_at_least(std::uint64_t x,
                                                            std::uint64_t bound) noexcept {
  const std::uint64_t difference = x - bound;
  const std::uint64_t keep =
      opaque(static_cast<std::uint64_t>(static_cast<std::int64_t>(difference) >> 63));
  return difference + (bound & keep);
}

/// Returns (a + b) mod q, for reduced a and b and q < 2^63.
RINGLET_INLINE constexpr std::uint64_t add_mod(std::uint64_t a, std::uint64_t b,
                                               std::uint64_t q) noexcept {
  return subtract_if_at_least(a + b, q);
}

/// Returns (a - b) mod q, for reduced a and b and q < 2^63.
RINGLET_INLINE constexpr std::uint64_t sub_mod(std::uint64_t a, std::uint64_t b,
                                               std::uint64_t q) noexcept {
  return subtract_if_at_least(a + (q - b), q);
}

/// Returns -a mod q, for reduced a and q < 2^63.
RINGLET_INLINE constexpr std::uint64_t negate_mod(std::uint64_t a, std::uint64_t q) noexcept {
  return subtract_if_at_least(q - a, q);
}

/// Returns Shoup's quotient, floor(w * 2^64 / q), for w < q. With this quotient, x*w mod q costs
/// two multiplications besides x*w and no division. Uses a 128-bit division: call it only to
/// precompute, with public values.
RINGLET_INLINE constexpr std::uint64_t shoup_quotient(std::uint64_t w, std::uint64_t q) noexcept {
  return static_cast<std::uint64_t>((static_cast<uint128_t>(w) << 64) / q);
}

/// Returns a number in [0, 2q) that is congruent to x*w modulo q, for any 64-bit x, w < q < 2^63
/// and w_quotient = shoup_quotient(w, q). Harvey, "Faster arithmetic for number-theoretic
/// transforms".
RINGLET_INLINE constexpr std::uint64_t mul_mod_lazy(std::uint64_t x, std::uint64_t w,
                                                    std::uint64_t w_quotient,
                                                    std::uint64_t q) noexcept {
  return x * w - mul_high(x, w_quotient) * q;
}

/// Returns x*w mod q, reduced. Operands are those of mul_mod_lazy.
RINGLET_INLINE constexpr std::uint64_t mul_mod_shoup(std::uint64_t x, std::uint64_t w,
                                                     std::uint64_t w_quotient,
                                                     std::uint64_t q) noexcept {
  return subtract_if_at_least(mul_mod_lazy(x, w, w_quotient, q), q);
}

/// Holds floor(2^128 / q), the Barrett constant of a modulus q in [2, 2^63).
struct BarrettRatio {
  std::uint64_t low = 0;   ///< Low 64 bits of floor(2^128 / q).
  std::uint64_t high = 0;  ///< High 64 bits of floor(2^128 / q).
};

/// Returns x mod q, reduced, for any 64-bit x and q in [2, 2^63). Barrett reduction.
RINGLET_INLINE constexpr std::uint64_t barrett_reduce(std::uint64_t x, std::uint64_t q,
                                                      BarrettRatio ratio) noexcept {
  return subtract_if_at_least(x - mul_high(x, ratio.high) * q, q);
}

/// Returns x mod q, reduced, for any 128-bit x < q * 2^64 and q in [2, 2^63). Barrett reduction;
/// the quotient has one word and is at most 1 too small.
RINGLET_INLINE constexpr std::uint64_t barrett_reduce_wide(uint128_t x, std::uint64_t q,
                                                           BarrettRatio ratio) noexcept {
  const auto low = static_cast<std::uint64_t>(x);
  const auto high = static_cast<std::uint64_t>(x >> 64);
  // floor(x * ratio / 2^128), from all four partial products so that no carry is lost.
  const uint128_t low_high = static_cast<uint128_t>(low) * ratio.high;
  const uint128_t high_low = static_cast<uint128_t>(high) * ratio.low + mul_high(low, ratio.low) +
                             static_cast<std::uint64_t>(low_high);
  const std::uint64_t quotient = high * ratio.high + static_cast<std::uint64_t>(low_high >> 64) +
                                 static_cast<std::uint64_t>(high_low >> 64);
  return subtract_if_at_least(low - quotient * q, q);
}

/// Returns a*b mod q, reduced, for a*b < q * 2^64 and q in [2, 2^63). Reduced a and b meet this
/// condition.
RINGLET_INLINE constexpr std::uint64_t mul_mod(std::uint64_t a, std::uint64_t b, std::uint64_t q,
                                               BarrettRatio ratio) noexcept {
  return barrett_reduce_wide(static_cast<uint128_t>(a) * b, q, ratio);
}

}  // namespace ringlet
