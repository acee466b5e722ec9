// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_memory.hpp"
#include "gpu/driver.hpp"
#include "gpu_standin/driver_script.hpp"
#include "gpu_standin/paths.hpp"
#include "gpu_standin/standin.hpp"
#include "ringlet/device.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using gpu::Argument;
using gpu::Buffer;
using gpu::Driver;
using gpu::DriverDevice;
using gpu::Event;
using gpu::Kernel;
using gpu::load_cuda;
using gpu::Module;
using gpu::Queue;

/// The CUDA driver over stand-ins of libcuda and libnvrtc.
class CudaDriver : public ::testing::Test {
 protected:
  CudaDriver() { cuda_.register_kernel("add_word", add_word_on_host); }
  // Objects of the driver are members of the tests: by now they are gone.
  void TearDown() override {
    for (const auto& [kind, count] : cuda_.live()) EXPECT_EQ(count, 0) << kind;
    for (const auto& [kind, count] : nvrtc_.live()) EXPECT_EQ(count, 0) << kind;
    EXPECT_EQ(cuda_.violations(), "");
    EXPECT_EQ(nvrtc_.violations(), "");
  }

  std::shared_ptr<Driver> driver() {
    std::string reason;
    std::shared_ptr<Driver> driver = load_cuda(reason, cuda_.path(), nvrtc_.path());
    EXPECT_NE(driver, nullptr) << reason;
    return driver;
  }
  std::shared_ptr<DriverDevice> device(std::size_t index = 0) {
    return driver()->devices().at(index);
  }
  static std::vector<std::byte> download(Queue& queue, const Buffer& buffer) {
    std::vector<std::byte> bytes(buffer.byte_count());
    queue.download(bytes, buffer, 0);
    return bytes;
  }
  template <typename Error, typename Action>
  static std::string message_of(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }

  StandIn cuda_{test::kStandInCuda};
  StandIn nvrtc_{test::kStandInNvrtc};
};

TEST_F(CudaDriver, SaysWhichLibraryIsMissing) {
  std::string reason;
  EXPECT_EQ(load_cuda(reason, "/nowhere/libcuda.so.1"), nullptr);
  EXPECT_NE(reason.find("/nowhere/libcuda.so.1"), std::string::npos) << reason;
}

TEST_F(CudaDriver, SaysWhichEntryPointIsMissing) {
  std::string reason;
  EXPECT_EQ(load_cuda(reason, nvrtc_.path()), nullptr);
  EXPECT_NE(reason.find("cuInit"), std::string::npos) << reason;
}

TEST_F(CudaDriver, IsNotThereWithoutADevice) {
  cuda_.set("devices", 0);
  std::string reason;
  EXPECT_EQ(load_cuda(reason, cuda_.path()), nullptr);
  EXPECT_NE(reason.find("CUDA_ERROR_NO_DEVICE"), std::string::npos) << reason;
}

TEST_F(CudaDriver, DescribesDevicesWithoutOpeningThem) {
  cuda_.set("devices", 3);
  const auto devices = driver()->devices();
  ASSERT_EQ(devices.size(), 3U);
  const gpu::DeviceProperties& properties = devices[2]->properties();
  EXPECT_EQ(properties.name, "Stand-in 2");
  EXPECT_EQ(properties.vendor, "NVIDIA");
  EXPECT_EQ(properties.driver_version, "CUDA 13.0");
  EXPECT_EQ(properties.api, gpu::Api::cuda);
  EXPECT_FALSE(properties.is_host_processor);
  EXPECT_EQ(properties.memory_bytes, std::uint64_t{1} << 32);
  EXPECT_EQ(properties.local_memory_bytes, 48U << 10);
  EXPECT_EQ(properties.largest_group, 1024U);
  EXPECT_EQ(properties.compute_units, 8U);
  EXPECT_EQ(properties.sub_group_sizes, std::vector<std::size_t>{32});
  EXPECT_EQ(properties.largest_partition, 1U);
  EXPECT_EQ(cuda_.count("cuDevicePrimaryCtxRetain"), 0U);
}

TEST_F(CudaDriver, RunsTheWholeScript) {
  DriverScript script;
  EXPECT_TRUE(script.run(*driver(), 0));
  EXPECT_EQ(script.result(), DriverScript::expected());
  EXPECT_GT(script.seconds(), 0);
  EXPECT_EQ(nvrtc_.count("nvrtcCompileProgram"), 1U);
}

TEST_F(CudaDriver, DoesTheSameIfWorkIsDoneAtOnce) {
  cuda_.set("eager", 1);
  DriverScript script;
  EXPECT_TRUE(script.run(*driver(), 0));
  EXPECT_EQ(script.result(), DriverScript::expected());
}

