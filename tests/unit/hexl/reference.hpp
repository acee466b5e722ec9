// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/values.hpp"

// What the functions in HEXL's place should give, by division of double words.

namespace ringlet::test {

__extension__ using DoubleWord = unsigned __int128;

inline std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>(static_cast<DoubleWord>(a) * b % q);
}

inline std::uint64_t plus(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>((static_cast<DoubleWord>(a) + b) % q);
}

inline std::uint64_t minus(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>((static_cast<DoubleWord>(a) + q - b % q) % q);
}

/// The vector that `element` gives from 0, 1, ..., n - 1.
template <typename Element>
Words words(std::size_t n, Element element) {
  Words result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = element(i);
  return result;
}

}  // namespace ringlet::test
