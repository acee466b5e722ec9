// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/arguments.hpp"

namespace ringlet::python {

using OptionalArray = std::optional<ArrayArgument>;
using Source = std::span<const std::uint64_t>;
using Target = std::span<std::uint64_t>;

/// The argument and the call that an array belongs to, and its allowed numbers of dimensions.
struct ArraySpec {
  const char* operation;
  const char* name;
  int least_dimensions = 1;
  int most_dimensions = 2;
  int word_bits = 64;  ///< Of its elements; 0: 32 or 64.
};

/// Rows of `length` words each. A one-dimensional array is one row.
struct BatchShape {
  bool is_matrix = false;
  std::size_t rows = 1;
  std::size_t length = 0;

  std::string text() const;
  friend bool operator==(const BatchShape&, const BatchShape&) = default;
};

/// A one- or two-dimensional array in memory that it does not own. Rows are contiguous and start
/// `row_stride` words after each other (any number, also 0 and negative ones).
template <typename Word>
struct BatchOf {
  const char* name = nullptr;
  Word* words = nullptr;
  std::ptrdiff_t row_stride = 0;
  BatchShape shape;

  std::span<Word> row(std::size_t index) const noexcept {
    return {words + static_cast<std::ptrdiff_t>(index) * row_stride, shape.length};
  }
  /// Returns true if each row starts where the one before it ends.
  bool is_contiguous() const noexcept {
    return shape.rows <= 1 || row_stride == static_cast<std::ptrdiff_t>(shape.length);
  }
  /// Returns the words as one row; the batch must be contiguous.
  BatchOf flattened() const noexcept {
    return {name, words, 0, {false, 1, shape.rows * shape.length}};
  }
};
using Batch = BatchOf<std::uint64_t>;

/// Matrices of one shape in one array: all matrices of an array of three dimensions, or the only
/// matrix of an array of two. They start `stride` words after each other (any number).
struct Stack {
  Batch matrix;  ///< The first one.
  std::size_t count = 1;
  std::ptrdiff_t stride = 0;
};

/// An aligned array of uint64 or uint32 in native byte order with contiguous rows, held while it is
/// in use. Nothing is ever converted or copied: an array of another kind is refused.
class HeldArray {
 public:
  enum class Access { read, write };

  /// @throws InvalidArgument if the object is no such array, or is to be written and is read-only
  ///         or has rows that overlap each other.
  HeldArray(const ArrayArgument& argument, const ArraySpec& spec, Access access);
  ~HeldArray() { PyBuffer_Release(&buffer_); }
  HeldArray(const HeldArray&) = delete;
  HeldArray& operator=(const HeldArray&) = delete;

  bool holds_half_words() const noexcept { return buffer_.itemsize == sizeof(std::uint32_t); }
  /// Returns the array, which has one or two dimensions and words of type Word.
  template <typename Word = std::uint64_t>
  BatchOf<Word> batch() const noexcept {
    return part(0, static_cast<Word*>(buffer_.buf));
  }
  /// Returns the parts along the first dimension of an array of two or three dimensions.
  std::vector<Batch> parts() const;
  int dimensions() const noexcept { return buffer_.ndim; }
  /// Returns the shape as Python writes it.
  std::string shape() const;
  /// Returns an array of two or three dimensions as matrices.
  Stack stack() const noexcept;

 private:
  template <typename Word>
  BatchOf<Word> part(int first_dimension, Word* words) const noexcept;

  const char* name_;
  Py_buffer buffer_{};
};

/// Where a call writes: the caller's `out`, or a new array (64-byte aligned).
template <typename Word = std::uint64_t>
class ResultArray {
 public:
  /// @throws InvalidArgument as HeldArray does, or if `out` has another shape.
  ResultArray(const OptionalArray& out, const char* operation, const BatchShape& shape);

  const BatchOf<Word>& batch() const noexcept { return batch_; }
  /// Returns the array that the call returns.
  ArrayArgument array() const { return array_; }

 private:
  ArrayArgument array_;
  std::optional<HeldArray> held_;
  BatchOf<Word> batch_;
};

/// Makes a NumPy array of `size` words, 64-byte aligned and not initialised.
template <typename Word>
ArrayArgument make_array(std::size_t size, std::span<Word>& values);

/// @throws InvalidArgument if `batch` has another shape than `expected`.
template <typename Word>
void check_shape(const char* operation, const BatchOf<Word>& batch, const BatchShape& expected);

/// @throws InvalidArgument if `result` is not the same array as `operand` and shares a word with
///         it, or may share one: overlapping arrays with different row strides.
template <typename Word>
void check_overlap(const char* operation, const BatchOf<Word>& result,
                   const BatchOf<Word>& operand);

/// @throws InvalidArgument if the two share a word or may share one, as in check_overlap.
void check_apart(const char* operation, const Batch& result, const Batch& other);

/// Refuses values that are not below factor * q. Always reads all values, so that its time depends
/// only on the length and the verdict.
/// @throws InvalidArgument.
template <typename Word = std::uint64_t>
void check_range(const char* operation, const char* name,
                 std::type_identity_t<std::span<const Word>> values, std::uint64_t q,
                 int factor = 1);

}  // namespace ringlet::python
