// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/environment.hpp"

namespace ringlet::test {

struct CallCounts {
  std::size_t right = 0;
  std::size_t lost = 0;  ///< The noise is as large as the modulus, as the estimate says.
  std::size_t refused = 0;
};

/// Prints a line for each operation. In a long run each must have been right, and refused.
inline void expect_counts(
    const std::map<std::string, CallCounts>& counts,
    const std::function<bool(const std::string&)>& is_never_right = [](const std::string&) {
      return false;
    }) {
  CallCounts all;
  for (const auto& [name, count] : counts) {
    std::printf("  %-46s %6zu right %6zu lost %6zu refused\n", name.c_str(), count.right,
                count.lost, count.refused);
    if (test_scale() > 1) {
      EXPECT_TRUE(count.right > 0 || is_never_right(name)) << name;
      EXPECT_GT(count.refused, 0u) << name;
    }
    all.right += count.right;
    all.refused += count.refused;
  }
  EXPECT_GT(3 * all.right, all.refused);
}

}  // namespace ringlet::test
