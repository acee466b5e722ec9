// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "seal/modulus.h"

// Integers of several little-endian words. Variable time: for public values.

namespace ringlet::seal4::detail {

using Words = std::vector<std::uint64_t>;

/// Returns the product, in as many words as there are factors.
Words product_of(const std::vector<Modulus>& factors);

/// Returns the number of significant bits.
int bit_count(const Words& value);

/// Returns value > word.
bool is_above(const Words& value, std::uint64_t word);

/// Returns value mod divisor, divisor >= 1.
std::uint64_t remainder_of(const Words& value, std::uint64_t divisor);

/// Returns floor(value / divisor), divisor >= 1, in as many words as the value.
Words quotient_of(Words value, std::uint64_t divisor);

/// Returns value - word, for value >= word.
Words minus(Words value, std::uint64_t word);

/// Returns floor((value + 1) / 2).
Words upper_half(Words value);

}  // namespace ringlet::seal4::detail
