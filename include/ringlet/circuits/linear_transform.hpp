// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"

namespace ringlet {

/// A matrix in the clear, row-major. Integers serve every scheme; real and complex numbers serve
/// CKKS alone. Immutable; copies share the entries.
class RINGLET_API KnownMatrix {
 public:
  using Integers = KnownVector::Integers;
  using Numbers = KnownVector::Numbers;

  /// Makes a matrix whose entry (i, j) is entries[i * columns + j].
  /// @throws InvalidArgument if there are no rows or no columns, the number of entries is not
  ///         rows * columns, or an entry is not finite.
  KnownMatrix(std::size_t rows, std::size_t columns, Integers entries);
  KnownMatrix(std::size_t rows, std::size_t columns, Numbers entries);
  KnownMatrix(std::size_t rows, std::size_t columns, std::span<const double> entries);

  /// Makes, for BFV and BGV, the pair of matrices `first` for the first row of slots and `second`
  /// for the second row.
  /// @throws InvalidArgument unless both have the same shape, hold integers and have
  ///         slot_rows() = 1.
  static KnownMatrix per_row(const KnownMatrix& first, const KnownMatrix& second);

  std::size_t rows() const noexcept { return rows_; }
  std::size_t columns() const noexcept { return columns_; }
  bool is_integer() const noexcept { return std::holds_alternative<Integers>(*entries_); }
  /// Returns 2 for matrices that per_row() made, else 1.
  std::size_t slot_rows() const noexcept { return slot_rows_; }
  /// Returns all entries; for two rows of slots, one matrix after the other.
  const std::variant<Integers, Numbers>& entries() const noexcept { return *entries_; }
  /// Returns the largest sum of the absolute values of a row. No slot of a product exceeds that sum
  /// times the largest slot of the vector.
  double row_sum() const noexcept { return row_sum_; }

 private:
  using Entries = std::variant<Integers, Numbers>;

  KnownMatrix(std::size_t rows, std::size_t columns, std::size_t slot_rows, Entries entries);

  std::size_t rows_;
  std::size_t columns_;
  std::size_t slot_rows_;
  std::shared_ptr<const Entries> entries_;
  double row_sum_ = 0;
};

/// Where the numbers of a vector, and of its product by a matrix, are in a row of slots.
enum class SlotLayout : std::uint8_t {
  /// n numbers in the first n slots. The other slots of the vector may hold anything; those of the
  /// result are 0.
  padded,
  /// n numbers and then zeros up to the next power of two, repeated until the row is full.
  repeated,
};

/// The matrices for which the rotations of a product are chosen.
enum class SplitFor : std::uint8_t {
  /// The fewest rotations for the nonzero diagonals of this matrix.
  matrix,
  /// Only rotations that a matrix of the same shape without zeros needs. So one set of keys serves
  /// all matrices of the shape.
  shape,
};

/// A way to sum diagonals d = b + g * babies, 0 <= b < babies: rotate the vector by b (baby steps),
/// multiply by diagonals, and rotate the sums of products by g * babies (giant steps).
struct DiagonalSplit {
  std::size_t babies = 1;
  /// Diagonals d >= negative_from count as the negative diagonals d - length. negative_from is
  /// `length` if there are no such diagonals.
  std::size_t negative_from = 0;
  /// The numbers of different b and of different g * babies modulo length, without 0. Each of these
  /// rotations is one key switch.
  std::size_t baby_rotations = 0;
  std::size_t giant_rotations = 0;
  std::size_t rotations() const noexcept { return baby_rotations + giant_rotations; }
};

/// Finds the split with the fewest rotations. It tries all numbers of babies in [1, length], first
/// without negative diagonals, then with negative_from at the end of the largest gap between
/// diagonals. Among splits with equally many rotations it takes those with the most baby rotations,
/// as these share most of their work, and then the smallest number of babies. n adjacent diagonals
/// need at most about 2 sqrt(n) rotations. The time is proportional to length times the number of
/// rotations found, at most length times the number of diagonals.
/// @throws InvalidArgument unless length is in [1, 65536] and all diagonals are below it.
RINGLET_API DiagonalSplit best_split(std::span<const std::size_t> diagonals, std::size_t length);

/// Multiplies each row of `x` by a matrix that is given by its diagonals: slot i of the result is
/// the sum of v[i] * x[i + s] over all (s, v) in `diagonals`, cyclically. Diagonals that are zero
/// can be left out. Each v has up to row_length numbers for every row of slots, or up to twice that
/// for the two rows of BFV and BGV; missing numbers are 0.
///
/// Depth: 0 if every v is KnownVector::is_small_integer() or holds one integer of that size in all
/// slots, else 1. Key switches: best_split().rotations() of the steps modulo row_length; baby
/// rotations are hoisted. Products by known vectors: one per nonzero diagonal. Known vectors are
/// rotated back by their giant step beforehand.
///
/// Source: Halevi and Shoup, "Faster homomorphic linear transformations in HElib", IACR ePrint
/// 2018/244.
/// @throws InvalidArgument if all vectors are zero (the result would be zero for any x and not
///         encrypted: leave the product out); two steps are the same rotation; and as
///         Circuit::multiply. A plan leaves out vectors that are 0 for its parameters, such as 0
///         modulo t.
RINGLET_API CircuitValue linear_transform(Circuit& circuit, CircuitValue x,
                                          const std::map<int, KnownVector>& diagonals);

/// Multiplies the vector in each row of `x` by the matrix. Depth and key switches are those of the
/// transform by its nonzero diagonals.
/// @throws InvalidArgument unless rows and columns are row_length; if the matrix is zero.
RINGLET_API CircuitValue linear_transform(Circuit& circuit, CircuitValue x,
                                          const KnownMatrix& matrix);

/// Multiplies a vector of n numbers by a matrix of m rows and n columns. `layout` is that of `x`
/// and of the result, which holds m numbers. Depth as linear_transform.
///
/// padded: at most m + n - 1 diagonals, from 1 - m to n - 1. Key switches: best_split().rotations()
/// of these diagonals.
///
/// repeated: let M and N be the least powers of two that are at least m and n. There are at most N
/// diagonals modulo N, as rotations by multiples of N change nothing. For M < N, the first W
/// diagonals suffice, for any W in {M, 2M, ..., N}. Entry (i, j) is then in the slot that is
/// congruent to i modulo M and lies fewer than W steps before slot j. log2(N/W) rotations sum the
/// parts (Juvekar, Vaikuntanathan and Chandrakasan, "GAZELLE: a low latency framework for secure
/// neural network inference", USENIX Security 2018, section 4, has W = M). Key switches: the least
/// best_split().rotations() + log2(N/W) over all W. Of several such W the smallest is used.
/// @throws InvalidArgument unless m and n are at most row_length; if the matrix is zero.
RINGLET_API CircuitValue matrix_vector(Circuit& circuit, CircuitValue x, const KnownMatrix& matrix,
                                       SlotLayout layout = SlotLayout::padded,
                                       SplitFor split = SplitFor::matrix);

}  // namespace ringlet
