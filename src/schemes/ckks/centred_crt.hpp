// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/backend.hpp"
#include "ringlet/modulus.hpp"
#include "ringlet/storage.hpp"

namespace ringlet::ckks {

/// From residues modulo distinct odd primes q_0, ..., q_{k-1} to real numbers: the representative
/// of least absolute value modulo the product of the first l primes, divided by a scale. By
/// Garner's mixed-radix digits, without large integers; docs/notes/ckks_embedding.md shows how the
/// digits are centred. Relative error a few 2^-53. Immutable, shared by threads. Constant time in
/// the residues.
class CentredCrt {
 public:
  /// For the first primes of a backend's basis.
  explicit CentredCrt(std::span<const Modulus> primes);

  /// values[i] = centred(residues of coefficient i) / scale, over as many primes as the view has
  /// limbs. The residues are overwritten by their digits.
  /// @param scale a positive normal number.
  void to_real(const Backend& backend, std::span<double> values, CoeffView residues,
               double scale) const;

 private:
  void to_digits(const Backend& backend, CoeffView residues) const;
  std::vector<double> weights(std::size_t count, double scale) const;

  std::vector<Modulus> primes_;
  std::vector<std::vector<std::uint64_t>> inverses_;  ///< [i][j]: 1/q_j mod q_i for j < i.
};

}  // namespace ringlet::ckks
