// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ringlet/kernels/wisdom.hpp"

// The text form of wisdom, docs/kernel_selection.md.

namespace ringlet::kernels {

/// The result of parsing a text.
struct ParsedWisdom {
  std::vector<WisdomEntry> entries;  ///< Empty unless the state is `used`.
  WisdomState state = WisdomState::damaged;
  std::string reason;  ///< Empty if the state is `used`.
};

/// What is wrong with entries, in words; empty if they are sorted, each once, of this library's
/// operations and kernels, and each kernel takes some modulus of the width at the degree.
std::string wisdom_problem(const std::vector<WisdomEntry>& entries);

/// The text that binds the entries to this library and this processor.
std::string wisdom_text(const std::vector<WisdomEntry>& entries);

/// The entries of a text that wisdom_text gives in this library on this processor; every other
/// text, of any length, is stale or damaged. Memory is bounded by a small multiple of the length.
ParsedWisdom parse_wisdom(std::string_view text);

}  // namespace ringlet::kernels
