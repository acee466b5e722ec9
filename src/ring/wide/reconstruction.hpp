// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ring/wide/word_reduction.hpp"
#include "ringlet/modulus.hpp"
#include "ringlet/wide_modulus.hpp"
#include "ringlet/wide_poly.hpp"

namespace ringlet::wide {

inline constexpr std::size_t kMaxResidues = 4;

/// Signed integers from their residues modulo a few primes, to residues modulo q as words, by
/// Garner's mixed digits. Immutable. Constant time in the data.
class Reconstruction {
 public:
  /// Integers are in [-P/2, P/2), P the product of 1 to 4 primes. Residues come as signed integers
  /// x with |x| < growth * p, growth * p below 2^62.
  Reconstruction(const WideModulus& q, std::span<const Modulus> primes, std::uint64_t growth);

  /// result[i] = the integer whose residue modulo prime l is residues[l * stride + i], plus e[i],
  /// modulo q; for all coefficients of `result`. `e` is empty, for 0, or as long.
  void run(WidePoly& result, const std::uint64_t* residues, std::size_t stride,
           std::span<const std::int32_t> e) const;

 private:
  struct Digit {
    std::uint64_t p;
    BarrettRatio ratio;
    std::uint64_t shift;  ///< P/2 modulo p, plus a multiple of p that is at least growth * p.
    /// Inverses of the primes before this one, with Shoup's quotients.
    std::array<std::uint64_t, kMaxResidues> inverse;
    std::array<std::uint64_t, kMaxResidues> inverse_quotient;
    WideInteger weight;  ///< The product of the primes before this one, modulo q.
  };

  WideBarrett barrett_;
  WideInteger offset_;  ///< -P/2 modulo q, and a multiple of q that is at least 2^31.
  std::vector<Digit> digits_;
};

}  // namespace ringlet::wide
