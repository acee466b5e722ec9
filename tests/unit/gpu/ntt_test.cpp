// SPDX-License-Identifier: Apache-2.0
// Transforms on a device: all variants against those of the processor, word by word.

#include "gpu/ntt_plan.hpp"
#include "ringlet/error.hpp"
#include "support/environment.hpp"
#include "support/test.hpp"
#include "unit/gpu/ntt_support.hpp"

namespace ringlet::gpu {
namespace {

/// Each variant at a degree where all of its kernels run; of the tests about small degrees all take
/// these, so that programs are compiled once.
TEST_F(NttTest, SmallDegreesOfEveryVariant) {
  check_degree(GpuNtt::naive, 64);
  check_degree(GpuNtt::simd_8_8, 64);
  check_degree(GpuNtt::simd_16_8, 64);
  check_degree(GpuNtt::simd_32_8, 256);
  check_degree(GpuNtt::radix4, 64);
  check_degree(GpuNtt::radix8, 2);
  check_degree(GpuNtt::radix8, 64);
  check_degree(GpuNtt::radix16, 64);
}

TEST_F(NttTest, SmallBasesOfOnePathOnly) {
  check_degree(GpuNtt::radix8, 16, {31, 57, 57});
  check_degree(GpuNtt::radix8, 16, {58, 61});
}

TEST_F(NttTest, DegreesOfSeveralBlocks) {
  check_degree(GpuNtt::simd_16_8, 8192);
  DeviceOptions options;
  options.ntt_chunk_limbs = 4;
  check_degree(options, 8192, kBits);
}

/// Everything, in the long run.
TEST_F(NttTest, AllDegreesOfEveryVariant) {
  if (test::test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  for (const GpuNtt variant : kVariants) {
    const bool is_whole = variant == GpuNtt::radix8 || !is_host_processor();
    const std::size_t most = std::size_t{1} << (is_whole ? 17 : 15);
    for (std::size_t degree = 2; degree <= most; degree *= 2) check_degree(variant, degree);
    check_degree(variant, 4096, {31, 50, 57});
    check_degree(variant, 4096, {57, 58, 61});
  }
  DeviceOptions options;
  options.use_lazy_reduction = false;
  check_degree(options, 4096, kBits);
  check_degree(GpuNtt::radix4, std::size_t{1} << 17, {57, 61});
  check_degree(GpuNtt::radix16, std::size_t{1} << 17, {57, 61});
}

NttRequest request_of(GpuNtt variant) {
  return {.variant = variant,
          .log_degree = 12,
          .paths = NttPath::lazy | NttPath::exact,
          .use_assembly = true};
}

/// A name never hides that there were no sub-groups.
TEST(NttPlanTest, ShufflesOfSubGroupsAreNamedApartFromEmulatedOnes) {
  DeviceProperties properties;
  properties.largest_group = 1024;
  properties.local_memory_bytes = 65536;
  EXPECT_EQ(make_ntt_plan(request_of(GpuNtt::simd_8_8), properties).name,
            "simd(8,8) by emulated shuffles");
  properties.sub_group_sizes = {4, 16, 32};
  const NttPlan plan = make_ntt_plan(request_of(GpuNtt::simd_32_8), properties);
  EXPECT_EQ(plan.name, "simd(32,8)");
  for (const std::string definition :
       {"SUB_GROUPS=1", "RINGLET_SUB_GROUP_SIZE=16", "TER_SIMD_GAP_SZ=32", "TER_SLM_GAP_SZ=2048"}) {
    EXPECT_NE(std::ranges::find(plan.program.definitions, definition),
              plan.program.definitions.end())
        << definition;
  }
  properties.sub_group_sizes = {4};
  EXPECT_THROW(make_ntt_plan(request_of(GpuNtt::simd_8_8), properties), RuntimeError);
  EXPECT_EQ(make_ntt_plan(request_of(GpuNtt::radix8), properties).name, "radix8");
}

/// The two passes of the paper, and small blocks where these cost no pass; smaller ones where there
/// is less local memory.
TEST(NttPlanTest, PassesOf32768Words) {
  DeviceProperties properties;
  properties.largest_group = 1024;
  properties.local_memory_bytes = 36 * 1024;
  NttRequest request = request_of(GpuNtt::radix8);
  request.log_degree = 15;
  NttPlan plan = make_ntt_plan(request, properties);
  EXPECT_EQ(plan.pass_levels, (std::vector<int>{4, 2, 3, 3, 3}));
  EXPECT_EQ(plan.forward.size(), 2u);
  EXPECT_EQ(plan.forward[1].groups, 16u);
  EXPECT_EQ(plan.forward[1].group_size, 256u);
  EXPECT_EQ(plan.program.wide_kernels.size(), 2u);
  request.log_degree = 16;
  plan = make_ntt_plan(request, properties);
  EXPECT_EQ(plan.pass_levels, (std::vector<int>{4, 3, 3, 3, 3}));
  EXPECT_EQ(plan.forward.back().groups, 16u);
  properties.local_memory_bytes = 36 * 1024 - 1;
  plan = make_ntt_plan(request, properties);
  EXPECT_EQ(plan.forward.back().groups, 32u);
}

}  // namespace
}  // namespace ringlet::gpu
