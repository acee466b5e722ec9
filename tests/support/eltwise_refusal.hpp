// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/eltwise.hpp"
#include "ringlet/error.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// Memory for the vectors of calls that an Eltwise has to refuse, and that they must not change.
class EltwiseRefusal : public ::testing::Test {
 protected:
  static constexpr std::size_t kCount = 24;

  EltwiseRefusal() : memory_(8 * kCount) {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = 11 * i + 1;
  }
  std::span<std::uint64_t> part(std::size_t first, std::size_t count = kCount) {
    return std::span(memory_).subspan(first, count);
  }
  template <typename Call>
  void expect_refusal_of(const std::string& operation, const std::string& offending,
                         const Call& call) {
    const std::vector<std::uint64_t> before = memory_;
    try {
      call();
      ADD_FAILURE() << "not refused: " << offending;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.operation(), operation);
      EXPECT_NE(error.offending().find(offending), std::string::npos) << error.what();
      EXPECT_FALSE(error.limit().empty());
      EXPECT_FALSE(error.remedy().empty());
    }
    EXPECT_EQ(memory_, before);
  }

  Eltwise eltwise_{Modulus(1000003)};
  std::vector<std::uint64_t> memory_;
};

}  // namespace ringlet::test
