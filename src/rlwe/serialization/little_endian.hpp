// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

// Integers of files: least significant byte first on every processor.

namespace ringlet::rlwe {

inline void store_little_endian(std::span<std::uint8_t> bytes, std::uint64_t value) noexcept {
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
}

inline std::uint64_t load_little_endian(std::span<const std::uint8_t> bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

/// Converts a word of a file to one of this processor, and back.
inline std::uint64_t swap_unless_little_endian(std::uint64_t word) noexcept {
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

}  // namespace ringlet::rlwe
