// SPDX-License-Identifier: Apache-2.0
#include "ringlet/arith/modulus.hpp"

#include "base/text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet {
namespace {

std::uint64_t checked_modulus(std::uint64_t value) {
  if (value < 2 || (value >> kMaxModulusBits) != 0) {
    throw_invalid_argument({.operation = "Modulus",
                            .offending = concat("value = ", value),
                            .limit = concat("2 <= value < 2^", kMaxModulusBits),
                            .remedy = "choose a modulus in this range"});
  }
  return value;
}

// floor(2^128 / q) from floor((2^128 - 1) / q): they differ only where q divides 2^128.
BarrettRatio barrett_ratio(std::uint64_t q) {
  const uint128_t all_ones = ~uint128_t{0};
  uint128_t ratio = all_ones / q;
  if (all_ones % q == q - 1) ++ratio;
  return {.low = static_cast<std::uint64_t>(ratio),
          .high = static_cast<std::uint64_t>(ratio >> 64)};
}

}  // namespace

Modulus::Modulus(std::uint64_t value)
    : value_(checked_modulus(value)), ratio_(barrett_ratio(value_)) {}

std::uint64_t pow_mod(std::uint64_t base, std::uint64_t exponent, const Modulus& q) {
  std::uint64_t square = q.reduce(base);
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = q.multiply(result, square);
    square = q.multiply(square, square);
  }
  return result;
}

std::uint64_t inverse_mod(std::uint64_t value, const Modulus& q) {
  // Extended Euclid. The cofactors of `value` stay below q in size: signed 64-bit words hold them.
  std::uint64_t remainder = q.value();
  std::uint64_t next_remainder = q.reduce(value);
  std::int64_t cofactor = 0;
  std::int64_t next_cofactor = 1;
  while (next_remainder != 0) {
    const std::uint64_t quotient = remainder / next_remainder;
    const std::uint64_t new_remainder = remainder - quotient * next_remainder;
    const std::int64_t new_cofactor =
        cofactor - static_cast<std::int64_t>(quotient) * next_cofactor;
    remainder = next_remainder;
    next_remainder = new_remainder;
    cofactor = next_cofactor;
    next_cofactor = new_cofactor;
  }
  if (remainder != 1) {
    throw_invalid_argument({.operation = "inverse_mod",
                            .offending = concat("value = ", value, " modulo ", q.value(),
                                                ", common divisor ", remainder),
                            .limit = "a value with no common divisor with the modulus",
                            .remedy = "use a prime modulus and a value that is not its multiple"});
  }
  return cofactor < 0 ? q.value() - static_cast<std::uint64_t>(-cofactor)
                      : static_cast<std::uint64_t>(cofactor);
}

}  // namespace ringlet
