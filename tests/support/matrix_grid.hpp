// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/matrix_product.hpp"
#include "support/slot_matrix.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// Where matrix_product has its entries: of every lane, that of matrices side by side, row after
/// row of slots.
class MatrixGrid {
 public:
  MatrixGrid(const MatrixProductShape& shape, std::size_t lanes)
      : dimension_(shape.dimension), lanes_(lanes) {}

  /// `matrices` are those of the first row of slots, then those of the second one, if there are
  /// more than lanes; each is repeated downwards until it has as many rows as columns.
  template <typename Slot>
  std::vector<Slot> slots(const std::vector<SlotMatrix<Slot>>& matrices) const {
    const std::size_t row_length = dimension_ * dimension_ * lanes_;
    std::vector<Slot> result(matrices.size() / lanes_ * row_length);
    for (std::size_t m = 0; m < matrices.size(); ++m) {
      for (std::size_t i = 0; i < dimension_; ++i) {
        for (std::size_t j = 0; j < dimension_; ++j) {
          const std::size_t place = (i * dimension_ + j) * lanes_ + m % lanes_;
          result[m / lanes_ * row_length + place] = matrices[m].at(i % matrices[m].rows, j);
        }
      }
    }
    return result;
  }

 private:
  std::size_t dimension_;
  std::size_t lanes_;
};

/// Matrices to be multiplied, pair by pair.
template <typename Slot>
struct MatrixPairs {
  std::vector<SlotMatrix<Slot>> a;
  std::vector<SlotMatrix<Slot>> b;
};

template <typename Slot, typename Random>
MatrixPairs<Slot> random_pairs(const MatrixProductShape& shape, std::size_t count,
                               const Random& random) {
  const std::size_t d = shape.dimension;
  const std::size_t rows = shape.rows == 0 ? d : shape.rows;
  MatrixPairs<Slot> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.a.push_back({rows, d, random(rows * d)});
    pairs.b.push_back({d, d, random(d * d)});
  }
  return pairs;
}

template <typename Arithmetic>
std::vector<SlotMatrix<typename Arithmetic::Slot>> products(
    const Arithmetic& arithmetic, const MatrixPairs<typename Arithmetic::Slot>& pairs) {
  std::vector<SlotMatrix<typename Arithmetic::Slot>> results;
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    results.push_back(multiply(arithmetic, pairs.a[i], pairs.b[i]));
  }
  return results;
}

/// The product of two inputs whose slots are up to `magnitude`.
inline Circuit product_circuit(std::size_t row_length, const MatrixProductShape& shape,
                               double magnitude = 1) {
  Circuit circuit(row_length);
  const CircuitValue a = circuit.input(magnitude);
  const CircuitValue b = circuit.input(magnitude);
  circuit.output(matrix_product(circuit, a, b, shape));
  return circuit;
}

}  // namespace ringlet::test
