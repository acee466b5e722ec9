// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include <flint/nmod_mat.h>

#include "ringlet/linear_transform.hpp"
#include "support/declared_circuit.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// A matrix in the clear, row-major.
template <typename Slot>
struct SlotMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<Slot> entries;

  const Slot& at(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }
};

/// The product, from its definition.
inline SlotMatrix<Number> multiply(const NumberSlots&, const SlotMatrix<Number>& a,
                                   const SlotMatrix<Number>& b) {
  SlotMatrix<Number> c{a.rows, b.columns, std::vector<Number>(a.rows * b.columns)};
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.columns; ++j) {
      for (std::size_t k = 0; k < a.columns; ++k) {
        c.entries[i * b.columns + j] += a.at(i, k) * b.at(k, j);
      }
    }
  }
  return c;
}

/// The product modulo t, by FLINT.
inline SlotMatrix<std::uint64_t> multiply(const ResidueSlots& slots,
                                          const SlotMatrix<std::uint64_t>& a,
                                          const SlotMatrix<std::uint64_t>& b) {
  const auto size = [](std::size_t n) { return static_cast<slong>(n); };
  const auto load = [&](nmod_mat_t to, const SlotMatrix<std::uint64_t>& from) {
    nmod_mat_init(to, size(from.rows), size(from.columns), slots.t.n);
    for (std::size_t i = 0; i < from.rows; ++i) {
      for (std::size_t j = 0; j < from.columns; ++j) {
        nmod_mat_entry(to, i, j) = from.at(i, j);
      }
    }
  };
  nmod_mat_t left;
  nmod_mat_t right;
  nmod_mat_t product;
  load(left, a);
  load(right, b);
  nmod_mat_init(product, size(a.rows), size(b.columns), slots.t.n);
  nmod_mat_mul(product, left, right);
  SlotMatrix<std::uint64_t> c{a.rows, b.columns, {}};
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.columns; ++j) c.entries.push_back(nmod_mat_entry(product, i, j));
  }
  nmod_mat_clear(left);
  nmod_mat_clear(right);
  nmod_mat_clear(product);
  return c;
}

template <typename Arithmetic>
std::vector<typename Arithmetic::Slot> multiply(
    const Arithmetic& arithmetic, const SlotMatrix<typename Arithmetic::Slot>& matrix,
    const std::vector<typename Arithmetic::Slot>& vector) {
  return multiply(arithmetic, matrix, {vector.size(), 1, vector}).entries;
}

/// Numbers in one row of slots in that layout.
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

/// The first of a matrix for two rows of slots is `slot_row` 0.
template <typename Arithmetic>
SlotMatrix<typename Arithmetic::Slot> in_the_clear(const Arithmetic& arithmetic,
                                                   const KnownMatrix& matrix,
                                                   std::size_t slot_row = 0) {
  const std::size_t count = matrix.rows() * matrix.columns();
  const auto take = [&](const auto& entries) {
    const auto part = std::span(entries).subspan(matrix.slot_rows() == 2 ? slot_row * count : 0);
    const auto one = part.first(count);
    return arithmetic.known(
        KnownVector(std::remove_cvref_t<decltype(entries)>(one.begin(), one.end())));
  };
  return {matrix.rows(), matrix.columns(), std::visit(take, matrix.entries())};
}

}  // namespace ringlet::test
