// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ring/cyclotomic/slots/binary_polynomial.hpp"
#include "ring/cyclotomic/slots/slot_group.hpp"
#include "ringlet/base/aligned.hpp"

namespace ringlet::slots {

/// The tables of binary batching. Rows are polynomials of n coefficients, one bit each.
struct SlotTables {
  /// Returns the idempotent of a slot.
  std::span<const std::uint64_t> idempotent(std::size_t slot) const {
    return std::span(idempotents).subspan(slot * row_words, row_words);
  }
  /// Returns the powers of X whose residue modulo phi_i has the constant coefficient 1. Their
  /// parity in a polynomial is the constant coefficient of its residue.
  std::span<const std::uint64_t> constants_of(std::size_t slot) const {
    return std::span(constants).subspan(slot * row_words, row_words);
  }

  SlotGroup group;
  std::size_t degree = 0;     ///< n.
  std::size_t row_words = 0;  ///< Words of a row: n bits.
  /// Phi_m modulo 2 without X^n.
  std::vector<std::uint64_t> cyclotomic;
  std::vector<binary::Words> factors;  ///< phi_i.
  AlignedVector<std::uint64_t> idempotents;
  AlignedVector<std::uint64_t> constants;
};

/// Makes tables of an odd m in [3, 65535]. zeta is a root of the lexicographically smallest factor.
///
/// The sums of X^j over a class of j modulo the powers of 2 are 0 or 1 in every slot and tell all
/// slots apart: greatest common divisors with them lead to one factor, without random choices. The
/// traces s_j = Tr(zeta^j) of its root zeta are the series phi'/phi. The minimal polynomial of
/// zeta^g is the shortest recurrence of j -> s_(g*j), and the idempotent of zeta^g is the sum of
/// s_(-g*j) * X^j over j < m, modulo Phi_m (MacWilliams and Sloane, "The theory of
/// error-correcting codes", chapter 8, theorem 6).
SlotTables make_slot_tables(std::uint64_t index);

}  // namespace ringlet::slots
