// SPDX-License-Identifier: Apache-2.0
// Blocks of a device's memory that several Storages share.

#include "gpu/device_registry.hpp"
#include "support/devices/model_device.hpp"
#include "support/threads.hpp"

namespace ringlet::gpu {
namespace {

constexpr StorageShape kShape{2, 3, 8};
constexpr std::size_t kBlockWords = 48;

struct SharedBlocks : ::testing::Test {
  std::vector<Storage> make(std::size_t count, Secrecy secrecy) const {
    std::vector<Storage> storages;
    for (std::size_t i = 0; i < count; ++i) {
      storages.emplace_back(kShape, secrecy);
      const ResidueView words = storages.back().all_for_writing<Form::any>(nullptr);
      std::fill_n(words.data, kBlockWords, i + 1);
    }
    return storages;
  }
  void share(const std::vector<Storage>& storages, std::size_t row_length = 2) const {
    std::vector<const Storage*> pointers;
    for (const Storage& storage : storages) pointers.push_back(&storage);
    Storage::share_blocks(pointers, row_length, memory);
  }
  void claim(std::vector<Storage>& storages) const {
    for (Storage& storage : storages) {
      static_cast<void>(storage.view_for_writing<Form::any>(0, memory));
    }
  }
  test::ModelState& state() const { return device->state(); }

  std::shared_ptr<test::ModelDevice> device = std::make_shared<test::ModelDevice>();
  std::shared_ptr<DeviceMemory> memory =
      std::make_shared<DeviceMemory>("gpu:7", device, DeviceOptions{});
};

TEST_F(SharedBlocks, AreOneGibibyteOrWhatTheDeviceAllocates) {
  const std::uint64_t most = device->properties().largest_allocation_bytes / 8;
  EXPECT_EQ(memory->shared_block_words(), std::min<std::uint64_t>(most, std::uint64_t{1} << 27));
  memory->limit_shared_blocks(5);
  EXPECT_EQ(memory->shared_block_words(), 5u);
}

TEST_F(SharedBlocks, EntriesAreSlicesOfOneBuffer) {
  std::vector<Storage> storages = make(4, Secrecy::open);
  share(storages);
  claim(storages);
  EXPECT_EQ(state().live_buffers, 1);
  const Place first = memory->resolve(storages[0].all<Form::any>(memory).data);
  for (std::size_t i = 0; i < storages.size(); ++i) {
    const Place place = memory->resolve(storages[i].all<Form::any>(memory).data);
    EXPECT_EQ(place.buffer, first.buffer);
    EXPECT_EQ(place.word, first.word + i * kBlockWords);
    EXPECT_EQ(storages[i].host<Form::any>(1).data[5], i + 1);
  }
}

TEST_F(SharedBlocks, SecretOnesAreClearedWhenTheLastStorageGoes) {
  std::vector<Storage> storages = make(4, Secrecy::secret);
  share(storages);
  claim(storages);
  std::swap(storages[1], storages[3]);
  while (storages.size() > 1) {
    storages.pop_back();
    EXPECT_EQ(state().count("clear"), 0u);
  }
  storages.clear();
  EXPECT_EQ(state().count("clear"), 1u);
  memory->trim();
  EXPECT_EQ(state().live_buffers, 0);
  EXPECT_EQ(state().unclean_bytes, 0u);
}

TEST_F(SharedBlocks, WithoutMemoryTheyAreSmallerAndOperandsAreThere) {
  state().limit = std::size_t{3} * 512 * 8;  // of 1920, then of 960 that are left
  std::vector<Storage> storages = make(40, Secrecy::open);
  share(storages);
  EXPECT_EQ(state().live_buffers, 2);
  for (std::size_t i = 0; i < storages.size(); ++i) {
    EXPECT_EQ(storages[i].host<Form::any>(1).data[5], i + 1);
  }
}

TEST_F(SharedBlocks, AClosedDeviceRefuses) {
  std::vector<Storage> storages = make(4, Secrecy::secret);
  share(storages);
  const std::vector<Storage> others = make(2, Secrecy::open);
  memory->close();
  EXPECT_EQ(state().live_buffers, 0);
  EXPECT_EQ(state().unclean_bytes, 0u);
  EXPECT_THROW(share(others), LogicError);
  EXPECT_EQ(storages[1].host<Form::any>(0).data[0], 2u);
}

// A child process has no threads of the driver: a call of the driver would wait forever.
struct ForkedProcess : SharedBlocks {
  void SetUp() override {
    if (!test::kMayFork) GTEST_SKIP() << test::kWhyNotFork;
  }
  /// Returns the number of the first check that fails in a forked child; 0 if all hold.
  static int first_failure_in_child(const std::vector<std::function<bool()>>& checks) {
    return test::status_of_child([&checks] {
      for (std::size_t i = 0; i < checks.size(); ++i) {
        if (!checks[i]()) return static_cast<int>(i + 1);
      }
      return 0;
    });
  }
  static std::function<bool()> refused(const std::function<void()>& call) {
    return [call] {
      try {
        call();
      } catch (const LogicError& error) {
        return error.offending().find("another process") != std::string::npos;
      }
      return false;
    };
  }
};

TEST_F(ForkedProcess, MemoryIsRefusedAndGivesNothingBack) {
  std::vector<Storage> storages = make(4, Secrecy::secret);
  share(storages);
  const std::vector<Storage> others = make(2, Secrecy::open);
  std::uint64_t* const block = memory->allocate(4, Secrecy::secret);
  const std::vector<std::uint64_t> words{1, 2, 3, 4};
  memory->upload(block, words.data(), words.size());
  const std::size_t calls = state().calls().size();
  std::vector<std::uint64_t> found(4);
  EXPECT_EQ(first_failure_in_child({
                refused([&] { memory->allocate(4, Secrecy::open); }),
                refused([&] { memory->upload(block, words.data(), 4); }),
                refused([&] { memory->download(found.data(), block, 4); }),
                refused([&] { memory->copy(block, block + 2, 2); }),
                refused([&] { memory->resolve(block); }),
                refused([&] { memory->synchronize(); }),
                refused([&] { memory->with_queue([](Queue&) {}); }),
                refused([&] { share(others); }),
                [&] { return memory->release(block), memory->trim(), memory->close(), true; },
                [&] { return storages.clear(), memory.reset(), state().calls().size() == calls; },
            }),
            0);
  // The parent goes on.
  memory->download(found.data(), block, found.size());
  EXPECT_EQ(found, words);
  share(others);
  EXPECT_EQ(storages[3].host<Form::any>(1).data[2], 4u);
  memory->release(block);
}

TEST_F(ForkedProcess, OpensWhatWasNotLoadedBefore) {
  const auto make_registry = [] {
    const std::vector<std::shared_ptr<DriverDevice>> devices{std::make_shared<test::ModelDevice>()};
    return DeviceRegistry({{Api::opencl, "libOpenCL.so.1", [devices](std::string&) {
                              return std::make_shared<test::ModelDriver>(Api::opencl, devices);
                            }}});
  };
  const auto open = [](DeviceRegistry& registry) {
    return registry.open({DeviceScope::all, 0}, {});
  };
  DeviceRegistry loaded = make_registry();
  const auto first = open(loaded);
  DeviceRegistry unused = make_registry();
  EXPECT_EQ(first_failure_in_child({
                refused([&] { open(loaded); }),
                [&] { return loaded.list().size() == 2; },
                [&] { return open(unused) != nullptr; },
            }),
            0);
  EXPECT_EQ(open(loaded), first);
}

}  // namespace
}  // namespace ringlet::gpu
