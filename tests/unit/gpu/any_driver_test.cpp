// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/memory.hpp"
#include "gpu/programs/module_cache.hpp"
#include "gpu_standin/fixture.hpp"
#include "support/devices/watched_device.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/threads.hpp"

// Tests of every driver: those of CUDA and OpenCL over stand-ins of their libraries, and the driver
// of the device that tests run on.

namespace ringlet::test {
namespace {

using gpu::Argument;
using gpu::Buffer;
using gpu::DriverDevice;
using gpu::Queue;

const std::vector<std::string> kDefinitions{"ADDEND=7"};

struct AnyDriver : StandInTest, ::testing::WithParamInterface<std::string> {
  void SetUp() override {
    const auto scope = test_device_place().scope;
    is_cuda_ = is_stand_in() ? GetParam() == "CudaOnStandIn" : scope == gpu::DeviceScope::cuda;
    device_ = open();
    if (device_ == nullptr) GTEST_SKIP() << reason_;
  }
  void TearDown() override {
    device_.reset();
    driver_.reset();
    StandInTest::TearDown();
  }

  bool is_stand_in() const { return GetParam() != "TestDevice"; }
  const StandIn& library() const { return is_cuda_ ? cuda_ : opencl_; }
  gpu::Driver& driver() {
    const gpu::Api api = is_cuda_ ? gpu::Api::cuda : gpu::Api::opencl;
    if (driver_ == nullptr) {
      driver_ = is_stand_in() ? load(api)
                : is_cuda_    ? gpu::load_cuda(reason_)
                              : gpu::load_opencl(reason_);
    }
    return *driver_;
  }
  /// Opens the device as a new object.
  std::shared_ptr<DriverDevice> open() {
    return is_stand_in() ? driver().devices().at(0) : find_test_device(reason_);
  }
  /// Opens a device with other objects than device_; null if there is none, or nobody would notice.
  std::shared_ptr<DriverDevice> open_other() {
    if (!is_cuda_) return is_stand_in() ? nullptr : open();
    cuda_->set("devices", 2);
    return is_stand_in() ? driver().devices().at(1) : nullptr;
  }
  /// Expects that a wrong call is refused: by Ringlet on CUDA, by the library on OpenCL.
  template <typename Call>
  void expect_refused(const Call& call) const {
    if (is_cuda_) {
      EXPECT_THROW(call(), LogicError);
    } else {
      EXPECT_THROW(call(), RuntimeError);
    }
  }
  void expect_no_wait() const {
    if (is_stand_in()) {
      EXPECT_EQ(library().wait_count(), 0u);
    }
  }

  std::shared_ptr<Buffer> allocate(std::size_t words) const { return device_->allocate(8 * words); }
  static void add(Queue& queue, const gpu::Kernel& add_word, const Buffer& target,
                  std::uint64_t word) {
    const Argument arguments[] = {target, std::uint64_t{0}, word};
    queue.launch(add_word, {{2, 1, 1}, 16}, arguments);
  }
  std::shared_ptr<gpu::Kernel> add_word() const {
    return device_->build(kScriptKernels, {})->kernel("add_word");
  }
  /// Expects that the device computes and keeps words.
  void expect_well() const {
    const auto queue = device_->make_queue(false);
    const auto buffer = allocate(2);
    upload(*queue, *buffer, {3, 4});
    add(*queue, *add_word(), *buffer, 38);
    EXPECT_EQ(download(*queue, *buffer), (Words{41, 4}));
  }

