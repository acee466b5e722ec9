// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_module.hpp"

#include "gpu/cuda_nvrtc.hpp"
#include "gpu/driver.hpp"
#include "gpu/kernel_sources.hpp"
#include "gpu_standin/driver_script.hpp"
#include "gpu_standin/paths.hpp"
#include "gpu_standin/standin.hpp"
#include "ringlet/error.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using gpu::DriverDevice;
using gpu::cuda::is_complete_image;
using gpu::cuda::Nvrtc;

class CudaModule : public ::testing::Test {
 protected:
  std::shared_ptr<DriverDevice> device(const std::string& nvrtc = test::kStandInNvrtc) {
    std::string reason;
    const auto driver = gpu::load_cuda(reason, cuda_.path(), nvrtc);
    EXPECT_NE(driver, nullptr) << reason;
    return driver->devices().at(0);
  }
  static std::string refusal(DriverDevice& device, const std::string& source) {
    try {
      device.build(source, std::vector<std::string>{"NAME=12", "OTHER=(1 + 2)"});
    } catch (const RuntimeError& error) {
      return error.what();
    }
    ADD_FAILURE() << "it was built";
    return "";
  }
  void TearDown() override {
    for (const auto& [kind, count] : nvrtc_.live()) EXPECT_EQ(count, 0) << kind;
    EXPECT_EQ(cuda_.violations() + nvrtc_.violations(), "");
  }

  StandIn cuda_{test::kStandInCuda};
  StandIn nvrtc_{test::kStandInNvrtc};
};

TEST_F(CudaModule, IsBuiltForTheDeviceWithPreludeAndDefinitions) {
  const auto gpu = device();
  const std::string log = refusal(*gpu, "STANDIN_REFUSE");
  EXPECT_NE(log.find("nvrtcCompileProgram"), std::string::npos) << log;
  EXPECT_NE(log.find("NVRTC_ERROR_COMPILATION"), std::string::npos) << log;
  EXPECT_NE(log.find("--gpu-architecture=sm_90"), std::string::npos) << log;
  EXPECT_NE(log.find("--std=c++17"), std::string::npos) << log;
  EXPECT_NE(log.find("--define-macro=NAME=12"), std::string::npos) << log;
  EXPECT_NE(log.find("--define-macro=OTHER=(1 + 2)"), std::string::npos) << log;
  EXPECT_NE(log.find("error: STANDIN_REFUSE"), std::string::npos) << log;

  const auto module = gpu->build(kScriptKernels, {});
  const auto binary = module->binary();
  const std::string text(reinterpret_cast<const char*>(binary.data()), binary.size());
  EXPECT_NE(text.find(gpu::kernel_source("prelude.cuda")), std::string::npos);
  EXPECT_NE(text.find(kScriptKernels), std::string::npos);
}

TEST_F(CudaModule, ReportsARefusalEvenWithoutALog) {
  const auto gpu = device();
  nvrtc_.fail("nvrtcGetProgramLogSize", 1, 11);
  EXPECT_NE(refusal(*gpu, "STANDIN_REFUSE").find("no log"), std::string::npos);
}

TEST_F(CudaModule, HasOnlyTheKernelsThatItHas) {
  const auto gpu = device();
  const auto module = gpu->build(kScriptKernels, {});
  EXPECT_EQ(module->kernel("nothing")->name(), "nothing");
  try {
    module->kernel("something");
    FAIL() << "there is no such kernel";
  } catch (const RuntimeError& error) {
    EXPECT_NE(std::string(error.what()).find("something"), std::string::npos) << error.what();
  }
}

TEST_F(CudaModule, ComesBackFromItsBinary) {
  const auto gpu = device();
  const auto loaded = gpu->load(gpu->build(kScriptKernels, {})->binary());
  EXPECT_EQ(loaded->kernel("add_word")->name(), "add_word");
  EXPECT_EQ(nvrtc_.count("nvrtcCompileProgram"), 1U);
}

