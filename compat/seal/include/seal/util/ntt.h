// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "seal/modulus.h"
#include "seal/util/defines.h"

namespace ringlet::seal4_util {

using seal4::Modulus;

/// The tables of transforms of one length modulo one prime. Immutable; copies share the tables.
class RINGLET_SEAL_API NTTTables {
 public:
  /// Makes tables for N = 2^coeff_count_power.
  /// @throws std::invalid_argument if coeff_count_power is outside [1, 17], or the modulus is not a
  ///         prime that is 1 modulo 2N.
  NTTTables(int coeff_count_power, const Modulus& modulus);
  NTTTables(const NTTTables&) noexcept;
  NTTTables& operator=(const NTTTables&) noexcept;
  ~NTTTables();

  SEAL_NODISCARD const Modulus& modulus() const noexcept { return modulus_; }
  SEAL_NODISCARD std::size_t coeff_count() const noexcept { return std::size_t{1} << power_; }
  SEAL_NODISCARD int coeff_count_power() const noexcept { return power_; }
  /// Returns the smallest element of order 2N.
  SEAL_NODISCARD std::uint64_t get_root() const noexcept;

 private:
  friend RINGLET_SEAL_API void ntt_negacyclic_harvey(std::uint64_t* operand,
                                                     const NTTTables& tables);
  friend RINGLET_SEAL_API void inverse_ntt_negacyclic_harvey(std::uint64_t* operand,
                                                             const NTTTables& tables);
  struct Plan;

  int power_;
  Modulus modulus_;
  std::shared_ptr<const Plan> plan_;
};

/// Transforms coefficients a_0, ..., a_{N-1} to values in place: word i becomes the value of the
/// polynomial at w^(2*bit_reverse(i) + 1), where w = get_root() and bit_reverse is over log2(N)
/// bits. Words are in [0, 4*modulus), results in [0, modulus). Constant time in the words.
/// @throws std::invalid_argument if `operand` is null.
RINGLET_SEAL_API void ntt_negacyclic_harvey(std::uint64_t* operand, const NTTTables& tables);
/// Transforms values to coefficients in place. Words are in [0, 2*modulus), results in
/// [0, modulus). Constant time in the words.
/// @throws std::invalid_argument if `operand` is null.
RINGLET_SEAL_API void inverse_ntt_negacyclic_harvey(std::uint64_t* operand,
                                                    const NTTTables& tables);

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
