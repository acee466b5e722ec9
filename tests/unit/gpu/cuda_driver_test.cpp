// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/module.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "gpu/programs/kernel_sources.hpp"
#include "gpu_standin/fixture.hpp"
#include "support/refusal.hpp"

// What the driver of CUDA alone does, over stand-ins of libcuda and libnvrtc; and the real NVRTC.

namespace ringlet::test {
namespace {

using gpu::DriverDevice;
using gpu::cuda::is_complete_image;
using gpu::cuda::Nvrtc;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class CudaDriver : public StandInTest {
 protected:
  std::shared_ptr<DriverDevice> device() const { return load(gpu::Api::cuda)->devices().at(0); }
  /// The compiler's log, of these options.
  static void expect_refusal(DriverDevice& device, std::initializer_list<std::string> texts,
                             const std::string& source = "STANDIN_REFUSE") {
    expect_error_below<RuntimeError>(
        texts, [&] { device.build(source, std::vector<std::string>{"NAME=12", "OTHER=(1 + 2)"}); });
  }
};

TEST_F(CudaDriver, IsNotThereWithoutADevice) {
  cuda_->set("devices", 0);
  std::string reason;
  EXPECT_EQ(load(gpu::Api::cuda, reason), nullptr);
  EXPECT_NE(reason.find("CUDA_ERROR_NO_DEVICE"), std::string::npos) << reason;
}

TEST_F(CudaDriver, DescribesDevicesWithoutOpeningThem) {
  cuda_->set("devices", 3);
  const auto devices = load(gpu::Api::cuda)->devices();
  ASSERT_EQ(devices.size(), 3u);
  const gpu::DeviceProperties& properties = devices[2]->properties();
  EXPECT_EQ(properties.name, "Stand-in 2");
  EXPECT_EQ(properties.driver_version, "CUDA 13.0");
  EXPECT_FALSE(properties.is_host_processor);
  EXPECT_EQ(properties.memory_bytes, std::uint64_t{1} << 32);
  EXPECT_EQ(properties.local_memory_bytes, 48u << 10);
  EXPECT_EQ(properties.compute_units, 8u);
  EXPECT_EQ(properties.largest_partition, 1u);
  EXPECT_EQ(cuda_.count("cuDevicePrimaryCtxRetain"), 0u);
}

TEST_F(CudaDriver, StagesLargeUploadsInFewBlocks) {
  using gpu::cuda::PinnedBlock;
  using gpu::cuda::Staging;
  cuda_->set("steps_per_query", 0);
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto buffer = gpu->allocate(PinnedBlock::kBytes * (Staging::kMaxBlocks + 3));
  queue->upload(*buffer, 0, counted_bytes(buffer->byte_count()));
  std::vector<std::byte> bytes(buffer->byte_count());
  queue->download(bytes, *buffer, 0);
  EXPECT_TRUE(bytes == counted_bytes(bytes.size()));
  constexpr std::size_t kDownloading = 2;
  EXPECT_LE(cuda_.count("cuMemHostAlloc"), Staging::kMaxBlocks + 1 + kDownloading);
  EXPECT_GT(cuda_.count("cuEventSynchronize"), 0u);
}

TEST_F(CudaDriver, ReusesStagingBlocks) {
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto buffer = gpu->allocate(1 << 18);
  for (unsigned round = 0; round < 64; ++round) {
    queue->upload(*buffer, 0, counted_bytes(1 << 18, round));
    queue->finish();
  }
  EXPECT_EQ(cuda_.count("cuMemHostAlloc"), 1u);
}

TEST_F(CudaDriver, KeepsNothingOfACopyOnceItWaited) {
  {
    const auto gpu = device();
    const auto queue = gpu->make_queue(false);
    const auto buffer = gpu->allocate(1 << 21);
    std::vector<std::byte> bytes(1 << 21, std::byte{0x5c});
    queue->upload(*buffer, 0, bytes);
    queue->finish();
    queue->download(bytes, *buffer, 0);
  }
  for (const standin::Call& call : cuda_->calls()) {
    if (call.entry == "cuMemFreeHost") {
      EXPECT_EQ(call.nonzero, 0u);
    }
  }
  EXPECT_GE(cuda_.count("cuMemFreeHost"), 4u);
}

TEST_F(CudaDriver, LeavesEveryThreadItsOwnContext) {
  const auto gpu = device();
  const auto buffer = gpu->allocate(64);
  std::thread([&] { gpu->make_queue(false)->upload(*buffer, 0, counted_bytes(64)); }).join();
  std::vector<std::byte> bytes(64);
  gpu->make_queue(false)->download(bytes, *buffer, 0);
  EXPECT_EQ(bytes, counted_bytes(64));
  EXPECT_EQ(cuda_->live()["current"], 0);
  EXPECT_EQ(cuda_.count("cuCtxPushCurrent_v2"), cuda_.count("cuCtxPopCurrent_v2"));
}

TEST_F(CudaDriver, LaunchesTheLargestGrid) {
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto kernel = gpu->build(kScriptKernels, {})->kernel("nothing");
  queue->launch(*kernel, {{0x7fffffff, 0xffff, 0xffff}, 1024}, {});
  queue->finish();
  EXPECT_EQ(cuda_.count("cuLaunchKernel"), 1u);
}

TEST_F(CudaDriver, WorkThatFailsIsToldByTheNextWait) {
  for (const bool by_event : {false, true}) {
    reset();
    const auto gpu = device();
    const auto queue = gpu->make_queue(false);
    const auto buffer = gpu->allocate(64);
    queue->clear(*buffer, 0, 64);
    const auto event = queue->record();
    cuda_->fail_work(1, 700);
    expect_error_below<RuntimeError>({"CUDA_ERROR_ILLEGAL_ADDRESS", "start it anew"},
                                     [&] { by_event ? event->wait() : queue->finish(); });
    // The context has failed for good.
    EXPECT_THROW(queue->clear(*buffer, 0, 64), RuntimeError);
    EXPECT_THROW(gpu->allocate(64), RuntimeError);
  }
}

using CudaModule = CudaDriver;

TEST_F(CudaModule, IsBuiltForTheDeviceWithPreludeAndDefinitions) {
  const auto gpu = device();
  expect_refusal(*gpu, {"--gpu-architecture=sm_90", "--std=c++17", "--define-macro=NAME=12",
                        "--define-macro=OTHER=(1 + 2)", "error: STANDIN_REFUSE"});
  const std::string text = text_of(gpu->build(kScriptKernels, {})->binary());
  EXPECT_NE(text.find(gpu::kernel_source("prelude.cuda")), std::string::npos);
  EXPECT_NE(text.find(kScriptKernels), std::string::npos);
  nvrtc_->fail("nvrtcGetProgramLogSize", 1, 11);
  expect_refusal(*gpu, {"no log"});
}

TEST_F(CudaModule, OfNewerDevicesIsPtxAndOldOnesAreRefused) {
  cuda_->set("capability_major", 12);
  const auto gpu = device();
  expect_refusal(*gpu, {"--gpu-architecture=compute_90"});
  EXPECT_EQ(gpu->build(kScriptKernels, {})->kernel("nothing")->name(), "nothing");
  EXPECT_EQ(nvrtc_.count("nvrtcGetPTX"), 1u);
  cuda_->set("capability_major", 6);
  expect_refusal(*device(), {"compute capability 6.0"}, kScriptKernels);
}

// A library that is not told where a program ends must not be given one that is cut off.
TEST_F(CudaModule, RefusesDamagedBinaries) {
  for (const std::int64_t capability : {9, 12}) {  // a cubin, and PTX
    cuda_->set("capability_major", capability);
    const auto gpu = device();
    const auto binary = gpu->build(kScriptKernels, {})->binary();
    ASSERT_TRUE(is_complete_image(binary));
    const std::size_t before = cuda_.count("cuModuleLoadData");
    for (std::size_t size = 0; size < binary.size(); ++size) {
      EXPECT_THROW(gpu->load(std::span(binary).first(size)), RuntimeError) << size;
    }
    auto damaged = binary;
    damaged[0] = std::byte{0};
    EXPECT_THROW(gpu->load(damaged), RuntimeError);
    EXPECT_EQ(cuda_.count("cuModuleLoadData"), before);
    if (capability == 12) continue;
    // No field of an image leads out of it: offsets and sizes of the tables, and of the section.
    std::size_t refused = 0;
    for (std::size_t i = 4; i < 3 * 64; ++i) {
      damaged = binary;
      damaged[i] = std::byte{0xff};
      refused += !is_complete_image(damaged);
    }
    EXPECT_GE(refused, 30u);
  }
}

TEST_F(CudaModule, TargetsTheNewestGenerationThatBothKnow) {
  const Nvrtc nvrtc(13000, nvrtc_.path());
  EXPECT_EQ(nvrtc.target(9, 0), "sm_90");
  EXPECT_EQ(nvrtc.target(8, 9), "sm_89");
  EXPECT_EQ(nvrtc.target(7, 5), "sm_75");
  EXPECT_EQ(nvrtc.target(9, 9), "sm_90");
  EXPECT_EQ(nvrtc.target(10, 0), "compute_90");
  nvrtc_->set("nvrtc_newest", 121);
  EXPECT_EQ(nvrtc.target(10, 1), "sm_100");
  EXPECT_EQ(nvrtc.target(12, 1), "sm_121");
  EXPECT_EQ(nvrtc.target(13, 0), "compute_121");
  EXPECT_THROW(nvrtc.target(7, 0), RuntimeError);
}

TEST_F(CudaModule, AsksForTheCompilerOfTheDriverWhenItBuilds) {
  std::string reason;
  const std::string nowhere = "/nowhere/libnvrtc.so.13";
  const auto gpu = gpu::load_cuda(reason, cuda_.path(), nowhere)->devices().at(0);
  EXPECT_NE(gpu->make_queue(false), nullptr);
  expect_refusal(*gpu, {nowhere}, kScriptKernels);
  // No library of the name is found, or a real one is there: then it has no device to build for.
  for (const auto& [version, wanted] :
       {std::pair{13000, "libnvrtc.so.13"}, std::pair{12040, "libnvrtc.so.12"}}) {
    try {
      EXPECT_EQ(Nvrtc(version, "").target(9, 0), "sm_90");
    } catch (const RuntimeError& error) {
      EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("install NVRTC"), std::string::npos) << error.what();
    }
  }
}

/// The real NVRTC, where there is one: $RINGLET_NVRTC, else on the loader's path. It compiles
/// without a GPU and without a driver.
class RealNvrtc : public ::testing::Test {
 protected:
  static constexpr const char* kProduct =
      "KERNEL GROUP_LIMIT(256) void product(GLOBAL u64 *result, u64 offset, u64 word) {\n"
      "  LOCAL_ARRAY(shared, 256);\n"
      "  shared[LOCAL_ID()] = result[offset + GLOBAL_ID()] * FACTOR;\n"
      "  BARRIER();\n"
      "  result[offset + GLOBAL_ID()] = MUL_HIGH(shared[GROUP_SIZE() - 1 - LOCAL_ID()], word);\n"
      "}\n";

