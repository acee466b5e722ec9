// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ringlet {

/// log2 of a power of two.
constexpr int log2_exact(std::size_t power_of_two) noexcept {
  return std::bit_width(power_of_two) - 1;
}

/// The lowest `count` bits of `value` in reverse order, as a number below 2^count; count in
/// [0, 64].
constexpr std::uint64_t reverse_bits(std::uint64_t value, int count) noexcept {
  if (count == 0) return 0;
  std::uint64_t reversed = value;
  std::uint64_t mask = ~std::uint64_t{0};
  for (int width = 32; width > 0; width /= 2) {
    mask ^= mask << width;  // alternating runs of `width` ones, lowest run set
    reversed = ((reversed >> width) & mask) | ((reversed & mask) << width);
  }
  return reversed >> (64 - count);
}

}  // namespace ringlet
