// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/kernel_selection.hpp"
#include "support/environment.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::printf("seed: RINGLET_TEST_SEED=%llu, scale %zu\n",
              static_cast<unsigned long long>(ringlet::test::test_seed()),
              ringlet::test::test_scale());
  // A misspelt table must stop every program, including those that call no kernel.
  try {
    const std::string text = ringlet::KernelSelection::from_environment().text();
    std::printf("kernels: %s\n",
                text.empty() ? "every table that this processor has" : text.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  std::fflush(stdout);
  return RUN_ALL_TESTS();
}
