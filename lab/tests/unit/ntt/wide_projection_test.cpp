// SPDX-License-Identifier: Apache-2.0
#include "lab/kernels/wide_projection.hpp"

#include "lab/kernels/projection.hpp"
#include "ringlet/error.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/wide.hpp"
#include "support/test.hpp"

namespace ringlet {
namespace {

WideModulus prime() { return generate_special_wide_primes(124, 1).front(); }

void expect_times(const WideTiming& timing) {
  EXPECT_GT(timing.minimum_ns, 0.01);
  EXPECT_LT(timing.minimum_ns, 1e6);
  EXPECT_GE(timing.median_ns, timing.minimum_ns);
}

class WideProjection : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_project_mqx()) GTEST_SKIP() << "this processor lacks AVX512-F or AVX512-DQ";
  }
};

TEST_F(WideProjection, TimesTransforms) {
  for (const auto product : {WideWordProduct::schoolbook, WideWordProduct::karatsuba}) {
    for (const std::size_t degree : {16, 1024}) {
      expect_times(time_projected_ntt(degree, prime(), product, 3));
    }
  }
}

TEST_F(WideProjection, TimesElementwiseOperations) {
  using enum WideProjectedOperation;
  for (const auto operation : {add, subtract, multiply, multiply_scalar_add}) {
    for (const std::size_t length : {1, 7, 1024}) {
      expect_times(
          time_projected_eltwise(operation, length, prime(), WideWordProduct::schoolbook, 4));
    }
  }
}

TEST_F(WideProjection, ChecksItselfAgainstInstructionsThatExist) {
  const auto checks = check_projection(1024, prime(), 3);
  ASSERT_GE(checks.size(), 3U);
  EXPECT_EQ(checks.front().instruction, checks.front().stand_in);
  for (const ProjectionCheck& check : checks) {
    expect_times(check.real);
    expect_times(check.projected);
    EXPECT_NEAR(check.error_percent, 100 * (check.projected.minimum_ns / check.real.minimum_ns - 1),
                1e-6);
    if (&check != &checks.front()) {
      EXPECT_NE(check.instruction, check.stand_in);
    }
  }
}

TEST_F(WideProjection, IsNoKernelThatCanBeChosen) {
  for (const KernelInfo& info : kernel_catalog()) {
    EXPECT_EQ(info.name.find("projected"), std::string::npos) << info.name;
  }
  for (const auto& projected : kernels::projected_wide_kernels()) {
    EXPECT_THROW(KernelSelection(projected.kernel.table), InvalidArgument);
  }
}

TEST_F(WideProjection, RefusesWhatItCannotTime) {
  constexpr auto kProduct = WideWordProduct::schoolbook;
  constexpr auto kAdd = WideProjectedOperation::add;
  EXPECT_THROW(time_projected_ntt(1024, prime(), kProduct, 0), InvalidArgument);
  EXPECT_THROW(time_projected_ntt(1000, prime(), kProduct, 1), InvalidArgument);
  // 2^124 - 59 has no transform of that length.
  const WideModulus papers = WideModulus::parse("21267647932558653966460912964485513157");
  EXPECT_THROW(time_projected_ntt(1024, papers, kProduct, 1), InvalidArgument);
  EXPECT_THROW(time_projected_ntt(16, WideModulus::parse("12289"), kProduct, 1), InvalidArgument);
  expect_times(time_projected_eltwise(kAdd, 8, papers, kProduct, 1));
  EXPECT_THROW(time_projected_eltwise(kAdd, 0, papers, kProduct, 1), InvalidArgument);
  EXPECT_THROW(time_projected_eltwise(kAdd, 8, papers, kProduct, -1), InvalidArgument);
  EXPECT_THROW(time_projected_eltwise(kAdd, 8, WideModulus::parse("12289"), kProduct, 1),
               InvalidArgument);
  EXPECT_THROW(check_projection(1024, prime(), 0), InvalidArgument);
}

}  // namespace
}  // namespace ringlet
