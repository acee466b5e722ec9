// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "arith/double_word.hpp"
#include "kernels/wide/wide_kernel.hpp"
#include "ringlet/ntt/wide.hpp"

// The checks that the calls with double words share.

namespace ringlet {

/// A vector of a call under the name that its documentation gives it.
struct NamedWide {
  const char* name;
  WideOperand vector;
};

/// Checks the vectors of a call that only reads: `length` elements, not null, whole words.
/// @throws InvalidArgument
void check_wide_operands(std::size_t length, std::initializer_list<NamedWide> operands);

/// Checks the vectors of a call that also writes `result`, likewise. `result` is the memory of an
/// operand in the same layout or has no word in common with it, and has no word twice.
void check_wide_vectors(std::size_t length, const NamedWide& result,
                        std::initializer_list<NamedWide> operands);

/// Decimal digits, for messages.
std::string decimal_digits(uint128_t x);

/// @throws InvalidArgument unless q is odd and has at most kMaxDoubleWordBits bits.
void check_double_modulus(const WideModulus& q);

/// True if the spans of memory of the two vectors have a word in common.
bool have_common_words(const WideOperand& a, std::span<const std::uint64_t> b);

inline uint128_t to_double(const WideModulus& q) { return join_words(q.value()[0], q.value()[1]); }
inline kernels::WideWords to_words(const WideResult& result) {
  return {result.low(), result.high(), result.step()};
}
inline kernels::ConstWideWords to_words(const WideOperand& operand) {
  return {operand.low(), operand.high(), operand.step()};
}

}  // namespace ringlet
