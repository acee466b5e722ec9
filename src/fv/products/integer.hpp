// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/crt/word_reduction.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/arith/wide_modulus.hpp"

// Integers below 2^256 for the constants of a product. Values are public: a division takes as long
// as its quotient is long.

namespace ringlet::wide {

inline constexpr std::size_t kLongWords = 4;

/// Little-endian words; arithmetic modulo 2^256.
struct LongInteger {
  std::array<std::uint64_t, kLongWords> words{};

  LongInteger() = default;
  explicit LongInteger(std::uint64_t word) : words{word} {}
  explicit LongInteger(const WideInteger& value) : words{value[0], value[1], value[2]} {}

  static LongInteger power_of_two(int exponent) {
    LongInteger result;
    result.words[static_cast<std::size_t>(exponent) / 64] = std::uint64_t{1} << (exponent % 64);
    return result;
  }

  /// Returns the `count` <= 64 bits from bit `first` on.
  std::uint64_t bits(int first, int count) const {
    const std::size_t word = static_cast<std::size_t>(first) / 64;
    const int shift = first % 64;
    std::uint64_t result = word < kLongWords ? words[word] >> shift : 0;
    if (shift != 0 && word + 1 < kLongWords) result |= words[word + 1] << (64 - shift);
    return count == 64 ? result : result & ((std::uint64_t{1} << count) - 1);
  }
  int bit_count() const {
    for (std::size_t w = kLongWords; w-- > 0;) {
      if (words[w] != 0) return static_cast<int>(64 * w) + 64 - __builtin_clzll(words[w]);
    }
    return 0;
  }
  WideInteger low() const { return {words[0], words[1], words[2]}; }

  friend bool operator==(const LongInteger&, const LongInteger&) = default;
  friend bool operator<(const LongInteger& a, const LongInteger& b) {
    for (std::size_t w = kLongWords; w-- > 0;) {
      if (a.words[w] != b.words[w]) return a.words[w] < b.words[w];
    }
    return false;
  }
  friend LongInteger operator+(const LongInteger& a, const LongInteger& b) {
    LongInteger sum;
    uint128_t carry = 0;
    for (std::size_t w = 0; w < kLongWords; ++w) {
      carry += static_cast<uint128_t>(a.words[w]) + b.words[w];
      sum.words[w] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return sum;
  }
  friend LongInteger operator-(const LongInteger& a, const LongInteger& b) {
    LongInteger complement;
    for (std::size_t w = 0; w < kLongWords; ++w) complement.words[w] = ~b.words[w];
    return a + complement + LongInteger(1);
  }
  friend LongInteger operator*(const LongInteger& a, std::uint64_t factor) {
    LongInteger product;
    uint128_t carry = 0;
    for (std::size_t w = 0; w < kLongWords; ++w) {
      carry += static_cast<uint128_t>(a.words[w]) * factor;
      product.words[w] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return product;
  }
};

struct Quotient {
  LongInteger quotient;
  LongInteger remainder;
};

/// Divides a by b, 0 < b < 2^255.
inline Quotient divide(const LongInteger& a, const LongInteger& b) {
  Quotient result;
  for (int bit = a.bit_count(); bit-- > 0;) {
    const auto word = static_cast<std::size_t>(bit) / 64;
    result.remainder = result.remainder + result.remainder;
    result.remainder.words[0] |= a.words[word] >> (bit % 64) & 1;
    if (!(result.remainder < b)) {
      result.remainder = result.remainder - b;
      result.quotient.words[word] |= std::uint64_t{1} << (bit % 64);
    }
  }
  return result;
}

/// Returns a modulo a number of one word.
inline std::uint64_t modulo(const LongInteger& a, std::uint64_t b) {
  uint128_t remainder = 0;
  for (std::size_t w = kLongWords; w-- > 0;) {
    remainder = (remainder << 64 | a.words[w]) % b;
  }
  return static_cast<std::uint64_t>(remainder);
}

/// Returns the smallest multiple of q that is at least `bound`.
inline WideInteger multiple_from(const LongInteger& bound, const WideModulus& q) {
  const LongInteger modulus(q.value());
  const LongInteger remainder = divide(bound, modulus).remainder;
  return remainder == LongInteger() ? bound.low() : (bound + (modulus - remainder)).low();
}

inline kernels::WideBarrett make_wide_barrett(const WideModulus& q) {
  const int shift = q.bit_count() - 1;
  const LongInteger numerator = LongInteger::power_of_two(shift + 64) - LongInteger(1);
  return {q.value(), shift, divide(numerator, LongInteger(q.value())).quotient.words[0]};
}

}  // namespace ringlet::wide
