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

/// The slots of Z_2[X]/Phi_m for odd m. Phi_m is a product of k different irreducible polynomials
/// phi_i of degree d modulo 2, so a polynomial modulo (2, Phi_m) is a vector of k elements of
/// GF(2^d): its residues modulo phi_i. Sums and products of polynomials are those of all slots
/// (Smart and Vercauteren, IACR ePrint 2011/133; Migliore et al. 2017, equations 2 and 3).
///
/// Slots are ordered as a hypercube: slot e = (e_1, ..., e_r), row-major, is the residue modulo the
/// minimal polynomial of zeta^(g_1^e_1 * ... * g_r^e_r), where zeta is a root of the
/// lexicographically smallest phi_i (coefficients of high powers first) and the group of units
/// modulo m, modulo the powers of 2, is the direct product of the cyclic groups that the g_j
/// generate. There are as few of these as can be, the largest one first: g_1 is the smallest number
/// of the largest order modulo the powers of 2; each further one is the smallest number of the
/// largest order modulo the former ones too, among those whose order is no larger without them. On
/// slots that hold bits, that is 0 or 1, the automorphism X -> X^(g_j) rotates dimension j by one
/// place.
///
/// Immutable, cheap to copy, shared by threads. Constant time in the values, apart from the verdict
/// whether they are in range. Coefficients are words that hold 0 or 1. Takes 2*k*n bits. On an
/// error results keep their values.
class RINGLET_API CyclotomicSlots {
 public:
  /// @throws InvalidArgument unless m is odd and from 3 to 65535. For m = 2 modulo 4 the remedy is
  ///         m/2, the same ring; for multiples of 4 the factors repeat.
  explicit CyclotomicSlots(std::uint64_t index);

  std::uint64_t index() const noexcept;
  std::size_t degree() const noexcept;
  std::size_t slot_count() const noexcept;
  /// d: bits of a slot.
  std::size_t slot_degree() const noexcept;
  /// The sizes of the hypercube; their product is slot_count(). None for one slot.
  std::span<const std::size_t> dimensions() const noexcept;
  /// phi_i as d + 1 coefficients 0 or 1. @throws OutOfRange if i >= slot_count().
  std::vector<std::uint8_t> factor(std::size_t i) const;
  /// The idempotent of slot i, 1 there and 0 elsewhere, as n coefficients 0 or 1.
  /// @throws OutOfRange if i >= slot_count().
  std::vector<std::uint8_t> idempotent(std::size_t i) const;

  /// The polynomial whose slots are `bits` (0 or 1 each); slots that are not given are 0. By k
  /// conditional additions of idempotents (Migliore et al. 2017, section 3.2.4). n coefficients.
  /// @throws InvalidArgument if there are more bits than slots, one is neither 0 nor 1, or `result`
  ///         is not of n words.
  void encode(std::span<std::uint64_t> result, std::span<const std::uint8_t> bits) const;
  /// The bits of all slots: the constant coefficients of the residues, and a check that their
  /// polynomial is the one that is given.
  /// @throws InvalidArgument if a span has another size, a coefficient is neither 0 nor 1, or a
  ///         slot holds another element than 0 or 1.
  void decode(std::span<std::uint8_t> bits, std::span<const std::uint64_t> coefficients) const;

  /// The same for any elements: element i is the d coefficients, 0 or 1, of its residue modulo
  /// phi_i, from elements[i * d] on. Elements that are not given are 0.
  /// @throws InvalidArgument as above, or unless the elements are a whole number.
  void encode_elements(std::span<std::uint64_t> result,
                       std::span<const std::uint8_t> elements) const;
  void decode_elements(std::span<std::uint8_t> elements,
                       std::span<const std::uint64_t> coefficients) const;

  /// The g for which X -> X^g rotates the bits along a dimension by `step` places to the left: what
  /// was at e_j + step comes to e_j; any step, taken modulo the size.
  /// @throws OutOfRange if there is no such dimension.
  std::uint64_t galois_element(std::size_t dimension, std::int64_t step) const;
  /// The place that holds after X -> X^g what was in slot i, apart from a power of Frobenius' map.
  /// @throws OutOfRange if i >= slot_count(), InvalidArgument unless g is coprime to m.
  std::size_t image(std::size_t i, std::uint64_t galois_element) const;

 private:
  struct Tables;
  std::shared_ptr<const Tables> tables_;
};

/// The irreducible factors of Phi_m modulo a small prime p that does not divide m, all of degree d,
/// the order of p modulo m: d + 1 coefficients in [0, p) each, monic, in ascending lexicographic
/// order, coefficients of high powers first. Quadratic in m, seconds for the largest; for p = 2
/// CyclotomicSlots is faster.
/// @throws InvalidArgument unless m is from 3 to 16383 and p is a prime below 256 that does not
///         divide m.
RINGLET_API std::vector<std::vector<std::uint8_t>> factor_cyclotomic(std::uint64_t index,
                                                                     std::uint64_t p);

}  // namespace ringlet
