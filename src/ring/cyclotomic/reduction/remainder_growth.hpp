// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet {

/// The largest sums in a row of the matrix that takes m coefficients to their remainder modulo
/// Phi_m: of its positive entries, and of the absolute values of its negative entries.
struct RemainderGrowth {
  std::uint64_t positive = 0;
  std::uint64_t negative = 0;
};
RemainderGrowth remainder_growth(const CyclotomicPolynomial& polynomial);

/// Estimates the word operations of remainder_growth.
std::uint64_t remainder_growth_work(const CyclotomicPolynomial& polynomial);

}  // namespace ringlet
