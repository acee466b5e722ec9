// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "base/refuse.hpp"
#include "base/text.hpp"

// The checks that every public call with buffers of 64-bit words makes before it touches one.
// Header-only, because both libraries use it and neither exports it.

namespace ringlet {

/// One buffer of a public call, under the name that its documentation gives it.
struct NamedBuffer {
  const char* name;
  std::span<const std::uint64_t> words;
};

namespace buffer_detail {

inline std::uintptr_t address(const NamedBuffer& buffer) noexcept {
  return reinterpret_cast<std::uintptr_t>(buffer.words.data());
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_length(std::size_t length,
                                                                 const NamedBuffer& buffer) {
  refuse(concat(buffer.name, " has ", buffer.words.size(), " words"),
         concat(length, " words in every buffer of this call"),
         concat("pass a buffer of ", length, " words as ", buffer.name));
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_null(const NamedBuffer& buffer) {
  refuse(concat(buffer.name, " is null, with ", buffer.words.size(), " words"),
         "null only for 0 words", concat("pass allocated memory as ", buffer.name));
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_alignment(const NamedBuffer& buffer) {
  refuse(concat(buffer.name, " starts at address ", hex(address(buffer))),
         concat("addresses that are multiples of ", alignof(std::uint64_t)),
         "copy the words to an aligned buffer (64 bytes is fastest)");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_overlap(const NamedBuffer& result,
                                                                  const NamedBuffer& operand) {
  const bool above = address(result) > address(operand);
  const std::uintptr_t distance =
      above ? address(result) - address(operand) : address(operand) - address(result);
  refuse(concat(result.name, " starts ", distance / sizeof(std::uint64_t), " words ",
                above ? "after " : "before ", operand.name, " and overlaps it partly"),
         "the same start, or no word in common",
         concat("pass the same buffer for both, or separate memory as ", result.name));
}

inline void check_buffer(std::size_t length, const NamedBuffer& buffer) {
  if (buffer.words.size() != length) refuse_length(length, buffer);
  if (length == 0) return;
  if (buffer.words.data() == nullptr) refuse_null(buffer);
  if (address(buffer) % alignof(std::uint64_t) != 0) refuse_alignment(buffer);
}

}  // namespace buffer_detail

/// Checks the buffers of a call that only reads: length, null and alignment as below. They may
/// overlap.
inline void check_operands(std::size_t length, std::initializer_list<NamedBuffer> operands) {
  for (const NamedBuffer& operand : operands) {
    buffer_detail::check_buffer(length, operand);
  }
}

/// Checks the buffers of a call that reads `operands` and writes `result`: each has `length` words,
/// is not null unless `length` is 0, starts on a whole word, and `result` is either the same as an
/// operand or has no word in common with it.
/// @throws InvalidArgument otherwise; nothing has been written then.
inline void check_buffers(std::size_t length, const NamedBuffer& result,
                          std::initializer_list<NamedBuffer> operands) {
  buffer_detail::check_buffer(length, result);
  const std::uintptr_t result_address = buffer_detail::address(result);
  const std::uintptr_t bytes = length * sizeof(std::uint64_t);
  for (const NamedBuffer& operand : operands) {
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
