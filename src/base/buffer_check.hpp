// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "base/refuse.hpp"
#include "base/text.hpp"

// The checks that every public call with buffers of words makes before it touches one.
// Header-only, because both libraries use it and neither exports it.

namespace ringlet {

/// One buffer of a public call, under the name that its documentation gives it.
template <typename Word>
struct NamedWords {
  const char* name;
  std::span<const Word> words;
};
using NamedBuffer = NamedWords<std::uint64_t>;

namespace buffer_detail {

template <typename Word>
std::uintptr_t address(const NamedWords<Word>& buffer) noexcept {
  return reinterpret_cast<std::uintptr_t>(buffer.words.data());
}

template <typename Word>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_length(std::size_t length,
                                                          const NamedWords<Word>& buffer) {
  refuse(concat(buffer.name, " has ", buffer.words.size(), " words"),
         concat(length, " words in every buffer of this call"),
         concat("pass a buffer of ", length, " words as ", buffer.name));
}

template <typename Word>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_null(const NamedWords<Word>& buffer) {
  refuse(concat(buffer.name, " is null, with ", buffer.words.size(), " words"),
         "a null pointer only for 0 words", concat("pass allocated memory as ", buffer.name));
}

template <typename Word>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_alignment(const NamedWords<Word>& buffer) {
  refuse(concat(buffer.name, " starts at address ", hex(address(buffer))),
         concat("addresses that are multiples of ", alignof(Word)),
         "copy the words to an aligned buffer (alignment to 64 bytes is fastest)");
}

template <typename Word>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_overlap(const NamedWords<Word>& result,
                                                           const NamedWords<Word>& operand) {
  const bool above = address(result) > address(operand);
  const std::uintptr_t distance =
      above ? address(result) - address(operand) : address(operand) - address(result);
  refuse(concat(result.name, " starts ", distance / sizeof(Word), " words ",
                above ? "after " : "before ", operand.name, " and overlaps it partly"),
         "the same start, or no word in common",
         concat("pass the same buffer for both, or separate memory as ", result.name));
}

template <typename Word>
void check_buffer(std::size_t length, const NamedWords<Word>& buffer) {
  if (buffer.words.size() != length) refuse_length(length, buffer);
  if (length == 0) return;
  if (buffer.words.data() == nullptr) refuse_null(buffer);
  if (address(buffer) % alignof(Word) != 0) refuse_alignment(buffer);
}

}  // namespace buffer_detail

/// Returns true if check_buffers accepts the result and this operand. Calls on short vectors ask
/// first, so that they describe their buffers only for an error.
inline bool fit(std::span<const std::uint64_t> result, std::span<const std::uint64_t> operand) {
  const auto to = reinterpret_cast<std::uintptr_t>(result.data());
  const auto from = reinterpret_cast<std::uintptr_t>(operand.data());
  const std::uintptr_t bytes = result.size() * sizeof(std::uint64_t);
  return operand.size() == result.size() && (to | from) % alignof(std::uint64_t) == 0 && to != 0 &&
         from != 0 && (to == from || (to - from >= bytes && from - to >= bytes));
}

/// Checks length, null and alignment of the buffers of a call that only reads, as check_buffers
/// does. The buffers may overlap.
inline void check_operands(std::size_t length, std::initializer_list<NamedBuffer> operands) {
  for (const NamedBuffer& operand : operands) {
    buffer_detail::check_buffer(length, operand);
  }
}

/// Checks the buffers of a call that reads `operands` and writes `result`: each has `length` words,
/// is not null unless `length` is 0, starts on a whole word, and `result` is either the same as an
/// operand or has no word in common with it.
/// @throws InvalidArgument otherwise; nothing has been written then.
template <typename Word = std::uint64_t>
void check_buffers(std::size_t length, const std::type_identity_t<NamedWords<Word>>& result,
                   std::initializer_list<std::type_identity_t<NamedWords<Word>>> operands) {
  buffer_detail::check_buffer(length, result);
  const std::uintptr_t result_address = buffer_detail::address(result);
  const std::uintptr_t bytes = length * sizeof(Word);
  for (const NamedWords<Word>& operand : operands) {
    buffer_detail::check_buffer(length, operand);
    const std::uintptr_t operand_address = buffer_detail::address(operand);
    const std::uintptr_t above = result_address - operand_address;
    const std::uintptr_t below = operand_address - result_address;
    if (above != 0 && (above < bytes || below < bytes)) {
      buffer_detail::refuse_overlap(result, operand);
    }
  }
}

}  // namespace ringlet