  bool is_cuda_ = false;
  std::string reason_;
  std::shared_ptr<gpu::Driver> driver_;
  std::shared_ptr<DriverDevice> device_;
};

TEST_P(AnyDriver, RunsTheWholeScript) {
  for (const std::int64_t eager : {0, 1}) {
    library()->set("eager", eager);
    for (const std::size_t bytes : {std::size_t{0}, (std::size_t{1} << 20) + 8}) {
      DriverScript script;
      EXPECT_TRUE(script.run(driver(), bytes));
    }
  }
}

TEST_P(AnyDriver, DescribesItsDevices) {
  bool was_host = false;
  for (const auto& each : driver().devices()) {
    const gpu::DeviceProperties& properties = each->properties();
    EXPECT_FALSE(properties.name.empty());
    EXPECT_FALSE(properties.driver_version.empty());
    EXPECT_EQ(properties.api, driver().api());
    EXPECT_GE(properties.memory_bytes, properties.largest_allocation_bytes / 4);
    EXPECT_GE(properties.memory_bytes, std::uint64_t{1} << 26);
    EXPECT_GE(properties.local_memory_bytes, is_cuda_ ? std::size_t{48} << 10 : 1024);
    EXPECT_GE(properties.largest_group, 64u);
    EXPECT_GE(properties.compute_units, 1u);
    EXPECT_GE(properties.largest_partition, 1u);
    EXPECT_TRUE(std::ranges::is_sorted(properties.sub_group_sizes));
    EXPECT_FALSE(was_host && !properties.is_host_processor) << "host processors are last";
    was_host = was_host || properties.is_host_processor;
    if (!is_cuda_) continue;
    EXPECT_EQ(properties.vendor, "NVIDIA");
    EXPECT_TRUE(properties.driver_version.starts_with("CUDA 1")) << properties.driver_version;
    EXPECT_EQ(properties.largest_group, 1024u);
    EXPECT_EQ(properties.sub_group_sizes, std::vector<std::size_t>{32});
  }
  EXPECT_NE(open()->identity(), driver().devices().front()->identity());
}

// Each upload begins and ends at odd places, and pieces of a large one meet inside of it.
TEST_P(AnyDriver, UploadsWhatTheSourceHeldAtTheCall) {
  using gpu::cuda::PinnedBlock;
  constexpr std::size_t kMost = PinnedBlock::kBytes * gpu::cuda::Staging::kMaxBlocks;
  const auto queue = device_->make_queue(false);
  const auto buffer = device_->allocate(kMost + 3 * PinnedBlock::kBytes);
  EXPECT_EQ(buffer->byte_count(), kMost + 3 * PinnedBlock::kBytes);
  std::vector<std::byte> expected;
  for (const std::size_t bytes : {std::size_t{7}, PinnedBlock::kBytes - 7, std::size_t{1},
                                  kMost + 5, std::size_t{100}, PinnedBlock::kBytes}) {
    auto source = counted_bytes(bytes, static_cast<unsigned>(bytes % 251));
    queue->upload(*buffer, expected.size(), source);
    if (bytes < PinnedBlock::kBytes && expected.size() < kMost) expect_no_wait();
    expected.insert(expected.end(), source.begin(), source.end());
    std::ranges::fill(source, std::byte{0xee});
  }
  std::vector<std::byte> result(expected.size());
  queue->download(result, *buffer, 0);
  EXPECT_TRUE(result == expected);
}

TEST_P(AnyDriver, CopiesAndClearsWhatItIsAskedTo) {
  const auto a = allocate(64);
  const auto b = allocate(64);
  const auto queue = device_->make_queue(false);
  upload(*queue, *a, counted(64, 1));
  upload(*queue, *b, counted(64, 100));
  upload(*queue, *b, counted(10, 77), 50);
  queue->copy(*b, 8, *a, 16, 24);
  queue->copy(*b, 8 * 60, *b, 0, 8);
  queue->clear(*b, 8 * 10, 16);
  // A length of 0 is valid.
  queue->copy(*b, 0, *a, 0, 0);
  queue->clear(*b, 8 * 64, 0);
  upload(*queue, *b, {}, 64);
  expect_no_wait();
  queue->download({}, *b, 0);
  Words expected = counted(64, 100);
  std::ranges::copy(counted(3, 3), expected.begin() + 1);
  std::ranges::copy(counted(10, 77), expected.begin() + 50);
  expected[60] = 100, expected[10] = 0, expected[11] = 0;
  EXPECT_EQ(download(*queue, *b), expected);
  EXPECT_EQ(download(*queue, *b, 3, 49), (Words{149, 77, 78}));
  EXPECT_EQ(download(*queue, *a), counted(64, 1));
}

TEST_P(AnyDriver, LaunchesGroupsInThreeDimensions) {
  const auto kernel = device_->build(kScaleKernel, kDefinitions)->kernel("scale");
  EXPECT_EQ(kernel->name(), "scale");
  EXPECT_GE(kernel->largest_group(), 64u);
  const auto a = allocate(300);
  const auto result = allocate(256 * 6);
  const auto queue = device_->make_queue(false);
  upload(*queue, *a, counted(300, 1000));
  const Argument arguments[] = {*result, *a, std::uint64_t{10}, ~std::uint64_t{0}};
  queue->launch(*kernel, {{4, 3, 2}, 64}, arguments);
  expect_no_wait();
  Words expected(256 * 6);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = std::uint64_t{0} - (1000 + 10 + i % 256) + 7 + i / 256;
  }
  EXPECT_EQ(download(*queue, *result), expected);
}

TEST_P(AnyDriver, RefusesWhatIsOutsideOfABuffer) {
  const auto a = allocate(8);
  const auto b = allocate(4);
  const auto queue = device_->make_queue(false);
  upload(*queue, *a, counted(8, 1));
  const std::vector<std::byte> bytes(40);
  expect_refused([&] { upload(*queue, *a, {1, 2}, 7); });
  expect_refused([&] { queue->upload(*a, SIZE_MAX - 8, bytes); });
  expect_refused([&] { download(*queue, *a, 9); });
  expect_refused([&] { queue->clear(*a, 8, 64); });
  expect_refused([&] { queue->copy(*a, 0, *b, 0, 64); });
  expect_refused([&] { queue->copy(*b, 0, *a, 0, 64); });
  if (!is_cuda_ && !is_stand_in()) {
    EXPECT_THROW(queue->copy(*a, 0, *a, 8, 16), RuntimeError) << "overlapping places";
  }
  EXPECT_EQ(download(*queue, *a), counted(8, 1));
}

TEST_P(AnyDriver, RefusesObjectsOfAnotherDevice) {
  const auto mine = allocate(8);
  const auto queue = device_->make_queue(true);
  class HostBuffer final : public Buffer {
    std::size_t byte_count() const noexcept override { return 8; }
  };
  EXPECT_THROW(download(*queue, HostBuffer(), 1), LogicError);
  const auto other = open_other();
  if (other == nullptr) return;
  const auto foreign = other->allocate(64);
  const auto foreign_queue = other->make_queue(true);
  const auto foreign_kernel = other->build(kScriptKernels, {})->kernel("nothing");
  const auto event = foreign_queue->record();
  expect_refused([&] { download(*queue, *foreign); });
  expect_refused([&] { upload(*queue, *foreign, {1}); });
  expect_refused([&] { queue->clear(*foreign, 0, 8); });
  expect_refused([&] { queue->wait_for(*event); });
  if (!is_cuda_) return;
  expect_refused([&] { add(*queue, *add_word(), *foreign, 1); });
  expect_refused([&] { queue->launch(*foreign_kernel, {}, {}); });
  expect_refused([&] { queue->copy(*mine, 0, *foreign, 0, 8); });
  expect_refused([&] { queue->record()->seconds_since(*event); });
}

TEST_P(AnyDriver, QueuesTakeTurnsByEvents) {
  const auto first = device_->make_queue(false);
  const auto second = device_->make_queue(false);
  const auto a = allocate(1);
  const auto b = allocate(1);
  const auto kernel = add_word();
  first->clear(*a, 0, 8);
  std::uint64_t expected = 0;
  for (std::uint64_t round = 0; round < 500; ++round) {
    add(*first, *kernel, *a, round);
    second->wait_for(*first->record());
    second->copy(*b, 0, *a, 0, 8);
    add(*second, *kernel, *b, 1);
    first->wait_for(*second->record());
    first->copy(*a, 0, *b, 0, 8);
    expected += round + 1;
  }
  expect_no_wait();
  EXPECT_EQ(download(*first, *a), Words{expected});
}

TEST_P(AnyDriver, EventsEndAndKnowTheirTime) {
  const auto buffer = allocate(1 << 16);
  const auto queue = device_->make_queue(true);
  const auto first = queue->record();
  for (int i = 0; i < 10; ++i) queue->clear(*buffer, 0, 8 << 16);
  const auto last = queue->record();
  if (is_stand_in()) {
    EXPECT_FALSE(last->is_done());
  }
  queue->flush();
  while (!last->is_done()) std::this_thread::yield();
  EXPECT_TRUE(first->is_done());
  last->wait();
  const double seconds = last->seconds_since(*first);
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 60);
  // The stand-ins' clock: a microsecond for each command.
  if (is_stand_in()) {
    EXPECT_NEAR(seconds, 11e-6, 1e-9);
  }
  EXPECT_DOUBLE_EQ(first->seconds_since(*last), -seconds);

