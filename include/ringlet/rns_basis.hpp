// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/export.hpp"
#include "ringlet/modulus.hpp"

namespace ringlet {

/// An ordered list of distinct primes q_0, ..., q_{k-1}, each 1 mod 2N: a residue number system
/// for polynomials of degree below N. Immutable.
class RINGLET_API RnsBasis {
 public:
  /// @throws InvalidArgument if `moduli` is empty or longer than 256, repeats a prime, or holds a
  ///         modulus without a negacyclic transform of length `degree`.
  RnsBasis(std::size_t degree, std::vector<Modulus> moduli);

  std::size_t degree() const noexcept { return degree_; }
  std::size_t size() const noexcept { return moduli_.size(); }
  const Modulus& operator[](std::size_t i) const { return moduli_[i]; }
  std::span<const Modulus> moduli() const noexcept { return moduli_; }

  /// Significant bits of the product of the first `count` primes (exact).
  int product_bit_count(std::size_t count) const;
  /// The product of the first `count` primes as little-endian 64-bit words, `count` of them.
  std::vector<std::uint64_t> product(std::size_t count) const;

 private:
  std::size_t degree_;
  std::vector<Modulus> moduli_;
};

}  // namespace ringlet