TEST_F(CudaDriver, UploadsWhatTheSourceHeldAtTheCall) {
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto buffer = gpu->allocate(64);
  std::vector<std::byte> source = counted_bytes(64);
  queue->upload(*buffer, 0, source);
  std::fill(source.begin(), source.end(), std::byte{0xee});
  EXPECT_EQ(cuda_.wait_count(), 0U);
  EXPECT_EQ(download(*queue, *buffer), counted_bytes(64));
}

// Each upload begins and ends at odd places, and pieces of a large one meet inside of it.
TEST_F(CudaDriver, UploadsMoreThanItStages) {
  using gpu::cuda::PinnedBlock;
  constexpr std::size_t kMost = PinnedBlock::kBytes * gpu::cuda::Staging::kMaxBlocks;
  cuda_.set("steps_per_query", 0);
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto buffer = gpu->allocate(kMost + 3 * PinnedBlock::kBytes);
  std::vector<std::byte> expected(buffer->byte_count());
  std::size_t offset = 0;
  unsigned start = 1;
  for (const std::size_t bytes : {std::size_t{7}, PinnedBlock::kBytes - 7, std::size_t{1},
                                  kMost + 5, std::size_t{100}, PinnedBlock::kBytes}) {
    const auto source = counted_bytes(bytes, start++);
    queue->upload(*buffer, offset, source);
    std::copy(source.begin(), source.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
    offset += bytes;
  }
  const auto result = download(*queue, *buffer);
  EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(offset),
                         result.begin()));
  constexpr std::size_t kUploading = gpu::cuda::Staging::kMaxBlocks + 1;
  constexpr std::size_t kDownloading = 2;
  EXPECT_LE(cuda_.count("cuMemHostAlloc"), kUploading + kDownloading);
  EXPECT_GT(cuda_.count("cuEventSynchronize"), 0U);
}

TEST_F(CudaDriver, KeepsNothingOfACopyOnceItWaited) {
  {
    const auto gpu = device();
    const auto queue = gpu->make_queue(false);
    const auto buffer = gpu->allocate(1 << 21);
    queue->upload(*buffer, 0, std::vector<std::byte>(1 << 21, std::byte{0x5c}));
    queue->finish();
    download(*queue, *buffer);
  }
  std::size_t released = 0;
  for (const standin_call& call : cuda_.calls()) {
    if (std::string(call.entry) != "cuMemFreeHost") continue;
    ++released;
    EXPECT_EQ(call.nonzero, 0U);
  }
  EXPECT_GE(released, 4U);
}

TEST_F(CudaDriver, ReusesStagingBlocks) {
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto buffer = gpu->allocate(1 << 18);
  for (unsigned round = 0; round < 64; ++round) {
    queue->upload(*buffer, 0, counted_bytes(1 << 18, round));
    queue->finish();
  }
  EXPECT_EQ(cuda_.count("cuMemHostAlloc"), 1U);
}

TEST_F(CudaDriver, CopiesAndClearsWhatItIsAskedTo) {
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto a = gpu->allocate(64);
  const auto b = gpu->allocate(48);
  queue->upload(*a, 0, counted_bytes(64));
  queue->upload(*b, 0, counted_bytes(48, 100));
  queue->copy(*b, 8, *a, 24, 16);
  queue->clear(*a, 16, 24);
  queue->copy(*b, 0, *a, 0, 0);
  queue->clear(*b, 48, 0);
  queue->upload(*b, 48, {});
  EXPECT_EQ(cuda_.wait_count(), 0U);
  auto expected_a = counted_bytes(64);
  auto expected_b = counted_bytes(48, 100);
  std::copy_n(expected_a.begin() + 24, 16, expected_b.begin() + 8);
  std::fill_n(expected_a.begin() + 16, 24, std::byte{0});
  EXPECT_EQ(download(*queue, *a), expected_a);
  EXPECT_EQ(download(*queue, *b), expected_b);
}

TEST_F(CudaDriver, RefusesWhatIsOutsideOfABuffer) {
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto a = gpu->allocate(64);
  const auto b = gpu->allocate(32);
  std::vector<std::byte> bytes(40);
  EXPECT_THROW(queue->upload(*a, 32, bytes), LogicError);
  EXPECT_THROW(queue->upload(*a, SIZE_MAX - 8, bytes), LogicError);
  EXPECT_THROW(queue->download(bytes, *b, 0), LogicError);
  EXPECT_THROW(queue->copy(*a, 0, *b, 0, 64), LogicError);
  EXPECT_THROW(queue->copy(*b, 0, *a, 0, 64), LogicError);
  EXPECT_THROW(queue->clear(*b, 8, 32), LogicError);
}

