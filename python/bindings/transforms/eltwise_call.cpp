// SPDX-License-Identifier: Apache-2.0
#include "bindings/transforms/eltwise_call.hpp"

#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

// Returns one word for all rows, or one for each row.
std::vector<std::uint64_t> words_of(nb::handle object, const char* operation, const char* name) {
  std::vector<std::uint64_t> words;
  if (is_sequence(object)) {
    for (nb::handle item : object) {
      words.push_back(Integer{nb::borrow(item)}.word(operation, name));
    }
  } else {
    words.push_back(Integer{nb::borrow(object)}.word(operation, name));
  }
  return words;
}

}  // namespace

bool is_sequence(nb::handle object) {
  return PyList_Check(object.ptr()) != 0 || PyTuple_Check(object.ptr()) != 0;
}

bool is_scalar(nb::handle object) {
  return is_sequence(object) || PyLong_Check(object.ptr()) != 0 ||
         (PyIndex_Check(object.ptr()) != 0 && PySequence_Check(object.ptr()) == 0);
}

RowPlans::RowPlans(const Scalars& moduli, const OptionalText& kernels) {
  const KernelSelection selection = kernel_selection(kernels);
  for (const std::uint64_t q : words_of(moduli.object, "Eltwise", "modulus")) {
    plans_.emplace_back(Modulus(q), selection);
  }
  if (plans_.empty()) {
    throw_invalid_argument({"Eltwise", "no modulus", "one modulus, or one for each row",
                            "pass an integer, or a list of integers that is not empty"});
  }
}

const Eltwise& RowPlans::only(const char* operation) const {
  if (plans_.size() == 1) return plans_.front();
  throw_logic_error({operation, std::to_string(plans_.size()) + " moduli", "one modulus",
                     "read the list `moduli`"});
}

std::vector<std::uint64_t> RowPlans::moduli() const {
  std::vector<std::uint64_t> values;
  for (const Eltwise& plan : plans_) values.push_back(plan.modulus().value());
  return values;
}

void RowPlans::check_rows(const char* operation, const BatchShape& shape) const {
  if (plans_.size() == 1 || (shape.is_matrix && shape.rows == plans_.size())) return;
  throw_invalid_argument({operation, "a has shape " + shape.text(),
                          std::to_string(plans_.size()) + " rows, one for each modulus",
                          "pass two-dimensional arrays of that many rows, or one modulus"});
}

Call::Call(const RowPlans& plans, const char* operation, std::initializer_list<NamedArray> operands)
    : plans_(plans), operation_(operation) {
  for (const NamedArray& operand : operands) {
    held_.emplace_back(operand.array, ArraySpec{operation, operand.name}, HeldArray::Access::read);
    operands_.push_back(held_.back().batch());
    check_shape(operation, operands_.back(), shape());
  }
  plans.check_rows(operation, shape());
}

std::function<std::uint64_t(std::size_t)> Call::scalars(const Scalars& argument, const char* name) {
  auto words = words_of(argument.object, operation_, name);
  const std::size_t count = words.size();
  if (count != 1 && (count == 0 || count != shape().rows)) {
    throw_invalid_argument(
        {operation_, std::string(name) + " holds " + std::to_string(count) + " scalars",
         "one scalar, or one for each of the " + std::to_string(shape().rows) + " rows",
         "pass vectors as NumPy arrays of uint64, and scalars as integers"});
  }
  scalar_count_ = std::max(scalar_count_, count);
  return [words = std::move(words)](std::size_t row) { return words[words.size() == 1 ? 0 : row]; };
}

ArrayArgument Call::run(const OptionalArray& out, int factor, const RowOperation& operation) {
  const ResultArray result(out, operation_, shape());
  for (const Batch& operand : operands_) check_overlap(operation_, result.batch(), operand);
  {
    const nb::gil_scoped_release unlocked;
    // A call on no words checks everything except words.
    const std::size_t variants = std::max(plans_.size(), scalar_count_);
    for (std::size_t i = 0; i < variants; ++i) operation(plans_.row(i), i, {}, {});
    check_words(factor);
    run_rows(result.batch(), variants > 1, operation);
  }
  return result.array();
}

void Call::check_words(int factor) const {
  if (factor == kAnyWords) return;
  for (const Batch& operand : operands_) {
    for (std::size_t i = 0; i < operand.shape.rows; ++i) {
      check_range(operation_, operand.name, operand.row(i), plans_.row(i).modulus().value(),
                  factor);
    }
  }
}

void Call::run_rows(Batch result, bool by_rows, const RowOperation& operation) const {
  std::vector<Batch> operands = operands_;
  const auto contiguous = [](const Batch& batch) { return batch.is_contiguous(); };
  if (!by_rows && contiguous(result) && std::ranges::all_of(operands, contiguous)) {
    result = result.flattened();
    for (Batch& operand : operands) operand = operand.flattened();
  }
  for (std::size_t i = 0; i < result.shape.rows; ++i) {
    Sources x;
    for (std::size_t k = 0; k < operands.size(); ++k) x[k] = operands[k].row(i);
    operation(plans_.row(i), i, result.row(i), x);
  }
}

}  // namespace ringlet::python
