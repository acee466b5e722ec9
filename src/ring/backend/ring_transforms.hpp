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

/// Coefficients to NTT form and back modulo every prime of a basis, in its ring: RnsNtt for
/// X^N + 1, CyclotomicNtt for others. Which of the two is asked once per limb. Immutable. Constant
/// time in the data.
class RingTransforms {
 public:
  /// @throws as Ntt.
  RingTransforms(const RnsBasis& basis, const KernelSelection& selection);

  /// Every limb; over several threads where that pays. Limb i is modulo the prime primes[i].
  void forward(NttView result, ConstCoeffView operand, PrimeIndices primes) const;
  void inverse(CoeffView result, ConstNttView operand, PrimeIndices primes) const;

  /// One limb, modulo the prime of that index. Operands of `forward` in [0, input_mod_factor*q),
  /// factor 1, 2 or 4.
  void forward(std::size_t prime, std::span<std::uint64_t> result,
               std::span<const std::uint64_t> operand, int input_mod_factor = 1) const;
  void inverse(std::size_t prime, std::span<std::uint64_t> result,
               std::span<const std::uint64_t> operand) const;

  /// The plan of X^N + 1 modulo that prime whose kernel has inner products of key switching, for
  /// DigitSums; null if there is none.
  const Ntt* digit_sums(std::size_t prime) const;

  /// "table/algorithm" of the transform modulo that prime; of the convolution in it for rings other
  /// than X^N + 1.
  const std::string& kernel_name(std::size_t prime) const;

 private:
  std::optional<RnsNtt> negacyclic_;
  std::vector<CyclotomicNtt> cyclotomic_;
};

}  // namespace ringlet
