// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/arguments.hpp"
#include "bindings/core/arrays.hpp"
#include "ringlet/kernels/eltwise.hpp"

// One element-wise call from Python: its arrays, its moduli and scalars by rows, its checks.

namespace ringlet::python {

struct ArrayOrScalar {
  static constexpr char kStubType[] = "Array | Scalars";
  nb::object object;
};

/// An integer for all rows, or a list or tuple of one for each row.
struct Scalars {
  static constexpr char kStubType[] = "Scalars";
  nb::object object;
};

struct ArraySequence {
  static constexpr char kStubType[] = "Array | Sequence[Array]";
  nb::object object;
};

struct IntegerOrArray {
  static constexpr char kStubType[] = "int | Array";
  nb::object object;
};

/// Returns true for a list or a tuple.
bool is_sequence(nb::handle object);

/// Returns true for integers of Python and NumPy and for lists and tuples; false for arrays.
bool is_scalar(nb::handle object);

/// A plan per modulus: one for all rows, or one for each row.
class RowPlans {
 public:
  /// @throws InvalidArgument if there is no modulus, or one is out of range.
  RowPlans(const Scalars& moduli, const OptionalText& kernels);

  std::size_t size() const { return plans_.size(); }
  const Eltwise& row(std::size_t index) const { return plans_[plans_.size() == 1 ? 0 : index]; }
  /// @throws LogicError if there are several.
  const Eltwise& only(const char* operation) const;
  std::vector<std::uint64_t> moduli() const;

  /// @throws InvalidArgument if there are several moduli and not as many rows.
  void check_rows(const char* operation, const BatchShape& shape) const;

 private:
  std::vector<Eltwise> plans_;
};

struct NamedArray {
  const char* name;
  const ArrayArgument& array;
};

using Sources = std::array<Source, 3>;
/// The operation of a call on one row; `x` holds the words of its operands.
using RowOperation =
    std::function<void(const Eltwise& plan, std::size_t row, Target result, const Sources& x)>;

/// The input factor of operations that take any words.
inline constexpr int kAnyWords = 0;

/// A call on arrays of one shape. It checks everything before it writes the first word.
class Call {
 public:
  /// @throws InvalidArgument as HeldArray does, or if the shapes differ or do not fit the moduli.
  Call(const RowPlans& plans, const char* operation, std::initializer_list<NamedArray> operands);

  const BatchShape& shape() const { return operands_.front().shape; }
  const std::vector<Batch>& operands() const { return operands_; }

  /// Returns a function that gives the scalar of each row.
  /// @throws InvalidArgument unless there is one scalar for all rows or one for each row.
  std::function<std::uint64_t(std::size_t)> scalars(const Scalars& argument, const char* name);

  /// Runs the operation on all rows, without the interpreter's lock; operands are in [0, factor*q).
  /// @throws InvalidArgument.
  ArrayArgument run(const OptionalArray& out, int factor, const RowOperation& operation);

  /// @throws InvalidArgument if a word is not in [0, factor*q).
  void check_words(int factor) const;

 private:
  void run_rows(Batch result, bool by_rows, const RowOperation& operation) const;

  const RowPlans& plans_;
  const char* operation_;
  std::deque<HeldArray> held_;
  std::vector<Batch> operands_;
  std::size_t scalar_count_ = 1;
};

}  // namespace ringlet::python
