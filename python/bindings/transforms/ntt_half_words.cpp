// SPDX-License-Identifier: Apache-2.0
#include "bindings/transforms/ntt_methods.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"

// Transforms of arrays of uint32.

namespace ringlet::python {
namespace {

using HalfWord = std::uint32_t;

constexpr const char* kLimit =
    "a C-contiguous NumPy array of uint32 in native byte order, of one or two dimensions, like `a`";

bool is_native_half_word(const Py_buffer& buffer) {
  const char* format = buffer.format == nullptr ? "B" : buffer.format;
  if (*format == '@' || *format == '=') ++format;
  return buffer.itemsize == sizeof(HalfWord) &&
         (std::strcmp(format, "I") == 0 || std::strcmp(format, "L") == 0);
}

/// A contiguous array of uint32, held while it is in use.
class HeldHalfWords {
 public:
  HeldHalfWords(const ArrayArgument& argument, const ArraySpec& spec, bool to_write) {
    const int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (to_write ? PyBUF_WRITABLE : 0);
    refuse_masked(argument.object, spec.operation, spec.name);
    if (PyObject_GetBuffer(argument.object.ptr(), &buffer_, flags) != 0) {
      PyErr_Clear();
      refuse(spec, to_write ? "is read-only or not contiguous" : "is not contiguous");
    }
    if (const char* fault = fault_of(buffer_)) {
      PyBuffer_Release(&buffer_);
      refuse(spec, fault);
    }
    shape_.length = static_cast<std::size_t>(buffer_.shape[buffer_.ndim - 1]);
    if (buffer_.ndim == 2) {
      shape_.is_matrix = true;
      shape_.rows = static_cast<std::size_t>(buffer_.shape[0]);
    }
  }
  ~HeldHalfWords() { PyBuffer_Release(&buffer_); }
  HeldHalfWords(const HeldHalfWords&) = delete;
  HeldHalfWords& operator=(const HeldHalfWords&) = delete;

  HalfWord* data() const noexcept { return static_cast<HalfWord*>(buffer_.buf); }
  const BatchShape& shape() const noexcept { return shape_; }

 private:
  [[noreturn]] static void refuse(const ArraySpec& spec, const char* fault) {
    throw_invalid_argument({spec.operation, std::string(spec.name) + " " + fault, kLimit,
                            "pass numpy.ascontiguousarray(..., dtype=numpy.uint32)"});
  }
  static const char* fault_of(const Py_buffer& buffer) {
    if (!is_native_half_word(buffer)) return "has another type than uint32";
    if (buffer.ndim < 1 || buffer.ndim > 2) return "has another number of dimensions";
    const auto address = reinterpret_cast<std::uintptr_t>(buffer.buf);
    return address % alignof(HalfWord) == 0 ? nullptr : "does not start on a multiple of 4 bytes";
  }

  Py_buffer buffer_{};
  BatchShape shape_;
};

ArrayArgument make_half_words(const BatchShape& shape) {
  AlignedAllocator<HalfWord> allocator;
  HalfWord* const data = allocator.allocate(std::max<std::size_t>(shape.rows * shape.length, 1));
  const nb::capsule owner(data, [](void* block) noexcept {
    AlignedAllocator<HalfWord>().deallocate(static_cast<HalfWord*>(block), 0);
  });
  if (!shape.is_matrix) {
    return {nb::cast(nb::ndarray<nb::numpy, HalfWord, nb::ndim<1>>(data, {shape.length}, owner))};
  }
  return {nb::cast(
      nb::ndarray<nb::numpy, HalfWord, nb::ndim<2>>(data, {shape.rows, shape.length}, owner))};
}

void check_half_shape(const char* operation, const char* name, const BatchShape& shape,
                      const BatchShape& expected) {
  if (shape == expected) return;
  throw_invalid_argument({operation, std::string(name) + " has shape " + shape.text(),
                          "shape " + expected.text(), "pass arrays of one shape"});
}

/// Before the arrays are looked at: with such moduli, uint32 is the wrong type.
void check_fit(const TransformCall& call, std::uint64_t q) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;
  const auto factor = static_cast<std::uint64_t>(std::max({call.input, call.output, 1}));
  if (q <= kEnd / factor) return;
  throw_invalid_argument({call.operation,
                          "a has dtype uint32, with modulus " + std::to_string(q) +
                              " and range factor " + std::to_string(factor),
                          "factor * modulus up to 2^32 for values in 32-bit words",
                          "convert it: a.astype(numpy.uint64)"});
}

/// Reads all values whatever they are.
void check_values(const char* operation, const HeldHalfWords& a, std::uint64_t q, int factor) {
  HalfWord largest = 0;
  const std::size_t count = a.shape().rows * a.shape().length;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, a.data()[i]);
  if (count == 0 || largest < static_cast<std::uint64_t>(factor) * q) return;
  const std::string bound = factor == 1 ? "q" : std::to_string(factor) + "*q";
  throw_invalid_argument({operation, "a holds a value >= " + bound,
                          "values in [0, " + bound + "), q = " + std::to_string(q),
                          "reduce it first"});
}

void check_half_overlap(const char* operation, const HeldHalfWords& result,
                        const HeldHalfWords& a) {
  const std::size_t count = a.shape().rows * a.shape().length;
  const auto x = reinterpret_cast<std::uintptr_t>(result.data());
  const auto y = reinterpret_cast<std::uintptr_t>(a.data());
  const std::uintptr_t bytes = count * sizeof(HalfWord);
  if (x == y || x + bytes <= y || y + bytes <= x) return;
  throw_invalid_argument({operation, "out and a overlap, and are not the same array",
                          "the same array, or no word in common",
                          "pass one array for both, or a separate one as out"});
}

}  // namespace

bool holds_half_words(const ArrayArgument& a) {
  Py_buffer buffer{};
  if (PyObject_GetBuffer(a.object.ptr(), &buffer, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    return false;
  }
  const bool found = is_native_half_word(buffer);
  PyBuffer_Release(&buffer);
  return found;
}

ArrayArgument transform_half_words(const Ntt& plan, const TransformCall& call,
                                   const ArrayArgument& a, const OptionalArray& out) {
  check_fit(call, plan.modulus().value());
  const HeldHalfWords source(a, {call.operation, "a"}, false);
  const BatchShape shape = source.shape();
  check_half_shape(call.operation, "a", shape, {shape.is_matrix, shape.rows, plan.degree()});
  const bool is_new = !out || out->object.is_none();
  const ArrayArgument array = is_new ? make_half_words(shape) : *out;
  const HeldHalfWords result(array, {call.operation, "out"}, true);
  check_half_shape(call.operation, "out", result.shape(), shape);
  const nb::gil_scoped_release unlocked;
  if (is_range_factor(call.input)) {
    check_values(call.operation, source, plan.modulus().value(), call.input);
  }
  check_half_overlap(call.operation, result, source);
  for_rows(shape.rows, [&](std::size_t i) {
    const std::span<HalfWord> to(result.data() + i * shape.length, shape.length);
    const std::span<const HalfWord> from(source.data() + i * shape.length, shape.length);
    call.forward ? plan.forward(to, from, call.input, call.output)
                 : plan.inverse(to, from, call.input, call.output);
  });
  return array;
}

}  // namespace ringlet::python
