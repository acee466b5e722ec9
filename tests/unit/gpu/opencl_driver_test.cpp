// SPDX-License-Identifier: Apache-2.0
#include "gpu/driver.hpp"
#include "gpu/opencl_options.hpp"
#include "ringlet/device.hpp"
#include "ringlet/error.hpp"
#include "support/opencl_device.hpp"
#include "support/test.hpp"

namespace ringlet::gpu {
namespace {

using OpenclDriver = test::OpenclDeviceTest;
using OpenclSubDevices = test::OpenclDeviceTest;

template <typename Error, typename Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another exception: ") + error.what();
  }
  return "no exception";
}

TEST(OpenclLibrary, SaysWhyThereIsNone) {
  std::string reason;
  EXPECT_EQ(load_opencl(reason, "/no/such/library.so"), nullptr);
  EXPECT_NE(reason.find("/no/such/library.so"), std::string::npos) << reason;
  // A library, but not this one.
  EXPECT_EQ(load_opencl(reason, "libc.so.6"), nullptr);
  EXPECT_NE(reason.find("libc.so.6 has no clGetPlatformIDs"), std::string::npos) << reason;
}

TEST(OpenclOptions, ChooseTheLanguageByTheDefinitions) {
  const DeviceProperties device;
  const std::vector<std::string> plain{"N=8", "ROUNDS=3"};
  EXPECT_EQ(opencl_options(device, 30, plain), "-cl-std=CL1.2 -D N=8 -D ROUNDS=3");
  const std::vector<std::string> sub_groups{"SUB_GROUPS=1"};
  EXPECT_EQ(opencl_options(device, 30, sub_groups), "-cl-std=CL3.0 -D SUB_GROUPS=1");
  EXPECT_EQ(opencl_options(device, 21, sub_groups), "-cl-std=CL2.0 -D SUB_GROUPS=1");
  EXPECT_EQ(opencl_options(device, 12, sub_groups), "-cl-std=CL1.2 -D SUB_GROUPS=1");
}

TEST(OpenclOptions, GiveIntelsGpusSixteenLanes) {
  DeviceProperties device;
  device.vendor = "Intel(R) Corporation";
  device.sub_group_sizes = {8, 16, 32};
  EXPECT_EQ(opencl_options(device, 30, {}), "-cl-std=CL1.2 -D RINGLET_SUB_GROUP_SIZE=16");
  const std::vector<std::string> named{"RINGLET_SUB_GROUP_SIZE=8"};
  EXPECT_EQ(opencl_options(device, 30, named), "-cl-std=CL1.2 -D RINGLET_SUB_GROUP_SIZE=8");
  const std::vector<std::string> many{"RINGLET_MANY_REGISTERS=1", "RINGLET_SUB_GROUP_SIZE=8"};
  const std::string language = "-cl-std=CL1.2";
  const std::string definitions = " -D RINGLET_MANY_REGISTERS=1 -D RINGLET_SUB_GROUP_SIZE=8";
  EXPECT_EQ(opencl_options(device, 30, many),
            language + " -cl-intel-256-GRF-per-thread" + definitions);
  DeviceProperties processor = device;
  processor.is_host_processor = true;
  DeviceProperties narrow = device;
  narrow.sub_group_sizes = {8};
  DeviceProperties other = device;
  other.vendor = "The pocl project";
  for (const DeviceProperties& each : {processor, narrow, other}) {
    EXPECT_EQ(opencl_options(each, 30, {}), language);
  }
  for (const DeviceProperties& each : {processor, other}) {
    EXPECT_EQ(opencl_options(each, 30, many), language + definitions);
  }
}

TEST_F(OpenclDriver, DescribesItsDevices) {
  bool was_other = false;
  for (const auto& each : driver->devices()) {
    const DeviceProperties& properties = each->properties();
    EXPECT_FALSE(properties.name.empty());
    EXPECT_FALSE(properties.driver_version.empty());
    EXPECT_EQ(properties.api, Api::opencl);
    EXPECT_GE(properties.memory_bytes, properties.largest_allocation_bytes / 4);
    EXPECT_GT(properties.largest_allocation_bytes, 0U);
    EXPECT_GE(properties.local_memory_bytes, 1024U);
    EXPECT_GE(properties.largest_group, 64U);
    EXPECT_GE(properties.compute_units, 1U);
    EXPECT_GE(properties.largest_partition, 1U);
    EXPECT_TRUE(
        std::is_sorted(properties.sub_group_sizes.begin(), properties.sub_group_sizes.end()));
    // Host processors are last.
    EXPECT_FALSE(was_other && !properties.is_host_processor);
    was_other = was_other || properties.is_host_processor;
  }
  EXPECT_NE(driver->devices().front()->identity(), device->identity());
}

