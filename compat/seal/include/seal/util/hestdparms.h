// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringlet::seal4_util {

// Largest bit count of a coefficient modulus with ternary secrets: Albrecht et al., "Homomorphic
// Encryption Security Standard", 2018, table 1. 0 for a degree that is not in the table.

/// 128 bits of security against classical attacks.
constexpr int seal_he_std_parms_128_tc(std::size_t poly_modulus_degree) noexcept {
  switch (poly_modulus_degree) {
    case 1024:
      return 27;
    case 2048:
      return 54;
    case 4096:
      return 109;
    case 8192:
      return 218;
    case 16384:
      return 438;
    case 32768:
      return 881;
    default:
      return 0;
  }
}

/// 192 bits of security against classical attacks.
constexpr int seal_he_std_parms_192_tc(std::size_t poly_modulus_degree) noexcept {
  switch (poly_modulus_degree) {
    case 1024:
      return 19;
    case 2048:
      return 37;
    case 4096:
      return 75;
    case 8192:
      return 152;
    case 16384:
      return 305;
    case 32768:
      return 611;
    default:
      return 0;
  }
}

/// 256 bits of security against classical attacks.
constexpr int seal_he_std_parms_256_tc(std::size_t poly_modulus_degree) noexcept {
  switch (poly_modulus_degree) {
    case 1024:
      return 14;
    case 2048:
      return 29;
    case 4096:
      return 58;
    case 8192:
      return 118;
    case 16384:
      return 237;
    case 32768:
      return 476;
    default:
      return 0;
  }
}

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
