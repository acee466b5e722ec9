// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/wide/word_operations.hpp"

namespace ringlet::kernels {

// Of its unit.
extern const WordOperations kMqxWordOperations;

/// Those that this processor runs.
std::span<const WordOperations* const> available_word_operations();

}  // namespace ringlet::kernels