  const auto untimed = device_->make_queue(false);
  const auto event = untimed->record();
  event->wait();
  expect_refused([&] { event->seconds_since(*first); });
  if (is_cuda_) {
    EXPECT_THROW(first->seconds_since(*event), LogicError);
  }
}

// The stand-ins free memory at once, so work that needs released objects would fail.
TEST_P(AnyDriver, WorkStillFindsWhatWasReleased) {
  const auto result = allocate(64);
  const auto queue = device_->make_queue(false);
  for (std::uint64_t round = 0; round < 20; ++round) {
    const auto passing = allocate(64);
    upload(*queue, *passing, Words(64, round));
    add(*queue, *add_word(), *passing, 1000);
    queue->copy(*result, 0, *passing, 0, 512);
  }
  if (!is_cuda_) expect_no_wait();  // CUDA waits when buffers are released
  Words expected(64, 19);
  expected[0] += 1000;
  EXPECT_EQ(download(*queue, *result), expected);
}

TEST_P(AnyDriver, ObjectsOutliveTheirQueueAndTheirDevice) {
  const auto buffer = allocate(64);
  auto queue = device_->make_queue(false);
  const auto other = device_->make_queue(false);
  device_.reset();
  upload(*queue, *buffer, counted(64, 3));
  const auto event = queue->record();
  queue.reset();
  other->wait_for(*event);
  EXPECT_EQ(download(*other, *buffer), counted(64, 3));
  event->wait();
}

