// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/diagonals.hpp"
#include "ringlet/circuits/linear_transform.hpp"
#include "ringlet/circuits/matrix_product.hpp"

namespace ringlet {
namespace {

constexpr const char* kMatrixProduct = "matrix_product";

/// A shape in slots: rows of A, dimension d, and the number of pairs of matrices side by side.
struct SlotGrid {
  std::size_t rows;
  std::size_t dimension;
  std::size_t lanes;

  /// Returns the period at which the slots repeat A: rotations of A count modulo it.
  std::size_t period() const { return rows * dimension * lanes; }
  std::size_t row_length() const { return dimension * dimension * lanes; }
  std::size_t folds() const {
    return static_cast<std::size_t>(std::bit_width(dimension / rows) - 1);
  }
};

SlotGrid grid_of(std::size_t row_length, const MatrixProductShape& shape) {
  const std::size_t d = shape.dimension;
  const std::size_t rows = shape.rows == 0 ? d : shape.rows;
  const bool fits = std::has_single_bit(d) && std::has_single_bit(rows) && rows <= d &&
                    d <= row_length && d * d <= row_length;
  if (!fits) {
    refuse(concat("dimension = ", d, ", rows = ", rows),
           concat("powers of two, rows <= dimension, dimension^2 <= row_length = ", row_length),
           "pad the matrices with zeros, or use longer rows");
  }
  return {rows, d, row_length / (d * d)};
}

/// Entries that a rotation brings to their places: columns [first, last) of a matrix.
struct ShiftedColumns {
  std::size_t step;  // slots, modulo the period of what is rotated
  std::size_t first;
  std::size_t last;
};

// Column j of the result is column j + shift modulo d. A rotation by `shift` brings the first
// columns, one by shift - d the others. If the period is one row, both are the same rotation.
std::vector<ShiftedColumns> shifted_columns(const SlotGrid& grid, std::size_t shift,
                                            std::size_t period) {
  const std::size_t d = grid.dimension;
  if (shift == 0 || period == d * grid.lanes) return {{shift * grid.lanes, 0, d}};
  return {{shift * grid.lanes, 0, d - shift}, {period - (d - shift) * grid.lanes, d - shift, d}};
}

std::vector<std::size_t> sigma_steps(const SlotGrid& grid) {
  std::set<std::size_t> steps;
  for (std::size_t i = 0; i < grid.dimension; ++i) {
    for (const ShiftedColumns& part : shifted_columns(grid, i, grid.period()))
      steps.insert(part.step);
  }
  return {steps.begin(), steps.end()};
}

std::vector<std::size_t> tau_steps(const SlotGrid& grid) {
  std::vector<std::size_t> steps;
  for (std::size_t j = 0; j < grid.dimension; ++j) {
    steps.push_back(j * grid.dimension * grid.lanes);
  }
  return steps;
}

/// Declares one product.
class EncryptedProduct {
 public:
  EncryptedProduct(Circuit& circuit, CircuitValue a, CircuitValue b, const SlotGrid& grid)
      : circuit_(circuit),
        a_(a),
        b_(b),
        grid_(grid),
        a_magnitude_(circuits::magnitude_of(circuit, a)),
        b_magnitude_(circuits::magnitude_of(circuit, b)) {}

  CircuitValue by_transforms() {
    const CircuitValue a = sigma();
    const CircuitValue b = tau();
    std::vector<CircuitValue> products;
    for (std::size_t k = 0; k < grid_.rows; ++k) {
      products.push_back(
          circuit_.multiply(k == 0 ? a : moved_columns(a, k), rotate(b, k * row_of_slots())));
    }
    return folded(circuit_.sum(products));
  }

  /// Both maps of the paper and the step after them are one map of A, or of B, whose diagonals are
  /// the same for all steps.
  CircuitValue by_rotations() {
    std::vector<CircuitValue> products;
    for (std::size_t k = 0; k < grid_.rows; ++k) {
      products.push_back(circuit_.multiply(skewed_rows(k), skewed_columns(k)));
    }
    return folded(circuit_.sum(products));
  }

 private:
  using Range = std::array<std::size_t, 2>;

  std::size_t row_of_slots() const { return grid_.dimension * grid_.lanes; }
  Range all() const { return {0, grid_.dimension}; }
  CircuitValue rotate(CircuitValue x, std::size_t steps) {
    return circuit_.rotate(x, static_cast<int>(steps % grid_.row_length()));
  }

  /// Returns slots that are 1 in those rows and columns, 0 elsewhere.
  KnownVector mask(const Range& rows, const Range& columns) const {
    KnownVector::Integers slots(grid_.row_length());
    for (std::size_t i = rows[0]; i < rows[1]; ++i) {
      const auto row = slots.begin() + static_cast<std::ptrdiff_t>(i * row_of_slots());
      std::fill(row + static_cast<std::ptrdiff_t>(columns[0] * grid_.lanes),
                row + static_cast<std::ptrdiff_t>(columns[1] * grid_.lanes), 1);
    }
    return KnownVector(std::move(slots));
  }