  void SetUp() override {
    const char* path = std::getenv("RINGLET_NVRTC");
    path_ = path != nullptr ? path : "";
    try {
      nvrtc_.emplace(13000, path_);
    } catch (const RuntimeError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::vector<std::byte> compile(const std::string& target,
                                 const std::vector<std::string>& definitions) const {
    return nvrtc_->compile(std::string(gpu::kernel_source("prelude.cuda")) + kProduct, target,
                           definitions);
  }

  std::string path_;
  std::optional<Nvrtc> nvrtc_;
};

TEST_F(RealNvrtc, CompilesKernels) {
  const auto cubin = compile(nvrtc_->target(9, 0), {"FACTOR=3"});
  ASSERT_TRUE(is_complete_image(cubin));
  EXPECT_EQ(cubin[0], std::byte{0x7f});
  EXPECT_NE(text_of(cubin).find(".text.product"), std::string::npos);
  // Cut off anywhere it is seen to be incomplete: that is, its last table ends with it.
  EXPECT_FALSE(is_complete_image(std::span(cubin).first(cubin.size() - 1)));
  EXPECT_FALSE(is_complete_image(std::span(cubin).first(cubin.size() / 2)));
  const auto ptx = compile("compute_90", {"FACTOR=3"});
  ASSERT_TRUE(is_complete_image(ptx));
  EXPECT_NE(text_of(ptx).find(".entry product"), std::string::npos);
  expect_error_below<RuntimeError>({"nvrtcCompileProgram", "FACTOR"},
                                   [&] { compile("sm_90", {}); });
}

// The whole way of a program, but for the GPU: the stand-in of the driver does not know real
// machine code, and says so.
TEST_F(RealNvrtc, IsWhatADeviceBuildsWith) {
  const StandIn cuda(kStandInCuda);
  std::string reason;
  const auto driver = gpu::load_cuda(reason, cuda.path(), path_);
  ASSERT_NE(driver, nullptr) << reason;
  const auto device = driver->devices().at(0);
  expect_error_below<RuntimeError>({"cuModuleLoadData", "CUDA_ERROR_INVALID_IMAGE"}, [&] {
    device->build(kProduct, std::vector<std::string>{"FACTOR=3"});
  });
}

}  // namespace
}  // namespace ringlet::test
