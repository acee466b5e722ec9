// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/kernels/wisdom.hpp"
#include "support/test.hpp"

// Wisdom files made by hand.

namespace ringlet::test {

/// Entries that every processor can have.
inline Wisdom sample_wisdom() {
  return Wisdom({{"ntt", 12, 49, "scalar64/radix2"},
                 {"ntt", 3, 30, "scalar64/radix2"},
                 {"multiply", 0, 30, "scalar64/barrett"},
                 {"add", 0, 63, "scalar64/direct"}});
}

/// FNV-1a with 64 bits, in sixteen digits.
inline std::string checksum_of(std::string_view text) {
  unsigned __int128 hash = 14695981039346656037ULL;
  for (const char character : text) {
    hash = static_cast<std::uint64_t>(hash) ^ static_cast<unsigned char>(character);
    hash = static_cast<std::uint64_t>(hash * 1099511628211ULL);
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(static_cast<std::uint64_t>(hash)));
  return digits;
}

/// `body` with its last line, the checksum.
inline std::string sealed(const std::string& body) {
  return body + "checksum " + checksum_of(body) + "\n";
}

/// A wisdom text whose line that begins with `key` is replaced by `line`, or removed; sealed again.
inline std::string with_line(const std::string& text, const std::string& key,
                             const std::optional<std::string>& line) {
  std::string body = text.substr(0, text.rfind("checksum "));
  const std::size_t start = body.rfind("\n" + key + " ") + 1;  // 0 if it is the first line
  body.replace(start, body.find('\n', start) + 1 - start, line ? *line + "\n" : "");
  return sealed(body);
}

}  // namespace ringlet::test
