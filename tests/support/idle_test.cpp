// SPDX-License-Identifier: Apache-2.0
// A test program that calls no kernel: under RINGLET_FORCE_KERNELS it must fail, which proves that
// the check of the other programs works.
#include <gtest/gtest.h>

#include "ringlet/kernels/kernel_selection.hpp"

TEST(Idle, KnowsTheTablesAndCallsNoKernel) {
  EXPECT_FALSE(ringlet::kernel_tables().empty());
  for (const ringlet::KernelInfo& kernel : ringlet::kernel_catalog()) {
    EXPECT_EQ(kernel.calls, 0u) << kernel.name;
  }
}
