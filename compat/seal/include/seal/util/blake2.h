// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "seal/util/defines.h"

/// Computes the hash BLAKE2Xb of `in`, with a key of 0 to 64 bytes, as SEAL does. Returns 0, or -1
/// if a length is outside its range or a buffer is null.
extern "C" RINGLET_SEAL_API int blake2xb(void* out, std::size_t outlen, const void* in,
                                         std::size_t inlen, const void* key, std::size_t keylen);
