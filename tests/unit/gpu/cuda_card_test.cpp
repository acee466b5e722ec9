// SPDX-License-Identifier: Apache-2.0
// What a real card, driver and compiler of CUDA do, above all where they fail. The same tests run
// on the stand-ins, so that they are right before they meet a card.
#include <dlfcn.h>
#include <unistd.h>

#include "gpu/cuda_memory.hpp"
#include "gpu/cuda_module.hpp"
#include "gpu/cuda_nvrtc.hpp"
#include "gpu/kernel_sources.hpp"
#include "gpu/module_cache.hpp"
#include "gpu_standin/driver_script.hpp"
#include "gpu_standin/paths.hpp"
#include "gpu_standin/standin.hpp"
#include "support/device_primitives.hpp"
#include "support/forking.hpp"
#include "support/opencl_device.hpp"
#include "support/test.hpp"
#include "support/test_device.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

namespace fs = std::filesystem;
using gpu::Argument;
using gpu::Buffer;
using gpu::Queue;

/// An environment variable, until the object goes.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { old_.empty() ? ::unsetenv(name_) : ::setenv(name_, old_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
};

/// A new folder, until the object goes.
struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "ringlet_card_XXXXXX").native();
    if (::mkdtemp(name.data()) != nullptr) path = name;
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

/// kScaleKernel on the host.
void scale_on_host(const standin_launch* launch) {
  auto* const result = reinterpret_cast<std::uint64_t*>(launch->arguments[0]);
  const auto* const a = reinterpret_cast<const std::uint64_t*>(launch->arguments[1]);
  const std::uint64_t* const words = launch->arguments + 2;
  const std::uint64_t items = launch->groups[0] * launch->group_size;
  for (std::uint64_t layer = 0; layer < launch->groups[1] * launch->groups[2]; ++layer) {
    for (std::uint64_t i = 0; i < items; ++i) {
      result[256 * layer + i] = a[words[0] + i] * words[1] + 7 + layer;
    }
  }
}

/// On the device of CUDA that RINGLET_TEST_DEVICE names.
class CudaCard : public DeviceBackendTest {
 protected:
  static constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

  void SetUp() override {
    if (test_device_place().scope != gpu::DeviceScope::cuda) {
      GTEST_SKIP() << "RINGLET_TEST_DEVICE names no device of CUDA";
    }
    teach_stand_in();
    DeviceBackendTest::SetUp();
  }
  /// Where the loader finds the stand-in: what its kernels do, and memory that this machine has.
  static void teach_stand_in() {
    constexpr const char* kName = "libcuda.so.1";
    void* const library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr || dlsym(library, "standin_reset") == nullptr) return;
    static const auto* const stand_in = new StandIn(kName);
    stand_in->set("memory_bytes", std::int64_t{1} << 26);
    stand_in->register_kernel("add_word", add_word_on_host);
    stand_in->register_kernel("scale", scale_on_host);
  }
  /// The same device through a driver with another compiler: an object of its own.
  static std::shared_ptr<gpu::DriverDevice> open_with_compiler(const std::string& path) {
    std::string reason;
    return gpu::load_cuda(reason, "", path)->devices().at(test_device_place().index);
  }
  std::shared_ptr<gpu::Kernel> kernel(const std::string& name) const {
    return device_->build(kScriptKernels, {})->kernel(name);
  }
  static void upload(Queue& queue, const Buffer& target, const Words& words) {
    queue.upload(target, 0, std::as_bytes(std::span(words)));
  }
  static Words download(Queue& queue, const Buffer& source) {
    Words words(source.byte_count() / kWordBytes);
    queue.download(std::as_writable_bytes(std::span(words)), source, 0);
    return words;
  }
  static Words counted(std::size_t count) {
    Words words(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = i * 0x9e3779b97f4a7c15u;
    return words;
  }
  template <typename Error, typename Call>
  static std::string message_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }
  /// The device computes and remembers.
  void expect_well() const {
    const auto queue = device_->make_queue(false);
    const auto buffer = device_->allocate(2 * kWordBytes);
    upload(*queue, *buffer, {3, 4});
    const Argument arguments[] = {*buffer, std::uint64_t{1}, std::uint64_t{38}};
    queue->launch(*kernel("add_word"), {{2, 1, 1}, 32}, arguments);
    EXPECT_EQ(download(*queue, *buffer), (Words{3, 42}));
  }
};

