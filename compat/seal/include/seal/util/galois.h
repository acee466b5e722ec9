// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/util/defines.h"
#include "seal/util/iterator.h"

namespace ringlet::seal4_util {

/// Computes with the automorphisms m(X) -> m(X^elt) of Z[X]/(X^N + 1), elt odd in [1, 2N), and maps
/// between rotations of slots and elements. Immutable.
class RINGLET_SEAL_API GaloisTool {
 public:
  /// Makes a tool for N = 2^coeff_count_power.
  /// @throws std::invalid_argument if coeff_count_power is outside [1, 17], or there is no pool.
  explicit GaloisTool(int coeff_count_power,
                      seal4::MemoryPoolHandle pool = seal4::MemoryManager::GetPool());
  GaloisTool(const GaloisTool& copy) = delete;
  GaloisTool& operator=(const GaloisTool& assign) = delete;

  // Apply the automorphism to the residues modulo one prime, modulo each prime, or of several
  // polynomials. Words are reduced; constant time in the words. The result is another buffer than
  // the operand. Each function throws std::invalid_argument for null, for a result that is the
  // operand, for another degree and for elements that are even or above 2N.

  void apply_galois(ConstCoeffIter operand, std::uint32_t galois_elt, const Modulus& modulus,
                    CoeffIter result) const;
  void apply_galois(ConstRNSIter operand, std::size_t coeff_modulus_size, std::uint32_t galois_elt,
                    ConstModulusIter modulus, RNSIter result) const;
  void apply_galois(ConstPolyIter operand, std::size_t size, std::uint32_t galois_elt,
                    ConstModulusIter modulus, PolyIter result) const;

  // Do the same in NTT form, where the automorphism permutes words.

  void apply_galois_ntt(ConstCoeffIter operand, std::uint32_t galois_elt, CoeffIter result) const;
  void apply_galois_ntt(ConstRNSIter operand, std::size_t coeff_modulus_size,
                        std::uint32_t galois_elt, RNSIter result) const;
  void apply_galois_ntt(ConstPolyIter operand, std::size_t size, std::uint32_t galois_elt,
                        PolyIter result) const;

  /// Returns the element of a rotation by `step`: 3^step mod 2N, to the left, or to the right for
  /// negative steps. Step 0 gives 2N - 1, which swaps rows (BFV and BGV) or conjugates (CKKS).
  /// @throws std::invalid_argument if |step| >= N/2.
  SEAL_NODISCARD std::uint32_t get_elt_from_step(int step) const;
  SEAL_NODISCARD std::vector<std::uint32_t> get_elts_from_steps(
      const std::vector<int>& steps) const;
  /// Returns elements of which every rotation is a product: 2N - 1, and the elements of the
  /// rotations by 2^i and -2^i for all 2^i below N/2. The last two elements are equal.
  SEAL_NODISCARD std::vector<std::uint32_t> get_elts_all() const;

  /// Returns the index of an element among Galois keys: (elt - 1)/2.
  /// @throws std::invalid_argument if galois_elt is even.
  SEAL_NODISCARD static std::size_t GetIndexFromElt(std::uint32_t galois_elt);

 private:
  void check(const std::uint64_t* operand, const std::uint64_t* result,
             std::uint32_t galois_elt) const;
  void check_degree(std::size_t operand, std::size_t result) const;

  int coeff_count_power_ = 0;
  std::uint32_t coeff_count_ = 0;
};

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
