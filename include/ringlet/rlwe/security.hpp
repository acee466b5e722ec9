// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// The security that parameters must reach, in bits: the cost of the best known attack.
enum class SecurityLevel : std::uint16_t {
  none = 0,  ///< No check. For experiments and tests: there is no guarantee.
  /// "Reproduction, about 64 bits": for parameters of published experiments, such as a modulus of
  /// 125 bits at degree 2420. Never a default, and no protection: an attack costs about 2^64.
  reproduction = 64,
  tc128 = 128,
  tc192 = 192,
  tc256 = 256,
};

/// The published table that limits parameters. All tables are for ternary secrets and errors of
/// standard deviation about 3.2, as Ringlet samples them.
enum class SecurityTable : std::uint8_t {
  /// Bossuat et al., "Security Guidelines for Implementing Homomorphic Encryption", IACR ePrint
  /// 2024/463: classical attacks. The default.
  classical_2024,
  /// The guidelines of 2024 with the conservative quantum cost model (Chailloux and Loyer, 2021).
  quantum_2024,
  /// Albrecht et al., "Homomorphic Encryption Security Standard", 2018: classical attacks. For
  /// programs that were written for this standard. By the estimates of 2024, its 128-bit column
  /// gives 125.5 to 125.9 bits.
  he_standard_2018,
  /// The table for quantum attacks of the standard of 2018.
  he_standard_2018_quantum,
};

/// The result of max_modulus_bits() for SecurityLevel::none.
inline constexpr int kUnlimitedModulusBits = std::numeric_limits<int>::max();

/// Limits of SecurityLevel::reproduction: moduli of up to kReproductionModulusBits bits at degrees
/// of kReproductionDegree or more.
inline constexpr std::size_t kReproductionDegree = 2420;
inline constexpr int kReproductionModulusBits = 125;

/// Returns the largest number of significant bits that the full modulus, with the special primes of
/// key switching, may have in a ring of degree `degree`. For X^N + 1 this is the table's entry. For
/// rings Z[X]/Phi_m with a degree between two entries, the function interpolates linearly and
/// rounds down: estimates grow almost linearly with the degree, and depend on no other property of
/// the ring (docs/rings.md).
///
/// Returns 0 below the smallest entry of that level and above its largest entry, and
/// kUnlimitedModulusBits for SecurityLevel::none. For SecurityLevel::reproduction and every table,
/// returns 125 from degree 2420 on, and 0 below.
RINGLET_API int max_modulus_bits(std::size_t degree, SecurityLevel level = SecurityLevel::tc128,
                                 SecurityTable table = SecurityTable::classical_2024) noexcept;

/// Returns the name that messages use: "tc128", "reproduction, about 64 bits", "classical_2024",
/// ...
RINGLET_API const char* to_string(SecurityLevel level) noexcept;
RINGLET_API const char* to_string(SecurityTable table) noexcept;

}  // namespace ringlet
