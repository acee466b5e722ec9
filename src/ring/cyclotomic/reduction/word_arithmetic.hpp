// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ringlet/arith/modular.hpp"
#include "ringlet/arith/modulus.hpp"

// The two rings over which reductions modulo Phi_m are written once. Constant time.

namespace ringlet {

/// Words modulo 2^64.
struct WrappingArithmetic {
  static std::uint64_t add(std::uint64_t a, std::uint64_t b) noexcept { return a + b; }
  static std::uint64_t subtract(std::uint64_t a, std::uint64_t b) noexcept { return a - b; }
  static std::uint64_t multiply(std::uint64_t a, std::uint64_t b) noexcept { return a * b; }
  /// Returns a public integer as an element.
  static std::uint64_t constant(std::int64_t value) noexcept {
    return static_cast<std::uint64_t>(value);
  }
};

/// Residues modulo q < 2^63, in [0, q).
struct ResidueArithmetic {
  std::uint64_t q;
  BarrettRatio ratio;

  explicit ResidueArithmetic(const Modulus& modulus) noexcept
      : q(modulus.value()), ratio(modulus.ratio()) {}

  std::uint64_t add(std::uint64_t a, std::uint64_t b) const noexcept { return add_mod(a, b, q); }
  std::uint64_t subtract(std::uint64_t a, std::uint64_t b) const noexcept {
    return sub_mod(a, b, q);
  }
  std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const noexcept {
    return mul_mod(a, b, q, ratio);
  }
  std::uint64_t constant(std::int64_t value) const noexcept {
    const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
    return value < 0 ? negate_mod(magnitude % q, q) : magnitude % q;
  }
};

}  // namespace ringlet
