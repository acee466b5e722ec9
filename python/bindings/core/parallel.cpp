// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/parallel.hpp"

#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"

namespace ringlet::python {

void bind_parallel(nb::module_& module) {
  module.def(
      "thread_count", &thread_count,
      "Threads that one call may use, the calling one included: 1 unless set_thread_count or the\n"
      "environment variable RINGLET_THREADS says otherwise. Every number gives the same bits.");
  module.def(
      "set_thread_count",
      [](const Integer& count) {
        const std::size_t threads = count.word("set_thread_count", "count");
        const nb::gil_scoped_release unlocked;
        set_thread_count(threads);
      },
      "count"_a,
      "Sets the number of threads that one call may use, for the whole process: 1 to 256.");
}

}  // namespace ringlet::python
