// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/select.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// body(kernel) for every kernel of one kind that is in the build and runs here: at least one.
template <typename Kernel, typename Body>
void for_each_kernel_of(const Kernel* kernels::KernelTable::* list,
                        std::size_t kernels::KernelTable::* count, const Body& body) {
  std::size_t runs = 0;
  for (const kernels::KernelTable* table : kernels::kernel_table_list()) {
    for (std::size_t i = 0; i < table->*count; ++i) {
      const Kernel& kernel = (table->*list)[i];
      if ((kernel.needs & ~detected_cpu_features()) != 0) continue;
      SCOPED_TRACE(table->name);
      body(kernel);
      ++runs;
    }
  }
  EXPECT_GE(runs, 1U);
}

template <typename Body>
void for_each_conversion_kernel(const Body& body) {
  for_each_kernel_of(&kernels::KernelTable::conversion, &kernels::KernelTable::conversion_count,
                     body);
}
template <typename Body>
void for_each_sampling_kernel(const Body& body) {
  for_each_kernel_of(&kernels::KernelTable::sampling, &kernels::KernelTable::sampling_count, body);
}

}  // namespace ringlet::test