TEST_F(CudaCard, RunsTheWholeScript) {
  std::string reason;
  const auto driver = gpu::load_cuda(reason);
  ASSERT_NE(driver, nullptr) << reason;
  for (const std::size_t bytes : {std::size_t{0}, (std::size_t{1} << 20) + 8}) {
    DriverScript script;
    EXPECT_TRUE(script.run(*driver, bytes));
    EXPECT_EQ(script.result(), DriverScript::expected());
    EXPECT_GT(script.seconds(), 0);
  }
}

TEST_F(CudaCard, DescribesItself) {
  const gpu::DeviceProperties& properties = device_->properties();
  EXPECT_FALSE(properties.name.empty());
  EXPECT_EQ(properties.api, gpu::Api::cuda);
  EXPECT_TRUE(properties.driver_version.starts_with("CUDA 1")) << properties.driver_version;
  EXPECT_GE(properties.local_memory_bytes, std::size_t{48} << 10);
  EXPECT_EQ(properties.largest_group, 1024u);
  EXPECT_EQ(properties.sub_group_sizes, std::vector<std::size_t>{32});
  EXPECT_GE(properties.compute_units, 1u);
  EXPECT_GE(properties.memory_bytes, std::uint64_t{1} << 26);
}

TEST_F(CudaCard, GroupsInThreeDimensionsShareMemory) {
  const std::vector<std::string> definitions{"ADDEND=7"};
  const auto scale = device_->build(kScaleKernel, definitions)->kernel("scale");
  const auto a = device_->allocate(300 * kWordBytes);
  const auto result = device_->allocate(std::size_t{256} * 6 * kWordBytes);
  const auto queue = device_->make_queue(false);
  const Words words = counted(300);
  upload(*queue, *a, words);
  const Argument arguments[] = {*result, *a, std::uint64_t{10}, ~std::uint64_t{0}};
  queue->launch(*scale, {{4, 3, 2}, 64}, arguments);
  Words expected(std::size_t{256} * 6);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = std::uint64_t{0} - words[10 + i % 256] + 7 + i / 256;
  }
  EXPECT_EQ(download(*queue, *result), expected);
}

TEST_F(CudaCard, UploadsMoreThanItStages) {
  constexpr std::size_t kBytes =
      gpu::cuda::PinnedBlock::kBytes * (gpu::cuda::Staging::kMaxBlocks + 3) + 5 * kWordBytes;
  const auto buffer = device_->allocate(kBytes);
  const auto queue = device_->make_queue(false);
  const Words words = counted(kBytes / kWordBytes);
  Words source = words;
  upload(*queue, *buffer, source);
  std::ranges::fill(source, 0);
  EXPECT_TRUE(download(*queue, *buffer) == words);
}

TEST_F(CudaCard, TwoQueuesTakeTurnsByEvents) {
  constexpr std::uint64_t kRounds = 500;
  const auto first = device_->make_queue(false);
  const auto second = device_->make_queue(false);
  const auto a = device_->allocate(kWordBytes);
  const auto b = device_->allocate(kWordBytes);
  const auto add = kernel("add_word");
  const auto add_to = [&](Queue& queue, const Buffer& target, std::uint64_t word) {
    const Argument arguments[] = {target, std::uint64_t{0}, word};
    queue.launch(*add, {{1, 1, 1}, 1}, arguments);
  };
  first->clear(*a, 0, kWordBytes);
  std::uint64_t expected = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    add_to(*first, *a, round);
    second->wait_for(*first->record());
    second->copy(*b, 0, *a, 0, kWordBytes);
    add_to(*second, *b, 1);
    first->wait_for(*second->record());
    first->copy(*a, 0, *b, 0, kWordBytes);
    expected += round + 1;
  }
  EXPECT_EQ(download(*first, *a), Words{expected});
}

