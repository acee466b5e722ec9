// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ring/cyclotomic/ntt.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/rns_ntt.hpp"
#include "ringlet/ring/rns_basis.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet {

/// Transforms coefficients to NTT form and back modulo every prime of a basis: by RnsNtt for
/// X^N + 1, by CyclotomicNtt for other rings. Chooses between the two once per limb. Immutable.
/// Constant time in the data.
class RingTransforms {
 public:
  /// @throws as Ntt.
  RingTransforms(const RnsBasis& basis, const KernelSelection& selection);

  /// Transform every limb, on several threads where that pays; limb i modulo the prime primes[i].
  void forward(NttView result, ConstCoeffView operand, PrimeIndices primes) const;
  void inverse(CoeffView result, ConstNttView operand, PrimeIndices primes) const;

  /// Transform one limb, modulo the prime of this index. Operands of `forward` are in
  /// [0, input_mod_factor*q), factor 1, 2 or 4.
  void forward(std::size_t prime, std::span<std::uint64_t> result,
               std::span<const std::uint64_t> operand, int input_mod_factor = 1) const;
  void inverse(std::size_t prime, std::span<std::uint64_t> result,
               std::span<const std::uint64_t> operand) const;

  /// Returns the plan of X^N + 1 modulo this prime, for DigitSums; null if there is none, or its
  /// kernel has no inner products of key switching.
  const Ntt* digit_sums(std::size_t prime) const;

  /// Returns "table/algorithm" of the transform modulo this prime, or of its convolution for rings
  /// other than X^N + 1.
  const std::string& kernel_name(std::size_t prime) const;

 private:
  std::optional<RnsNtt> negacyclic_;
  std::vector<CyclotomicNtt> cyclotomic_;
};

}  // namespace ringlet
