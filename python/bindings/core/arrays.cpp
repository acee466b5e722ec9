// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/arrays.hpp"

#include <atomic>

#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

std::string type_name(const ArraySpec& spec) { return spec.word_bits == 32 ? "uint32" : "uint64"; }

[[noreturn]] void refuse(const ArraySpec& spec, const std::string& what,
                         const std::string& remedy) {
  throw_invalid_argument({spec.operation, std::string(spec.name) + " " + what,
                          "a NumPy array of " + type_name(spec) +
                              " in native byte order, of the dimensions that the operation takes, "
                              "with contiguous rows",
                          remedy});
}

// Returns the name of the element type: NumPy's dtype if there is one.
std::string element_type(nb::handle object) {
  if (nb::hasattr(object, "dtype")) {
    return "dtype " + std::string(nb::str(nb::handle(nb::object(object.attr("dtype")))).c_str());
  }
  return "type " + name_of_type(object);
}

bool is_native_word(const Py_buffer& buffer, int bits) {
  const char* format = buffer.format == nullptr ? "B" : buffer.format;
  if (*format == '@' || *format == '=') ++format;
  return 8 * buffer.itemsize == bits &&
         (std::strcmp(format, "I") == 0 || std::strcmp(format, "L") == 0 ||
          std::strcmp(format, "Q") == 0);
}

std::string shape_text(const Py_buffer& buffer) {
  std::string text;
  for (int i = 0; i < buffer.ndim; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(buffer.shape[i]);
  }
  return "(" + text + (buffer.ndim == 1 ? ",)" : ")");
}

// NumPy leaves the strides of some arrays out; they are contiguous then.
Py_ssize_t stride_of(const Py_buffer& buffer, int dimension) {
  if (buffer.strides != nullptr) return buffer.strides[dimension];
  Py_ssize_t bytes = buffer.itemsize;
  for (int i = buffer.ndim - 1; i > dimension; --i) bytes *= buffer.shape[i];
  return bytes;
}

bool is_empty(const Py_buffer& buffer) {
  return std::find(buffer.shape, buffer.shape + buffer.ndim, 0) != buffer.shape + buffer.ndim;
}

void check_strides(const Py_buffer& buffer, const ArraySpec& spec, HeldArray::Access access) {
  const std::string remedy =
      access == HeldArray::Access::read
          ? "pass numpy.ascontiguousarray(" + std::string(spec.name) + ")"
          : "pass a contiguous array, and copy it to " + std::string(spec.name) + " afterwards";
  const int last = buffer.ndim - 1;
  if (buffer.ndim == 0 || is_empty(buffer)) return;
  if (buffer.shape[last] > 1 && stride_of(buffer, last) != buffer.itemsize) {
    refuse(spec,
           "has a stride of " + std::to_string(stride_of(buffer, last)) +
               " bytes between the words of a row",
           remedy);
  }
  for (int i = 0; i < last; ++i) {
    if (buffer.shape[i] > 1 && stride_of(buffer, i) % buffer.itemsize != 0) {
      refuse(spec, "has rows " + std::to_string(stride_of(buffer, i)) + " bytes apart", remedy);
    }
  }
}

void check_writable(const Py_buffer& buffer, const ArraySpec& spec) {
  if (buffer.readonly != 0) refuse(spec, "is read-only", "pass an array that may be written");
  if (buffer.ndim == 2 && !is_empty(buffer) && buffer.shape[0] > 1 &&
      std::abs(stride_of(buffer, 0)) < buffer.shape[1] * buffer.itemsize) {
    refuse(spec, "has rows that overlap each other",
           "pass an array whose rows are separate, such as " + std::string(spec.name) + ".copy()");
  }
}

// Checks all conditions that PyObject_GetBuffer does not enforce itself.
void check_layout(const Py_buffer& buffer, nb::handle object, const ArraySpec& spec,
                  HeldArray::Access access) {
  const std::string name = spec.name;
  if (!is_native_word(buffer, spec.word_bits)) {
    refuse(spec, "has " + element_type(object),
           "convert the array if this loss is acceptable: " + name + ".astype(numpy." +
               type_name(spec) + ")");
  }
  if (buffer.ndim < spec.least_dimensions || buffer.ndim > spec.most_dimensions) {
    refuse(spec, "has shape " + shape_text(buffer),
           "pass an array of " + std::to_string(spec.least_dimensions) + " or " +
               std::to_string(spec.most_dimensions) + " dimensions");
  }
  check_strides(buffer, spec, access);
  if (reinterpret_cast<std::intptr_t>(buffer.buf) % buffer.itemsize != 0) {
    refuse(spec, "does not start on a multiple of " + std::to_string(buffer.itemsize) + " bytes",
           "pass " + name + ".copy()");
  }
  if (access == HeldArray::Access::write) check_writable(buffer, spec);
}

