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

/// Largest number of primes in a basis: those of the parameters, and auxiliary ones.
inline constexpr std::size_t kMaxRnsBasisSize = 768;
/// Largest bit count of a prime of a basis: sums of four residues fit 63 bits.
inline constexpr int kMaxRnsModulusBits = 61;

/// Indices of primes in a basis. Limb i of a view that comes with such a list is modulo
/// basis[primes[i]].
using PrimeIndices = std::span<const std::size_t>;

/// An ordered list of distinct primes q_0, ..., q_{k-1}, each 1 mod ring().modulus_step(): a
/// residue number system for polynomials of degree below n. Immutable.
class RINGLET_API RnsBasis {
 public:
  /// @throws InvalidArgument if `moduli` is empty or longer than 768, repeats a prime, or holds a
  ///         modulus without a negacyclic transform of length `degree`, a power of two up to 2^20.
  RnsBasis(std::size_t degree, std::vector<Modulus> moduli);
  /// The same for any ring.
  /// @throws InvalidArgument as above, for moduli that are not 1 mod ring.modulus_step().
  RnsBasis(const RingSpec& ring, std::vector<Modulus> moduli);

  const RingSpec& ring() const noexcept { return ring_; }
  std::size_t degree() const noexcept { return ring_.degree(); }
  std::size_t size() const noexcept { return moduli_.size(); }
  /// The prime q_i. @throws OutOfRange if i >= size().
  const Modulus& operator[](std::size_t i) const {
    if (i >= moduli_.size()) refuse_index(i);
    return moduli_[i];
  }
  std::span<const Modulus> moduli() const noexcept { return moduli_; }

  /// Significant bits of the product of the first `count` primes (exact).
  /// @throws OutOfRange if count is 0 or above size().
  int product_bit_count(std::size_t count) const;
  /// The product of the first `count` primes as little-endian 64-bit words, `count` of them.
  /// @throws OutOfRange if count is 0 or above size().
  std::vector<std::uint64_t> product(std::size_t count) const;

 private:
  [[noreturn]] void refuse_index(std::size_t i) const;
  void check_count(std::size_t count) const;

  RingSpec ring_;
  std::vector<Modulus> moduli_;
};

}  // namespace ringlet
