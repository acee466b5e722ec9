// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer_check.hpp"
#include "base/text.hpp"
#include "ringlet/error.hpp"

// The checks that all calls of a transform plan share.

namespace ringlet {

inline void check_factor(const char* operation, const char* name, int factor, bool accepted,
                         const char* limit) {
  if (accepted) return;
  throw_invalid_argument({operation, concat(name, " = ", factor), limit,
                          "use one of these factors; 1 means fully reduced values"});
}

/// Of coefficients to be transformed.
inline void check_forward_input(const char* operation, int factor) {
  check_factor(operation, "input_mod_factor", factor, factor == 1 || factor == 2 || factor == 4,
               "1, 2 or 4");
}

/// Of coefficients that come out of an inverse transform.
inline void check_inverse_output(const char* operation, int factor) {
  check_factor(operation, "output_mod_factor", factor, factor == 1 || factor == 2, "1 or 2");
}

/// @throws InvalidArgument if `buffer` has a word in common with `other`.
inline void check_disjoint(const char* operation, const NamedBuffer& buffer,
                           const NamedBuffer& other) {
  const auto start = reinterpret_cast<std::uintptr_t>(buffer.words.data());
  const auto other_start = reinterpret_cast<std::uintptr_t>(other.words.data());
  if (start >= other_start + other.words.size_bytes() ||
      other_start >= start + buffer.words.size_bytes()) {
    return;
  }
  throw_invalid_argument({operation, concat(buffer.name, " overlaps ", other.name),
                          "no word in common with any other vector of the call",
                          concat("pass separate memory as ", buffer.name)});
}

}  // namespace ringlet
