// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/options.hpp"
#include "gpu/opencl/queue.hpp"
#include "gpu_standin/fixture.hpp"
#include "support/refusal.hpp"

namespace ringlet::test {
namespace {

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

  // Each queue takes the words after the other: x -> 3 x + 1 does not commute with anything.
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

// The launch is submitted well and fails while it runs.
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
