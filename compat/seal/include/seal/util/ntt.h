// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/util/defines.h"
#include "seal/util/iterator.h"
#include "seal/util/pointer.h"
#include "seal/util/uintarithsmallmod.h"
#include "seal/util/uintcore.h"

namespace ringlet::seal4_util {

/// The tables of transforms of one length modulo one prime. Immutable; copies share the tables.
class RINGLET_SEAL_API NTTTables {
 public:
  /// Makes tables for N = 2^coeff_count_power. Their memory is not that of the pool.
  /// @throws std::invalid_argument if coeff_count_power is outside [1, 17], the modulus is not a
  ///         prime that is 1 modulo 2N, or there is no pool.
  NTTTables(int coeff_count_power, const Modulus& modulus,
            seal4::MemoryPoolHandle pool = seal4::MemoryManager::GetPool());
  NTTTables(const NTTTables&) noexcept;
  NTTTables& operator=(const NTTTables&) noexcept;
  ~NTTTables();

  SEAL_NODISCARD const Modulus& modulus() const noexcept { return modulus_; }
  SEAL_NODISCARD std::size_t coeff_count() const noexcept { return std::size_t{1} << power_; }
  SEAL_NODISCARD int coeff_count_power() const noexcept { return power_; }
  /// Returns 1/N modulo the modulus.
  SEAL_NODISCARD const MultiplyUIntModOperand& inv_degree_modulo() const noexcept {
    return inv_degree_modulo_;
  }
  /// Returns the smallest element of order 2N.
  SEAL_NODISCARD std::uint64_t get_root() const noexcept;

  /// Returns N powers of w = get_root(): entry bit_reverse(i) is w^i, where bit_reverse is over
  /// log2(N) bits. The first request makes the powers; copies of the tables share them.
  SEAL_NODISCARD const MultiplyUIntModOperand* get_from_root_powers() const;
  /// Returns N powers of 1/w: entry 0 is 1, and entry bit_reverse(i - 1) + 1 is w^-i. Made as
  /// get_from_root_powers.
  SEAL_NODISCARD const MultiplyUIntModOperand* get_from_inv_root_powers() const;
  /// Return one entry.
  /// @throws std::out_of_range if index >= N.
  SEAL_NODISCARD MultiplyUIntModOperand get_from_root_powers(std::size_t index) const;
  SEAL_NODISCARD MultiplyUIntModOperand get_from_inv_root_powers(std::size_t index) const;

 private:
  friend struct Transform;
  struct Plan;

  int power_;
  Modulus modulus_;
  MultiplyUIntModOperand inv_degree_modulo_;
  std::shared_ptr<Plan> plan_;
};

/// Makes tables modulo each prime, in memory of the pool.
/// @throws std::invalid_argument if there are no primes, and as the constructor of NTTTables.
RINGLET_SEAL_API void CreateNTTTables(int coeff_count_power, const std::vector<Modulus>& modulus,
                                      Pointer<NTTTables>& tables, seal4::MemoryPoolHandle pool);

// Transforms in place, of the residues modulo one prime, of the residues modulo each prime
// (RNSIter), or of several polynomials (PolyIter). Constant time in the words. Each function throws
// std::invalid_argument for a null iterator and for tables of another degree.

namespace detail {

/// Throws std::invalid_argument unless all conditions hold.
RINGLET_SEAL_API void check_transform(bool set, bool same_degree);

/// Calls transform(residues, tables) for each prime.
template <class Function>
void transform_each(Function* transform, RNSIter operand, std::size_t coeff_modulus_size,
                    ConstNTTTablesIter tables) {
  check_transform(operand && tables, true);
  for (std::size_t i = 0; i < coeff_modulus_size; ++i) {
    check_transform(true, operand.poly_modulus_degree() == tables[i].coeff_count());
    transform(operand[i], tables[i]);
  }
}

/// Calls transform(residues, tables) for each prime of each polynomial.
template <class Function>
void transform_each(Function* transform, PolyIter operand, std::size_t size,
                    ConstNTTTablesIter tables) {
  for (std::size_t i = 0; i < size; ++i) {
    transform_each(transform, operand[i], operand.coeff_modulus_size(), tables);
  }
}

using TransformFunction = void(CoeffIter, const NTTTables&);

}  // namespace detail

/// Transforms coefficients a_0, ..., a_{N-1} to values: word i becomes the value of the polynomial
/// at w^(2*bit_reverse(i) + 1), where w = get_root() and bit_reverse is over log2(N) bits. Words
/// and results are in [0, 4*modulus).
RINGLET_SEAL_API void ntt_negacyclic_harvey_lazy(CoeffIter operand, const NTTTables& tables);
inline void ntt_negacyclic_harvey_lazy(RNSIter operand, std::size_t coeff_modulus_size,
                                       ConstNTTTablesIter tables) {
  detail::transform_each<detail::TransformFunction>(ntt_negacyclic_harvey_lazy, operand,
                                                    coeff_modulus_size, tables);
}
inline void ntt_negacyclic_harvey_lazy(PolyIter operand, std::size_t size,
                                       ConstNTTTablesIter tables) {
  detail::transform_each<detail::TransformFunction>(ntt_negacyclic_harvey_lazy, operand, size,
                                                    tables);
}

/// As ntt_negacyclic_harvey_lazy, with results in [0, modulus).
RINGLET_SEAL_API void ntt_negacyclic_harvey(CoeffIter operand, const NTTTables& tables);
inline void ntt_negacyclic_harvey(RNSIter operand, std::size_t coeff_modulus_size,
                                  ConstNTTTablesIter tables) {
  detail::transform_each<detail::TransformFunction>(ntt_negacyclic_harvey, operand,
                                                    coeff_modulus_size, tables);
}
inline void ntt_negacyclic_harvey(PolyIter operand, std::size_t size, ConstNTTTablesIter tables) {
  detail::transform_each<detail::TransformFunction>(ntt_negacyclic_harvey, operand, size, tables);
}

/// Transforms values to coefficients, 1/N included. Words and results are in [0, 2*modulus).
RINGLET_SEAL_API void inverse_ntt_negacyclic_harvey_lazy(CoeffIter operand,
                                                         const NTTTables& tables);
inline void inverse_ntt_negacyclic_harvey_lazy(RNSIter operand, std::size_t coeff_modulus_size,
                                               ConstNTTTablesIter tables) {
  detail::transform_each<detail::TransformFunction>(inverse_ntt_negacyclic_harvey_lazy, operand,
                                                    coeff_modulus_size, tables);
}
inline void inverse_ntt_negacyclic_harvey_lazy(PolyIter operand, std::size_t size,
                                               ConstNTTTablesIter tables) {
  detail::transform_each<detail::TransformFunction>(inverse_ntt_negacyclic_harvey_lazy, operand,
                                                    size, tables);
}

/// As inverse_ntt_negacyclic_harvey_lazy, with results in [0, modulus).
RINGLET_SEAL_API void inverse_ntt_negacyclic_harvey(CoeffIter operand, const NTTTables& tables);
inline void inverse_ntt_negacyclic_harvey(RNSIter operand, std::size_t coeff_modulus_size,
                                          ConstNTTTablesIter tables) {
  detail::transform_each<detail::TransformFunction>(inverse_ntt_negacyclic_harvey, operand,
                                                    coeff_modulus_size, tables);
}
inline void inverse_ntt_negacyclic_harvey(PolyIter operand, std::size_t size,
                                          ConstNTTTablesIter tables) {
  detail::transform_each<detail::TransformFunction>(inverse_ntt_negacyclic_harvey, operand, size,
                                                    tables);
}

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
