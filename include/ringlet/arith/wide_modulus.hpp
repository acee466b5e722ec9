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
/// Words of a wide integer.
inline constexpr std::size_t kWideWords = 3;

/// A number below 2^192 as little-endian 64-bit words.
using WideInteger = std::array<std::uint64_t, kWideWords>;

/// A modulus q of 2 to 135 bits that need not be prime: coefficients are integers modulo one number
/// instead of a residue number system. A value type.
class RINGLET_API WideModulus {
 public:
  /// @throws InvalidArgument unless value is from 2 to 2^135 - 1.
  explicit WideModulus(const WideInteger& value);
  /// From decimal digits. @throws InvalidArgument as above, and on anything but digits.
  static WideModulus parse(std::string_view decimal);
  /// The largest prime of exactly `bits` bits.
  /// @throws InvalidArgument unless bits is from 2 to 135.
  static WideModulus largest_prime(int bits);

  const WideInteger& value() const noexcept { return value_; }
  int bit_count() const noexcept { return bit_count_; }
  /// Words of a coefficient: 1, 2 or 3.
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
