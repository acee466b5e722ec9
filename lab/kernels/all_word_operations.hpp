// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/wide/word_operations.hpp"

namespace ringlet::kernels {

// Defined by the unit of MQX.
extern const WordOperations kMqxWordOperations;

/// The word operations that this processor runs.
std::span<const WordOperations* const> available_word_operations();

}  // namespace ringlet::kernels