TEST_P(AnyDriver, EveryThreadMayCall) {
  const auto kernel = add_word();
  in_threads([&](std::size_t thread) {
    const auto queue = device_->make_queue(false);
    const auto buffer = allocate(1);
    queue->clear(*buffer, 0, 8);
    for (int i = 0; i < 200; ++i) add(*queue, *kernel, *buffer, thread);
    EXPECT_EQ(download(*queue, *buffer), Words{200 * thread});
  });
  expect_well();
}

TEST_P(AnyDriver, LoadsItsOwnBinariesAlone) {
  const std::vector<std::byte> binary = device_->build(kScriptKernels, {})->binary();
  ASSERT_FALSE(binary.empty());
  EXPECT_EQ(open()->load(binary)->kernel("nothing")->name(), "nothing");
  EXPECT_THROW(device_->load(std::vector<std::byte>(1000)), RuntimeError);
  EXPECT_THROW(device_->load({}), RuntimeError);
  expect_well();
}

// The second device has no compiler: it runs the program on the disk.
TEST_P(AnyDriver, TheSecondDeviceTakesTheProgramFromTheDisk) {
  const Folder folder;
  const Variable cache("RINGLET_CACHE_DIR", folder.path);
  for (const bool has_compiler : {true, false}) {
    const auto watched = std::make_shared<WatchedDevice>(open());
    watched->properties_to_change().keeps_programs = false;
    watched->watch().has_compiler = has_compiler;
    const auto build = [&] { return gpu::build_module(*watched, kScaleKernel, kDefinitions); };
    const auto kernel = build()->kernel("scale");
    const auto buffer = watched->allocate(8 * 64);
    const auto queue = watched->make_queue(false);
    upload(*queue, *buffer, counted(64, 0));
    const Argument arguments[] = {*buffer, *buffer, std::uint64_t{0}, std::uint64_t{3}};
    queue->launch(*kernel, {{1, 1, 1}, 64}, arguments);
    EXPECT_EQ(download(*queue, *buffer)[20], 67u);
    // The kernel keeps the module in use, so the cache finds it again.
    EXPECT_EQ(build(), build());
  }
}

