// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "seal/util/common.h"
#include "seal/util/defines.h"

// Integers of several words, the lowest word first. Variable time: for public values.

namespace ringlet::seal4_util {

/// Returns the integer in capital hexadecimal digits without leading zeros; "0" for zero and for no
/// words.
/// @throws std::invalid_argument if value is null and uint64_count is not 0.
SEAL_NODISCARD RINGLET_SEAL_API std::string uint_to_hex_string(const std::uint64_t* value,
                                                               std::size_t uint64_count);
/// Returns the integer in decimal digits; zero and errors as uint_to_hex_string.
SEAL_NODISCARD RINGLET_SEAL_API std::string uint_to_dec_string(const std::uint64_t* value,
                                                               std::size_t uint64_count);

/// Returns the number of significant bits of the integer; 0 for zero.
SEAL_NODISCARD RINGLET_SEAL_API int get_significant_bit_count_uint(
    const std::uint64_t* value, std::size_t uint64_count) noexcept;

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
