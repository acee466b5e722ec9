// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_nvrtc.hpp"

#include "gpu/cuda_module.hpp"
#include "gpu/driver.hpp"
#include "gpu/kernel_sources.hpp"
#include "gpu_standin/paths.hpp"
#include "gpu_standin/standin.hpp"
#include "ringlet/error.hpp"
#include "support/test.hpp"

// The real NVRTC, where there is one: $RINGLET_NVRTC, else on the loader's path. It compiles
// without a GPU and without a driver.

namespace ringlet {
namespace {

using gpu::cuda::is_complete_image;
using gpu::cuda::Nvrtc;

constexpr int kCuda13 = 13000;

class RealNvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("RINGLET_NVRTC");
    path_ = path != nullptr ? path : "";
    try {
      nvrtc_.emplace(kCuda13, path_);
    } catch (const RuntimeError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static std::string text(const std::string& kernels) {
    return std::string(gpu::kernel_source("prelude.cuda")) + kernels;
  }

  std::string path_;
  std::optional<Nvrtc> nvrtc_;
};

constexpr const char* kProduct =
    "KERNEL GROUP_LIMIT(256) void product(GLOBAL u64 *result, u64 offset, u64 word) {\n"
    "  LOCAL_ARRAY(shared, 256);\n"
    "  shared[LOCAL_ID()] = result[offset + GLOBAL_ID()] * FACTOR;\n"
    "  BARRIER();\n"
    "  result[offset + GLOBAL_ID()] = MUL_HIGH(shared[GROUP_SIZE() - 1 - LOCAL_ID()], word);\n"
    "}\n";

TEST_F(RealNvrtc, CompilesKernelsToMachineCode) {
  const std::vector<std::string> definitions{"FACTOR=3"};
  const auto cubin = nvrtc_->compile(text(kProduct), nvrtc_->target(9, 0), definitions);
  ASSERT_TRUE(is_complete_image(cubin));
  EXPECT_EQ(cubin[0], std::byte{0x7f});
  const std::string bytes(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  EXPECT_NE(bytes.find(".text.product"), std::string::npos);
  // Cut off anywhere it is seen to be incomplete: that is, its last table ends with it.
  EXPECT_FALSE(is_complete_image(std::span(cubin).first(cubin.size() - 1)));
  EXPECT_FALSE(is_complete_image(std::span(cubin).first(cubin.size() / 2)));
}

TEST_F(RealNvrtc, CompilesKernelsToPtx) {
  const std::vector<std::string> definitions{"FACTOR=3"};
  const auto ptx = nvrtc_->compile(text(kProduct), "compute_90", definitions);
  ASSERT_TRUE(is_complete_image(ptx));
  const std::string bytes(reinterpret_cast<const char*>(ptx.data()), ptx.size());
  EXPECT_NE(bytes.find(".entry product"), std::string::npos);
}

TEST_F(RealNvrtc, ReportsErrorsWithItsLog) {
  try {
    nvrtc_->compile(text(kProduct), "sm_90", {});
    FAIL() << "FACTOR is not defined";
  } catch (const RuntimeError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("nvrtcCompileProgram"), std::string::npos) << message;
    EXPECT_NE(message.find("FACTOR"), std::string::npos) << message;
  }
}

// The whole way of a program, but for the GPU: the stand-in of the driver does not know real
// machine code, and says so.
TEST_F(RealNvrtc, IsWhatADeviceBuildsWith) {
  const test::StandIn cuda(test::kStandInCuda);
  std::string reason;
  const auto driver = gpu::load_cuda(reason, cuda.path(), path_);
  ASSERT_NE(driver, nullptr) << reason;
  const auto devices = driver->devices();
  try {
    devices.at(0)->build(kProduct, std::vector<std::string>{"FACTOR=3"});
    FAIL() << "the stand-in took real machine code";
  } catch (const RuntimeError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("cuModuleLoadData"), std::string::npos) << message;
    EXPECT_NE(message.find("CUDA_ERROR_INVALID_IMAGE"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace ringlet
