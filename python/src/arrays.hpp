// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <nanobind/nanobind.h>

#include "arguments.hpp"

namespace ringlet::python {

/// What an array must be: which argument of which call, how long, and what its values are below.
struct ArraySpec {
  const char* operation;
  const char* name;
  std::optional<std::size_t> length;  ///< None: any.
};

/// A one-dimensional, C-contiguous, aligned array of uint64 in native byte order, held while it is
/// in use. Nothing is ever converted: an array of another kind is refused.
class Words {
 public:
  enum class Access { read, write };

  /// @throws InvalidArgument if the object is no such array, has another length, or is to be
  ///         written and is read-only.
  Words(const ArrayArgument& argument, const ArraySpec& spec, Access access);
  ~Words() { PyBuffer_Release(&buffer_); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  std::size_t size() const noexcept { return static_cast<std::size_t>(buffer_.shape[0]); }
  std::span<const std::uint64_t> values() const noexcept {
    return {static_cast<const std::uint64_t*>(buffer_.buf), size()};
  }
  std::span<std::uint64_t> values_for_writing() const noexcept {
    return {static_cast<std::uint64_t*>(buffer_.buf), size()};
  }

 private:
  Py_buffer buffer_{};
};

/// Where a call writes: the caller's `out`, or a new array (64-byte aligned).
class Result {
 public:
  /// @throws InvalidArgument as Words does.
  Result(const std::optional<ArrayArgument>& out, const ArraySpec& spec);

  std::span<std::uint64_t> values() const noexcept { return values_; }
  /// The array to return.
  ArrayArgument array() const { return array_; }

 private:
  ArrayArgument array_;
  std::optional<Words> words_;
  std::span<std::uint64_t> values_;
};

/// A new NumPy array of `size` words, 64-byte aligned and not initialised.
ArrayArgument make_array(std::size_t size, std::span<std::uint64_t>& values);

/// Refuses values that are not below q. Reads all of them whatever they are, so that its time
/// depends on nothing but the length and the verdict.
/// @throws InvalidArgument.
void check_reduced(std::span<const std::uint64_t> values, std::uint64_t q, const ArraySpec& spec);

}  // namespace ringlet::python
