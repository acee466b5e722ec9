// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "seal/util/common.h"
#include "seal/util/defines.h"
#include "seal/util/pointer.h"
#include "seal/util/uintcore.h"

// Arrays of polynomials: coeff_count coefficients of coeff_uint64_count words each. Counts of words
// that exceed 64 bits give std::logic_error.

namespace ringlet::seal4_util {

/// Returns memory for a polynomial, with unspecified words.
SEAL_NODISCARD inline Pointer<std::uint64_t> allocate_poly(std::size_t coeff_count,
                                                           std::size_t coeff_uint64_count,
                                                           MemoryPool& pool) {
  return allocate_uint(mul_safe(coeff_count, coeff_uint64_count), pool);
}
SEAL_NODISCARD inline Pointer<std::uint64_t> allocate_zero_poly(std::size_t coeff_count,
                                                                std::size_t coeff_uint64_count,
                                                                MemoryPool& pool) {
  return allocate_zero_uint(mul_safe(coeff_count, coeff_uint64_count), pool);
}
/// Returns memory for several polynomials, with unspecified words.
SEAL_NODISCARD inline Pointer<std::uint64_t> allocate_poly_array(std::size_t poly_count,
                                                                 std::size_t coeff_count,
                                                                 std::size_t coeff_uint64_count,
                                                                 MemoryPool& pool) {
  return allocate_uint(mul_safe(poly_count, coeff_count, coeff_uint64_count), pool);
}
SEAL_NODISCARD inline Pointer<std::uint64_t> allocate_zero_poly_array(
    std::size_t poly_count, std::size_t coeff_count, std::size_t coeff_uint64_count,
    MemoryPool& pool) {
  return allocate_zero_uint(mul_safe(poly_count, coeff_count, coeff_uint64_count), pool);
}

inline void set_zero_poly(std::size_t coeff_count, std::size_t coeff_uint64_count,
                          std::uint64_t* result) {
  set_zero_uint(mul_safe(coeff_count, coeff_uint64_count), result);
}
inline void set_zero_poly_array(std::size_t poly_count, std::size_t coeff_count,
                                std::size_t coeff_uint64_count, std::uint64_t* result) {
  set_zero_uint(mul_safe(poly_count, coeff_count, coeff_uint64_count), result);
}

/// Copies a polynomial. Source and result may overlap.
inline void set_poly(const std::uint64_t* poly, std::size_t coeff_count,
                     std::size_t coeff_uint64_count, std::uint64_t* result) {
  set_uint(poly, mul_safe(coeff_count, coeff_uint64_count), result);
}
inline void set_poly_array(const std::uint64_t* poly, std::size_t poly_count,
                           std::size_t coeff_count, std::size_t coeff_uint64_count,
                           std::uint64_t* result) {
  set_uint(poly, mul_safe(poly_count, coeff_count, coeff_uint64_count), result);
}

/// Returns the polynomial as text, such as "1Fx^2 + A", with hexadecimal coefficients; "0" for
/// zero.
/// @throws std::invalid_argument if value is null and there are words.
SEAL_NODISCARD RINGLET_SEAL_API std::string poly_to_hex_string(const std::uint64_t* value,
                                                               std::size_t coeff_count,
                                                               std::size_t coeff_uint64_count);
/// Returns the polynomial as text with decimal coefficients. Needs no memory of the pool.
SEAL_NODISCARD RINGLET_SEAL_API std::string poly_to_dec_string(const std::uint64_t* value,
                                                               std::size_t coeff_count,
                                                               std::size_t coeff_uint64_count,
                                                               MemoryPool& pool);

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
