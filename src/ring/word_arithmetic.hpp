// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ringlet/modular.hpp"

// The two rings over which reductions modulo Phi_m are written once. Constant time.

namespace ringlet {

/// Words modulo 2^64.
struct WrappingArithmetic {
  static std::uint64_t add(std::uint64_t a, std::uint64_t b) noexcept { return a + b; }
  static std::uint64_t subtract(std::uint64_t a, std::uint64_t b) noexcept { return a - b; }
};

/// Residues modulo q < 2^63, in [0, q).
struct ResidueArithmetic {
  std::uint64_t q;

  std::uint64_t add(std::uint64_t a, std::uint64_t b) const noexcept { return add_mod(a, b, q); }
  std::uint64_t subtract(std::uint64_t a, std::uint64_t b) const noexcept {
    return sub_mod(a, b, q);
  }
};

}  // namespace ringlet