TEST_F(OpenclDriver, UploadsWhatTheSourceWasAtTheCall) {
  const auto buffer = allocate(1000);
  const auto queue = device->make_queue(false);
  Words words = counted(1000, 5);
  upload(*queue, *buffer, words);
  std::fill(words.begin(), words.end(), 0);
  words = counted(10, 77);
  upload(*queue, *buffer, words, 500);
  std::fill(words.begin(), words.end(), 0);
  Words expected = counted(1000, 5);
  for (std::size_t i = 0; i < 10; ++i) expected[500 + i] = 77 + i;
  EXPECT_EQ(download(*queue, *buffer, 1000), expected);
  EXPECT_EQ(download(*queue, *buffer, 3, 508), (Words{85, 86, 515}));
  EXPECT_EQ(buffer->byte_count(), 8000U);
}

TEST_F(OpenclDriver, CopiesAndClears) {
  const auto a = allocate(64);
  const auto b = allocate(64);
  const auto queue = device->make_queue(false);
  upload(*queue, *a, counted(64, 1));
  upload(*queue, *b, counted(64, 100));
  queue->copy(*b, 8, *a, 16, 24);
  queue->copy(*b, 8 * 60, *b, 0, 8);
  queue->clear(*b, 8 * 10, 16);
  Words expected = counted(64, 100);
  expected[1] = 3, expected[2] = 4, expected[3] = 5;
  expected[60] = 100, expected[10] = 0, expected[11] = 0;
  EXPECT_EQ(download(*queue, *b, 64), expected);
  // Nothing is a length as well.
  queue->copy(*b, 0, *a, 0, 0);
  queue->clear(*b, 0, 0);
  upload(*queue, *b, {});
  EXPECT_EQ(download(*queue, *b, 0), Words());
  EXPECT_EQ(download(*queue, *b, 64), expected);
}

TEST_F(OpenclDriver, LaunchesInThreeDimensions) {
  const std::vector<std::string> definitions{"ADDEND=7"};
  const auto module = device->build(test::kScaleKernel, definitions);
  const auto kernel = module->kernel("scale");
  EXPECT_EQ(kernel->name(), "scale");
  EXPECT_GE(kernel->largest_group(), 64U);
  const auto a = allocate(300);
  const auto result = allocate(256 * 6);
  const auto queue = device->make_queue(false);
  upload(*queue, *a, counted(300, 1000));
  const std::array<Argument, 4> arguments{*result, *a, std::uint64_t{10}, ~std::uint64_t{0}};
  queue->launch(*kernel, {{4, 3, 2}, 64}, arguments);
  Words expected(256 * 6);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = std::uint64_t{0} - (1000 + 10 + i % 256) + 7 + i / 256;
  }
  EXPECT_EQ(download(*queue, *result, 256 * 6), expected);
}

TEST_F(OpenclDriver, ReportsTheCompilersLog) {
  const std::vector<std::string> definitions{"LIMIT=unknown_word"};
  const std::string text = message_of<RuntimeError>(
      [&] { device->build("KERNEL void f(GLOBAL u64* a) {\n  a[0] = LIMIT;\n}\n", definitions); });
  EXPECT_NE(text.find("CL_BUILD_PROGRAM_FAILURE (-11)"), std::string::npos) << text;
  EXPECT_NE(text.find("unknown_word"), std::string::npos) << text;
  EXPECT_NE(text.find(":2:"), std::string::npos) << "the line of the caller's text: " << text;
}

TEST_F(OpenclDriver, RefusesWhatAModuleHasNot) {
  const std::vector<std::string> definitions{"ADDEND=1"};
  const auto module = device->build(test::kScaleKernel, definitions);
  const std::string text = message_of<RuntimeError>([&] { module->kernel("missing"); });
  EXPECT_NE(text.find("CL_INVALID_KERNEL_NAME (-46), missing"), std::string::npos) << text;

  const auto kernel = module->kernel("scale");
  const auto buffer = allocate(64);
  const auto queue = device->make_queue(false);
  const std::array<Argument, 3> few{*buffer, *buffer, std::uint64_t{0}};
  EXPECT_THROW(queue->launch(*kernel, {}, few), LogicError);
  const std::array<Argument, 4> arguments{*buffer, *buffer, std::uint64_t{0}, std::uint64_t{0}};
  EXPECT_THROW(queue->launch(*kernel, {{1, 1, 1}, kernel->largest_group() + 1}, arguments),
               RuntimeError);
}

