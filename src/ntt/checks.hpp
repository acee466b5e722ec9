// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer_check.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "kernels/kernel.hpp"

// The checks that all calls of a transform plan share.

namespace ringlet {

inline void check_factor(const char* name, int factor, bool accepted, const char* limit) {
  if (accepted) return;
  refuse(concat(name, " = ", factor), limit,
         "use one of these factors; 1 means fully reduced values");
}

/// Checks the range factor of coefficients to be transformed.
inline void check_forward_input(int factor) {
  check_factor("input_mod_factor", factor, factor == 1 || factor == 2 || factor == 4, "1, 2 or 4");
}

/// Checks the range factor of the results of an inverse transform.
inline void check_inverse_output(int factor) {
  check_factor("output_mod_factor", factor, factor == 1 || factor == 2, "1 or 2");
}

/// Checks both range factors of a forward transform.
inline void check_forward_factors(kernels::RangeFactors factors) {
  check_forward_input(factors.input);
  const int output = factors.output;
  check_factor("output_mod_factor", output,
               output == 1 || output == 4 || output == 8 || output == 16, "1, 4, 8 or 16");
}

/// Checks both range factors of an inverse transform.
inline void check_inverse_factors(kernels::RangeFactors factors) {
  check_factor("input_mod_factor", factors.input, factors.input == 1 || factors.input == 2,
               "1 or 2");
  check_inverse_output(factors.output);
}

/// True if a and b have a word in common.
inline bool have_common_words(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  const auto a_start = reinterpret_cast<std::uintptr_t>(a.data());
  const auto b_start = reinterpret_cast<std::uintptr_t>(b.data());
  return a_start < b_start + b.size_bytes() && b_start < a_start + a.size_bytes();
}

/// @throws InvalidArgument if `buffer` has a word in common with `other`.
inline void check_disjoint(const NamedBuffer& buffer, const NamedBuffer& other) {
  if (!have_common_words(buffer.words, other.words)) return;
  refuse(concat(buffer.name, " overlaps ", other.name),
         "no word in common with any other vector of the call",
         concat("pass separate memory as ", buffer.name));
}

}  // namespace ringlet
