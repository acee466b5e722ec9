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

/// A matrix that everybody knows, row-major. Integers serve every scheme, real and complex numbers
/// CKKS alone. Immutable; copies share the entries.
class RINGLET_API KnownMatrix {
 public:
  using Integers = KnownVector::Integers;
  using Numbers = KnownVector::Numbers;

  /// Entry (i, j) is entries[i * columns + j].
  /// @throws InvalidArgument if there are no rows or no columns, not rows * columns entries, or one
  ///         of them is not finite.
  KnownMatrix(std::size_t rows, std::size_t columns, Integers entries);
  KnownMatrix(std::size_t rows, std::size_t columns, Numbers entries);
  KnownMatrix(std::size_t rows, std::size_t columns, std::span<const double> entries);

  /// BFV and BGV: `first` for the first row of slots, `second` for the second one.
  /// @throws InvalidArgument unless both have the same shape, hold integers and are for one row.
  static KnownMatrix per_row(const KnownMatrix& first, const KnownMatrix& second);

  std::size_t rows() const noexcept { return rows_; }
  std::size_t columns() const noexcept { return columns_; }
  bool is_integer() const noexcept { return std::holds_alternative<Integers>(*entries_); }
  /// 2 if made by per_row, else 1.
  std::size_t slot_rows() const noexcept { return slot_rows_; }
  /// All of them, for two rows of slots one matrix after the other.
  const std::variant<Integers, Numbers>& entries() const noexcept { return *entries_; }
  /// The largest sum of absolute values of a row: no slot of a product is larger than that times
  /// the largest slot of the vector.
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

/// Where the numbers of a vector and of its product by a matrix lie in a row of slots.
enum class SlotLayout : std::uint8_t {
  /// n numbers in the first n slots. What the others hold does not matter; those of a result are 0.
  padded,
  /// n numbers, then zeros up to the next power of two, all that again and again until the row is
  /// full.
  repeated,
};

/// For which matrices the rotations of a product are chosen.
enum class SplitFor : std::uint8_t {
  /// The fewest for its own diagonals that are not zero.
  matrix,
  /// Some of those that a matrix of its shape without zeros takes, so that their keys serve all.
  shape,
};

/// How diagonals d = b + g * babies, 0 <= b < babies, are summed: rotations of the vector by b
/// (baby steps), products by diagonals, and rotations of their sums by g * babies (giant steps).
struct DiagonalSplit {
  std::size_t babies = 1;
  /// Diagonals from here on count as negative ones, d - length; = length if none does.
  std::size_t negative_from = 0;
  /// How many different b and g * babies modulo length there are besides 0: key switches.
  std::size_t baby_rotations = 0;
  std::size_t giant_rotations = 0;
  std::size_t rotations() const noexcept { return baby_rotations + giant_rotations; }
};

/// The split that takes the fewest rotations: over all numbers of babies in [1, length], for
/// diagonals in [0, length) and for the circle of diagonals cut open in its largest gap. Of several
/// the one with the most baby rotations, as these share most of their work, and of these the one
/// with the smallest number of babies. At most about 2 sqrt(n) for n adjacent diagonals.
/// Time: length times the result, at most length times the number of diagonals.
/// @throws InvalidArgument unless the diagonals are below length, which is in [1, 65536].
RINGLET_API DiagonalSplit best_split(std::span<const std::size_t> diagonals, std::size_t length);

/// Slot i of the result is the sum of v[i] * x[i + s] over all (s, v), in each row, cyclically:
/// diagonals of a matrix by steps, of which only those that are not zero need be there. Vectors are
/// as those of Circuit::multiply: up to row_length numbers for every row of slots, or up to twice
/// that for the two rows of BFV and BGV; missing ones are 0.
///
/// Known vectors are rotated back by their giant step beforehand. Depth 1, or 0 if all vectors are
/// constants of KnownVector::is_small_integer() or hold the same such integer in all slots. Key
/// switches: best_split().rotations() of the steps modulo row_length; the baby ones are hoisted.
/// Products by known vectors: one per diagonal that is not zero.
///
/// Source: Halevi and Shoup, "Faster homomorphic linear transformations in HElib", IACR ePrint
/// 2018/244.
/// @throws InvalidArgument if all vectors are zero (the result is then zero for any x and not
///         encrypted: leave it out); two steps are the same rotation; and as Circuit::multiply.
///         Plans leave a vector out that is 0 for their parameters.
RINGLET_API CircuitValue linear_transform(Circuit& circuit, CircuitValue x,
                                          const std::map<int, KnownVector>& diagonals);

/// The matrix times the vector of each row; depth and key switches as above, over the diagonals
/// that are not zero.
/// @throws InvalidArgument unless rows and columns are row_length; if the matrix is zero.
RINGLET_API CircuitValue linear_transform(Circuit& circuit, CircuitValue x,
                                          const KnownMatrix& matrix);

/// A matrix of m rows and n columns times a vector of n numbers in that layout: a vector of m
/// numbers in the same one. Depth as linear_transform.
///
/// padded: at most m + n - 1 diagonals, from 1 - m to n - 1. Key switches: best_split() of them.
///
/// repeated: with M and N the powers of two from m and n on. At most N diagonals modulo N, as
/// rotations by multiples of N change nothing. For M < N the first W of them suffice for each W in
/// {M, 2M, ..., N}: entry (i, j) then goes to that slot = i modulo M from which j is fewer than W
/// steps away, and log2(N/W) rotations sum the parts (Juvekar, Vaikuntanathan and Chandrakasan,
/// "GAZELLE: a low latency framework for secure neural network inference", USENIX Security 2018,
/// section 4, has W = M). Key switches: the smallest best_split() + log2(N/W) over all W; of
/// several the one with the smallest W.
/// @throws InvalidArgument unless m and n are at most row_length; if the matrix is zero.
RINGLET_API CircuitValue matrix_vector(Circuit& circuit, CircuitValue x, const KnownMatrix& matrix,
                                       SlotLayout layout = SlotLayout::padded,
                                       SplitFor split = SplitFor::matrix);

}  // namespace ringlet
