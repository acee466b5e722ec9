// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "seal/modulus.h"

// Integers of several little-endian words. Variable time: for public values.

namespace ringlet::seal4::detail {

using Words = std::vector<std::uint64_t>;

/// The product, of as many words as there are factors.
Words product_of(const std::vector<Modulus>& factors);

/// Number of significant bits.
int bit_count(const Words& value);

/// value > word.
bool is_above(const Words& value, std::uint64_t word);

/// value mod divisor, divisor >= 1.
std::uint64_t remainder_of(const Words& value, std::uint64_t divisor);

/// floor(value / divisor), divisor >= 1, of as many words as the value.
Words quotient_of(Words value, std::uint64_t divisor);

/// value - word, for value >= word.
Words minus(Words value, std::uint64_t word);

/// floor((value + 1) / 2).
Words upper_half(Words value);

}  // namespace ringlet::seal4::detail