TEST_F(OpenclDriver, RefusesObjectsOfAnotherDevice) {
  const auto other = driver->devices().front();
  const auto foreign = other->allocate(64);
  const auto queue = device->make_queue(false);
  EXPECT_THROW(download(*queue, *foreign, 8), RuntimeError);
  EXPECT_THROW(upload(*queue, *foreign, {1}), RuntimeError);
  EXPECT_THROW(queue->clear(*foreign, 0, 8), RuntimeError);
  const auto event = other->make_queue(false)->record();
  EXPECT_THROW(queue->wait_for(*event), RuntimeError);
  class HostBuffer final : public Buffer {
    std::size_t byte_count() const noexcept override { return 8; }
  };
  EXPECT_THROW(download(*queue, HostBuffer(), 1), LogicError);
}

TEST_F(OpenclDriver, RefusesPlacesOutsideOfABuffer) {
  const auto buffer = allocate(8);
  const auto queue = device->make_queue(false);
  upload(*queue, *buffer, counted(8, 1));
  EXPECT_THROW(upload(*queue, *buffer, {1, 2}, 7), RuntimeError);
  EXPECT_THROW(download(*queue, *buffer, 9), RuntimeError);
  EXPECT_THROW(queue->clear(*buffer, 8, 64), RuntimeError);
  EXPECT_THROW(queue->copy(*buffer, 0, *buffer, 8, 16), RuntimeError) << "overlapping places";
  EXPECT_EQ(download(*queue, *buffer, 8), counted(8, 1));
}

TEST_F(OpenclDriver, LoadsItsOwnBinariesAlone) {
  const std::vector<std::string> definitions{"ADDEND=0"};
  const std::vector<std::byte> binary = device->build(test::kScaleKernel, definitions)->binary();
  ASSERT_FALSE(binary.empty());
  const auto other = driver->devices().front();
  const auto kernel = other->load(binary)->kernel("scale");
  const auto buffer = other->allocate(8 * 64);
  const auto queue = other->make_queue(false);
  upload(*queue, *buffer, counted(64, 0));
  const std::array<Argument, 4> arguments{*buffer, *buffer, std::uint64_t{0}, std::uint64_t{5}};
  queue->launch(*kernel, {{2, 1, 1}, 32}, arguments);
  EXPECT_EQ(download(*queue, *buffer, 64)[63], 315U);

  EXPECT_THROW(device->load(std::vector<std::byte>(1000)), RuntimeError);
  EXPECT_THROW(device->load({}), RuntimeError);
}

TEST_F(OpenclDriver, RunsOutOfMemoryByName) {
  const std::size_t bytes = std::size_t{1} << 48;
  const std::string text = message_of<OutOfDeviceMemory>([&] { device->allocate(bytes); });
  EXPECT_NE(text.find("281474976710656 bytes"), std::string::npos) << text;
  const std::string none = message_of<RuntimeError>([&] { device->allocate(0); });
  EXPECT_NE(none.find("CL_INVALID_BUFFER_SIZE (-61)"), std::string::npos) << none;
}

TEST_F(OpenclDriver, KeepsReleasedObjectsForSubmittedWork) {
  const std::vector<std::string> definitions{"ADDEND=1"};
  const auto result = allocate(256);
  const auto queue = device->make_queue(false);
  for (std::uint64_t round = 0; round < 6; ++round) {
    const auto kernel = device->build(test::kScaleKernel, definitions)->kernel("scale");
    const auto source = allocate(256);
    upload(*queue, *source, counted(256, round));
    const std::array<Argument, 4> arguments{*result, *source, std::uint64_t{0}, std::uint64_t{2}};
    queue->launch(*kernel, {{4, 1, 1}, 64}, arguments);
  }
  EXPECT_EQ(download(*queue, *result, 256)[255], 2 * (255 + 5) + 1U);
}

TEST_F(OpenclDriver, EventsEndAndKnowTheirTime) {
  const auto buffer = allocate(1 << 16);
  const auto queue = device->make_queue(true);
  upload(*queue, *buffer, counted(1 << 16, 0));
  const auto first = queue->record();
  for (int i = 0; i < 10; ++i) queue->clear(*buffer, 0, 8 << 16);
  const auto last = queue->record();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!last->is_done() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(last->is_done());
  EXPECT_TRUE(first->is_done());
  last->wait();
  const double seconds = last->seconds_since(*first);
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 60);
  EXPECT_DOUBLE_EQ(first->seconds_since(*last), -seconds);

  const auto untimed = device->make_queue(false);
  const auto event = untimed->record();
  event->wait();
  EXPECT_THROW(static_cast<void>(event->seconds_since(*event)), RuntimeError);
}

