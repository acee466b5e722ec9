// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/ring/ring_spec.hpp"

namespace ringlet {

/// Largest number of primes in a basis: the primes of the parameters, and auxiliary primes.
inline constexpr std::size_t kMaxRnsBasisSize = 768;
/// Largest number of bits of a prime of a basis: sums of four residues fit 63 bits.
inline constexpr int kMaxRnsModulusBits = 61;

/// Indices of primes in a basis. If a view comes with such a list, limb i of the view is modulo
/// basis[primes[i]].
using PrimeIndices = std::span<const std::size_t>;

/// An ordered list of distinct primes q_0, ..., q_{k-1}, each 1 mod ring().modulus_step(): a
/// residue number system for polynomials of degree below n. Immutable.
class RINGLET_API RnsBasis {
 public:
  /// Makes a basis for the ring Z[X]/(X^degree + 1).
  /// @throws InvalidArgument if degree is not a power of two in [2, 2^20], `moduli` is empty,
  ///         longer than 768 or repeats a prime, or a modulus is not prime, above 61 bits or not
  ///         1 mod 2*degree.
  RnsBasis(std::size_t degree, std::vector<Modulus> moduli);
  /// Makes a basis for any ring.
  /// @throws InvalidArgument as the first constructor; each modulus must be
  ///         1 mod ring.modulus_step().
  RnsBasis(const RingSpec& ring, std::vector<Modulus> moduli);

  const RingSpec& ring() const noexcept { return ring_; }
  std::size_t degree() const noexcept { return ring_.degree(); }
  std::size_t size() const noexcept { return moduli_.size(); }
  /// Returns the prime q_i.
  /// @throws OutOfRange if i >= size().
  const Modulus& operator[](std::size_t i) const {
    if (i >= moduli_.size()) refuse_index(i);
    return moduli_[i];
  }
  std::span<const Modulus> moduli() const noexcept { return moduli_; }

  /// Returns the exact number of significant bits of the product of the first `count` primes.
  /// @throws OutOfRange if count is 0 or above size().
  int product_bit_count(std::size_t count) const;
  /// Returns the product of the first `count` primes as `count` 64-bit words, the least significant
  /// first.
  /// @throws OutOfRange if count is 0 or above size().
  std::vector<std::uint64_t> product(std::size_t count) const;

 private:
  [[noreturn]] void refuse_index(std::size_t i) const;
  void check_count(std::size_t count) const;

  RingSpec ring_;
  std::vector<Modulus> moduli_;
};

}  // namespace ringlet
