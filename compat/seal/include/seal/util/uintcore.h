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

/// Returns the decimal digits. Needs no memory of the pool.
SEAL_NODISCARD inline std::string uint_to_dec_string(const std::uint64_t* value,
                                                     std::size_t uint64_count, MemoryPool&) {
  return uint_to_dec_string(value, uint64_count);
}

/// Returns memory for uint64_count words, which are unspecified.
SEAL_NODISCARD inline Pointer<std::uint64_t> allocate_uint(std::size_t uint64_count,
                                                           MemoryPool& pool) {
  return allocate<std::uint64_t>(uint64_count, pool);
}
SEAL_NODISCARD inline Pointer<std::uint64_t> allocate_zero_uint(std::size_t uint64_count,
                                                                MemoryPool& pool) {
  return allocate<std::uint64_t>(uint64_count, pool, std::uint64_t{0});
}

// The functions below throw std::invalid_argument for null where there are words.

inline void set_zero_uint(std::size_t uint64_count, std::uint64_t* result) {
  detail::check_words("set_zero_uint", uint64_count, {result});
  std::fill_n(result, uint64_count, std::uint64_t{0});
}
/// Sets the integer to one word.
/// @throws std::invalid_argument also if uint64_count is 0.
inline void set_uint(std::uint64_t value, std::size_t uint64_count, std::uint64_t* result) {
  detail::check_argument(uint64_count > 0, "set_uint");
  set_zero_uint(uint64_count, result);
  *result = value;
}
/// Copies words. Source and result may overlap.
inline void set_uint(const std::uint64_t* value, std::size_t uint64_count, std::uint64_t* result) {
  detail::check_words("set_uint", uint64_count, {value, result});
  if (uint64_count > 0) std::memmove(result, value, uint64_count * sizeof(std::uint64_t));
}
/// Copies the lowest words; words above those of the value become zero.
inline void set_uint(const std::uint64_t* value, std::size_t value_uint64_count,
                     std::size_t result_uint64_count, std::uint64_t* result) {
  const std::size_t common = std::min(value_uint64_count, result_uint64_count);
  set_uint(value, common, result);
  set_zero_uint(result_uint64_count - common, result + common);
}

SEAL_NODISCARD inline bool is_zero_uint(const std::uint64_t* value, std::size_t uint64_count) {
  detail::check_words("is_zero_uint", uint64_count, {value});
  return std::all_of(value, value + uint64_count, [](std::uint64_t word) { return word == 0; });
}
/// Returns true if the integer is `scalar`.
/// @throws std::invalid_argument also if uint64_count is 0.
SEAL_NODISCARD inline bool is_equal_uint(const std::uint64_t* value, std::size_t uint64_count,
                                         std::uint64_t scalar) {
  detail::check_argument(uint64_count > 0, "is_equal_uint");
  return *value == scalar && is_zero_uint(value + 1, uint64_count - 1);
}

/// Returns the bit at bit_index.
/// @throws std::invalid_argument if bit_index is outside [0, 64*uint64_count).
SEAL_NODISCARD inline bool is_bit_set_uint(const std::uint64_t* value, std::size_t uint64_count,
                                           int bit_index) {
  detail::check_bits("is_bit_set_uint", bit_index, uint64_count);
  return (value[bit_index / 64] >> (bit_index % 64) & 1) != 0;
}
SEAL_NODISCARD inline bool is_high_bit_set_uint(const std::uint64_t* value,
                                                std::size_t uint64_count) {
  detail::check_argument(uint64_count > 0, "is_high_bit_set_uint");
  return value[uint64_count - 1] >> 63 != 0;
}
/// Sets the bit at bit_index to 1; errors as is_bit_set_uint.
inline void set_bit_uint(std::uint64_t* value, std::size_t uint64_count, int bit_index) {
  detail::check_bits("set_bit_uint", bit_index, uint64_count);
  value[bit_index / 64] |= std::uint64_t{1} << (bit_index % 64);
}
/// Sets all bits from bit_count on to 0.
/// @throws std::invalid_argument if bit_count is outside [0, 64*uint64_count].
inline void filter_highbits_uint(std::uint64_t* operand, std::size_t uint64_count, int bit_count) {
  if (bit_count >= 0 && static_cast<std::size_t>(bit_count) == 64 * uint64_count) return;
  detail::check_bits("filter_highbits_uint", bit_count, uint64_count);
  const auto first = static_cast<std::size_t>(bit_count) / 64;
  operand[first] &= (std::uint64_t{1} << (bit_count % 64)) - 1;
  set_zero_uint(uint64_count - first - 1, operand + first + 1);
}

/// Returns the number of words without the zeros at the top.
SEAL_NODISCARD inline std::size_t get_significant_uint64_count_uint(const std::uint64_t* value,
                                                                    std::size_t uint64_count) {
  detail::check_words("get_significant_uint64_count_uint", uint64_count, {value});
  while (uint64_count > 0 && value[uint64_count - 1] == 0) --uint64_count;
  return uint64_count;
}
/// Returns the number of words that are not zero.
SEAL_NODISCARD inline std::size_t get_nonzero_uint64_count_uint(const std::uint64_t* value,
                                                                std::size_t uint64_count) {
  detail::check_words("get_nonzero_uint64_count_uint", uint64_count, {value});
  return uint64_count -
         static_cast<std::size_t>(std::count(value, value + uint64_count, std::uint64_t{0}));
}

/// Returns -1, 0 or 1 if a is less than, equal to or greater than b.
SEAL_NODISCARD inline int compare_uint(const std::uint64_t* a, std::size_t a_uint64_count,
                                       const std::uint64_t* b, std::size_t b_uint64_count) {
  detail::check_words("compare_uint", a_uint64_count, {a});
  detail::check_words("compare_uint", b_uint64_count, {b});
  for (std::size_t i = std::max(a_uint64_count, b_uint64_count); i-- > 0;) {
    const std::uint64_t x = i < a_uint64_count ? a[i] : 0, y = i < b_uint64_count ? b[i] : 0;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}
SEAL_NODISCARD inline int compare_uint(const std::uint64_t* a, const std::uint64_t* b,
                                       std::size_t uint64_count) {
  return compare_uint(a, uint64_count, b, uint64_count);
}

// Comparisons of integers of equal or of different numbers of words.
#define RINGLET_SEAL_COMPARISON(name, op)                                               \
  SEAL_NODISCARD inline bool name(const std::uint64_t* a, const std::uint64_t* b,       \
                                  std::size_t uint64_count) {                           \
    return compare_uint(a, b, uint64_count) op 0;                                       \
  }                                                                                     \
  SEAL_NODISCARD inline bool name(const std::uint64_t* a, std::size_t a_uint64_count,   \
                                  const std::uint64_t* b, std::size_t b_uint64_count) { \
    return compare_uint(a, a_uint64_count, b, b_uint64_count) op 0;                     \
  }
RINGLET_SEAL_COMPARISON(is_greater_than_uint, >)
RINGLET_SEAL_COMPARISON(is_greater_than_or_equal_uint, >=)
RINGLET_SEAL_COMPARISON(is_less_than_uint, <)
RINGLET_SEAL_COMPARISON(is_less_than_or_equal_uint, <=)
RINGLET_SEAL_COMPARISON(is_equal_uint, ==)
#undef RINGLET_SEAL_COMPARISON

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
