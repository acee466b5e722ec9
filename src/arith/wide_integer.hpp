// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "ringlet/arith/modular.hpp"
#include "ringlet/arith/wide_modulus.hpp"

// Integers of 192 bits, modulo 2^192. Variable time: public values only.

namespace ringlet::wide {

inline constexpr int kWordBits = 64;

/// Position of the highest bit that is set, plus one; 0 for 0.
constexpr int bit_count(const WideInteger& a) {
  for (std::size_t w = kWideWords; w-- > 0;) {
    if (a[w] != 0) return static_cast<int>(w) * kWordBits + static_cast<int>(std::bit_width(a[w]));
  }
  return 0;
}

constexpr bool is_less(const WideInteger& a, const WideInteger& b) {
  for (std::size_t w = kWideWords; w-- > 0;) {
    if (a[w] != b[w]) return a[w] < b[w];
  }
  return false;
}

constexpr WideInteger add(const WideInteger& a, const WideInteger& b) {
  WideInteger sum{};
  uint128_t carry = 0;
  for (std::size_t w = 0; w < kWideWords; ++w) {
    carry += static_cast<uint128_t>(a[w]) + b[w];
    sum[w] = static_cast<std::uint64_t>(carry);
    carry >>= kWordBits;
  }
  return sum;
}

constexpr WideInteger subtract(const WideInteger& a, const WideInteger& b) {
  WideInteger difference{};
  std::uint64_t borrow = 0;
  for (std::size_t w = 0; w < kWideWords; ++w) {
    const uint128_t d = static_cast<uint128_t>(a[w]) - b[w] - borrow;
    difference[w] = static_cast<std::uint64_t>(d);
    borrow = static_cast<std::uint64_t>(d >> kWordBits) & 1;
  }
  return difference;
}

/// a * factor + addend.
constexpr WideInteger multiply_add(const WideInteger& a, std::uint64_t factor,
                                   std::uint64_t addend) {
  WideInteger result{};
  uint128_t carry = addend;
  for (std::size_t w = 0; w < kWideWords; ++w) {
    carry += static_cast<uint128_t>(a[w]) * factor;
    result[w] = static_cast<std::uint64_t>(carry);
    carry >>= kWordBits;
  }
  return result;
}

/// Replaces a by its quotient by a word and returns the remainder. divisor > 0.
constexpr std::uint64_t divide(WideInteger& a, std::uint64_t divisor) {
  uint128_t remainder = 0;
  for (std::size_t w = kWideWords; w-- > 0;) {
    remainder = remainder << kWordBits | a[w];
    a[w] = static_cast<std::uint64_t>(remainder / divisor);
    remainder %= divisor;
  }
  return static_cast<std::uint64_t>(remainder);
}

constexpr WideInteger shift_right(const WideInteger& a, int bits) {
  WideInteger result{};
  const auto words = static_cast<std::size_t>(bits / kWordBits);
  const int rest = bits % kWordBits;
  for (std::size_t w = 0; w + words < kWideWords; ++w) {
    result[w] = a[w + words] >> rest;
    if (rest != 0 && w + words + 1 < kWideWords) {
      result[w] |= a[w + words + 1] << (kWordBits - rest);
    }
  }
  return result;
}

/// True if n is prime; n < 2^190. Exact below 2^64. Above, the answer is that of Miller-Rabin to
/// the first 46 primes as bases: all composite numbers that are known to pass were made to pass.
bool is_probable_prime(const WideInteger& n);

}  // namespace ringlet::wide