// The first address of the words of a batch, and the first address after them.
struct Extent {
  template <typename Word>
  explicit Extent(const BatchOf<Word>& batch) {
    const auto base = reinterpret_cast<std::uintptr_t>(batch.words);
    const auto last = reinterpret_cast<std::uintptr_t>(batch.row(batch.shape.rows - 1).data());
    begin = std::min(base, last);
    end = std::max(base, last) + batch.shape.length * sizeof(Word);
  }
  std::uintptr_t begin;
  std::uintptr_t end;
};

// For batches with equal strides: returns true if rows of one overlap rows of the other.
template <typename Word>
bool rows_meet(const BatchOf<Word>& result, const BatchOf<Word>& operand) {
  const auto words = static_cast<std::ptrdiff_t>(result.shape.length);
  const std::ptrdiff_t distance = (reinterpret_cast<std::intptr_t>(operand.words) -
                                   reinterpret_cast<std::intptr_t>(result.words)) /
                                  static_cast<std::ptrdiff_t>(sizeof(Word));
  const auto rows = static_cast<std::ptrdiff_t>(result.shape.rows);
  for (std::ptrdiff_t i = 1 - rows; i < rows; ++i) {
    if (std::abs(distance + i * operand.row_stride) < words) return true;
  }
  return false;
}

template <typename Word>
bool have_same_stride(const BatchOf<Word>& a, const BatchOf<Word>& b) {
  return a.shape.rows == 1 || a.row_stride == b.row_stride;
}

// For batches of one shape. With different strides, overlapping extents count as common words.
template <typename Word>
bool may_have_common_words(const BatchOf<Word>& a, const BatchOf<Word>& b) {
  if (a.shape.rows == 0 || a.shape.length == 0) return false;
  const Extent first(a);
  const Extent second(b);
  if (first.end <= second.begin || second.end <= first.begin) return false;
  return !have_same_stride(a, b) || rows_meet(a, b);
}

}  // namespace

std::string name_of_type(nb::handle object) {
  const nb::handle type = object.type();
  const auto name = nb::cast<std::string>(type.attr("__name__"));
  if ((PyType_GetFlags(Py_TYPE(object.ptr())) & Py_TPFLAGS_HEAPTYPE) != 0) return name;
  const auto module = nb::cast<std::string>(type.attr("__module__"));
  return module == "builtins" ? name : module + "." + name;
}

std::string shown(nb::handle object) {
  constexpr std::size_t kLongest = 80;
  const nb::object written = nb::steal(PyObject_Repr(object.ptr()));
  if (!written.is_valid()) {
    // Python does not write an integer of thousands of digits.
    PyErr_Clear();
    return "a value of type " + name_of_type(object);
  }
  // Joins lines: arrays have several.
  std::string text =
      nb::cast<std::string>(nb::str(" ").attr("join")(nb::str(written).attr("split")()));
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

namespace {

// Looks the name up once: that takes a third of the time of a short transform.
bool is_plain_array(nb::handle object) {
  static std::atomic<const PyTypeObject*> known{nullptr};
  const PyTypeObject* type = Py_TYPE(object.ptr());
  if (type == known) return true;
  if (name_of_type(object) != "numpy.ndarray") return false;
  known = type;  // a static type of NumPy's: it lives as long as the process
  return true;
}

}  // namespace

void refuse_masked(nb::handle object, const char* operation, const char* name, int depth) {
  constexpr int kMostDimensions = 64;  // NumPy's limit; lists may contain themselves
  if (PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()) || PyComplex_Check(object.ptr()) ||
      is_plain_array(object)) {
    return;
  }
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) {
    if (depth == kMostDimensions) return;
    for (const nb::handle item : nb::borrow<nb::sequence>(object)) {
      refuse_masked(item, operation, name, depth + 1);
    }
  } else if (nb::hasattr(object, "_mask") &&
             nb::cast<bool>(nb::module_::import_("numpy.ma").attr("is_masked")(object))) {
    throw_invalid_argument({operation, std::string(name) + " with masked elements",
                            "arrays without a mask",
                            "pass " + std::string(name) + ".filled(0), or another number"});
  }
}

std::uint64_t Integer::word(const char* operation, const char* name) const {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    throw_invalid_argument(
        {operation, std::string(name) + " = " + shown(object) + " of type " + name_of_type(object),
         "an integer", "convert it with int()"});
  }
  const std::uint64_t value = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw_invalid_argument({operation, std::string(name) + " = " + shown(index),
                            "0 <= " + std::string(name) + " < 2^64", "pass a value in that range"});
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
                            "a signed 32-bit integer", "pass an int in that range"});
  }
  return static_cast<int>(value);
}

KernelSelection kernel_selection(const OptionalText& kernels) {
  return kernels ? KernelSelection(*kernels) : KernelSelection::from_environment();
}

std::string BatchShape::text() const {
  if (!is_matrix) return "(" + std::to_string(length) + ",)";
  return "(" + std::to_string(rows) + ", " + std::to_string(length) + ")";
}

