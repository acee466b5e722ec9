// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "ringlet/arith/modular.hpp"
#include "ringlet/base/export.hpp"

namespace ringlet {

/// Largest bit count of a modulus: q < 2^63, so that 2q fits one word. Vector products and
/// transforms take less and say so.
inline constexpr int kMaxModulusBits = 63;

/// A modulus q in [2, 2^63) with its Barrett constant; a value type. Need not be prime.
class RINGLET_API Modulus {
 public:
  /// Implicit, so that integers may stand where a modulus is expected.
  /// @throws InvalidArgument if value < 2 or value >= 2^63.
  Modulus(std::uint64_t value);  // NOLINT(google-explicit-constructor)

  std::uint64_t value() const noexcept { return value_; }
  /// Number of significant bits of q.
  int bit_count() const noexcept { return 64 - __builtin_clzll(value_); }
  /// floor(2^128 / q).
  BarrettRatio ratio() const noexcept { return ratio_; }

  /// x mod q for any x, in [0, q).
  std::uint64_t reduce(std::uint64_t x) const noexcept { return barrett_reduce(x, value_, ratio_); }
  /// a*b mod q for a*b < q * 2^64.
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

/// base^exponent mod q; base any word. Variable time in the exponent, which must be public.
RINGLET_API std::uint64_t pow_mod(std::uint64_t base, std::uint64_t exponent, const Modulus& q);

/// The inverse of `value` mod q, in [1, q). Variable time: public values only.
/// @throws InvalidArgument if gcd(value, q) != 1.
RINGLET_API std::uint64_t inverse_mod(std::uint64_t value, const Modulus& q);

}  // namespace ringlet
