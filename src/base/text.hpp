// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

// Messages without iostreams, so that ringlet::kernels stays small. Header-only, because both
// libraries use it and neither exports it.

namespace ringlet {

namespace text_detail {

template <typename T>
void append(std::string& text, const T& part) {
  if constexpr (std::same_as<T, bool>) {
    text += part ? "true" : "false";
  } else if constexpr (std::same_as<T, char>) {
    text += part;
  } else if constexpr (std::integral<T> || std::floating_point<T>) {
    std::array<char, 32> digits{};  // the shortest form of a double has at most 24 characters
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), part);
    text += std::string_view(digits.data(), end);
  } else {
    text += std::string_view(part);
  }
}

}  // namespace text_detail

/// The text forms of all parts, one after the other: strings as they are, integers in decimal,
/// floating-point numbers in their shortest exact form, bool as "true" or "false".
template <typename... T>
std::string concat(const T&... parts) {
  std::string text;
  (text_detail::append(text, parts), ...);
  return text;
}

/// `value` in hexadecimal with a leading "0x", no further leading zeros.
inline std::string hex(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return "0x" + std::string(digits.data(), end);
}

}  // namespace ringlet
