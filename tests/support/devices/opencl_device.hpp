// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/opencl/context.hpp"
#include "support/devices/test_device.hpp"
#include "support/values.hpp"

namespace ringlet::test {

/// Offsets and counts are in words; 0 stands for all of them.
inline void upload(gpu::Queue& queue, const gpu::Buffer& target, const Words& words,
                   std::size_t offset = 0) {
  queue.upload(target, 8 * offset, std::as_bytes(std::span(words)));
}
inline Words download(gpu::Queue& queue, const gpu::Buffer& source, std::size_t count = 0,
                      std::size_t offset = 0) {
  Words words(count == 0 ? source.byte_count() / 8 : count);
  queue.download(std::as_writable_bytes(std::span(words)), source, 8 * offset);
  return words;
}

/// Tests on a device of OpenCL, skipped if there is none or RINGLET_TEST_DEVICE names one of CUDA.
/// Tests may replace the entry points in `api`, which the driver calls.
struct OpenclDeviceTest : ::testing::Test {
  void SetUp() override {
    const gpu::DeviceName place = test_device_place();
    if (place.scope != gpu::DeviceScope::opencl) {
      GTEST_SKIP() << "is about OpenCL, and RINGLET_TEST_DEVICE is " << test_device_name();
    }
    std::string reason;
    if (const auto loaded = gpu::cl::load_api(reason, "")) {
      api = std::make_shared<gpu::cl::Api>(*loaded);
      driver = gpu::make_opencl_driver(api);
    }
    device = pick_test_device(driver.get(), reason, place);
    if (device == nullptr) GTEST_SKIP() << "no OpenCL: " << reason;
  }

  std::shared_ptr<gpu::Buffer> allocate(std::size_t words) const {
    return device->allocate(8 * words);
  }

  std::shared_ptr<gpu::cl::Api> api;
  std::shared_ptr<gpu::Driver> driver;
  std::shared_ptr<gpu::DriverDevice> device;
};

/// result[i] = a[i] * factor + ADDEND, for groups of at most 64 work-items. Each work-item takes
/// its neighbour's word from memory that the group shares. Groups in dimensions 1 and 2 add their
/// numbers, and write 256 words further on.
inline constexpr const char* kScaleKernel = R"(
KERNEL void scale(GLOBAL u64* result, GLOBAL const u64* a, u64 offset, u64 factor) {
  LOCAL_ARRAY(shared_words, 64);
  const u32 lane = LOCAL_ID();
  shared_words[GROUP_SIZE() - 1 - lane] = a[offset + GLOBAL_ID()];
  BARRIER();
  const u32 layer = GROUP_ID(1) + GROUP_COUNT(1) * GROUP_ID(2);
  result[256 * layer + GLOBAL_ID()] =
      shared_words[GROUP_SIZE() - 1 - lane] * factor + ADDEND + layer;
}
)";

}  // namespace ringlet::test
