// SPDX-License-Identifier: Apache-2.0
#include "ringlet/arith/wide_modulus.hpp"

#include <algorithm>
#include <string>

#include "arith/wide_integer.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kShownCharacters = 60;

bool is_size(int bits) { return bits >= 2 && bits <= kMaxWideModulusBits; }

std::string decimal(WideInteger value) {
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + wide::divide(value, 10)));
  } while (wide::bit_count(value) != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

[[noreturn]] void refuse_value(const std::string& offending) {
  refuse(offending, "an integer from 2 to 2^135 - 1", "choose a modulus in this range");
}

// Returns what a message can show of a text, which may have any length and hold any bytes.
std::string excerpt(std::string_view text) {
  std::string shown(text.substr(0, kShownCharacters));
  std::replace_if(shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  if (text.size() > kShownCharacters) shown += "...";
  return shown;
}

}  // namespace

WideModulus::WideModulus(const WideInteger& value)
    : value_(value), bit_count_(wide::bit_count(value)) {
  public_entry("WideModulus", [&] {
    if (!is_size(bit_count_)) refuse_value(concat("value = ", decimal(value)));
  });
}

WideModulus WideModulus::parse(std::string_view decimal) {
  WideInteger value{};
  for (const char c : decimal) {
    if (c < '0' || c > '9') break;
    value = wide::multiply_add(value, 10, static_cast<std::uint64_t>(c - '0'));
    if (wide::bit_count(value) > kMaxWideModulusBits) break;
  }
  const bool digits_only =
      std::all_of(decimal.begin(), decimal.end(), [](char c) { return c >= '0' && c <= '9'; });
  public_entry("WideModulus::parse", [&] {
    if (!digits_only || !is_size(wide::bit_count(value))) {
      refuse_value(concat("decimal = \"", excerpt(decimal), "\""));
    }
  });
  return WideModulus(value);
}

WideModulus WideModulus::largest_prime(int bits) {
  if (!is_size(bits)) {
    throw_invalid_argument({.operation = "WideModulus::largest_prime",
                            .offending = concat("bits = ", bits),
                            .limit = concat("2 to ", kMaxWideModulusBits, " bits"),
                            .remedy = "choose a size in this range"});
  }
  const WideInteger all_ones = {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  // 2^bits - 1 is odd, and a prime of `bits` bits is never far below it.
  WideInteger candidate =
      wide::shift_right(all_ones, static_cast<int>(kWideWords) * wide::kWordBits - bits);
  while (!wide::is_probable_prime(candidate)) candidate = wide::subtract(candidate, {2, 0, 0});
  return WideModulus(candidate);
}

std::string WideModulus::to_string() const { return decimal(value_); }

}  // namespace ringlet
