// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "seal/encryptionparams.h"

namespace ringlet::seal4::detail {

/// Whether `count` words are all below q. Constant time in the words.
bool are_words_below(const std::uint64_t* words, std::size_t count, std::uint64_t q);

/// Whether `poly_count` RNS polynomials, contiguous, are reduced modulo the primes of `parms`.
/// Constant time in the words.
bool are_words_reduced(const std::uint64_t* words, std::size_t poly_count,
                       const EncryptionParameters& parms);

}  // namespace ringlet::seal4::detail