TEST_F(OpenclDriver, EventsOutliveTheirQueue) {
  const auto buffer = allocate(64);
  std::shared_ptr<Event> event;
  {
    const auto queue = device->make_queue(false);
    upload(*queue, *buffer, counted(64, 3));
    event = queue->record();
  }
  const auto other = device->make_queue(false);
  other->wait_for(*event);
  EXPECT_EQ(download(*other, *buffer, 64), counted(64, 3));
  event->wait();
}

TEST_F(OpenclDriver, QueuesOfTwoThreadsLaunchTheSameKernel) {
  const std::vector<std::string> definitions{"ADDEND=0"};
  const auto kernel = device->build(test::kScaleKernel, definitions)->kernel("scale");
  constexpr std::uint64_t kRounds = 200;
  std::array<Words, 2> results;
  const auto run = [&](std::size_t index) {
    const auto buffer = allocate(128);
    const auto queue = device->make_queue(false);
    upload(*queue, *buffer, Words(128, 1));
    const std::array<Argument, 4> arguments{*buffer, *buffer, std::uint64_t{0},
                                            std::uint64_t{3 + 2 * index}};
    for (std::uint64_t i = 0; i < kRounds; ++i) queue->launch(*kernel, {{2, 1, 1}, 64}, arguments);
    results[index] = download(*queue, *buffer, 128);
  };
  std::thread second(run, 1);
  run(0);
  second.join();
  for (std::size_t index = 0; index < 2; ++index) {
    std::uint64_t power = 1;
    for (std::uint64_t i = 0; i < kRounds; ++i) power *= 3 + 2 * index;
    EXPECT_EQ(results[index], Words(128, power));
  }
}

TEST_F(OpenclSubDevices, ShareBuffersModulesAndEvents) {
  if (device->properties().largest_partition < 2) GTEST_SKIP() << "the device does not divide";
  const auto parts = device->split(2);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0]->identity(), device->identity());
  EXPECT_LE(parts[0]->properties().compute_units, device->properties().compute_units / 2);
  const std::vector<std::string> definitions{"ADDEND=1"};
  const auto kernel = device->build(test::kScaleKernel, definitions)->kernel("scale");
  const auto buffer = allocate(256);
  const std::array<std::unique_ptr<Queue>, 3> queues{
      parts[0]->make_queue(false), parts[1]->make_queue(false), device->make_queue(false)};

  // Each queue takes the words after the other: x -> 3 x + 1 does not commute with anything.
  upload(*queues[0], *buffer, Words(256, 1));
  std::uint64_t expected = 1;
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t turn = round % 3;
    const std::array<Argument, 4> arguments{*buffer, *buffer, std::uint64_t{0},
                                            std::uint64_t{3 + round}};
    queues[turn]->launch(*kernel, {{4, 1, 1}, 64}, arguments);
    queues[(turn + 1) % 3]->wait_for(*queues[turn]->record());
    expected = expected * (3 + round) + 1;
  }
  EXPECT_EQ(download(*queues[0], *buffer, 256), Words(256, expected));

  // A part's own modules and buffers serve the whole.
  const auto binary = parts[1]->build(test::kScaleKernel, definitions)->binary();
  const auto again = parts[0]->load(binary)->kernel("scale");
  const auto own = parts[1]->allocate(8 * 64);
  queues[2]->clear(*own, 0, 8 * 64);
  const std::array<Argument, 4> arguments{*own, *own, std::uint64_t{0}, std::uint64_t{1}};
  queues[2]->launch(*again, {{1, 1, 1}, 64}, arguments);
  EXPECT_EQ(download(*queues[2], *own, 64), Words(64, 1));
}

TEST_F(OpenclSubDevices, AreMadeBeforeTheDeviceIsUsed) {
  const auto whole = device->split(1);
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0]->properties().compute_units, device->properties().compute_units);
  EXPECT_THROW(device->split(0), RuntimeError);
  EXPECT_THROW(device->split(device->properties().compute_units + 1), RuntimeError);
  if (device->properties().largest_partition < 2) GTEST_SKIP() << "the device does not divide";
  const auto parts = device->split(2);
  EXPECT_THROW(parts[0]->split(2), RuntimeError);
  const auto buffer = allocate(8);
  EXPECT_EQ(device->split(2).size(), 2U) << "the same parts";
  EXPECT_THROW(device->split(3), LogicError);
  const auto other = driver->devices().front();
  const auto used = other->allocate(8);
  EXPECT_THROW(other->split(2), LogicError);
}

}  // namespace
}  // namespace ringlet::gpu
