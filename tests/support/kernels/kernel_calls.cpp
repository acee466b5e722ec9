// SPDX-License-Identifier: Apache-2.0
// Linked into the test programs that call kernels: prints the calls of each kernel, and fails a run
// under RINGLET_FORCE_KERNELS in which no kernel of the named table was called.

#include "ringlet/kernels/kernel_selection.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

bool runs_whole_program() { return ::testing::GTEST_FLAG(filter) == "*"; }

struct KernelCalls : ::testing::Environment {
  void TearDown() override {
    const std::string table = KernelSelection::from_environment().table();
    std::uint64_t calls_of_table = 0;
    std::printf("calls per kernel:\n");
    for (const KernelInfo& kernel : kernel_catalog()) {
      if (kernel.calls == 0) continue;
      std::printf("  %-40s %12llu\n", kernel.name.c_str(),
                  static_cast<unsigned long long>(kernel.calls));
      if (kernel.table == table) calls_of_table += kernel.calls;
    }
    if (table.empty() || !runs_whole_program()) return;
    if (!kernel_statistics_enabled()) {
      ADD_FAILURE() << "RINGLET_FORCE_KERNELS=" << table
                    << " cannot be verified: link counts_calls.cpp";
    } else if (calls_of_table == 0) {
      ADD_FAILURE() << "RINGLET_FORCE_KERNELS names the table " << table
                    << ", but this program called none of its kernels";
    }
  }
};

const ::testing::Environment* const kKernelCalls =
    ::testing::AddGlobalTestEnvironment(new KernelCalls);

}  // namespace
}  // namespace ringlet::test
