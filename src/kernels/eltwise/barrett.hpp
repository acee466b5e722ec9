// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ringlet/arith/modular.hpp"

// Constants of Barrett's reduction of a product x*y, x, y in [0, q), in words of `bits` = 64 or 52
// bits. All are functions of the public modulus. Derivation: docs/notes/barrett.md.
//
//   top      = floor(x*y / 2^s)                 fits a word
//   quotient = floor(2^(bits + s) / q)          fits a word
//   estimate = floor(top * quotient / 2^bits)   floor(x*y/q) or one less
//
// Proof: x*y/q - top*quotient/2^bits < 2^s/q + q^2/2^(bits + s), which the choice of s keeps below
// 1 for every q < 2^(bits - 2). top + quotient < 2^bits follows from the same inequality.

namespace ringlet::kernels {

/// The shift s for q in [2, 2^(bits - 2)): two less than the number of bits of q, and one less for
/// q from 13/16 of the limit up, where the second term of the bound would grow too large.
RINGLET_INLINE constexpr int barrett_shift(std::uint64_t q, int bits) noexcept {
  const int modulus_bits = 64 - __builtin_clzll(q);
  const bool near_limit = q >= std::uint64_t{13} << (bits - 6);
  return modulus_bits - 2 + static_cast<int>(near_limit);
}

/// floor(2^(bits + shift) / q) from ratio = floor(2^128 / q).
RINGLET_INLINE constexpr std::uint64_t barrett_quotient(BarrettRatio ratio, int shift,
                                                        int bits) noexcept {
  const uint128_t ratio128 = (static_cast<uint128_t>(ratio.high) << 64) | ratio.low;
  return static_cast<std::uint64_t>(ratio128 >> (128 - bits - shift));
}

/// floor(2^(bits + n) / q) - 2^bits for q of n bits: how much the longer quotient of a product is
/// above 2^bits. It is one less for a power of two, where it would not fit a word.
RINGLET_INLINE constexpr std::uint64_t barrett_excess(BarrettRatio ratio, std::uint64_t q,
                                                      int bits) noexcept {
  const std::uint64_t word = ~std::uint64_t{0} >> (64 - bits);
  if ((q & (q - 1)) == 0) return word;
  const int modulus_bits = 64 - __builtin_clzll(q);
  return barrett_quotient(ratio, modulus_bits, bits) & word;
}

/// floor(w * 2^64 / q) for w < q, as shoup_quotient() but without a division, so that a call on a
/// short vector stays cheap. The estimate from floor(2^128 / q) is at most one too small.
RINGLET_INLINE constexpr std::uint64_t factor_quotient(std::uint64_t w, std::uint64_t q,
                                                       BarrettRatio ratio) noexcept {
  const std::uint64_t estimate = w * ratio.high + mul_high(w, ratio.low);
  const std::uint64_t remainder = std::uint64_t{0} - estimate * q;
  return estimate + static_cast<std::uint64_t>(remainder >= q);
}

}  // namespace ringlet::kernels