TEST_F(CudaCard, WorkStillFindsWhatWasReleased) {
  const auto queue = device_->make_queue(false);
  const auto result = device_->allocate(64 * kWordBytes);
  for (std::uint64_t round = 0; round < 20; ++round) {
    const auto passing = device_->allocate(64 * kWordBytes);
    upload(*queue, *passing, Words(64, round));
    const Argument arguments[] = {*passing, std::uint64_t{5}, std::uint64_t{1000}};
    queue->launch(*kernel("add_word"), {{1, 1, 1}, 1}, arguments);
    queue->copy(*result, 0, *passing, 0, 64 * kWordBytes);
  }
  Words expected(64, 19);
  expected[5] += 1000;
  EXPECT_EQ(download(*queue, *result), expected);
}

TEST_F(CudaCard, EveryThreadMayCall) {
  in_threads([this](std::size_t) { expect_well(); });
}

TEST_F(CudaCard, MemoryThatIsUsedUpIsToldByNameAndLeavesTheDeviceWell) {
  const auto held = device_->allocate(kWordBytes);
  for (int i = 0; i < 3; ++i) {
    const std::string text = message_of<OutOfDeviceMemory>(
        [&] { device_->allocate(device_->properties().memory_bytes); });
    EXPECT_NE(text.find("cuMemAlloc"), std::string::npos) << text;
    EXPECT_NE(text.find("CUDA_ERROR_OUT_OF_MEMORY (2)"), std::string::npos) << text;
  }
  EXPECT_THROW(device_->allocate(0), RuntimeError);
  expect_well();
}

TEST_F(CudaCard, CachedBlocksAreGivenBackWhenMemoryIsUsedUp) {
  const auto memory = make_memory();
  const std::size_t part = device_->properties().memory_bytes / 8 / kWordBytes;
  std::vector<std::uint64_t*> blocks;
  const std::string text = message_of<OutOfDeviceMemory>([&] {
    while (blocks.size() <= 8) blocks.push_back(memory->allocate(part, Secrecy::open));
  });
  EXPECT_NE(text.find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos) << text;
  ASSERT_GE(blocks.size(), 2u) << "somebody else uses the memory of this device";
  for (std::uint64_t* const block : blocks) memory->release(block);
  ASSERT_GE(memory->statistics().cached, blocks.size() * part * kWordBytes);
  const std::size_t most = blocks.size() * part;
  std::uint64_t* const all = memory->allocate(most, Secrecy::open);
  EXPECT_EQ(memory->statistics().cached, 0u);
  const Words words = counted(1000);
  Words found(words.size());
  memory->upload(all + most - words.size(), words.data(), words.size());
  memory->download(found.data(), all + most - words.size(), words.size());
  EXPECT_EQ(found, words);
  memory->release(all);
  memory->trim();
  expect_well();
}

TEST_F(CudaCard, DamagedBinariesAreRefused) {
  const std::vector<std::byte> binary = device_->build(kScriptKernels, {})->binary();
  ASSERT_TRUE(gpu::cuda::is_complete_image(binary));
  EXPECT_EQ(device_->load(binary)->kernel("nothing")->name(), "nothing");
  EXPECT_THROW(device_->load({}), RuntimeError);
  for (const std::size_t size : {binary.size() / 2, binary.size() - 1}) {
    EXPECT_THROW(device_->load(std::span(binary).first(size)), RuntimeError);
  }
  // What only the driver can tell: text that is no PTX.
  constexpr std::string_view kText("// neither a program nor a version\n\0", 36);
  const std::string message =
      message_of<RuntimeError>([&] { device_->load(std::as_bytes(std::span(kText))); });
  EXPECT_NE(message.find("cuModuleLoadData"), std::string::npos) << message;
  EXPECT_NE(message.find("CUDA_ERROR_"), std::string::npos) << message;
  expect_well();
}

// Machine code of one generation runs on its own at most.
TEST_F(CudaCard, BinariesOfOtherArchitecturesAreRefused) {
  const bool is_old = device_->properties().driver_version.starts_with("CUDA 12");
  const gpu::cuda::Nvrtc nvrtc(is_old ? 12000 : 13000, "");
  const std::string text = std::string(gpu::kernel_source("prelude.cuda")) + kScriptKernels;
  int refused = 0;
  for (const char* const target : {"sm_80", "sm_90"}) {
    const std::vector<std::byte> binary = nvrtc.compile(text, target, {});
    try {
      device_->load(binary);
    } catch (const RuntimeError& error) {
      ++refused;
      const std::string message = error.what();
      EXPECT_NE(message.find("cuModuleLoadData"), std::string::npos) << message;
      EXPECT_NE(message.find("a program for this GPU"), std::string::npos) << message;
    }
  }
  EXPECT_GE(refused, 1);
  expect_well();
}

