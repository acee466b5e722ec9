// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/module.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "gpu/opencl/options.hpp"
#include "gpu/opencl/queue.hpp"
#include "gpu/programs/kernel_sources.hpp"
#include "gpu_standin/fixture.hpp"
#include "support/refusal.hpp"

// Tests of the driver of CUDA only, over stand-ins of libcuda and libnvrtc; and of the real NVRTC.

namespace ringlet::test {
namespace {

using gpu::DriverDevice;
using gpu::cuda::is_complete_image;
using gpu::cuda::Nvrtc;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct CudaDriver : StandInTest {
  std::shared_ptr<DriverDevice> device() const { return load(gpu::Api::cuda)->devices().at(0); }
  /// Expects an error with `texts` from the compiler's log, which quotes these definitions.
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
    expect_error_below<RuntimeError>({"CUDA_ERROR_ILLEGAL_ADDRESS", "restart the program"},
                                     [&] { by_event ? event->wait() : queue->finish(); });
    // The context stays failed.
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

// The library is not told where a program ends, so it must never get one that is cut off.
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
    // No field of an image may lead out of it: offsets and sizes of the tables, and of the section.
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
  // If there is no library of the name, the error names it; a real library knows sm_90.
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

/// Tests of the real NVRTC, if there is one: $RINGLET_NVRTC, else on the loader's path. It compiles
/// without a GPU and without a driver.
struct RealNvrtc : ::testing::Test {
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
  // Any cut is seen, because the last table of the file ends at the end of the file.
  EXPECT_FALSE(is_complete_image(std::span(cubin).first(cubin.size() - 1)));
  EXPECT_FALSE(is_complete_image(std::span(cubin).first(cubin.size() / 2)));
  const auto ptx = compile("compute_90", {"FACTOR=3"});
  ASSERT_TRUE(is_complete_image(ptx));
  EXPECT_NE(text_of(ptx).find(".entry product"), std::string::npos);
  expect_error_below<RuntimeError>({"nvrtcCompileProgram", "FACTOR"},
                                   [&] { compile("sm_90", {}); });
}

// A program takes every step except the GPU: the stand-in of the driver does not know real machine
// code, and says so.
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

// Tests of the driver of OpenCL only, over a stand-in of libOpenCL and on a device.

using gpu::Argument;
using gpu::DeviceProperties;
using gpu::opencl_options;
using OpenclSubDevices = OpenclDeviceTest;

TEST(OpenclOptions, ChooseTheLanguageByTheDefinitions) {
  const DeviceProperties device;
  const std::vector<std::string> plain{"N=8", "ROUNDS=3"};
  EXPECT_EQ(opencl_options(device, 30, plain), "-cl-std=CL1.2 -D N=8 -D ROUNDS=3");
  const std::vector<std::string> sub_groups{"SUB_GROUPS=1"};
  for (const auto& [version, language] :
       {std::pair{30u, "CL3.0"}, std::pair{21u, "CL2.0"}, std::pair{12u, "CL1.2"}}) {
    EXPECT_EQ(opencl_options(device, version, sub_groups),
              "-cl-std=" + std::string(language) + " -D SUB_GROUPS=1");
  }
}

TEST(OpenclOptions, GiveIntelsGpusSixteenLanes) {
  DeviceProperties intel;
  intel.vendor = "Intel(R) Corporation";
  intel.sub_group_sizes = {8, 16, 32};
  DeviceProperties processor = intel;
  processor.is_host_processor = true;
  DeviceProperties narrow = intel;
  narrow.sub_group_sizes = {8};
  DeviceProperties other = intel;
  other.vendor = "The pocl project";
  const std::string language = "-cl-std=CL1.2";
  EXPECT_EQ(opencl_options(intel, 30, {}), language + " -D RINGLET_SUB_GROUP_SIZE=16");
  for (const DeviceProperties& each : {processor, narrow, other}) {
    EXPECT_EQ(opencl_options(each, 30, {}), language);
  }
  DeviceProperties xe_hpc = intel;
  xe_hpc.is_xe_hpc = true;
  EXPECT_EQ(opencl_options(xe_hpc, 30, {}),
            language + " -D RINGLET_SUB_GROUP_SIZE=16 -D RINGLET_XE_HPC=1");
  const std::vector<std::string> named{"RINGLET_SUB_GROUP_SIZE=8"};
  EXPECT_EQ(opencl_options(intel, 30, named), language + " -D RINGLET_SUB_GROUP_SIZE=8");
  const std::vector<std::string> many{"RINGLET_MANY_REGISTERS=1", "RINGLET_SUB_GROUP_SIZE=8"};
  const std::string definitions = " -D RINGLET_MANY_REGISTERS=1 -D RINGLET_SUB_GROUP_SIZE=8";
  EXPECT_EQ(opencl_options(intel, 30, many),
            language + " -cl-intel-256-GRF-per-thread" + definitions);
  for (const DeviceProperties& each : {processor, other}) {
    EXPECT_EQ(opencl_options(each, 30, many), language + definitions);
  }
}

TEST_F(OpenclSubDevices, ShareBuffersModulesAndEvents) {
  if (device->properties().largest_partition < 2) GTEST_SKIP() << "the device does not divide";
  const auto parts = device->split(2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0]->identity(), device->identity());
  EXPECT_LE(parts[0]->properties().compute_units, device->properties().compute_units / 2);
  const std::vector<std::string> definitions{"ADDEND=1"};
  const auto kernel = device->build(kScaleKernel, definitions)->kernel("scale");
  const auto buffer = allocate(256);
  const std::array<std::unique_ptr<gpu::Queue>, 3> queues{
      parts[0]->make_queue(false), parts[1]->make_queue(false), device->make_queue(false)};

  // The queues take the words in turn: 3 x + 1 does not commute with their other steps.
  upload(*queues[0], *buffer, Words(256, 1));
  std::uint64_t expected = 1;
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t turn = round % 3;
    const Argument arguments[] = {*buffer, *buffer, std::uint64_t{0}, std::uint64_t{3 + round}};
    queues[turn]->launch(*kernel, {{4, 1, 1}, 64}, arguments);
    queues[(turn + 1) % 3]->wait_for(*queues[turn]->record());
    expected = expected * (3 + round) + 1;
  }
  EXPECT_EQ(download(*queues[0], *buffer, 256), Words(256, expected));

