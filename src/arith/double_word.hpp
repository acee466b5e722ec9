// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ringlet/arith/modular.hpp"
#include "ringlet/base/export.hpp"

// Arithmetic on integers of two 64-bit words and on residues modulo an odd q < 2^124. It has no
// branches on operands, is constant time and always inlined: kernel units may include it.

namespace ringlet {

/// Moduli of double words are below 2^kMaxDoubleModulusBits: 16q fits two words.
inline constexpr int kMaxDoubleModulusBits = 124;

RINGLET_INLINE constexpr std::uint64_t low_word(uint128_t x) noexcept {
  return static_cast<std::uint64_t>(x);
}
RINGLET_INLINE constexpr std::uint64_t high_word(uint128_t x) noexcept {
  return static_cast<std::uint64_t>(x >> 64);
}
RINGLET_INLINE constexpr uint128_t join_words(std::uint64_t low, std::uint64_t high) noexcept {
  return static_cast<uint128_t>(high) << 64 | low;
}

RINGLET_INLINE constexpr uint128_t mul_words(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<uint128_t>(a) * b;
}

/// An integer of four words.
struct QuadWord {
  uint128_t low = 0;
  uint128_t high = 0;
};

/// a*b, schoolbook: four products of words.
RINGLET_INLINE constexpr QuadWord mul_double(uint128_t a, uint128_t b) noexcept {
  const uint128_t low = mul_words(low_word(a), low_word(b));
  const uint128_t cross = mul_words(low_word(a), high_word(b)) + high_word(low);
  const uint128_t middle = mul_words(high_word(a), low_word(b)) + low_word(cross);
  const uint128_t high = mul_words(high_word(a), high_word(b)) + high_word(cross);
  return {join_words(low_word(low), low_word(middle)), high + high_word(middle)};
}

/// a*b modulo 2^128: three products of words.
RINGLET_INLINE constexpr uint128_t mul_double_low(uint128_t a, uint128_t b) noexcept {
  return a * b;
}

/// floor(a*b / 2^128).
RINGLET_INLINE constexpr uint128_t mul_double_high(uint128_t a, uint128_t b) noexcept {
  return mul_double(a, b).high;
}

/// floor(a*b / 2^128) or one less, by three products of words: this leaves out the carry from the
/// product of the low words.
RINGLET_INLINE constexpr uint128_t mul_double_high_lazy(uint128_t a, uint128_t b) noexcept {
  const uint128_t cross = mul_words(low_word(a), high_word(b));
  const uint128_t middle = mul_words(high_word(a), low_word(b)) + low_word(cross);
  return mul_words(high_word(a), high_word(b)) + high_word(cross) + high_word(middle);
}

/// x - bound if x >= bound, else x: for x in [0, 2*bound) and bound <= 2^127, in [0, bound).
RINGLET_INLINE constexpr uint128_t subtract_double_if_at_least(uint128_t x,
                                                               uint128_t bound) noexcept {
  const uint128_t difference = x - bound;
  const std::uint64_t keep =
      opaque(static_cast<std::uint64_t>(static_cast<std::int64_t>(high_word(difference)) >> 63));
  return difference + (bound & join_words(keep, keep));
}

/// Constants of Barrett's reduction for an odd q, 3 <= q < 2^124. It works modulo q' = q * 2^shift,
/// which is in [2^123, 2^124): all moduli become as long as the longest.
struct DoubleBarrett {
  uint128_t shifted_q = 0;  ///< q'.
  uint128_t quotient = 0;   ///< floor(2^250 / q').
  int shift = 0;
};

/// A number in [0, 4q') that is t modulo q', for t < 2^250.
RINGLET_INLINE constexpr uint128_t barrett_reduce_lazy(const QuadWord& t,
                                                       const DoubleBarrett& b) noexcept {
  const uint128_t top = t.high << 6 | t.low >> 122;  // floor(t / 2^122)
  return t.low - mul_double_low(mul_double_high_lazy(top, b.quotient), b.shifted_q);
}

/// t mod q', in [0, q'), for t < 2^250.
RINGLET_INLINE constexpr uint128_t barrett_reduce(const QuadWord& t,
                                                  const DoubleBarrett& b) noexcept {
  const uint128_t r = subtract_double_if_at_least(barrett_reduce_lazy(t, b), 2 * b.shifted_q);
  return subtract_double_if_at_least(r, b.shifted_q);
}

/// a*b mod q for reduced a and b < 2^124. Zhang et al., "Towards Closing the Performance Gap", part
/// I; docs/notes/wide.md.
RINGLET_INLINE constexpr uint128_t mul_mod_double(uint128_t a, uint128_t b,
                                                  const DoubleBarrett& m) noexcept {
  return barrett_reduce(mul_double(a << m.shift, b), m) >> m.shift;
}

/// x mod q for any x.
RINGLET_INLINE constexpr uint128_t reduce_double(uint128_t x, const DoubleBarrett& m) noexcept {
  return barrett_reduce(mul_double(x, uint128_t{1} << m.shift), m) >> m.shift;
}

/// (a + b) mod q for reduced a, b and q < 2^127.
RINGLET_INLINE constexpr uint128_t add_mod_double(uint128_t a, uint128_t b, uint128_t q) noexcept {
  return subtract_double_if_at_least(a + b, q);
}

/// (a - b) mod q for reduced a, b and q < 2^127.
RINGLET_INLINE constexpr uint128_t sub_mod_double(uint128_t a, uint128_t b, uint128_t q) noexcept {
  return subtract_double_if_at_least(a + (q - b), q);
}

}  // namespace ringlet