TEST_P(AnyDriver, SaysWhatIsWrongWithAProgram) {
  const auto build = [&] {
    device_->build("KERNEL void f(GLOBAL u64* a) {\n  a[0] = STANDIN_REFUSE;\n}\n", kDefinitions);
  };
  const auto launch = [&](std::size_t size) {
    const auto buffer = allocate(64);
    const Argument arguments[] = {*buffer, *buffer, std::uint64_t{0}, std::uint64_t{0}};
    const auto kernel = device_->build(kScaleKernel, kDefinitions)->kernel("scale");
    device_->make_queue(false)->launch(*kernel, {{1, 1, 1}, size}, arguments);
  };
  const auto missing = [&] { device_->build(kScriptKernels, {})->kernel("missing"); };
  if (is_cuda_) {
    expect_error_below<RuntimeError>(
        {"nvrtcCompileProgram", "NVRTC_ERROR_COMPILATION", "ringlet.cu(", "STANDIN_REFUSE"}, build);
    expect_error_below<RuntimeError>({"CUDA_ERROR_NOT_FOUND (500)", "\"missing\""}, missing);
  } else {
    // The line number counts in the caller's text.
    expect_error_below<RuntimeError>({"CL_BUILD_PROGRAM_FAILURE (-11)", ":2:", "STANDIN_REFUSE"},
                                     build);
    expect_error_below<RuntimeError>({"CL_INVALID_KERNEL_NAME (-46), missing"}, missing);
    const Argument few[] = {std::uint64_t{0}};
    EXPECT_THROW(device_->make_queue(false)->launch(*add_word(), {}, few), LogicError);
  }
  expect_refused([&] { launch(device_->properties().largest_group + 1); });
  expect_well();
}

TEST_P(AnyDriver, SaysThatMemoryIsUsedUp) {
  const std::string call = is_cuda_ ? "cuMemAlloc" : "clCreateBuffer";
  const std::string code = is_cuda_ ? "CUDA_ERROR_OUT_OF_MEMORY (2)" : "281474976710656 bytes";
  const auto held = allocate(1);
  for (int i = 0; i < 3; ++i) {
    expect_error_below<OutOfDeviceMemory>({call, code},
                                          [&] { device_->allocate(std::size_t{1} << 48); });
  }
  expect_error_below<RuntimeError>(
      {is_cuda_ ? "CUDA_ERROR_INVALID_VALUE (1)" : "CL_INVALID_BUFFER_SIZE (-61)"},
      [&] { device_->allocate(0); });
  expect_well();
  if (!is_stand_in()) return;
  library()->set("memory_bytes", 1008);
  const auto most = device_->allocate(600);
  EXPECT_THROW(device_->allocate(401), OutOfDeviceMemory);
  EXPECT_EQ(device_->allocate(400)->byte_count(), 400u);
}

TEST_P(AnyDriver, DividesIntoNoMorePartsThanThereAre) {
  const gpu::DeviceProperties& properties = device_->properties();
  const auto whole = device_->split(1);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0]->identity(), device_->identity());
  EXPECT_EQ(whole[0]->properties().compute_units, properties.compute_units);
  for (const std::size_t count : {std::size_t{0}, properties.compute_units + 1}) {
    EXPECT_THROW(device_->split(count), gpu::IndivisibleDevice);
  }
  if (properties.largest_partition == 1) {
    EXPECT_THROW(device_->split(2), gpu::IndivisibleDevice);
  }
  expect_well();
}

INSTANTIATE_TEST_SUITE_P(, AnyDriver,
                         ::testing::Values("CudaOnStandIn", "OpenclOnStandIn", "TestDevice"),
                         [](const auto& one) { return one.param; });

TEST(AnyLibrary, ThatIsNoneSaysWhatItLacks) {
  std::string reason;
  EXPECT_EQ(gpu::load_cuda(reason, "/nowhere/libcuda.so.1"), nullptr);
  EXPECT_NE(reason.find("/nowhere/libcuda.so.1"), std::string::npos) << reason;
  EXPECT_EQ(gpu::load_cuda(reason, kStandInNvrtc), nullptr);
  EXPECT_NE(reason.find("cuInit"), std::string::npos) << reason;
  EXPECT_EQ(gpu::load_opencl(reason, "/no/such/library.so"), nullptr);
  EXPECT_NE(reason.find("/no/such/library.so"), std::string::npos) << reason;
  EXPECT_EQ(gpu::load_opencl(reason, "libc.so.6"), nullptr);
  EXPECT_NE(reason.find("libc.so.6 has no clGetPlatformIDs"), std::string::npos) << reason;
}

}  // namespace
}  // namespace ringlet::test
