// SPDX-License-Identifier: Apache-2.0
#pragma once

// Macros and limits with the names that programs for SEAL use.

#include <cstddef>

#include "seal/util/config.h"

/// Exports a class or function from the shared library.
#define RINGLET_SEAL_API __attribute__((visibility("default")))

#define SEAL_NODISCARD [[nodiscard]]
#define SEAL_MAYBE_UNUSED [[maybe_unused]]

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

/// A byte of a buffer for saving and loading.
using seal_byte = std::byte;

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