TEST_F(CudaCard, ErrorsOfTheCompilerCarryItsLog) {
  const std::string message = message_of<RuntimeError>(
      [&] { device_->build("KERNEL void broken(void) { STANDIN_REFUSE = 1; }\n", {}); });
  EXPECT_NE(message.find("nvrtcCompileProgram"), std::string::npos) << message;
  EXPECT_NE(message.find("NVRTC_ERROR_COMPILATION"), std::string::npos) << message;
  EXPECT_NE(message.find("ringlet.cu("), std::string::npos) << message;
  EXPECT_NE(message.find("STANDIN_REFUSE"), std::string::npos) << message;
  const std::string missing = message_of<RuntimeError>([&] { kernel("missing"); });
  EXPECT_NE(missing.find("CUDA_ERROR_NOT_FOUND (500)"), std::string::npos) << missing;
  EXPECT_NE(missing.find("\"missing\""), std::string::npos) << missing;
  expect_well();
}

TEST_F(CudaCard, GridsThatCudaDoesNotHaveAreRefused) {
  const auto queue = device_->make_queue(false);
  const auto nothing = kernel("nothing");
  const auto launch = [&](std::array<std::size_t, 3> groups, std::size_t size) {
    queue->launch(*nothing, {groups, size}, {});
  };
  launch({100000, 1, 1}, 64);
  launch({1, 0xffff, 2}, 1);
  launch({1, 2, 0xffff}, 1);
  EXPECT_THROW(launch({std::size_t{1} << 31, 1, 1}, 1), LogicError);
  EXPECT_THROW(launch({(std::size_t{1} << 32) + 1, 1, 1}, 1), LogicError);
  EXPECT_THROW(launch({1, 0x10000, 1}, 1), LogicError);
  EXPECT_THROW(launch({1, 1, 0x10000}, 1), LogicError);
  EXPECT_THROW(launch({1, 1, 1}, nothing->largest_group() + 1), LogicError);
  for (const std::array<std::size_t, 3> groups : {std::array<std::size_t, 3>{0, 1, 1}, {1, 1, 0}}) {
    const std::string message = message_of<RuntimeError>([&] { launch(groups, 1); });
    EXPECT_NE(message.find("cuLaunchKernel of nothing"), std::string::npos) << message;
    EXPECT_NE(message.find("CUDA_ERROR_INVALID_VALUE (1)"), std::string::npos) << message;
  }
  EXPECT_THROW(launch({1, 1, 1}, 0), RuntimeError);
  queue->finish();
  expect_well();
}

// The second device has no compiler: what it runs is what the disk has.
TEST_F(CudaCard, TheSecondBuildTakesTheProgramFromTheDisk) {
  const Folder folder;
  const Variable cache("RINGLET_CACHE_DIR", folder.path);
  const auto without_compiler = open_with_compiler("/nowhere/libnvrtc.so");
  EXPECT_THROW(gpu::build_module(*without_compiler, kScriptKernels, {}), RuntimeError);
  EXPECT_NE(gpu::build_module(*device_, kScriptKernels, {}), nullptr);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), {}), 1);
  const auto add = gpu::build_module(*without_compiler, kScriptKernels, {})->kernel("add_word");
  const auto buffer = device_->allocate(kWordBytes);
  const auto queue = device_->make_queue(false);
  queue->clear(*buffer, 0, kWordBytes);
  const Argument arguments[] = {*buffer, std::uint64_t{0}, std::uint64_t{9}};
  queue->launch(*add, {{1, 1, 1}, 1}, arguments);
  EXPECT_EQ(download(*queue, *buffer), Words{9});
}

