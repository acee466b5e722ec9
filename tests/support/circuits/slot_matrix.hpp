// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/circuits/declared_circuit.hpp"

namespace ringlet::test {

/// A matrix in the clear, row-major.
template <typename Slot>
struct SlotMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<Slot> entries;

  const Slot& at(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }
};

/// The product of two matrices by its definition.
template <typename Slots>
SlotMatrix<typename Slots::Slot> multiply(const Slots& slots,
                                          const SlotMatrix<typename Slots::Slot>& a,
                                          const SlotMatrix<typename Slots::Slot>& b) {
  SlotMatrix<typename Slots::Slot> c{a.rows, b.columns, {}};
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.columns; ++j) {
      auto& sum = c.entries.emplace_back();
      for (std::size_t k = 0; k < a.columns; ++k) {
        sum = slots.add(sum, slots.multiply(a.at(i, k), b.at(k, j)));
      }
    }
  }
  return c;
}
template <typename Slots>
std::vector<typename Slots::Slot> multiply(const Slots& slots,
                                           const SlotMatrix<typename Slots::Slot>& matrix,
                                           const std::vector<typename Slots::Slot>& vector) {
  return multiply(slots, matrix, {vector.size(), 1, vector}).entries;
}

/// Numbers in one row of slots, in a given layout.
template <typename Slot>
std::vector<Slot> laid_out(const std::vector<Slot>& numbers, SlotLayout layout,
                           std::size_t row_length) {
  std::vector<Slot> row(row_length);
  const std::size_t period =
      layout == SlotLayout::padded ? row_length : std::bit_ceil(numbers.size());
  for (std::size_t i = 0; i < row_length; ++i) {
    if (i % period < numbers.size()) row[i] = numbers[i % period];
  }
  return row;
}

/// Integers in [-bound, bound], of which about percent % are not zero.
inline KnownMatrix::Integers sparse_integers(std::size_t count, std::int64_t bound, int percent,
                                             std::mt19937_64& rng) {
  std::uniform_int_distribution<std::int64_t> value(-bound, bound);
  std::uniform_int_distribution<int> chance(0, 99);
  KnownMatrix::Integers entries(count);
  for (std::int64_t& entry : entries) {
    if (chance(rng) < percent) entry = value(rng);
  }
  return entries;
}

/// The slots of a known matrix in the clear; `slot_row` matters if it has two rows of slots.
template <typename Slots>
SlotMatrix<typename Slots::Slot> in_the_clear(const Slots& slots, const KnownMatrix& matrix,
                                              std::size_t slot_row = 0) {
  const std::size_t count = matrix.rows() * matrix.columns();
  const auto take = [&](const auto& entries) {
    const auto part = std::span(entries).subspan(matrix.slot_rows() == 2 ? slot_row * count : 0);
    const auto one = part.first(count);
    return slots.known(KnownVector(std::remove_cvref_t<decltype(entries)>(one.begin(), one.end())));
  };
  return {matrix.rows(), matrix.columns(), std::visit(take, matrix.entries())};
}

/// The slots of matrices as matrix_product expects them: row after row, with an entry of every lane
/// side by side. `matrices` beyond the first `lanes` go to the second row of slots. Each matrix is
/// repeated downwards until it has as many rows as columns.
template <typename Slot>
std::vector<Slot> in_grid(const std::vector<SlotMatrix<Slot>>& matrices, std::size_t lanes) {
  const std::size_t d = matrices.front().columns;
  std::vector<Slot> result(matrices.size() * d * d);
  for (std::size_t m = 0; m < matrices.size(); ++m) {
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        result[(m / lanes * d * d + i * d + j) * lanes + m % lanes] =
            matrices[m].at(i % matrices[m].rows, j);
      }
    }
  }
  return result;
}

/// Two inputs for matrix_product and the expected result.
template <typename Slots>
struct GridProduct {
  using Matrices = std::vector<SlotMatrix<typename Slots::Slot>>;

  GridProduct(const Slots& slots, const MatrixProductShape& shape, std::size_t lanes,
              std::mt19937_64& rng) {
    const std::size_t d = shape.dimension;
    Matrices a, b, c;
    for (std::size_t i = 0; i < Slots::kRows * lanes; ++i) {
      a.push_back({shape.rows, d, slots.random(shape.rows * d, rng)});
      b.push_back({d, d, slots.random(d * d, rng)});
      c.push_back(multiply(slots, a.back(), b.back()));
    }
    inputs = {in_grid(a, lanes), in_grid(b, lanes)};
    expected = in_grid(c, lanes);
  }

  std::vector<std::vector<typename Slots::Slot>> inputs;
  std::vector<typename Slots::Slot> expected;
};

/// The product of two inputs whose slots are up to `magnitude`.
inline Circuit product_circuit(std::size_t row_length, const MatrixProductShape& shape,
                               double magnitude = 1) {
  Circuit circuit(row_length);
  const CircuitValue a = circuit.input(magnitude);
  const CircuitValue b = circuit.input(magnitude);
  circuit.output(matrix_product(circuit, a, b, shape));
  return circuit;
}

/// The expected result of sum_slots, by its definition.
template <typename Slots>
std::vector<typename Slots::Slot> sums_of(const Slots& slots,
                                          const std::vector<typename Slots::Slot>& rows,
                                          std::size_t count, int stride) {
  const long length = static_cast<long>(rows.size() / Slots::kRows);
  std::vector<typename Slots::Slot> sums(rows.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const long first = static_cast<long>(i) % length;
    for (std::size_t k = 0; k < count; ++k) {
      const long slot = (first + static_cast<long>(k) * stride) % length;
      const std::size_t place = i + static_cast<std::size_t>((slot + length) % length - first);
      sums[i] = slots.add(sums[i], rows[place]);
    }
  }
  return sums;
}

}  // namespace ringlet::test