  // Each slot of the sum is one slot of the operand, so the operand's bound holds for it.
  CircuitValue bounded(CircuitValue x, double magnitude) {
    circuits::bound_if_finite(circuit_, x, magnitude);
    return x;
  }

  // (i, j) <- (i, i + j)
  CircuitValue sigma() {
    std::map<std::size_t, KnownVector> diagonals;
    for (std::size_t i = 0; i < grid_.dimension; ++i) {
      for (const ShiftedColumns& part : shifted_columns(grid_, i, grid_.period())) {
        diagonals.emplace(part.step, mask({i, i + 1}, {part.first, part.last}));
      }
    }
    return bounded(circuits::sum_of_diagonals(circuit_, a_, diagonals, grid_.period()),
                   a_magnitude_);
  }

  // (i, j) <- (i + j, j)
  CircuitValue tau() {
    std::map<std::size_t, KnownVector> diagonals;
    for (std::size_t j = 0; j < grid_.dimension; ++j) {
      diagonals.emplace(j * row_of_slots(), mask(all(), {j, j + 1}));
    }
    return bounded(circuits::sum_of_diagonals(circuit_, b_, diagonals, grid_.row_length()),
                   b_magnitude_);
  }

  // (i, j) <- (i, j + k), k > 0. The result of sigma no longer has the period of A.
  CircuitValue moved_columns(CircuitValue x, std::size_t k) {
    std::vector<CircuitValue> parts;
    for (const ShiftedColumns& part : shifted_columns(grid_, k, grid_.row_length())) {
      parts.push_back(
          circuit_.multiply(rotate(x, part.step), mask(all(), {part.first, part.last})));
    }
    return bounded(circuit_.sum(parts), a_magnitude_);
  }

  // (i, j) <- (i, i + j + k) of A
  CircuitValue skewed_rows(std::size_t k) {
    std::vector<CircuitValue> parts;
    for (std::size_t i = 0; i < grid_.dimension; ++i) {
      const std::size_t shift = (i + k) % grid_.dimension;
      for (const ShiftedColumns& part : shifted_columns(grid_, shift, grid_.period())) {
        parts.push_back(
            circuit_.multiply(rotate(a_, part.step), mask({i, i + 1}, {part.first, part.last})));
      }
    }
    return bounded(circuit_.sum(parts), a_magnitude_);
  }

  // (i, j) <- (i + j + k, j) of B
  CircuitValue skewed_columns(std::size_t k) {
    std::vector<CircuitValue> parts;
    for (std::size_t j = 0; j < grid_.dimension; ++j) {
      const std::size_t step = (j + k) % grid_.dimension * row_of_slots();
      parts.push_back(circuit_.multiply(rotate(b_, step), mask(all(), {j, j + 1})));
    }
    return bounded(circuit_.sum(parts), b_magnitude_);
  }

  // Adds the products of all copies of A: each copy was multiplied by other rows of B.
  CircuitValue folded(CircuitValue sum) {
    for (std::size_t step = grid_.row_length() / 2; step >= grid_.period(); step /= 2) {
      sum = circuit_.add(sum, rotate(sum, step));
    }
    return sum;
  }

  Circuit& circuit_;
  CircuitValue a_;
  CircuitValue b_;
  SlotGrid grid_;
  double a_magnitude_;
  double b_magnitude_;
};

}  // namespace

CircuitValue matrix_product(Circuit& circuit, CircuitValue a, CircuitValue b,
                            const MatrixProductShape& shape) {
  return public_entry(kMatrixProduct, [&] {
    circuits::check_value(circuit, a);
    circuits::check_value(circuit, b);
    const SlotGrid grid = grid_of(circuit.row_length(), shape);
    if (grid.dimension == 1) return circuit.multiply(a, b);
    EncryptedProduct product(circuit, a, b, grid);
    return shape.method == MatrixProductMethod::fewer_levels ? product.by_rotations()
                                                             : product.by_transforms();
  });
}

std::size_t matrix_product_key_switches(std::size_t row_length, const MatrixProductShape& shape) {
  const auto grid = public_entry(kMatrixProduct, [&] { return grid_of(row_length, shape); });
  const std::size_t d = grid.dimension;
  if (d == 1) return 1;
  const std::size_t relinearization_and_folds = 1 + grid.folds();
  if (shape.method == MatrixProductMethod::fewer_levels) {
    return (grid.rows == 1 ? 2 : 3) * (d - 1) + relinearization_and_folds;
  }
  return best_split(sigma_steps(grid), grid.period()).rotations() +
         best_split(tau_steps(grid), grid.row_length()).rotations() + 3 * (grid.rows - 1) +
         relinearization_and_folds;
}

}  // namespace ringlet
