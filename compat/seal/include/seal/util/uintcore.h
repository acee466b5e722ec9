// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "seal/util/common.h"
#include "seal/util/defines.h"
#include "seal/util/pointer.h"

// Integers of several words, the lowest word first. Variable time: for public values.

namespace ringlet::seal4_util {

/// Returns the integer in capital hexadecimal digits without leading zeros; "0" for zero and for no
/// words.
/// @throws std::invalid_argument if value is null and uint64_count is not 0.
SEAL_NODISCARD RINGLET_SEAL_API std::string uint_to_hex_string(const std::uint64_t* value,
                                                               std::size_t uint64_count);
/// Returns the integer in decimal digits; zero and errors as uint_to_hex_string.
SEAL_NODISCARD RINGLET_SEAL_API std::string uint_to_dec_string(const std::uint64_t* value,
                                                               std::size_t uint64_count);

/// Returns the number of significant bits of the integer; 0 for zero.
SEAL_NODISCARD RINGLET_SEAL_API int get_significant_bit_count_uint(
    const std::uint64_t* value, std::size_t uint64_count) noexcept;

/// Returns memory for uint64_count words, which are unspecified.
SEAL_NODISCARD inline Pointer<std::uint64_t> allocate_uint(std::size_t uint64_count,
                                                           MemoryPool& pool) {
  return allocate<std::uint64_t>(uint64_count, pool);
}
SEAL_NODISCARD inline Pointer<std::uint64_t> allocate_zero_uint(std::size_t uint64_count,
                                                                MemoryPool& pool) {
  return allocate<std::uint64_t>(uint64_count, pool, std::uint64_t{0});
}

inline void set_zero_uint(std::size_t uint64_count, std::uint64_t* result) noexcept {
  std::fill_n(result, uint64_count, std::uint64_t{0});
}
/// Sets the integer to one word.
inline void set_uint(std::uint64_t value, std::size_t uint64_count,
                     std::uint64_t* result) noexcept {
  set_zero_uint(uint64_count, result);
  if (uint64_count > 0) *result = value;
}
/// Copies words. Source and result may overlap.
inline void set_uint(const std::uint64_t* value, std::size_t uint64_count,
                     std::uint64_t* result) noexcept {
  if (uint64_count > 0) std::memmove(result, value, uint64_count * sizeof(std::uint64_t));
}

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
