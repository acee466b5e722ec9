// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/select.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/fv/wide_poly.hpp"

namespace ringlet::wide {

/// Turns residues of signed integers modulo a few primes into residues modulo q as words, by
/// Garner's mixed-radix digits. Immutable. Constant time in the data.
class Reconstruction {
 public:
  /// Integers are in [-P/2, P/2), P the product of 1 to 4 primes of one size, below 2^50; of four,
  /// below 2^49. Residues come as signed integers x with |x| < growth * p, growth * p below 2^62.
  Reconstruction(const WideModulus& q, std::span<const Modulus> primes, std::uint64_t growth,
                 const kernels::Chosen<kernels::ResidueKernel>& kernel);

  /// result[i] = the integer whose residue modulo prime l is residues[l * stride + i], plus e[i],
  /// modulo q; for all coefficients of `result`. `e` is empty, for 0, or as long.
  void run(WidePoly& result, const std::uint64_t* residues, std::size_t stride,
           std::span<const std::int32_t> e) const;

 private:
  kernels::MixedRadixDigits digits_;
  kernels::Chosen<kernels::ResidueKernel> kernel_;
};

}  // namespace ringlet::wide
