// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/arrays.hpp"
#include "bindings/core/interrupts.hpp"
#include "ringlet/ntt/ntt.hpp"

// Functions that all bindings of ringlet.Ntt use.

namespace ringlet::python {

/// Returns false for factors that the library will refuse: they get no check of ranges.
inline bool is_range_factor(int factor) { return factor == 1 || factor == 2 || factor == 4; }

/// Refuses rows of another length than the plan's.
template <typename Word>
void check_length(const char* operation, const Ntt& plan, const BatchOf<Word>& batch) {
  check_shape(operation, batch, {batch.shape.is_matrix, batch.shape.rows, plan.degree()});
}

/// Refuses rows with values that are not below factor * q.
template <typename Word>
void check_rows(const char* operation, const Ntt& plan, const BatchOf<Word>& batch, int factor) {
  for (std::size_t i = 0; is_range_factor(factor) && i < batch.shape.rows; ++i) {
    check_range<Word>(operation, batch.name, batch.row(i), plan.modulus().value(), factor);
  }
}

/// Calls row(i) for each row, without the interpreter's lock. Remaining errors come from row 0.
template <typename Row>
void for_rows(std::size_t rows, const Row& row) {
  Interrupts interrupts;
  for (std::size_t i = 0; i < rows; ++i) {
    row(i);
    interrupts.check_row();
  }
}

/// A call that writes rows to `out` or a new array. Values of the operands are below input * q;
/// they are not checked if the library will refuse that factor.
struct RowsCall {
  const char* operation;
  const Ntt& plan;
  const OptionalArray& out;
  int input;
};

/// Writes row(result, operands...) for each row of the operands, which are of one shape.
template <typename Row, typename Word, typename... Batches>
ArrayArgument write_rows(const RowsCall& call, const Row& row, const BatchOf<Word>& a,
                         const Batches&... others) {
  const ResultArray<Word> result(call.out, call.operation, a.shape);
  const BatchOf<Word>& target = result.batch();
  for (const BatchOf<Word>* operand : {&a, &others...})
    check_overlap(call.operation, target, *operand);
  {
    const nb::gil_scoped_release unlocked;
    for (const BatchOf<Word>* operand : {&a, &others...}) {
      check_rows(call.operation, call.plan, *operand, call.input);
    }
    for_rows(a.shape.rows, [&](std::size_t i) { row(target.row(i), a.row(i), others.row(i)...); });
  }
  return result.array();
}

/// Adds the methods for values in the order of a kernel, and their types.
void bind_unordered(nb::module_& module, nb::class_<Ntt>& ntt);
/// Adds the methods for two transforms at once.
void bind_two(nb::class_<Ntt>& ntt);

}  // namespace ringlet::python
