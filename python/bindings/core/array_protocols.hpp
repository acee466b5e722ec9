// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {

[[noreturn]] inline void refuse_use(const std::string& operation, const std::string& what) {
  throw_invalid_argument({operation, what + " has no numbers to read or compare",
                          "`+`, `-`, `*` and `matrix @` with numbers",
                          "use these operators, keep several values in a list, or decrypt first"});
}

/// Makes NumPy and pandas leave operators to `type` and refuse everything else at once. `what` is
/// its name in messages. Only dtype=object makes arrays of such objects. `==` and bool() raise.
template <typename T, typename... Bases>
void close_to_arrays(nb::class_<T, Bases...>& type, const char* what) {
  const auto refuse_comparison = [what](const T&, nb::handle) { refuse_use("==", what); };
  // Otherwise NumPy and pandas would compute `array * value` element by element.
  type.attr("__array_ufunc__") = nb::none();
  type.attr("__pandas_priority__") = 1 << 16;
  type.def(
          "__array_function__",
          [what](const T&, nb::handle function, nb::handle, nb::handle, nb::handle) {
            refuse_use("numpy." + nb::cast<std::string>(function.attr("__name__")), what);
          },
          "function"_a, "types"_a, "arguments"_a, "keywords"_a)
      .def(
          "__array__",
          [what](nb::handle self, nb::handle dtype, nb::handle) {
            const nb::module_ numpy = nb::module_::import_("numpy");
            if (dtype.is_none() || !numpy.attr("dtype")(dtype).equal(numpy.attr("dtype")("O"))) {
              refuse_use("numpy.array without dtype=object", what);
            }
            nb::object array = numpy.attr("empty")(nb::tuple(), "O");
            array[nb::tuple()] = self;
            return array;
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none())
      .def("__eq__", refuse_comparison, "other"_a,
           nb::sig("def __eq__(self, other: object, /) -> NoReturn"))
      .def("__ne__", refuse_comparison, "other"_a,
           nb::sig("def __ne__(self, other: object, /) -> NoReturn"))
      .def(
          "__bool__", [what](const T&) { refuse_use("bool", what); },
          nb::sig("def __bool__(self) -> NoReturn"));
}

}  // namespace ringlet::python