// A library that is not told where a program ends must not be given one that is cut off.
TEST_F(CudaModule, RefusesDamagedBinaries) {
  const auto gpu = device();
  for (const std::int64_t capability : {9, 12}) {  // a cubin, and PTX
    cuda_.set("capability_major", capability);
    const auto binary = device()->build(kScriptKernels, {})->binary();
    ASSERT_TRUE(is_complete_image(binary));
    const std::size_t before = cuda_.count("cuModuleLoadData");
    for (std::size_t size = 0; size < binary.size(); ++size) {
      EXPECT_THROW(gpu->load(std::span(binary).first(size)), RuntimeError) << size;
    }
    auto other = binary;
    other[0] = std::byte{0};
    EXPECT_THROW(gpu->load(other), RuntimeError);
    EXPECT_EQ(cuda_.count("cuModuleLoadData"), before);
  }
}

TEST_F(CudaModule, NoFieldOfAnImageLeadsOutOfIt) {
  const auto gpu = device();
  const auto binary = gpu->build(kScriptKernels, {})->binary();
  constexpr std::size_t kTables = 3 * 64;  // a header, and two sections
  std::size_t refused = 0;
  for (std::size_t i = 4; i < kTables; ++i) {
    auto damaged = binary;
    damaged[i] = std::byte{0xff};
    if (!is_complete_image(damaged)) ++refused;
  }
  // Offsets and sizes of tables, and of the section: their upper bytes at least.
  EXPECT_GE(refused, 30U);
}

TEST_F(CudaModule, NewerDevicesGetPtx) {
  cuda_.set("capability_major", 12);
  const auto gpu = device();
  EXPECT_NE(refusal(*gpu, "STANDIN_REFUSE").find("--gpu-architecture=compute_90"),
            std::string::npos);
  EXPECT_EQ(gpu->build(kScriptKernels, {})->kernel("nothing")->name(), "nothing");
  EXPECT_EQ(nvrtc_.count("nvrtcGetPTX"), 1U);
}

TEST_F(CudaModule, TargetsTheNewestGenerationThatBothKnow) {
  const Nvrtc nvrtc(13000, nvrtc_.path());
  EXPECT_EQ(nvrtc.target(9, 0), "sm_90");
  EXPECT_EQ(nvrtc.target(8, 9), "sm_89");
  EXPECT_EQ(nvrtc.target(7, 5), "sm_75");
  EXPECT_EQ(nvrtc.target(9, 9), "sm_90");
  EXPECT_EQ(nvrtc.target(10, 0), "compute_90");
  nvrtc_.set("nvrtc_newest", 121);
  EXPECT_EQ(nvrtc.target(10, 1), "sm_100");
  EXPECT_EQ(nvrtc.target(12, 1), "sm_121");
  EXPECT_EQ(nvrtc.target(13, 0), "compute_121");
  EXPECT_THROW(nvrtc.target(7, 0), RuntimeError);
}

TEST_F(CudaModule, OldDevicesAreRefused) {
  cuda_.set("capability_major", 6);
  EXPECT_NE(refusal(*device(), kScriptKernels).find("compute capability 6.0"), std::string::npos);
}

TEST_F(CudaModule, AsksForTheCompilerOfTheDriver) {
  // No library of the name is found, or a real one is there: then it has no device to build for.
  for (const auto& [version, wanted] :
       {std::pair{13000, "libnvrtc.so.13"}, std::pair{12040, "libnvrtc.so.12"}}) {
    try {
      const Nvrtc nvrtc(version, "");
      EXPECT_EQ(nvrtc.target(9, 0), "sm_90");
    } catch (const RuntimeError& error) {
      EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("install NVRTC"), std::string::npos) << error.what();
    }
  }
}

TEST_F(CudaModule, LooksForTheCompilerOnlyWhenItBuilds) {
  const auto gpu = device("/nowhere/libnvrtc.so.13");
  const auto queue = gpu->make_queue(false);
  EXPECT_NE(refusal(*gpu, kScriptKernels).find("/nowhere/libnvrtc.so.13"), std::string::npos);
}

}  // namespace
}  // namespace ringlet::test
