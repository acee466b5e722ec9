// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringlet {

/// Makes a value that follows from secrets public: the result may decide branches and sizes.
/// SECURITY.md lists each use. Tests that follow secrets through the program accept branches on
/// secrets here and nowhere else. These branches put the result together, so that it no longer
/// depends on the data of the argument.
[[gnu::noinline]] inline bool declassify(bool value) noexcept {
  // The compiler must not see, in either case, that the result is the argument.
  std::uint64_t result = 0;
  asm volatile("" : "+r"(result));
  if (value) {
    result = 1;
    asm volatile("" : "+r"(result));
  }
  return result != 0;
}

/// Makes a number from 0 to 2^16 - 1 public.
[[gnu::noinline]] inline std::uint64_t declassify(std::uint64_t value) noexcept {
  std::uint64_t result = 0;
  for (int bit = 0; bit < 16; ++bit) {
    std::uint64_t mask = 0;
    asm volatile("" : "+r"(mask));
    if ((value >> bit & 1) != 0) {
      mask = std::uint64_t{1} << bit;
      asm volatile("" : "+r"(mask));
    }
    result |= mask;
  }
  return result;
}

}  // namespace ringlet
