// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <string>
#include <vector>

#include "ringlet/arith/modular.hpp"
#include "ringlet/base/error.hpp"
#include "seal/util/uintcore.h"

namespace ringlet::seal4_util {
namespace {

void check_words(const char* operation, const std::uint64_t* value, std::size_t count) {
  if (value != nullptr || count == 0) return;
  throw_invalid_argument({.operation = operation,
                          .offending = "value is null",
                          .limit = "a buffer of " + std::to_string(count) + " words",
                          .remedy = "pass the words"});
}

/// Returns the number of words without the zeros above.
std::size_t significant_words(const std::uint64_t* value, std::size_t count) {
  while (count > 0 && value[count - 1] == 0) --count;
  return count;
}

}  // namespace

std::string uint_to_hex_string(const std::uint64_t* value, std::size_t uint64_count) {
  check_words("uint_to_hex_string", value, uint64_count);
  std::string text;
  for (std::size_t i = significant_words(value, uint64_count); i-- > 0;) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      const std::uint64_t digit = value[i] >> shift & 15;
      if (digit != 0 || !text.empty()) text += "0123456789ABCDEF"[digit];
    }
  }
  return text.empty() ? "0" : text;
}

std::string uint_to_dec_string(const std::uint64_t* value, std::size_t uint64_count) {
  check_words("uint_to_dec_string", value, uint64_count);
  constexpr std::uint64_t kChunk = 10'000'000'000'000'000'000u;  // 10^19, the most that fits
  std::vector<std::uint64_t> rest(value, value + significant_words(value, uint64_count));
  std::string text;
  while (!rest.empty()) {
    uint128_t remainder = 0;
    for (std::size_t i = rest.size(); i-- > 0;) {
      remainder = remainder << 64 | rest[i];
      rest[i] = static_cast<std::uint64_t>(remainder / kChunk);
      remainder %= kChunk;
    }
    if (rest.back() == 0) rest.pop_back();
    std::string digits = std::to_string(static_cast<std::uint64_t>(remainder));
    if (!rest.empty()) digits.insert(0, 19 - digits.size(), '0');
    text.insert(0, digits);
  }
  return text.empty() ? "0" : text;
}

int get_significant_bit_count_uint(const std::uint64_t* value, std::size_t uint64_count) noexcept {
  const std::size_t words = significant_words(value, uint64_count);
  return words == 0 ? 0 : static_cast<int>(64 * words) - std::countl_zero(value[words - 1]);
}

}  // namespace ringlet::seal4_util
