// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "seal/modulus.h"
#include "seal/util/defines.h"
#include "seal/util/uintarithsmallmod.h"

// Operations of uintarithsmallmod.h, word by word, on polynomials of coeff_count words. Results may
// be the same buffers as operands.

namespace ringlet::seal4_util {

/// Computes result = poly mod modulus, for any words.
inline void modulo_poly_coeffs(const std::uint64_t* poly, std::size_t coeff_count,
                               const Modulus& modulus, std::uint64_t* result) noexcept {
  for (std::size_t i = 0; i < coeff_count; ++i) result[i] = barrett_reduce_64(poly[i], modulus);
}

/// Computes result = a + b, for reduced words.
inline void add_poly_coeffmod(const std::uint64_t* a, const std::uint64_t* b,
                              std::size_t coeff_count, const Modulus& modulus,
                              std::uint64_t* result) noexcept {
  for (std::size_t i = 0; i < coeff_count; ++i) result[i] = add_uint_mod(a[i], b[i], modulus);
}

/// Computes result = a - b, for reduced words.
inline void sub_poly_coeffmod(const std::uint64_t* a, const std::uint64_t* b,
                              std::size_t coeff_count, const Modulus& modulus,
                              std::uint64_t* result) noexcept {
  for (std::size_t i = 0; i < coeff_count; ++i) result[i] = sub_uint_mod(a[i], b[i], modulus);
}

/// Computes result = -poly, for reduced words.
inline void negate_poly_coeffmod(const std::uint64_t* poly, std::size_t coeff_count,
                                 const Modulus& modulus, std::uint64_t* result) noexcept {
  for (std::size_t i = 0; i < coeff_count; ++i) result[i] = negate_uint_mod(poly[i], modulus);
}

/// Computes result = poly * scalar, for any words.
inline void multiply_poly_scalar_coeffmod(const std::uint64_t* poly, std::size_t coeff_count,
                                          std::uint64_t scalar, const Modulus& modulus,
                                          std::uint64_t* result) noexcept {
  for (std::size_t i = 0; i < coeff_count; ++i) {
    result[i] = multiply_uint_mod(poly[i], scalar, modulus);
  }
}

/// Computes result[i] = a[i] * b[i], for any words: the product of polynomials in NTT form.
inline void dyadic_product_coeffmod(const std::uint64_t* a, const std::uint64_t* b,
                                    std::size_t coeff_count, const Modulus& modulus,
                                    std::uint64_t* result) noexcept {
  for (std::size_t i = 0; i < coeff_count; ++i) result[i] = multiply_uint_mod(a[i], b[i], modulus);
}

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
