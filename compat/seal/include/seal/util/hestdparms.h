// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringlet::seal4_util {

// Largest bit count of a coefficient modulus with ternary secrets: Albrecht et al., "Homomorphic
// Encryption Security Standard", 2018, table 1. 0 for a degree that is not in the table.

namespace detail {

/// Returns the entry of a degree in a table of the degrees 1024, 2048, ..., 32768.
constexpr int entry_of_degree(std::size_t degree, const int (&bits)[6]) noexcept {
  for (std::size_t i = 0; i < 6; ++i) {
    if (degree == std::size_t{1024} << i) return bits[i];
  }
  return 0;
}

}  // namespace detail

/// Returns the largest bit count for 128 bits of security against classical attacks.
constexpr int seal_he_std_parms_128_tc(std::size_t poly_modulus_degree) noexcept {
  return detail::entry_of_degree(poly_modulus_degree, {27, 54, 109, 218, 438, 881});
}

/// Returns the largest bit count for 192 bits of security against classical attacks.
constexpr int seal_he_std_parms_192_tc(std::size_t poly_modulus_degree) noexcept {
  return detail::entry_of_degree(poly_modulus_degree, {19, 37, 75, 152, 305, 611});
}

/// Returns the largest bit count for 256 bits of security against classical attacks.
constexpr int seal_he_std_parms_256_tc(std::size_t poly_modulus_degree) noexcept {
  return detail::entry_of_degree(poly_modulus_degree, {14, 29, 58, 118, 237, 476});
}

/// Returns the largest bit count for 128 bits of security against quantum attacks.
constexpr int seal_he_std_parms_128_tq(std::size_t poly_modulus_degree) noexcept {
  return detail::entry_of_degree(poly_modulus_degree, {25, 51, 101, 202, 411, 827});
}

/// Returns the largest bit count for 192 bits of security against quantum attacks.
constexpr int seal_he_std_parms_192_tq(std::size_t poly_modulus_degree) noexcept {
  return detail::entry_of_degree(poly_modulus_degree, {17, 35, 70, 141, 284, 571});
}

/// Returns the largest bit count for 256 bits of security against quantum attacks.
constexpr int seal_he_std_parms_256_tq(std::size_t poly_modulus_degree) noexcept {
  return detail::entry_of_degree(poly_modulus_degree, {13, 27, 54, 109, 220, 443});
}

/// The standard deviation of the noise in the table.
constexpr double seal_he_std_parms_error_std_dev = 3.2;

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
