// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "seal/util/defines.h"

// Functions on the bits of single words.

namespace ringlet::seal4_util {

/// Returns the number of significant bits; 0 for 0.
SEAL_NODISCARD constexpr int get_significant_bit_count(std::uint64_t value) noexcept {
  return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

/// Returns log2(value) for a power of two, -1 for any other value.
SEAL_NODISCARD constexpr int get_power_of_two(std::uint64_t value) noexcept {
  return value == 0 || (value & (value - 1)) != 0 ? -1 : get_significant_bit_count(value) - 1;
}

/// Returns the lowest bit_count bits of `operand` in reverse order. bit_count is from 0 to the
/// width of T.
template <class T>
SEAL_NODISCARD constexpr T reverse_bits(T operand, int bit_count = 8 * sizeof(T)) noexcept {
  T result = 0;
  for (int i = 0; i < bit_count; ++i) {
    result = static_cast<T>(result << 1 | (operand & 1));
    operand = static_cast<T>(operand >> 1);
  }
  return result;
}

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
