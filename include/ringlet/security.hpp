// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "ringlet/export.hpp"

namespace ringlet {

/// Security that parameters must reach, in bits: the cost of the best known attack.
enum class SecurityLevel : std::uint16_t {
  none = 0,  ///< No check. For experiments and tests: nothing is promised.
  tc128 = 128,
  tc192 = 192,
  tc256 = 256,
};

/// The published table that parameters are checked against. All are for ternary secrets and errors
/// of standard deviation about 3.2, which is what Ringlet samples.
enum class SecurityTable : std::uint8_t {
  /// Bossuat et al., "Security Guidelines for Implementing Homomorphic Encryption", IACR ePrint
  /// 2024/463: classical attacks. The default.
  classical_2024,
  /// The same guidelines, conservative quantum cost model (Chailloux and Loyer, 2021).
  quantum_2024,
  /// Albrecht et al., "Homomorphic Encryption Security Standard", 2018: classical attacks. By the
  /// estimates of 2024 its 128-bit column gives 125.5 to 125.9 bits; for programs written for it.
  he_standard_2018,
  /// The same standard's table for quantum attacks.
  he_standard_2018_quantum,
};

/// What max_modulus_bits returns for SecurityLevel::none.
inline constexpr int kUnlimitedModulusBits = std::numeric_limits<int>::max();

/// Largest number of significant bits that the full modulus may have, the special primes of key
/// switching included, in X^degree + 1.
/// Returns 0 if the table has no entry for `degree` at that level, kUnlimitedModulusBits for
/// SecurityLevel::none.
RINGLET_API int max_modulus_bits(std::size_t degree, SecurityLevel level = SecurityLevel::tc128,
                                 SecurityTable table = SecurityTable::classical_2024) noexcept;

/// Names for messages: "tc128", "classical_2024", ...
RINGLET_API const char* to_string(SecurityLevel level) noexcept;
RINGLET_API const char* to_string(SecurityTable table) noexcept;

}  // namespace ringlet
