// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet {

/// Maps between polynomials and slots of Z_2[X]/Phi_m for odd m. Modulo 2, Phi_m is a product of k
/// different irreducible polynomials phi_i of degree d. A polynomial modulo (2, Phi_m) is thus a
/// vector of k elements of GF(2^d), its residues modulo phi_i. Sums and products of polynomials are
/// sums and products in all slots (Smart and Vercauteren, IACR ePrint 2011/133; Migliore et al.
/// 2017, equations 2 and 3).
///
/// Slots are ordered as a hypercube, row-major. Slot e = (e_1, ..., e_r) is the residue modulo the
/// minimal polynomial of zeta^(g_1^e_1 * ... * g_r^e_r). zeta is a root of the lexicographically
/// smallest phi_i (coefficients of high powers first). The group of units modulo m, modulo the
/// powers of 2, is the direct product of the cyclic groups that the g_j generate. There are as few
/// g_j as possible, and the first has the largest order. g_1 is the smallest number of the largest
/// order modulo the powers of 2. Each further g_j is the smallest number of the largest order
/// modulo the powers of 2 and the former generators, among the numbers whose order modulo the
/// powers of 2 alone is the same. On slots that hold bits (0 or 1), the automorphism X -> X^(g_j)
/// rotates dimension j by one place.
///
/// Immutable, cheap to copy; threads may share it. Constant time in the values, except for the
/// decision whether they are in range. Coefficients are words that hold 0 or 1. The tables take
/// 2*k*n bits. On an error results keep their values.
class RINGLET_API CyclotomicSlots {
 public:
  /// Makes the tables for m = index.
  /// @throws InvalidArgument unless m is odd and from 3 to 65535. For m = 2 modulo 4 use m/2, which
  ///         is the same ring; for multiples of 4 the factors repeat.
  explicit CyclotomicSlots(std::uint64_t index);

  std::uint64_t index() const noexcept;
  std::size_t degree() const noexcept;
  std::size_t slot_count() const noexcept;
  /// Returns d, the number of bits of a slot.
  std::size_t slot_degree() const noexcept;
  /// Returns the sizes of the hypercube; their product is slot_count(). Empty for one slot.
  std::span<const std::size_t> dimensions() const noexcept;
  /// Returns phi_i as d + 1 coefficients 0 or 1.
  /// @throws OutOfRange if i >= slot_count().
  std::vector<std::uint8_t> factor(std::size_t i) const;
  /// Returns the idempotent of slot i, which is 1 in slot i and 0 in all others, as n coefficients
  /// 0 or 1.
  /// @throws OutOfRange if i >= slot_count().
  std::vector<std::uint8_t> idempotent(std::size_t i) const;

  /// Encodes `bits` (0 or 1 each) as the n coefficients of the polynomial with these slots; missing
  /// slots are 0. Uses k conditional additions of idempotents (Migliore et al. 2017, section
  /// 3.2.4).
  /// @throws InvalidArgument if there are more bits than slots, a bit is neither 0 nor 1, or
  ///         `result` does not have n words.
  void encode(std::span<std::uint64_t> result, std::span<const std::uint8_t> bits) const;
  /// Decodes the bits of all slots: the constant coefficients of the residues. Then checks that the
  /// polynomial of these bits equals the given polynomial.
  /// @throws InvalidArgument if a span has another size, a coefficient is neither 0 nor 1, or a
  ///         slot holds an element other than 0 or 1.
  void decode(std::span<std::uint8_t> bits, std::span<const std::uint64_t> coefficients) const;

  /// Encode and decode elements of GF(2^d): element i is the d coefficients, 0 or 1, of its residue
  /// modulo phi_i, from elements[i * d] on. Missing elements are 0.
  /// @throws InvalidArgument as encode and decode, or if the size of `elements` is not a multiple
  ///         of d.
  void encode_elements(std::span<std::uint64_t> result,
                       std::span<const std::uint8_t> elements) const;
  void decode_elements(std::span<std::uint8_t> elements,
                       std::span<const std::uint64_t> coefficients) const;

  /// Returns the g for which X -> X^g rotates the bits along a dimension by `step` places to the
  /// left: the bit at e_j + step moves to e_j. Any step is accepted and taken modulo the size.
  /// @throws OutOfRange if there is no such dimension.
  std::uint64_t galois_element(std::size_t dimension, std::int64_t step) const;
  /// Returns the slot to which X -> X^g moves the value of slot i, up to a power of the Frobenius
  /// map.
  /// @throws OutOfRange if i >= slot_count(), InvalidArgument unless g is coprime to m.
  std::size_t image(std::size_t i, std::uint64_t galois_element) const;

 private:
  struct Tables;
  std::shared_ptr<const Tables> tables_;
};

/// Returns the irreducible factors of Phi_m modulo a small prime p that does not divide m. All have
/// degree d, the order of p modulo m. Each factor is monic and has d + 1 coefficients in [0, p).
/// Factors are in ascending lexicographic order, coefficients of high powers first. The time is
/// quadratic in m, some seconds for the largest m; for p = 2 CyclotomicSlots is faster.
/// @throws InvalidArgument unless m is from 3 to 16383 and p is a prime below 256 that does not
///         divide m.
RINGLET_API std::vector<std::vector<std::uint8_t>> factor_cyclotomic(std::uint64_t index,
                                                                     std::uint64_t p);

}  // namespace ringlet
