// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/select.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// Runs body(kernel) for every kernel of one kind that is in the build and runs here: at least one.
template <typename Kernel, typename Body>
void for_each_kernel_of(std::span<const Kernel> kernels::KernelTable::* list, const Body& body) {
  std::size_t runs = 0;
  for (const kernels::KernelTable* table : kernels::kernel_table_list()) {
    for (const Kernel& kernel : table->*list) {
      if ((kernel.needs & ~detected_cpu_features()) != 0) continue;
      SCOPED_TRACE(table->name);
      body(kernel);
      ++runs;
    }
  }
  EXPECT_GE(runs, 1U);
}

}  // namespace ringlet::test
