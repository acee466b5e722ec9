// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/linear_transform.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <type_traits>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/diagonals.hpp"

namespace ringlet {
namespace {

constexpr const char* kLinearTransform = "linear_transform";

/// Where the diagonals of a matrix lie in a layout. x has the period `columns`; the sum of the
/// first `width` diagonals has the larger of `rows` and `columns` as its period.
struct DiagonalShape {
  std::size_t rows;
  std::size_t columns;
  std::size_t width;
};

DiagonalShape shape_of(const KnownMatrix& matrix, SlotLayout layout, std::size_t row_length) {
  if (layout == SlotLayout::padded) return {row_length, row_length, row_length};
  const std::size_t columns = std::bit_ceil(matrix.columns());
  return {std::bit_ceil(matrix.rows()), columns, columns};
}

bool is_zero_entry(const KnownMatrix& matrix, std::size_t place) {
  const auto is_zero = [place](const auto& entries) {
    return entries[place] == typename std::remove_cvref_t<decltype(entries)>::value_type{};
  };
  return std::visit(is_zero, matrix.entries());
}

// Returns (j - i) modulo the smaller side for all entries (i, j) that are not zero. Of the matrix,
// diagonals depend on nothing else.
std::set<std::size_t> residues_of(const KnownMatrix& matrix, const DiagonalShape& shape) {
  const std::size_t side = std::min(shape.rows, shape.columns);
  const std::size_t count = matrix.rows() * matrix.columns();
  std::set<std::size_t> residues;
  for (std::size_t place = 0; place < count * matrix.slot_rows(); ++place) {
    if (is_zero_entry(matrix, place)) continue;
    const std::size_t i = place % count / matrix.columns();
    const std::size_t j = place % matrix.columns();
    residues.insert((j + side - i % side) % side);
  }
  return residues;
}

// Returns the residues of residues_of for a matrix of that shape without zeros.
std::set<std::size_t> residues_of_shape(const KnownMatrix& matrix, const DiagonalShape& shape) {
  const std::size_t side = std::min(shape.rows, shape.columns);
  std::set<std::size_t> residues;
  for (std::size_t j = 0; j < matrix.columns(); ++j) residues.insert(j % side);
  for (std::size_t i = 1; i < matrix.rows(); ++i) residues.insert(side - 1 - (i - 1) % side);
  return residues;
}

// All diagonals below the width.
std::vector<std::size_t> diagonals_at(const std::set<std::size_t>& residues, std::size_t side,
                                      std::size_t width) {
  std::vector<std::size_t> diagonals;
  for (std::size_t block = 0; block < width; block += side) {
    for (const std::size_t residue : residues) diagonals.push_back(block + residue);
  }
  return diagonals;
}

// Returns the width with the fewest rotations, including the rotations that sum the parts.
std::size_t best_width(const std::set<std::size_t>& residues, const DiagonalShape& shape) {
  const std::size_t side = std::min(shape.rows, shape.columns);
  std::size_t best = side;
  std::size_t fewest = ~std::size_t{0};
  for (std::size_t width = side; width <= shape.columns; width *= 2) {
    const std::vector<std::size_t> diagonals = diagonals_at(residues, side, width);
    const auto folds = static_cast<std::size_t>(std::bit_width(shape.columns / width) - 1);
    const std::size_t rotations = best_split(diagonals, shape.columns).rotations() + folds;
    if (rotations >= fewest) continue;
    fewest = rotations;
    best = width;
  }
  return best;
}

/// Lays the entries of type T out in diagonals. A diagonal of one row ends with its last entry.
template <typename T>
class DiagonalWriter {
 public:
  DiagonalWriter(const KnownMatrix& matrix, const DiagonalShape& shape, std::size_t row_length)
      : matrix_(matrix),
        entries_(std::get<std::vector<T>>(matrix.entries())),
        shape_(shape),
        row_length_(row_length) {}

  circuits::DiagonalMap operator()() {
    const std::size_t count = matrix_.rows() * matrix_.columns();
    for (std::size_t place = 0; place < entries_.size(); ++place) {
      if (entries_[place] == T{}) continue;
      write(place / count * row_length_, place % count / matrix_.columns(),
            place % matrix_.columns(), entries_[place]);
    }
    circuits::DiagonalMap result;
    for (auto& [step, slots] : diagonals_) result.emplace(step, KnownVector(std::move(slots)));
    return result;
  }

 private:
  void write(std::size_t first_slot, std::size_t i, std::size_t j, const T& entry) {
    const std::size_t side = std::min(shape_.rows, shape_.columns);
    const std::size_t period = std::max(shape_.rows, shape_.columns);
    for (std::size_t d = (j + side - i % side) % side; d < shape_.width; d += side) {
      std::vector<T>& slots = diagonals_[d];
      if (matrix_.slot_rows() == 2) slots.resize(2 * row_length_);
      // A wide matrix has its row i in all slots = i modulo rows, of which d chooses one.
      const std::size_t slot =
          shape_.rows < shape_.columns ? (j + shape_.columns - d) % shape_.columns : i;
      const std::size_t last = first_slot + slot + (row_length_ - 1 - slot) / period * period;
      if (slots.size() <= last) slots.resize(last + 1);
      for (std::size_t k = slot; k < row_length_; k += period) slots[first_slot + k] = entry;
    }
  }

