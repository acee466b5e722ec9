// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/base/error.hpp"
#include "stopwatch.hpp"

namespace ringlet::python {

/// Each function adds one part of the measurements to the extension module.
void bind_bench(nanobind::module_& module);
void bind_bench_fv(nanobind::module_& module);
void bind_bench_limits(nanobind::module_& module);
void bind_bench_schemes(nanobind::module_& module);
void bind_bench_wide(nanobind::module_& module);
void bind_bench_wide_projection(nanobind::module_& module);

/// A job of a stopwatch, and the memory that it takes.
struct TimedJob {
  std::size_t index = 0;  ///< In the stopwatch.
  std::string kernel;
  std::size_t polynomials = 1;     ///< Transforms in one call.
  std::size_t operand_bytes = 0;   ///< Operands and result.
  std::size_t prepared_bytes = 0;  ///< Data made from an operand once per key.
  std::size_t table_bytes = 0;     ///< Tables, made once.
  std::size_t scratch_bytes = 0;   ///< Memory of one call.
};

/// A job that calls work() again and again.
template <typename Work>
Stopwatch::Job repeated(Work work) {
  return [work = std::move(work)](std::uint64_t repetitions) {
    for (std::uint64_t i = 0; i < repetitions; ++i) work();
  };
}

/// Finds the element of this name in a list. @throws InvalidArgument, which calls it a `what`.
template <typename List>
const auto& find_named(const char* function, const char* what, const List& list,
                       const std::string& name) {
  std::string names;
  for (const auto& element : list) {
    if (name == element.name) return element;
    const std::string item = std::string(names.empty() ? "" : ", ") + element.name;
    if (!names.ends_with(item)) names += item;  // rows of one operation follow each other
  }
  throw_invalid_argument({function, std::string(what) + " '" + name + "'",
                          names.empty() ? "none on this processor" : "one of: " + names,
                          "use one of these names"});
}

}  // namespace ringlet::python
