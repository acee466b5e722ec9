// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/parallel.hpp"

#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"

namespace ringlet::python {

void bind_parallel(nb::module_& module) {
  module.def("thread_count", &thread_count,
             "Returns the number of threads that one call may use, including the calling thread.\n"
             "\n"
             "The number is 1 unless set_thread_count or the environment variable RINGLET_THREADS\n"
             "sets another. Results have the same bits for every number of threads.");
  module.def(
      "set_thread_count",
      [](const Integer& count) {
        const std::size_t threads = count.word("set_thread_count", "count");
        const nb::gil_scoped_release unlocked;
        set_thread_count(threads);
      },
      "count"_a,
      "Sets the number of threads that one call may use, for the whole process.\n"
      "\n"
      "- count: 1 to 256. Raises InvalidArgument for other numbers.");
}

}  // namespace ringlet::python