  const KnownMatrix& matrix_;
  const std::vector<T>& entries_;
  DiagonalShape shape_;
  std::size_t row_length_;
  std::map<std::size_t, std::vector<T>> diagonals_;
};

circuits::DiagonalMap diagonals_of(const KnownMatrix& matrix, const DiagonalShape& shape,
                                   std::size_t row_length) {
  const auto write = [&](const auto& entries) {
    using T = typename std::remove_cvref_t<decltype(entries)>::value_type;
    return DiagonalWriter<T>(matrix, shape, row_length)();
  };
  return std::visit(write, matrix.entries());
}

CircuitValue product_of(Circuit& circuit, CircuitValue x, const KnownMatrix& matrix,
                        SlotLayout layout, SplitFor split) {
  circuits::check_value(circuit, x);
  DiagonalShape shape = shape_of(matrix, layout, circuit.row_length());
  const auto residues =
      split == SplitFor::shape ? residues_of_shape(matrix, shape) : residues_of(matrix, shape);
  if (layout == SlotLayout::repeated) shape.width = best_width(residues, shape);
  std::vector<std::size_t> split_for;
  if (split == SplitFor::shape) {
    split_for = diagonals_at(residues, std::min(shape.rows, shape.columns), shape.width);
  }
  CircuitValue sum = circuits::sum_of_diagonals(
      circuit, x, diagonals_of(matrix, shape, circuit.row_length()), shape.columns, split_for);
  for (std::size_t step = shape.columns / 2; step >= shape.width; step /= 2) {
    sum = circuit.add(sum, circuit.rotate(sum, static_cast<int>(step)));
  }
  circuits::bound_if_finite(circuit, sum, matrix.row_sum() * circuits::magnitude_of(circuit, x));
  return sum;
}

}  // namespace

CircuitValue linear_transform(Circuit& circuit, CircuitValue x,
                              const std::map<int, KnownVector>& diagonals) {
  return public_entry(kLinearTransform, [&] {
    circuits::check_value(circuit, x);
    const std::size_t row_length = circuit.row_length();
    const auto length = static_cast<int>(row_length);
    circuits::DiagonalMap by_step;
    std::vector<double> row_sums(2 * row_length);
    for (const auto& [step, vector] : diagonals) {
      if (vector.size() > 2 * row_length) {
        refuse(concat("a diagonal of ", vector.size(), " slots"),
               concat("two rows of ", row_length), "use longer rows");
      }
      const int left = ((step % length) + length) % length;
      if (!by_step.emplace(static_cast<std::size_t>(left), vector).second) {
        refuse(concat("two diagonals of step ", left, " modulo ", length),
               "one diagonal for each rotation of a row", "add the two diagonals");
      }
      const KnownVector::Numbers slots = vector.numbers();
      for (std::size_t i = 0; i < row_sums.size(); ++i) {
        if (!vector.is_constant() && i >= slots.size()) break;
        row_sums[i] += std::abs(slots[vector.is_constant() ? 0 : i]);
      }
    }
    const CircuitValue sum = circuits::sum_of_diagonals(circuit, x, by_step, row_length);
    circuits::bound_if_finite(circuit, sum,
                              std::ranges::max(row_sums) * circuits::magnitude_of(circuit, x));
    return sum;
  });
}

CircuitValue linear_transform(Circuit& circuit, CircuitValue x, const KnownMatrix& matrix) {
  return public_entry(kLinearTransform, [&] {
    const std::size_t length = circuit.row_length();
    if (matrix.rows() != length || matrix.columns() != length) {
      refuse(concat("a matrix of ", matrix.rows(), " x ", matrix.columns()),
             concat(length, " rows and columns: the number of slots in a row"),
             "use matrix_vector for other shapes");
    }
    return product_of(circuit, x, matrix, SlotLayout::padded, SplitFor::matrix);
  });
}

CircuitValue matrix_vector(Circuit& circuit, CircuitValue x, const KnownMatrix& matrix,
                           SlotLayout layout, SplitFor split) {
  return public_entry("matrix_vector", [&] {
    if (matrix.rows() > circuit.row_length() || matrix.columns() > circuit.row_length()) {
      refuse(concat("a matrix of ", matrix.rows(), " x ", matrix.columns()),
             concat("up to ", circuit.row_length(), " rows and columns"),
             "split the matrix, or use longer rows");
    }
    return product_of(circuit, x, matrix, layout, split);
  });
}

}  // namespace ringlet
