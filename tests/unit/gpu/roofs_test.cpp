// SPDX-License-Identifier: Apache-2.0
// The kernels that measure a device do all the work that is counted.
#include "gpu/programs/roofs.hpp"

#include "support/devices/device_backend_pair.hpp"

namespace ringlet::gpu {
namespace {

constexpr MultiplyRoof kRoofs[] = {MultiplyRoof::multiply_add, MultiplyRoof::multiply_add_wide,
                                   MultiplyRoof::multiply_high};

/// Small tests, which also run under a checker of kernels.
using SmallRoofs = test::DeviceBackendTest;
using RoofsTest = test::DeviceBackendTest;

// Each chain has the end of all its steps, so the compiler left out or folded no product.
TEST_F(SmallRoofs, EveryProductIsComputed) {
  Roofs roofs(device_);
  for (const MultiplyRoof roof : kRoofs) {
    for (const std::uint64_t rounds : {1u, 2u}) {
      const auto ends = roofs.multiply_ends(roof, 2, rounds);
      EXPECT_EQ(ends, roofs.expected_ends(roof, 2, rounds)) << static_cast<int>(roof);
      ASSERT_EQ(ends.size(), 2 * roofs.group_size());
      const auto [least, most] = std::minmax_element(ends.begin(), ends.end());
      EXPECT_LT(*least, *most);
    }
    EXPECT_NE(roofs.multiply_ends(roof, 1, 1), roofs.multiply_ends(roof, 1, 2));
  }
}

TEST_F(SmallRoofs, ProductsAreCounted) {
  const Roofs roofs(device_);
  EXPECT_EQ(roofs.product_count(1, 1), static_cast<double>(roofs.group_size() * 8 * 16));
  EXPECT_EQ(roofs.product_count(6, 7), 42 * roofs.product_count(1, 1));
}

// copy() itself throws if the copy differs from the source.
TEST_F(SmallRoofs, CopiesAreWhole) {
  Roofs roofs(device_);
  const std::size_t group_bytes = roofs.group_size() * 64;
  for (const std::size_t bytes : {std::size_t{1}, group_bytes, 3 * group_bytes + 5}) {
    const CopyTimes times = roofs.copy(bytes, 2, 1);
    EXPECT_EQ(times.bytes, std::max<std::size_t>(1, bytes / group_bytes) * group_bytes);
    ASSERT_EQ(times.seconds.size(), 2u);
    for (const double seconds : times.seconds) EXPECT_GT(seconds, 0);
  }
}

TEST_F(RoofsTest, CopiesLongerThanTheirPattern) {
  Roofs roofs(device_);
  const CopyTimes times = roofs.copy(std::size_t{5} << 20, 1, 2);
  EXPECT_EQ(times.bytes, std::size_t{5} << 20);
}

TEST_F(RoofsTest, MoreProductsTakeLonger) {
  Roofs roofs(device_);
  // On a GPU the products must take longer than the launch itself.
  const std::uint64_t rounds = device_->properties().is_host_processor ? 4 : 100;
  for (const MultiplyRoof roof : kRoofs) {
    double fewer = 1e9;
    double more = 1e9;
    for (int i = 0; i < 3; ++i) {
      fewer = std::min(fewer, roofs.multiply_seconds(roof, 2, rounds));
      more = std::min(more, roofs.multiply_seconds(roof, 2, 100 * rounds));
    }
    EXPECT_GT(more, 5 * fewer) << "a hundred times the products";
  }
}

TEST(RoofsProgram, IsInTheCatalogue) {
  DeviceProperties device;
  device.largest_group = 1024;
  device.local_memory_bytes = std::size_t{64} << 10U;
  const std::vector<Program> catalogue = program_catalogue(device);
  EXPECT_EQ(std::count_if(catalogue.begin(), catalogue.end(),
                          [](const Program& program) { return program.name == "roofs"; }),
            1);
}

}  // namespace
}  // namespace ringlet::gpu
