// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringlet::hw {

/// 3^exponent.
constexpr std::size_t power_of_three(int exponent) {
  std::size_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 3;
  return power;
}

/// The parameters of karatsuba_top, for which an accelerator is built, and the sizes that follow
/// from them. The defaults are those of Migliore et al. (2017), sections 3.1 and 3.3: 2560
/// coefficients.
struct Shape {
  int leaf = 5;      ///< Coefficients of the smallest products.
  int software = 6;  ///< Pre-recursions of the host.
  int pre = 3;       ///< Pre-recursions in hardware.
  int post = 5;      ///< Post-recursions in hardware.
  int lanes = 4;     ///< Products at once.
  int units = 4;     ///< Polynomial multipliers.
  int chunk_bits = 27;
  int chunks = 5;

  constexpr int recursions() const { return software + pre; }
  /// Coefficients of a whole polynomial.
  constexpr std::size_t degree() const { return static_cast<std::size_t>(leaf) << recursions(); }
  /// Sub-polynomials that the host sends, and coefficients of each.
  constexpr std::size_t sub_polys() const { return power_of_three(software); }
  constexpr std::size_t coeffs() const { return static_cast<std::size_t>(leaf) << pre; }
  /// Products that come back for each lane, and coefficients of each.
  constexpr std::size_t out_polys() const { return power_of_three(recursions() - post); }
  constexpr std::size_t out_coeffs() const {
    return (static_cast<std::size_t>(leaf) << (post + 1)) - 1;
  }
  /// Bursts of 128 bits in and out.
  constexpr std::size_t in_bursts() const { return sub_polys() * coeffs() * unsigned(chunks); }
  constexpr std::size_t out_bursts() const {
    return out_polys() * out_coeffs() * static_cast<std::size_t>(chunks);
  }
  /// Products of `leaf` coefficients, and cycles that a multiplier takes for one.
  constexpr std::size_t products() const { return power_of_three(recursions()); }
  constexpr std::size_t product_cycles() const { return static_cast<std::size_t>(leaf * chunks); }
  /// The least cycles in which the multipliers can finish.
  constexpr std::size_t product_floor() const {
    const auto count = static_cast<std::size_t>(units);
    return (products() * product_cycles() + count - 1) / count;
  }
  /// The most bits of a modulus whose multiples fit the chunks after all pre-recursions.
  constexpr int max_modulus_bits() const {
    const int bits = chunks * chunk_bits - recursions();
    return bits < 128 ? bits : 128;
  }
  friend bool operator==(const Shape&, const Shape&) = default;
};

}  // namespace ringlet::hw