/// Ends the device of the process that runs it.
class CudaLostCard : public CudaCard {
 protected:
  static void expect_lost(const char* name, const std::function<void()>& call) {
    SCOPED_TRACE(name);
    const std::string message = message_of<RuntimeError>(call);
    EXPECT_NE(message.find("is lost"), std::string::npos) << message;
  }
  /// CUDA does not say that calls without work fail as well.
  static void expect_typed_if_any(const std::function<void()>& call) {
    try {
      call();
    } catch (const RuntimeError& error) {
      EXPECT_FALSE(error.remedy().empty());
    }
  }

  void lose_device() {
    const RnsBasis basis = make_device_basis(512);
    auto rng = make_rng();
    auto memory = make_memory();
    auto backend = gpu::make_device_backend(basis, memory);
    const Image image = make_image(basis, first_primes(4), rng);
    auto a = std::make_unique<Placed>(image, memory);
    std::uint64_t* const secret = memory->allocate(512, Secrecy::secret);
    backend->add(a->values(), a->values(), a->values(), first_primes(4));
    memory->synchronize();

    auto queue = device_->make_queue(true);
    auto buffer = device_->allocate(8 * kWordBytes);
    upload(*queue, *buffer, Words(8, 1));
    auto before = queue->record();
    auto lose = device_->build("KERNEL void lose(GLOBAL u64 *target) { *target = 1; }\n", {})
                    ->kernel("lose");
    auto add = kernel("add_word");
    const Argument nowhere[] = {std::uint64_t{8}};
    queue->launch(*lose, {{1, 1, 1}, 1}, nowhere);
    expect_lost("the first wait", [&] { queue->finish(); });

    const Argument arguments[] = {*buffer, std::uint64_t{0}, std::uint64_t{1}};
    expect_lost("finish", [&] { queue->finish(); });
    expect_lost("launch", [&] { queue->launch(*add, {{1, 1, 1}, 1}, arguments); });
    expect_lost("upload", [&] { upload(*queue, *buffer, Words(8, 2)); });
    expect_lost("download", [&] { static_cast<void>(download(*queue, *buffer)); });
    expect_lost("copy", [&] { queue->copy(*buffer, 0, *buffer, 32, 8); });
    expect_lost("clear", [&] { queue->clear(*buffer, 0, 8); });
    expect_lost("allocate", [&] { device_->allocate(8); });
    expect_lost("load", [&] { device_->load(device_->build(kScriptKernels, {})->binary()); });
    expect_typed_if_any([&] { before->wait(); });
    expect_typed_if_any([&] { static_cast<void>(before->is_done()); });
    expect_typed_if_any([&] { queue->wait_for(*queue->record()); });
    expect_typed_if_any([&] { device_->make_queue(false)->flush(); });

    expect_lost("synchronize", [&] { memory->synchronize(); });
    expect_lost("a primitive", [&] {
      backend->multiply(a->values(), a->values(), a->values(), first_primes(4));
      static_cast<void>(a->download());
    });
    memory->release(secret);
    memory->trim();
    memory->close();
    EXPECT_THROW(memory->synchronize(), LogicError);
  }
};

// Everything is destroyed, and the process ends as others do: what it would be in a program's main.
TEST_F(CudaLostCard, IsToldByEveryCallAndTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [this] {
    lose_device();
    device_.reset();
    std::exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
}

TEST(CudaCardOnStandIn, PassesTheSameTests) {
  if (!kMayFork) GTEST_SKIP() << kWhyNotFork;
  const Folder folder;
  fs::copy_file(kStandInCuda, folder.path / "libcuda.so.1");
  fs::copy_file(kStandInNvrtc, folder.path / "libnvrtc.so.13");
  const std::string program = fs::read_symlink("/proc/self/exe");
  EXPECT_EQ(status_of_child([&] {
              const Variable libraries("LD_LIBRARY_PATH", folder.path);
              const Variable device("RINGLET_TEST_DEVICE", "cuda:0");
              for (const char* const name :
                   {"GTEST_OUTPUT", "GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_FILTER"}) {
                ::unsetenv(name);
              }
              return ::execl(program.c_str(), program.c_str(),
                             "--gtest_filter=CudaCard.*:CudaLostCard.*", "--gtest_brief=1",
                             static_cast<char*>(nullptr));
            }),
            0);
}

}  // namespace
}  // namespace ringlet::test
