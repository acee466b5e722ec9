// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/select.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet::ckks {

/// Converts residues modulo distinct odd primes q_0, ..., q_{k-1} to real numbers: the
/// representative of least absolute value modulo the product of the first l primes, divided by a
/// scale. Uses Garner's mixed-radix digits, no large integers; docs/notes/ckks_embedding.md shows
/// how the digits are found and centred. Relative error a few 2^-53, the same bits for every
/// kernel. Immutable, shared by threads. Constant time in the residues.
class CentredCrt {
 public:
  /// Takes the first primes of a backend's basis.
  explicit CentredCrt(std::span<const Modulus> primes,
                      const KernelSelection& selection = KernelSelection::from_environment());

  /// values[i] = centred(residues of coefficient i) / scale, over as many primes as the view has
  /// limbs.
  /// @param scale a positive normal number.
  void to_real(const Backend& backend, std::span<double> values, ConstCoeffView residues,
               double scale) const;

 private:
  void weigh(std::span<double> weights, double scale) const;

  kernels::Chosen<kernels::EmbeddingKernel> kernel_;
  std::vector<kernels::MixedRadixPrime> primes_;
  std::vector<std::uint64_t> constants64_;  ///< In the layout of kernels::MixedRadix.
  std::vector<std::uint64_t> constants52_;  ///< Empty if a prime is out of their range.
  std::vector<std::uint64_t> constants104_;
};

}  // namespace ringlet::ckks
