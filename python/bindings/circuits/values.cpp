// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/complex.h>

#include "bindings/circuits/circuits.hpp"
#include "bindings/core/arguments.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

constexpr const char* kLimit =
    "a number, or numbers for the first slots: of shape (n,), or (2, n) for two rows";

nb::object as_array(nb::handle object, const char* operation) {
  refuse_masked(object, operation, "values");
  try {
    return nb::module_::import_("numpy").attr("asarray")(object);
  } catch (nb::python_error&) {
    throw_invalid_argument({operation, "values of type " + name_of_type(object), kLimit,
                            "pass numbers that NumPy can put into one array"});
  }
}

template <typename T>
std::vector<T> copied(nb::handle array, const char* type) {
  const nb::object flat =
      nb::module_::import_("numpy").attr("ascontiguousarray")(array, type).attr("ravel")();
  const auto view = nb::cast<nb::ndarray<const T, nb::ndim<1>, nb::c_contig>>(flat);
  return {view.data(), view.data() + view.shape(0)};
}

template <typename Values>
KnownVector vector_of(Values values, bool is_scalar) {
  return is_scalar ? KnownVector(values.front()) : KnownVector(std::move(values));
}

// Fills up the first of two rows, so that the second begins where a circuit reads it.
nb::object in_rows(const nb::object& array, std::size_t row_length, const char* operation) {
  const auto dimensions = nb::cast<int>(array.attr("ndim"));
  if (dimensions == 0) return array;
  const nb::object shape = array.attr("shape");
  const bool has_two_rows = dimensions == 2 && nb::cast<std::size_t>(shape[0]) == 2;
  const auto columns = nb::cast<std::size_t>(shape[dimensions - 1]);
  if ((dimensions > 1 && !has_two_rows) || columns > row_length) {
    throw_invalid_argument({operation, "values of shape " + std::string(nb::str(shape).c_str()),
                            std::string(kLimit) + ", n up to " + std::to_string(row_length),
                            "pass one row, or matrix @ value for a matrix"});
  }
  if (dimensions == 1) return array;
  const nb::tuple missing =
      nb::make_tuple(nb::make_tuple(0, 0), nb::make_tuple(0, row_length - columns));
  return nb::module_::import_("numpy").attr("pad")(array, missing);
}

KnownVector::Integers integers_of(nb::handle array, const std::string& kind,
                                  const char* operation) {
  if (kind != "u") return copied<std::int64_t>(array, "int64");
  KnownVector::Integers integers;
  for (const std::uint64_t word : copied<std::uint64_t>(array, "uint64")) {
    if (word >> 63 != 0) {
      throw_invalid_argument({operation, "an integer from 2^63 on", "integers below 2^63",
                              "reduce the integers modulo the plain modulus"});
    }
    integers.push_back(static_cast<std::int64_t>(word));
  }
  return integers;
}

}  // namespace

KnownVector known_vector(nb::handle object, std::size_t row_length, const char* operation) {
  const nb::object array = in_rows(as_array(object, operation), row_length, operation);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool is_scalar = nb::cast<int>(array.attr("ndim")) == 0;
  if (kind == "i" || kind == "b" || kind == "u") {
    return vector_of(integers_of(array, kind, operation), is_scalar);
  }
  if (kind == "f" || kind == "c") {
    return vector_of(copied<std::complex<double>>(array, "complex128"), is_scalar);
  }
  throw_invalid_argument({operation, "values of type " + name_of_type(object), kLimit,
                          "convert the values with astype(numpy.float64) or astype(numpy.int64)"});
}

KnownMatrix known_matrix(nb::handle object, const char* operation) {
  const nb::object array = as_array(object, operation);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool is_matrix = nb::cast<int>(array.attr("ndim")) == 2;
  if (!is_matrix || std::string("iubfc").find(kind) == std::string::npos) {
    const std::string shape = nb::str(nb::handle(nb::object(array.attr("shape")))).c_str();
    throw_invalid_argument({operation, "a matrix of shape " + shape, "two-dimensional numbers",
                            "pass an array of rows and columns"});
  }
  const auto rows = nb::cast<std::size_t>(nb::object(array.attr("shape"))[0]);
  const auto columns = nb::cast<std::size_t>(nb::object(array.attr("shape"))[1]);
  if (kind == "f" || kind == "c") {
    return KnownMatrix(rows, columns, copied<std::complex<double>>(array, "complex128"));
  }
  return KnownMatrix(rows, columns, integers_of(array, kind, operation));
}

nb::object tiled(nb::handle values, std::size_t row_length, const Workshop& workshop) {
  const char* operation = "Circuit.tiled";
  const nb::object numpy = nb::module_::import_("numpy");
  const bool has_rows = workshop.batch_encoder() != nullptr;
  const std::size_t ring_row = has_rows ? workshop.slot_count() / 2 : workshop.slot_count();
  if (row_length > ring_row) {
    throw_invalid_argument({operation, "row_length = " + std::to_string(row_length),
                            std::to_string(ring_row) + " slots a row",
                            "use parameters with a larger degree"});
  }
  nb::object array = as_array(values, operation);
  const auto dimensions = nb::cast<int>(array.attr("ndim"));
  const nb::object shape = array.attr("shape");
  const std::size_t columns = dimensions == 0 ? 1 : nb::cast<std::size_t>(shape[dimensions - 1]);
  const bool is_matrix = dimensions == 2 && has_rows && nb::cast<std::size_t>(shape[0]) == 2;
  if ((dimensions > 1 && !is_matrix) || columns > row_length) {
    throw_invalid_argument({operation, "values of shape " + std::string(nb::str(shape).c_str()),
                            "up to " + std::to_string(row_length) + " numbers for each row",
                            "pass as many numbers as a row of the circuit has"});
  }
  if (dimensions == 0) return array;
  const nb::tuple missing = nb::make_tuple(0, row_length - columns);
  array = numpy.attr("pad")(
      array, is_matrix ? nb::make_tuple(nb::make_tuple(0, 0), missing) : nb::make_tuple(missing));
  const nb::tuple times = nb::make_tuple(has_rows && !is_matrix ? 2 : 1, ring_row / row_length);
  const nb::object rows = numpy.attr("tile")(array, times);
  return has_rows ? rows : nb::object(rows.attr("ravel")());
}

}  // namespace ringlet::python