HeldArray::HeldArray(const ArrayArgument& argument, const ArraySpec& wanted, Access access)
    : name_(wanted.name) {
  ArraySpec spec = wanted;
  refuse_masked(argument.object, spec.operation, spec.name);
  if (PyObject_GetBuffer(argument.object.ptr(), &buffer_, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    refuse(
        spec, "has " + element_type(argument.object),
        "pass numpy.asarray(" + std::string(spec.name) + ", dtype=numpy." + type_name(spec) + ")");
  }
  if (spec.word_bits == 0) spec.word_bits = is_native_word(buffer_, 32) ? 32 : 64;
  try {
    check_layout(buffer_, argument.object, spec, access);
  } catch (...) {
    PyBuffer_Release(&buffer_);
    throw;
  }
}

template <typename Word>
BatchOf<Word> HeldArray::part(int first_dimension, Word* words) const noexcept {
  const auto length = static_cast<std::size_t>(buffer_.shape[buffer_.ndim - 1]);
  if (first_dimension + 1 == buffer_.ndim) return {name_, words, 0, {false, 1, length}};
  return {name_,
          words,
          stride_of(buffer_, first_dimension) / buffer_.itemsize,
          {true, static_cast<std::size_t>(buffer_.shape[first_dimension]), length}};
}

std::string HeldArray::shape() const { return shape_text(buffer_); }

std::vector<Batch> HeldArray::parts() const {
  std::vector<Batch> parts;
  const std::ptrdiff_t stride = stride_of(buffer_, 0) / buffer_.itemsize;
  for (Py_ssize_t i = 0; i < buffer_.shape[0]; ++i) {
    parts.push_back(part(1, static_cast<std::uint64_t*>(buffer_.buf) + i * stride));
  }
  return parts;
}

Stack HeldArray::stack() const noexcept {
  auto* const words = static_cast<std::uint64_t*>(buffer_.buf);
  if (buffer_.ndim == 2) return {part(0, words), 1, 0};
  return {part(1, words), static_cast<std::size_t>(buffer_.shape[0]),
          stride_of(buffer_, 0) / buffer_.itemsize};
}

template <typename Word>
ResultArray<Word>::ResultArray(const OptionalArray& out, const char* operation,
                               const BatchShape& shape) {
  if (out && !out->object.is_none()) {
    array_ = *out;
    held_.emplace(*out, ArraySpec{operation, "out", 1, 2, 8 * sizeof(Word)},
                  HeldArray::Access::write);
    batch_ = held_->batch<Word>();
    check_shape(operation, batch_, shape);
  } else {
    std::span<Word> values;
    array_ = make_array(shape.rows * shape.length, values);
    if (shape.is_matrix) {
      array_ = {array_.object.attr("reshape")(shape.rows, shape.length)};
    }
    batch_ = {"out", values.data(), static_cast<std::ptrdiff_t>(shape.length), shape};
  }
}

template <typename Word>
ArrayArgument make_array(std::size_t size, std::span<Word>& values) {
  AlignedAllocator<Word> allocator;
  Word* data = allocator.allocate(std::max<std::size_t>(size, 1));
  const nb::capsule owner(data, [](void* block) noexcept {
    AlignedAllocator<Word>().deallocate(static_cast<Word*>(block), 0);
  });
  values = {data, size};
  return {nb::cast(nb::ndarray<nb::numpy, Word, nb::ndim<1>>(data, {size}, owner))};
}

template <typename Word>
void check_shape(const char* operation, const BatchOf<Word>& batch, const BatchShape& expected) {
  if (batch.shape == expected) return;
  throw_invalid_argument(
      {operation, std::string(batch.name) + " has shape " + batch.shape.text(),
       "shape " + expected.text(),
       "pass arrays of the same shape; numpy.broadcast_to repeats a row without copying it"});
}

template <typename Word>
void check_overlap(const char* operation, const BatchOf<Word>& result,
                   const BatchOf<Word>& operand) {
  if (result.words == operand.words && have_same_stride(result, operand)) return;
  if (!may_have_common_words(result, operand)) return;
  throw_invalid_argument(
      {operation,
       std::string(result.name) + " and " + operand.name + " overlap, and are not the same array",
       "the same array, or no word in common",
       "pass one array for both, or a separate one as " + std::string(result.name)});
}

void check_apart(const char* operation, const Batch& result, const Batch& other) {
  if (!may_have_common_words(result, other)) return;
  throw_invalid_argument({operation, std::string(result.name) + " and " + other.name + " overlap",
                          "no word in common",
                          "pass a separate array as " + std::string(result.name)});
}

template BatchOf<std::uint32_t> HeldArray::part(int, std::uint32_t*) const noexcept;
template class ResultArray<std::uint64_t>;
template class ResultArray<std::uint32_t>;
template ArrayArgument make_array(std::size_t, std::span<std::uint64_t>&);
template void check_shape(const char*, const Batch&, const BatchShape&);
template void check_shape(const char*, const BatchOf<std::uint32_t>&, const BatchShape&);
template void check_overlap(const char*, const Batch&, const Batch&);
template void check_overlap(const char*, const BatchOf<std::uint32_t>&,
                            const BatchOf<std::uint32_t>&);

}  // namespace ringlet::python