TEST_F(CudaDriver, LaunchesWithBuffersAndWords) {
  static standin_launch seen;
  static std::vector<std::uint64_t> words;
  cuda_.register_kernel("add_word", [](const standin_launch* launch) {
    seen = *launch;
    words.assign(launch->arguments, launch->arguments + launch->argument_count);
    add_word_on_host(launch);
  });
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto buffer = gpu->allocate(64);
  const auto kernel = gpu->build(kScriptKernels, {})->kernel("add_word");
  EXPECT_EQ(kernel->name(), "add_word");
  EXPECT_EQ(kernel->largest_group(), 1024U);
  queue->clear(*buffer, 0, 64);
  const Argument arguments[] = {*buffer, std::uint64_t{3}, ~std::uint64_t{0} - 5};
  queue->launch(*kernel, {{5, 6, 7}, 64}, arguments);
  EXPECT_EQ(cuda_.wait_count(), 0U);
  const auto result = download(*queue, *buffer);
  EXPECT_EQ(std::vector<std::uint64_t>(seen.groups, seen.groups + 3),
            (std::vector<std::uint64_t>{5, 6, 7}));
  EXPECT_EQ(seen.group_size, 64U);
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[1], 3U);
  EXPECT_EQ(words[2], ~std::uint64_t{0} - 5);
  std::uint64_t word = 0;
  std::memcpy(&word, result.data() + 24, sizeof word);
  EXPECT_EQ(word, ~std::uint64_t{0} - 5);
}

TEST_F(CudaDriver, RefusesGridsThatCudaDoesNotHave) {
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto kernel = gpu->build(kScriptKernels, {})->kernel("nothing");
  queue->launch(*kernel, {{0x7fffffff, 0xffff, 0xffff}, 1024}, {});
  EXPECT_THROW(queue->launch(*kernel, {{std::size_t{1} << 31, 1, 1}, 1}, {}), LogicError);
  EXPECT_THROW(queue->launch(*kernel, {{(std::size_t{1} << 32) + 1, 1, 1}, 1}, {}), LogicError);
  EXPECT_THROW(queue->launch(*kernel, {{1, 0x10000, 1}, 1}, {}), LogicError);
  EXPECT_THROW(queue->launch(*kernel, {{1, 1, 0x10000}, 1}, {}), LogicError);
  EXPECT_THROW(queue->launch(*kernel, {{1, 1, 1}, 1025}, {}), LogicError);
  EXPECT_THROW(queue->launch(*kernel, {{0, 1, 1}, 1}, {}), RuntimeError);
}

TEST_F(CudaDriver, OrdersWorkOfTwoQueuesByEvents) {
  const auto gpu = device();
  const auto first = gpu->make_queue(false);
  const auto second = gpu->make_queue(false);
  const auto a = gpu->allocate(32);
  const auto b = gpu->allocate(32);
  first->upload(*a, 0, counted_bytes(32, 9));
  second->wait_for(*first->record());
  second->copy(*b, 0, *a, 0, 32);
  EXPECT_EQ(cuda_.wait_count(), 0U);
  EXPECT_EQ(download(*second, *b), counted_bytes(32, 9));
}

TEST_F(CudaDriver, EventsKnowWhenTheyAreDone) {
  const auto gpu = device();
  const auto queue = gpu->make_queue(true);
  const auto buffer = gpu->allocate(32);
  const auto begin = queue->record();
  queue->clear(*buffer, 0, 32);
  const auto end = queue->record();
  EXPECT_FALSE(end->is_done());
  end->wait();
  EXPECT_TRUE(begin->is_done());
  EXPECT_TRUE(end->is_done());
  // The stand-in's clock: a microsecond for each of two commands.
  EXPECT_NEAR(end->seconds_since(*begin), 2e-6, 1e-9);
}

TEST_F(CudaDriver, EventsWithoutTimingHaveNoTime) {
  const auto gpu = device();
  const auto timed = gpu->make_queue(true);
  const auto untimed = gpu->make_queue(false);
  const auto a = timed->record();
  const auto b = untimed->record();
  timed->finish();
  untimed->finish();
  EXPECT_THROW(b->seconds_since(*a), LogicError);
  EXPECT_THROW(a->seconds_since(*b), LogicError);
}

// The stand-in frees at once, so that work would find the memory gone.
TEST_F(CudaDriver, WorkStillFindsBuffersThatWereReleased) {
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto result = gpu->allocate(64);
  {
    const auto passing = gpu->allocate(64);
    queue->upload(*passing, 0, counted_bytes(64));
    queue->copy(*result, 0, *passing, 0, 64);
  }
  EXPECT_EQ(download(*queue, *result), counted_bytes(64));
}

