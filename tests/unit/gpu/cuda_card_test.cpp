// SPDX-License-Identifier: Apache-2.0
// Tests of a real card, driver and compiler of CUDA, above all of their failures. The same tests
// run on the stand-ins, so that they are correct before they meet a card.
#include "gpu/cuda/module.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "gpu/programs/kernel_sources.hpp"
#include "gpu_standin/driver_script.hpp"
#include "gpu_standin/paths.hpp"
#include "support/devices/device_backend_pair.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

namespace fs = std::filesystem;
using gpu::Argument;

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

/// Tests on the device of CUDA that RINGLET_TEST_DEVICE names.
struct CudaCard : DeviceBackendTest {
  void SetUp() override {
    if (test_device_place().scope != gpu::DeviceScope::cuda) {
      GTEST_SKIP() << "RINGLET_TEST_DEVICE names no device of CUDA";
    }
    teach_stand_in();
    DeviceBackendTest::SetUp();
  }
  /// If the loader finds the stand-in, registers its kernels and sets memory that this machine has.
  static void teach_stand_in() {
    constexpr const char* kName = "libcuda.so.1";
    void* const library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr || dlsym(library, "standin_control") == nullptr) return;
    static const auto* const stand_in = new StandIn(kName);
    (*stand_in)->set("memory_bytes", std::int64_t{1} << 26);
    teach_kernels(*stand_in->operator->());
  }
  std::shared_ptr<gpu::Kernel> kernel(const std::string& name) const {
    return device_->build(kScriptKernels, {})->kernel(name);
  }
  /// Expects that the device computes and keeps words.
  void expect_well() const {
    const auto queue = device_->make_queue(false);
    const auto buffer = device_->allocate(2 * kWordBytes);
    upload(*queue, *buffer, {3, 4});
    const Argument arguments[] = {*buffer, std::uint64_t{1}, std::uint64_t{38}};
    queue->launch(*kernel("add_word"), {{2, 1, 1}, 32}, arguments);
    EXPECT_EQ(download(*queue, *buffer), (Words{3, 42}));
  }
};

TEST_F(CudaCard, CachedBlocksAreGivenBackWhenMemoryIsUsedUp) {
  const auto memory = make_memory();
  const std::size_t part = device_->properties().memory_bytes / 8 / kWordBytes;
  std::vector<std::uint64_t*> blocks;
  expect_error_below<OutOfDeviceMemory>({"CUDA_ERROR_OUT_OF_MEMORY"}, [&] {
    while (blocks.size() <= 8) blocks.push_back(memory->allocate(part, Secrecy::open));
  });
  ASSERT_GE(blocks.size(), 2u) << "somebody else uses the memory of this device";
  for (std::uint64_t* const block : blocks) memory->release(block);
  ASSERT_GE(memory->statistics().cached, blocks.size() * part * kWordBytes);
  const std::size_t most = blocks.size() * part;
  std::uint64_t* const all = memory->allocate(most, Secrecy::open);
  EXPECT_EQ(memory->statistics().cached, 0u);
  auto rng = make_rng();
  const Words words = random_values(1000, ~std::uint64_t{0}, rng);
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
  for (const std::size_t size : {binary.size() / 2, binary.size() - 1}) {
    EXPECT_THROW(device_->load(std::span(binary).first(size)), RuntimeError);
  }
  // Only the driver can tell that a text is no PTX.
  constexpr std::string_view kText("// neither a program nor a version\n\0", 36);
  expect_error_below<RuntimeError>({"cuModuleLoadData", "CUDA_ERROR_"},
                                   [&] { device_->load(std::as_bytes(std::span(kText))); });
  expect_well();
}

// Machine code of a major version runs at most on GPUs of that version.
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
    expect_error_below<RuntimeError>({"cuLaunchKernel of nothing", "CUDA_ERROR_INVALID_VALUE (1)"},
                                     [&] { launch(groups, 1); });
  }
  EXPECT_THROW(launch({1, 1, 1}, 0), RuntimeError);
  queue->finish();
  expect_well();
}

/// Loses the device of the process that runs the test.
struct CudaLostCard : CudaCard {
  /// Allows `call` to fail with a RuntimeError: CUDA does not state that calls without work fail.
  static void expect_typed_if_any(const std::function<void()>& call) {
    try {
      call();
    } catch (const RuntimeError& error) {
      EXPECT_FALSE(error.remedy().empty());
    }
  }

  void lose_device() {
    const Indices primes = first_primes(4);
    const RnsBasis basis = make_device_basis(512);
    auto rng = make_rng();
    auto memory = make_memory();
    auto backend = gpu::make_device_backend(basis, memory);
    auto a = std::make_unique<Placed>(make_image(basis, primes, rng), memory);
    std::uint64_t* const secret = memory->allocate(512, Secrecy::secret);
    backend->add(a->values(), a->values(), a->values(), primes);
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

    const Argument arguments[] = {*buffer, std::uint64_t{0}, std::uint64_t{1}};
    const std::vector<std::function<void()>> calls{
        [&] { queue->finish(); },
        [&] { queue->finish(); },
        [&] { queue->launch(*add, {{1, 1, 1}, 1}, arguments); },
        [&] { upload(*queue, *buffer, Words(8, 2)); },
        [&] { download(*queue, *buffer); },
        [&] { queue->copy(*buffer, 0, *buffer, 32, 8); },
        [&] { queue->clear(*buffer, 0, 8); },
        [&] { device_->allocate(8); },
        [&] { device_->load(device_->build(kScriptKernels, {})->binary()); },
        [&] { memory->synchronize(); },
        [&] {
          backend->multiply(a->values(), a->values(), a->values(), primes);
          a->download();
        },
    };
    for (std::size_t i = 0; i < calls.size(); ++i) {
      SCOPED_TRACE(i);
      expect_error_below<RuntimeError>({"is lost"}, calls[i]);
    }
    expect_typed_if_any([&] { before->wait(); });
    expect_typed_if_any([&] { before->is_done(); });
    expect_typed_if_any([&] { queue->wait_for(*queue->record()); });
    expect_typed_if_any([&] { device_->make_queue(false)->flush(); });
    memory->release(secret);
    memory->trim();
    memory->close();
    EXPECT_THROW(memory->synchronize(), LogicError);
  }
};

// Everything is destroyed, and the process ends normally, as a program's main would.
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
