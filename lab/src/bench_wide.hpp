// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/arguments.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ntt/wide.hpp"
#include "stopwatch.hpp"

// Shared by the sources of `ringlet bench wide`.

namespace ringlet::python {

inline constexpr std::size_t kMostElements = std::size_t{1} << 24;

/// Residues modulo q in two planes, the same for the same seed.
struct Planes {
  Planes(std::size_t size, const WideModulus& q, std::uint64_t seed) {
    const std::uint64_t top = q.value()[1];
    // With a high word below that of q, every low word gives a residue.
    low = make_words(size, top == 0 ? q.value()[0] : 0, 2 * seed);
    high = top == 0 ? AlignedVector<std::uint64_t>(size) : make_words(size, top, 2 * seed + 1);
  }

  AlignedVector<std::uint64_t> low, high;
};

/// A number of double words. @throws InvalidArgument unless it is in [1, kMostElements].
inline std::size_t checked_size(const char* function, const char* name, const Integer& size) {
  const std::uint64_t value = size.word(function, name);
  if (value >= 1 && value <= kMostElements) return static_cast<std::size_t>(value);
  throw_invalid_argument({function, std::string(name) + " = " + std::to_string(value),
                          "1 to " + std::to_string(kMostElements),
                          "choose a number in this range"});
}

}  // namespace ringlet::python
