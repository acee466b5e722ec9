// SPDX-License-Identifier: Apache-2.0
// Work that the passes of transforms do on the way: the bits of the processor with it and without,
// and fewer launches.

#include "support/devices/device_fixture.hpp"
#include "support/devices/device_primitives.hpp"
#include "support/devices/watched_device.hpp"

namespace ringlet::test {
namespace {

const Indices kPrimes = {4, 0, 5, 7, 2, 6, 1};

/// Digits and divisions of values: only their passes differ.
bool has_fused_passes(const std::string& name) {
  return name.find("_ntt") != std::string::npos || name.find("of values, t") != std::string::npos;
}

class DeviceFusionTest : public DeviceBackendTest {
 protected:
  /// With fused passes and without.
  void expect_same(DeviceOptions options, const RnsBasis& basis, const Indices& primes,
                   bool has_all_fills) {
    for (const bool is_fused : {true, false}) {
      options.use_fused_passes = is_fused;
      const DeviceBackendPair pair = make_pair(basis, options);
      SCOPED_TRACE(pair.device().kernel_names()[0] + (is_fused ? ", fused" : ", apart"));
      for (const Fill fill : kFills) {
        const bool is_scattered = fill == Fill::scattered;
        if (!is_scattered && !(has_all_fills && is_fused)) continue;
        expect_same_primitives(pair, primes, fill, is_scattered, has_fused_passes);
      }
    }
  }
};

TEST_F(DeviceFusionTest, SmallDegreesOfAllHighRadices) {
  for (const std::size_t degree : {2, 16}) {
    expect_same({.ntt = GpuNtt::radix8}, make_device_basis(degree), kPrimes, degree == 2);
  }
  expect_same({.ntt = GpuNtt::radix4}, make_device_basis(16), kPrimes, false);
  // PoCL takes long to compile this one for primes of all paths.
  expect_same({.ntt = GpuNtt::radix16}, make_basis_of_bits(32, {50, 40, 45, 41}), first_primes(4),
              false);
}

TEST_F(DeviceFusionTest, SmallBasesOfOnePath) {
  for (const int bits : {28, 50, 60}) {
    const std::vector<int> all(5, bits);
    expect_same({}, make_basis_of_bits(16, all), first_primes(5), false);
  }
}

// Several blocks behind a pass through global memory.
TEST_F(DeviceFusionTest, LongPolynomials) {
  expect_same({}, make_device_basis(8192), kPrimes, false);
}

using AllDegreesFusion = OfDegree<DeviceFusionTest>;

TEST_P(AllDegreesFusion, OfRadix8) {
  if (test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  expect_same({}, make_device_basis(GetParam()), kPrimes, true);
}

TEST_P(AllDegreesFusion, OfOtherHighRadices) {
  if (test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  const RnsBasis basis = make_basis_of_bits(GetParam(), {50, 40, 45, 41});
  for (const GpuNtt variant : {GpuNtt::radix4, GpuNtt::radix16}) {
    expect_same({.ntt = variant}, basis, first_primes(4), true);
  }
}

INSTANTIATE_TEST_SUITE_P(, AllDegreesFusion, ::testing::ValuesIn(degrees_of_practice()),
                         ::testing::PrintToStringParamName());

// Blocks of 8192 words, which a group stores in several turns.
TEST_F(DeviceFusionTest, LongPolynomialsOfNarrowPrimes) {
  expect_same({}, make_basis_of_bits(8192, {29, 28, 30, 27}), first_primes(4), false);
}

// Two passes above the block: what lies between them has its own place in a division.
TEST_F(DeviceFusionTest, SeveralPassesThroughGlobalMemory) {
  expect_same({.ntt = GpuNtt::radix4}, make_basis_of_bits(32768, {50, 40, 45, 41}), first_primes(4),
              false);
}

TEST_F(DeviceFusionTest, SmallChunksAndQueues) {
  const RnsBasis basis = make_device_basis(16);
  for (const std::size_t queues : {1, 3}) {
    for (const std::size_t chunk : {0, 2}) {
      expect_same({.queue_count = queues, .ntt_chunk_limbs = chunk}, basis, kPrimes, false);
    }
  }
}

class DeviceFusionLaunchTest : public DeviceFusionTest {
 protected:
  /// Launches of digits lifted, digits of values, and divisions by one prime and by two.
  std::vector<int> count(GpuNtt variant, bool is_fused, std::size_t degree) {
    const DeviceOptions options{.ntt = variant, .use_fused_passes = is_fused};
    const auto watched = std::make_shared<WatchedDevice>(device_);
    const auto memory = std::make_shared<gpu::DeviceMemory>("gpu:0", watched, options);
    const auto backend = gpu::make_device_backend(make_device_basis(degree), memory);
    auto rng = make_rng();
    const Image key = make_image(backend->basis(), first_primes(10), rng);
    const PlacedImages images =
        place(make_primitive_images(backend->basis(), rng, Fill::scattered, kPrimes), memory);
    std::vector<int> counts;
    for (const Primitive& primitive :
         primitives(backend->basis(), prepare_primitive_key(*backend, key), kPrimes)) {
      const std::set<std::string> counted{"lift_digit_to_ntt of limb 0", "inverse_ntt_to_digits",
                                          "divide_and_round_by_last of values, t = 1",
                                          "divide_and_round of values, t = 1"};
      if (!counted.contains(primitive.name)) continue;
      watched->watch().launches = 0;
      primitive(*backend, images);
      counts.push_back(watched->watch().launches);
    }
    return counts;
  }
};

TEST_F(DeviceFusionLaunchTest, FusedPassesSaveLaunches) {
  EXPECT_EQ(count(GpuNtt::radix8, false, 16), (std::vector{2, 2, 4, 4}));
  EXPECT_EQ(count(GpuNtt::radix8, true, 16), (std::vector{1, 1, 2, 3}));
  EXPECT_EQ(count(GpuNtt::radix8, false, 8192), (std::vector{3, 3, 6, 6}));
  EXPECT_EQ(count(GpuNtt::radix8, true, 8192), (std::vector{2, 2, 4, 5}));
}

TEST_F(DeviceFusionLaunchTest, OtherVariantsStayAsTheyAre) {
  for (const GpuNtt variant : {GpuNtt::naive, GpuNtt::simd_8_8}) {
    EXPECT_EQ(count(variant, true, 64), count(variant, false, 64));
  }
}

}  // namespace
}  // namespace ringlet::test
