// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "ringlet/arith/modular.hpp"
#include "ringlet/base/export.hpp"

namespace ringlet {

/// Largest number of bits of a modulus: q < 2^63, so that 2q fits one word. Vector products and
/// transforms have lower limits, which their comments state.
inline constexpr int kMaxModulusBits = 63;

/// A modulus q in [2, 2^63), prime or not, with its Barrett constant. A value type.
class RINGLET_API Modulus {
 public:
  /// Makes the modulus `value`. The conversion is implicit, so that functions that expect a modulus
  /// accept integers.
  /// @throws InvalidArgument if value < 2 or value >= 2^63.
  Modulus(std::uint64_t value);  // NOLINT(google-explicit-constructor)

  std::uint64_t value() const noexcept { return value_; }
  /// Returns the number of significant bits of q.
  int bit_count() const noexcept { return 64 - __builtin_clzll(value_); }
  /// Returns floor(2^128 / q).
  BarrettRatio ratio() const noexcept { return ratio_; }

  /// Returns x mod q, in [0, q), for any 64-bit x.
  std::uint64_t reduce(std::uint64_t x) const noexcept { return barrett_reduce(x, value_, ratio_); }
  /// Returns a*b mod q, in [0, q), for a*b < q * 2^64.
  std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const noexcept {
    return mul_mod(a, b, value_, ratio_);
  }

  friend bool operator==(const Modulus& a, const Modulus& b) noexcept {
    return a.value_ == b.value_;
  }
  friend std::strong_ordering operator<=>(const Modulus& a, const Modulus& b) noexcept {
    return a.value_ <=> b.value_;
  }

 private:
  std::uint64_t value_;
  BarrettRatio ratio_;
};

/// Returns base^exponent mod q, in [0, q), for any 64-bit base. The time depends on the exponent,
/// which must be public.
RINGLET_API std::uint64_t pow_mod(std::uint64_t base, std::uint64_t exponent, const Modulus& q);

/// Returns the inverse of `value` modulo q, in [1, q). Variable time: public values only.
/// @throws InvalidArgument if gcd(value, q) != 1.
RINGLET_API std::uint64_t inverse_mod(std::uint64_t value, const Modulus& q);

}  // namespace ringlet
