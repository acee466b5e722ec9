// SPDX-License-Identifier: Apache-2.0
#pragma once

// Macros and limits under the names that programs written for SEAL know.

#include <cstddef>

#include "seal/util/config.h"

/// Marks what the shared library exports.
#define RINGLET_SEAL_API __attribute__((visibility("default")))

#define SEAL_NODISCARD [[nodiscard]]
#define SEAL_MAYBE_UNUSED [[maybe_unused]]

/// Operations that end in a ciphertext which anybody can read refuse it.
#define SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT

// Limits of parameters and ciphertexts, both ends included.
#define SEAL_POLY_MOD_DEGREE_MIN 2
#define SEAL_POLY_MOD_DEGREE_MAX 131072
#define SEAL_COEFF_MOD_COUNT_MIN 1
#define SEAL_COEFF_MOD_COUNT_MAX 256
#define SEAL_MOD_BIT_COUNT_MIN 2
#define SEAL_MOD_BIT_COUNT_MAX 61
#define SEAL_USER_MOD_BIT_COUNT_MIN 2
#define SEAL_USER_MOD_BIT_COUNT_MAX 60
#define SEAL_PLAIN_MOD_BIT_COUNT_MIN SEAL_USER_MOD_BIT_COUNT_MIN
#define SEAL_PLAIN_MOD_BIT_COUNT_MAX SEAL_USER_MOD_BIT_COUNT_MAX
#define SEAL_CIPHERTEXT_SIZE_MIN 2
#define SEAL_CIPHERTEXT_SIZE_MAX 16

namespace ringlet::seal4 {

/// A byte of a buffer that is saved to or loaded from.
using seal_byte = std::byte;

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
