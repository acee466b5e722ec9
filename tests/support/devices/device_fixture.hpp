// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "support/devices/test_device.hpp"
#include "support/environment.hpp"

namespace ringlet::test {

/// Tests on the device that RINGLET_TEST_DEVICE names, which fail if it is not there. If the
/// variable is unset they run on the first device, and are skipped if there is none.
struct DeviceTest : ::testing::Test {
  void SetUp() override {
    if (test_device_name().empty() && Device::list().size() < 2) {
      GTEST_SKIP() << "no device of OpenCL or CUDA on this machine";
    }
    device = open({});
  }
  static std::string name() { return test_device_name().empty() ? "gpu:0" : test_device_name(); }
  /// Opens the device; with other options it is another object.
  static Device open(const DeviceOptions& options) { return Device::parse(name(), options); }
  bool is_host_processor() const { return device.info().is_host_processor; }

  Device device;
};

/// Returns the degrees of practice in the long run (RINGLET_TEST_SCALE=large), else half of the
/// smallest of them, for which other tests compile the same kernels.
inline std::vector<std::size_t> degrees_of_practice() {
  if (test_scale() == 1) return {512};
  return {1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
}

/// Tests of one degree of practice. For a runtime on the host's processor the largest take too
/// long.
template <typename Fixture>
struct OfDegree : Fixture, ::testing::WithParamInterface<std::size_t> {
  void SetUp() override {
    Fixture::SetUp();
    if (!this->IsSkipped() && GetParam() > 32768 && this->is_host_processor()) {
      GTEST_SKIP() << "N = " << GetParam() << " takes a host processor too long";
    }
  }
};

template <Form F, typename WordA, typename WordB>
std::size_t count_differences(const BasicPolyView<F, WordA>& a, const BasicPolyView<F, WordB>& b) {
  std::size_t differences = 0;
  for (std::size_t i = 0; i < a.limb_count; ++i) {
    for (std::size_t n = 0; n < a.degree; ++n) differences += a.limb(i)[n] != b.limb(i)[n];
  }
  return differences;
}

/// Expects the same words and the same properties of both ciphertexts.
inline void expect_same(const Ciphertext& a, const Ciphertext& b) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.parms_id(), b.parms_id());
  ASSERT_EQ(a.form(), b.form());
  EXPECT_EQ(a.scale(), b.scale());
  EXPECT_EQ(a.correction_factor(), b.correction_factor());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(count_differences(a.view(k), b.view(k)), 0u) << "polynomial " << k;
  }
}

inline void expect_same(const Plaintext& a, const Plaintext& b) {
  ASSERT_EQ(a.parms_id(), b.parms_id());
  EXPECT_EQ(a.scale(), b.scale());
  EXPECT_EQ(count_differences(a.ntt_view(), b.ntt_view()), 0u);
}

}  // namespace ringlet::test