TEST_F(CudaDriver, WorkStillFindsKernelsThatWereReleased) {
  const auto gpu = device();
  const auto queue = gpu->make_queue(false);
  const auto result = gpu->allocate(64);
  queue->upload(*result, 0, counted_bytes(64));
  const Argument arguments[] = {*result, std::uint64_t{0}, std::uint64_t{1}};
  queue->launch(*gpu->build(kScriptKernels, {})->kernel("add_word"), {{1, 1, 1}, 1}, arguments);
  auto expected = counted_bytes(64);
  expected[0] = std::byte{1};
  EXPECT_EQ(download(*queue, *result), expected);
}

TEST_F(CudaDriver, QueuesFinishTheirWorkBeforeTheyGo) {
  const auto gpu = device();
  const auto result = gpu->allocate(64);
  gpu->make_queue(false)->upload(*result, 0, counted_bytes(64));
  EXPECT_EQ(download(*gpu->make_queue(false), *result), counted_bytes(64));
}

TEST_F(CudaDriver, ObjectsOutliveTheirDevice) {
  const std::shared_ptr<Buffer> buffer = device()->allocate(64);
  const auto queue = device()->make_queue(false);
  queue->upload(*buffer, 0, counted_bytes(64));
  EXPECT_EQ(download(*queue, *buffer), counted_bytes(64));
}

TEST_F(CudaDriver, RefusesObjectsOfAnotherDevice) {
  cuda_.set("devices", 2);
  const auto gpu = device(0);
  const auto other = device(1);
  const auto queue = gpu->make_queue(true);
  const auto mine = gpu->allocate(32);
  const auto foreign = other->allocate(32);
  const auto foreign_queue = other->make_queue(true);
  const auto kernel = gpu->build(kScriptKernels, {})->kernel("add_word");
  const auto foreign_kernel = other->build(kScriptKernels, {})->kernel("nothing");
  const auto foreign_event = foreign_queue->record();
  const Argument arguments[] = {*foreign, std::uint64_t{0}, std::uint64_t{1}};
  EXPECT_THROW(queue->launch(*kernel, {{1, 1, 1}, 1}, arguments), LogicError);
  EXPECT_THROW(queue->launch(*foreign_kernel, {{1, 1, 1}, 1}, {}), LogicError);
  EXPECT_THROW(queue->copy(*mine, 0, *foreign, 0, 32), LogicError);
  EXPECT_THROW(queue->upload(*foreign, 0, counted_bytes(8)), LogicError);
  EXPECT_THROW(queue->wait_for(*foreign_event), LogicError);
  EXPECT_THROW(queue->record()->seconds_since(*foreign_event), LogicError);
}

TEST_F(CudaDriver, LeavesEveryThreadItsOwnContext) {
  const auto gpu = device();
  const auto buffer = gpu->allocate(64);
  std::thread([&] {
    const auto queue = gpu->make_queue(false);
    queue->upload(*buffer, 0, counted_bytes(64));
    queue->finish();
  }).join();
  EXPECT_EQ(download(*gpu->make_queue(false), *buffer), counted_bytes(64));
  EXPECT_EQ(cuda_.live()["current"], 0);
  EXPECT_EQ(cuda_.count("cuCtxPushCurrent_v2"), cuda_.count("cuCtxPopCurrent_v2"));
}

TEST_F(CudaDriver, IsNotDivided) {
  const auto gpu = device();
  const auto parts = gpu->split(1);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0], gpu);
  EXPECT_THROW(gpu->split(0), RuntimeError);
  EXPECT_THROW(gpu->split(2), RuntimeError);
}

TEST_F(CudaDriver, TellsThatMemoryIsUsedUp) {
  cuda_.set("memory_bytes", 1000);
  const auto gpu = device();
  const auto held = gpu->allocate(600);
  const std::string message = message_of<OutOfDeviceMemory>([&] { gpu->allocate(401); });
  EXPECT_NE(message.find("cuMemAlloc"), std::string::npos) << message;
  EXPECT_NE(message.find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos) << message;
  EXPECT_EQ(gpu->allocate(400)->byte_count(), 400U);
}

TEST_F(CudaDriver, WorkThatFailsIsToldByTheNextWait) {
  constexpr int kIllegalAddress = 700;
  for (const bool by_event : {false, true}) {
    cuda_.reset();
    const auto gpu = device();
    const auto queue = gpu->make_queue(false);
    const auto buffer = gpu->allocate(64);
    queue->clear(*buffer, 0, 64);
    const auto event = queue->record();
    cuda_.fail_work(1, kIllegalAddress);
    const std::string message = message_of<RuntimeError>([&] {
      if (by_event) {
        event->wait();
      } else {
        queue->finish();
      }
    });
    EXPECT_NE(message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos) << message;
    EXPECT_NE(message.find("start it anew"), std::string::npos) << message;
    // The context has failed for good.
    EXPECT_THROW(queue->clear(*buffer, 0, 64), RuntimeError);
    EXPECT_THROW(gpu->allocate(64), RuntimeError);
  }
}

}  // namespace
}  // namespace ringlet::test
