// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// Largest number of bits of a wide modulus: five chunks of 27 bits.
inline constexpr int kMaxWideModulusBits = 135;
/// Number of 64-bit words of a wide integer.
inline constexpr std::size_t kWideWords = 3;

/// A number below 2^192 in 64-bit words, the least significant word first.
using WideInteger = std::array<std::uint64_t, kWideWords>;

/// A modulus q of 2 to 135 bits, prime or not. Coefficients modulo q are single integers and not
/// residues of an RNS basis. A value type.
class RINGLET_API WideModulus {
 public:
  /// Makes the modulus `value`.
  /// @throws InvalidArgument unless value is from 2 to 2^135 - 1.
  explicit WideModulus(const WideInteger& value);
  /// Returns the modulus that is written in decimal digits.
  /// @throws InvalidArgument if the text has a character other than a digit, or the value is
  ///         outside [2, 2^135 - 1].
  static WideModulus parse(std::string_view decimal);
  /// Returns the largest prime of exactly `bits` bits.
  /// @throws InvalidArgument unless bits is from 2 to 135.
  static WideModulus largest_prime(int bits);

  const WideInteger& value() const noexcept { return value_; }
  int bit_count() const noexcept { return bit_count_; }
  /// Returns the number of 64-bit words of a coefficient: 1, 2 or 3.
  std::size_t word_count() const noexcept {
    return (static_cast<std::size_t>(bit_count_) + 63) / 64;
  }
  std::string to_string() const;

  friend bool operator==(const WideModulus&, const WideModulus&) = default;

 private:
  WideInteger value_;
  int bit_count_;
};

}  // namespace ringlet