  // A part's own modules and buffers serve the whole.
  const auto binary = parts[1]->build(kScaleKernel, definitions)->binary();
  const auto again = parts[0]->load(binary)->kernel("scale");
  const auto own = parts[1]->allocate(8 * 64);
  queues[2]->clear(*own, 0, 8 * 64);
  const Argument arguments[] = {*own, *own, std::uint64_t{0}, std::uint64_t{1}};
  queues[2]->launch(*again, {{1, 1, 1}, 64}, arguments);
  EXPECT_EQ(download(*queues[2], *own, 64), Words(64, 1));
}

TEST_F(OpenclSubDevices, AreMadeBeforeTheDeviceIsUsed) {
  if (device->properties().largest_partition < 2) GTEST_SKIP() << "the device does not divide";
  const auto parts = device->split(2);
  EXPECT_THROW(parts[0]->split(2), RuntimeError);
  const auto buffer = allocate(8);
  EXPECT_EQ(device->split(2).size(), 2u) << "the same parts";
  EXPECT_THROW(device->split(3), LogicError);
  const auto other = driver->devices().front();
  const auto used = other->allocate(8);
  EXPECT_THROW(other->split(2), LogicError);
}

using OpenclDriver = StandInTest;

TEST_F(OpenclDriver, KnowsXeHpcByTheVersionOfTheProcessor) {
  const auto version = [](unsigned architecture, unsigned release) {
    return std::int64_t{architecture << 22U | release << 14U | 7U};
  };
  for (const auto& [number, is_xe_hpc] : {std::pair{version(12, 60), true},
                                          {version(12, 61), true},
                                          {version(12, 55), false},
                                          {version(12, 70), false},
                                          {version(20, 60), false},
                                          {std::int64_t{0}, false}}) {
    opencl_->set("ip_version", number);
    const auto devices = load(gpu::Api::opencl)->devices();
    EXPECT_EQ(devices.at(0)->properties().is_xe_hpc, is_xe_hpc) << number;
  }
}

TEST_F(OpenclDriver, TooLargeABufferIsOutOfMemory) {
  const auto device = load(gpu::Api::opencl)->devices().at(0);
  opencl_->fail("clCreateBuffer", 1, gpu::cl::kInvalidBufferSize);
  expect_error_below<OutOfDeviceMemory>(
      {"CL_INVALID_BUFFER_SIZE (-61), 8 bytes", "4294967296 bytes in one buffer"},
      [&] { device->allocate(8); });
}

TEST_F(OpenclDriver, AskingForAnEventMayFail) {
  const auto device = load(gpu::Api::opencl)->devices().at(0);
  const auto event = device->make_queue(false)->record();
  for (const int code : {-4, -5, -6}) {
    opencl_->fail("clGetEventInfo", 1, code);
    expect_error_below<OutOfDeviceMemory>({"clGetEventInfo", gpu::cl::error_text(code)},
                                          [&] { event->is_done(); });
  }
  opencl_->fail("clGetEventInfo", 1, -30);
  expect_error_below<RuntimeError>({"clGetEventInfo", "(-30)"}, [&] { event->is_done(); });
}

// The launch is submitted without an error and fails while it runs.
TEST_F(OpenclDriver, FailedWorkIsReportedByEveryWaitBehindIt) {
  const auto device = load(gpu::Api::opencl)->devices().at(0);
  const auto queue = device->make_queue(false);
  const auto other = device->make_queue(false);
  const auto buffer = device->allocate(64);
  const auto kernel = device->build(kScriptKernels, {})->kernel("add_word");
  const Argument arguments[] = {*buffer, std::uint64_t{0}, std::uint64_t{1}};
  std::vector<std::byte> bytes(64);
  queue->clear(*buffer, 0, 64);
  const auto before = queue->record();
  queue->launch(*kernel, {{1, 1, 1}, 64}, arguments);
  const auto after = queue->record();
  opencl_->fail_work(3, -9999);
  const std::vector<std::function<void()>> waits{[&] { after->wait(); }, [&] { queue->finish(); },
                                                 [&] { queue->download(bytes, *buffer, 0); },
                                                 [&] { queue->finish(); }};
  for (const auto& wait : waits) {
    expect_error_below<RuntimeError>(
        {"clEnqueueNDRangeKernel: unknown OpenCL error (-9999), add_word, while"}, [&wait] {
          try {
            wait();
          } catch (const OutOfDeviceMemory& error) {
            ADD_FAILURE() << "operands have changed: " << error.what();
          }
        });
  }
  EXPECT_NO_THROW(before->wait()) << "what came before has not failed";
  EXPECT_TRUE(after->is_done());
  EXPECT_NO_THROW(other->download(bytes, *buffer, 0)) << "another queue goes on";
}

TEST_F(OpenclDriver, UploadsAreBoundedInWhatTheyKeep) {
  std::string reason;
  const auto api = gpu::cl::load_api(reason, opencl_.path());
  gpu::cl::Platform platform = nullptr;
  gpu::cl::Device id = nullptr;
  gpu::cl::Int code = gpu::cl::kSuccess;
  api->get_platform_ids(1, &platform, nullptr);
  api->get_device_ids(platform, gpu::cl::kDeviceTypeAll, 1, &id, nullptr);
  const auto context = std::make_shared<gpu::OpenclContext>(api, id, DeviceProperties());
  const gpu::OpenclBuffer buffer(context, 8 << 20);
  gpu::OpenclTimeline timeline(
      context, gpu::cl::QueueHandle(api, api->create_command_queue(context->get(), id, 0, &code)));
  ASSERT_EQ(code, gpu::cl::kSuccess);
  const std::vector<std::byte> source(8 << 20, std::byte{1});
  for (int i = 0; i < 4; ++i) {
    gpu::StagedBytes staged(source);
    gpu::cl::Event written = nullptr;
    ASSERT_EQ(api->enqueue_write_buffer(timeline.queue(), buffer.get(), 0, 0, staged.size(),
                                        staged.data(), 0, nullptr, &written),
              gpu::cl::kSuccess);
    timeline.add("write", "", written, std::move(staged));
  }
  timeline.limit_staged(16 << 20);
  EXPECT_LE(timeline.staged_bytes(), std::size_t{16} << 20);
  timeline.limit_staged(0);
  EXPECT_EQ(timeline.staged_bytes(), 0u);
  EXPECT_EQ(timeline.position(), 4u);
}

}  // namespace
}  // namespace ringlet::test
