// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/base/error.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// The kernel tables that this processor can run. Names the others in the output.
inline std::vector<KernelSelection> available_tables() {
  std::vector<KernelSelection> tables;
  for (const std::string& table : kernel_tables()) {
    try {
      tables.emplace_back(table);
    } catch (const RuntimeError& error) {
      std::printf("not on this processor: %s\n", error.what());
    }
  }
  return tables;
}

}  // namespace ringlet::test
