// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <nanobind/ndarray.h>

#include "ringlet/aligned.hpp"
#include "ringlet/error.hpp"

namespace nb = nanobind;

namespace ringlet::python {
namespace {

constexpr const char* kArrayLimit =
    "a one-dimensional C-contiguous NumPy array of uint64 in native byte order";

[[noreturn]] void refuse(const ArraySpec& spec, const std::string& what,
                         const std::string& remedy) {
  throw_invalid_argument(
      {spec.operation, std::string(spec.name) + " " + what, kArrayLimit, remedy});
}

// Name of the element type: NumPy's dtype where there is one.
std::string element_type(nb::handle object) {
  if (nb::hasattr(object, "dtype")) {
    return "dtype " + std::string(nb::str(nb::handle(nb::object(object.attr("dtype")))).c_str());
  }
  return std::string("type ") + Py_TYPE(object.ptr())->tp_name;
}

bool is_native_word(const Py_buffer& buffer) {
  const char* format = buffer.format == nullptr ? "B" : buffer.format;
  if (*format == '@' || *format == '=') ++format;
  return buffer.itemsize == sizeof(std::uint64_t) &&
         (std::strcmp(format, "L") == 0 || std::strcmp(format, "Q") == 0);
}

std::string shape_text(const Py_buffer& buffer) {
  std::string text = "(";
  for (int i = 0; i < buffer.ndim; ++i) text += std::to_string(buffer.shape[i]) + ",";
  return text + ")";
}

// All conditions but those that PyObject_GetBuffer itself enforces.
void check_layout(const Py_buffer& buffer, nb::handle object, const ArraySpec& spec,
                  Words::Access access) {
  const std::string name = spec.name;
  if (!is_native_word(buffer)) {
    refuse(spec, "has " + element_type(object),
           "convert it where you can judge the loss: " + name + ".astype(numpy.uint64)");
  }
  if (buffer.ndim != 1) {
    refuse(spec, "has shape " + shape_text(buffer),
           "pass one row at a time, or " + name + ".ravel()");
  }
  if (buffer.shape[0] > 1 && buffer.strides != nullptr &&
      buffer.strides[0] != static_cast<Py_ssize_t>(sizeof(std::uint64_t))) {
    refuse(spec, "has a stride of " + std::to_string(buffer.strides[0]) + " bytes",
           "pass numpy.ascontiguousarray(" + name + ")");
  }
  if (reinterpret_cast<std::uintptr_t>(buffer.buf) % alignof(std::uint64_t) != 0) {
    refuse(spec, "does not start on a multiple of 8 bytes", "pass " + name + ".copy()");
  }
  if (access == Words::Access::write && buffer.readonly != 0) {
    refuse(spec, "is read-only", "pass an array that may be written");
  }
  if (spec.length && *spec.length != static_cast<std::size_t>(buffer.shape[0])) {
    throw_invalid_argument({spec.operation, name + " has length " + std::to_string(buffer.shape[0]),
                            "length " + std::to_string(*spec.length),
                            "pass arrays of the length that the operation works on"});
  }
}

}  // namespace

std::string shown(nb::handle object) {
  constexpr std::size_t kLongest = 80;
  std::string text = nb::repr(object).c_str();
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

std::uint64_t Integer::word(const char* operation, const char* name) const {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    throw_invalid_argument(
        {operation,
         std::string(name) + " = " + shown(object) + " of type " + Py_TYPE(object.ptr())->tp_name,
         "an integer", "convert it with int()"});
  }
  const std::uint64_t value = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw_invalid_argument({operation, std::string(name) + " = " + shown(index),
                            "0 <= " + std::string(name) + " < 2^64", "pass a smaller value"});
  }
  return value;
}

int Integer::number(const char* operation, const char* name) const {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  int overflow = 0;
  long value = 0;
  if (index.is_valid()) value = PyLong_AsLongAndOverflow(index.ptr(), &overflow);
  PyErr_Clear();
  if (!index.is_valid() || overflow != 0 || value > std::numeric_limits<int>::max() ||
      value < std::numeric_limits<int>::min()) {
    throw_invalid_argument({operation, std::string(name) + " = " + shown(object),
                            "an integer of 32 bits with sign", "pass an int in that range"});
  }
  return static_cast<int>(value);
}

KernelSelection kernel_selection(const OptionalText& kernels) {
  return kernels ? KernelSelection(*kernels) : KernelSelection::from_environment();
}

Words::Words(const ArrayArgument& argument, const ArraySpec& spec, Access access) {
  if (PyObject_GetBuffer(argument.object.ptr(), &buffer_, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    refuse(spec, "has " + element_type(argument.object),
           "pass numpy.asarray(" + std::string(spec.name) + ", dtype=numpy.uint64)");
  }
  try {
    check_layout(buffer_, argument.object, spec, access);
  } catch (...) {
    PyBuffer_Release(&buffer_);
    throw;
  }
}

Result::Result(const std::optional<ArrayArgument>& out, const ArraySpec& spec) {
  if (out && !out->object.is_none()) {
    array_ = *out;
    words_.emplace(*out, spec, Words::Access::write);
    values_ = words_->values_for_writing();
  } else {
    array_ = make_array(spec.length.value_or(0), values_);
  }
}

ArrayArgument make_array(std::size_t size, std::span<std::uint64_t>& values) {
  AlignedAllocator<std::uint64_t> allocator;
  std::uint64_t* data = allocator.allocate(std::max<std::size_t>(size, 1));
  const nb::capsule owner(data, [](void* block) noexcept {
    AlignedAllocator<std::uint64_t>().deallocate(static_cast<std::uint64_t*>(block), 0);
  });
  values = {data, size};
  return {nb::cast(nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>(data, {size}, owner))};
}

void check_reduced(std::span<const std::uint64_t> values, std::uint64_t q, const ArraySpec& spec) {
  std::uint64_t largest = 0;
  for (const std::uint64_t value : values) largest = std::max(largest, value);
  if (largest >= q) {
    throw_invalid_argument({spec.operation, std::string(spec.name) + " holds a value >= q",
                            "values in [0, q), q = " + std::to_string(q),
                            "reduce it first, for example with Eltwise(q).reduce"});
  }
}

}  // namespace ringlet::python
