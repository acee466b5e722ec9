// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/device_memory.hpp"

#include "gpu/memory/block_pool.hpp"
#include "support/devices/model_device.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"
#include "support/values.hpp"

namespace ringlet::gpu {
namespace {

using test::counted;
using test::expect_error_below;
using test::ModelDevice;
using test::Words;

constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();

struct Fixture {
  explicit Fixture(const DeviceOptions& options = {})
      : memory(std::make_shared<DeviceMemory>("gpu:7", device, options)) {}
  test::ModelState& state() const { return device->state(); }

  std::shared_ptr<ModelDevice> device = std::make_shared<ModelDevice>();
  std::shared_ptr<DeviceMemory> memory;
};

Words download(DeviceMemory& memory, const std::uint64_t* source, std::size_t count) {
  Words words(count);
  memory.download(words.data(), source, count);
  return words;
}

TEST(SizeClass, WastesLittleAndIsCoarse) {
  EXPECT_EQ(size_class(1), 512u);
  EXPECT_EQ(size_class(512), 512u);
  EXPECT_EQ(size_class(513), 544u);
  EXPECT_EQ(size_class(1024), 1024u);
  EXPECT_EQ(size_class(1025), 1024u + 64);
  std::size_t classes = 0;
  std::size_t last = 0;
  for (std::size_t words = 1; words <= 1 << 16; ++words) {
    const std::size_t capacity = size_class(words);
    ASSERT_GE(capacity, words);
    ASSERT_GE(capacity, last);
    ASSERT_EQ(size_class(capacity), capacity);
    if (words >= 512) {
      ASSERT_LE(capacity - words, words / 16) << words;
    }
    classes += capacity != last ? 1 : 0;
    last = capacity;
  }
  EXPECT_EQ(classes, 1u + 7 * 16);
}

TEST(DeviceMemory, WordsTravel) {
  const Fixture f;
  DeviceMemory& memory = *f.memory;
  std::uint64_t* const a = memory.allocate(1000, Secrecy::open);
  std::uint64_t* const b = memory.allocate(3, Secrecy::open);
  const Words words = counted(1000, 5);
  memory.upload(a, words.data(), 1000);
  EXPECT_EQ(download(memory, a, 1000), words);
  memory.copy(b, a + 997, 3);
  EXPECT_EQ(download(memory, b, 3), counted(3, 1002));
  memory.copy(a + 10, b, 2);
  memory.upload(a + 999, words.data(), 1);
  EXPECT_EQ(download(memory, a + 9, 4), (Words{14, 1002, 1003, 17}));
  EXPECT_EQ(download(memory, a + 999, 1), Words{5});
  memory.upload(a, nullptr, 0);
  memory.release(a);
  memory.release(b);
}

TEST(DeviceMemory, AddressesNameTheirBlockAndNothingElse) {
  const Fixture f;
  std::vector<std::uint64_t*> blocks;
  for (const std::size_t words : {1, 512, 513, 5000, 512}) {
    blocks.push_back(f.memory->allocate(words, Secrecy::open));
  }
  std::vector<const Buffer*> buffers;
  for (std::uint64_t* block : blocks) {
    const Place start = f.memory->resolve(block);
    EXPECT_EQ(start.word, 0u);
    EXPECT_EQ(f.memory->resolve(block + 1).word, 1u);
    EXPECT_EQ(f.memory->resolve(block + 1).buffer, start.buffer);
    EXPECT_EQ(std::count(buffers.begin(), buffers.end(), start.buffer.get()), 0);
    buffers.push_back(start.buffer.get());
  }
  EXPECT_EQ(f.memory->resolve(blocks[3] + 4999).word, 4999u);
  EXPECT_EQ(f.memory->resolve(blocks[3] + 5000).word, 5000u);

  const Fixture other;
  std::uint64_t* const foreign = other.memory->allocate(10, Secrecy::open);
  const std::uint64_t on_host = 0;
  const std::uint64_t* const wrong[] = {nullptr,       &on_host,         foreign,
                                        blocks[0] - 1, blocks[3] + 5001, blocks[1] + 512 + 1};
  for (const std::uint64_t* address : wrong) {
    expect_error_below<LogicError>({"gpu:7", "host memory", "another device"},
                                   [&] { f.memory->resolve(address); });
  }
  f.memory->release(blocks[3]);
  EXPECT_THROW(f.memory->resolve(blocks[3]), LogicError);
  EXPECT_THROW(f.memory->upload(blocks[3], &on_host, 1), LogicError);
}

// The system's kernel follows the addresses: it returns an error; the process would be stopped.
TEST(DeviceMemory, AddressesCannotBeFollowed) {
  const Fixture f;
  std::uint64_t* const block = f.memory->allocate(4, Secrecy::open);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::uint64_t on_host = 1;
  EXPECT_EQ(::write(ends[1], &on_host, sizeof(on_host)), ssize_t{sizeof(on_host)});
  EXPECT_EQ(::read(ends[0], block, sizeof(on_host)), -1);
  EXPECT_EQ(errno, EFAULT);
  EXPECT_EQ(::write(ends[1], block, sizeof(on_host)), -1);
  EXPECT_EQ(errno, EFAULT);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(DeviceMemory, TransfersStayWithinABlock) {
  const Fixture f;
  std::uint64_t* const block = f.memory->allocate(600, Secrecy::open);
  Words words(601);
  expect_error_below<LogicError>({"601", "600"},
                                 [&] { f.memory->upload(block, words.data(), 601); });
  EXPECT_THROW(f.memory->download(words.data(), block + 600, 1), LogicError);
  EXPECT_THROW(f.memory->copy(block, block + 599, 2), LogicError);
  EXPECT_THROW(f.memory->copy(block + 599, block, 2), LogicError);
  EXPECT_THROW(f.memory->copy(block + 1, block, kMax), LogicError);
  EXPECT_TRUE(f.state().calls().empty());
}

TEST(DeviceMemory, ReusesReleasedBlocks) {
  const Fixture f;
  std::uint64_t* const a = f.memory->allocate(1000, Secrecy::open);
  f.memory->release(a);
  EXPECT_EQ(f.memory->allocate(1001, Secrecy::open), a);
  std::uint64_t* const b = f.memory->allocate(1000, Secrecy::open);
  std::uint64_t* const c = f.memory->allocate(4000, Secrecy::open);
  EXPECT_EQ(f.state().requests.size(), 3u);
  const std::size_t small = size_class(1000) * 8;
  const std::size_t large = size_class(4000) * 8;
  MemoryStatistics statistics = f.memory->statistics();
  EXPECT_EQ(statistics.in_use, 2 * small + large);
  EXPECT_EQ(statistics.cached, 0u);
  EXPECT_EQ(statistics.peak, 2 * small + large);
  EXPECT_EQ(statistics.allocation_count, 3u);
  EXPECT_EQ(statistics.reuse_count, 1u);

  for (std::uint64_t* block : {a, b, c}) f.memory->release(block);
  statistics = f.memory->statistics();
  EXPECT_EQ(statistics.in_use, 0u);
  EXPECT_EQ(statistics.cached, 2 * small + large);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::uint64_t*> blocks;
    for (int i = 0; i < 2; ++i) blocks.push_back(f.memory->allocate(1000, Secrecy::open));
    blocks.push_back(f.memory->allocate(4000, Secrecy::open));
    for (std::uint64_t* block : blocks) f.memory->release(block);
  }
  EXPECT_EQ(f.state().requests.size(), 3u);
  EXPECT_EQ(f.memory->statistics().reuse_count, 10u);

  f.memory->trim();
  EXPECT_EQ(f.state().live_buffers, 0);
  EXPECT_EQ(f.memory->statistics().cached, 0u);
  EXPECT_EQ(f.memory->statistics().peak, 2 * small + large);
  EXPECT_NE(f.memory->allocate(1000, Secrecy::open), nullptr);
  EXPECT_EQ(f.state().requests.size(), 4u);
}

TEST(DeviceMemory, KeepsNothingWithoutTheCache) {
  const Fixture f({.use_memory_cache = false});
  for (int i = 0; i < 3; ++i) f.memory->release(f.memory->allocate(1000, Secrecy::open));
  EXPECT_EQ(f.state().requests, (std::vector<std::size_t>(3, 8000)));
  EXPECT_EQ(f.state().live_buffers, 0);
  EXPECT_EQ(f.memory->statistics().cached, 0u);
  EXPECT_EQ(f.memory->statistics().peak, 8000u);
}

TEST(DeviceMemory, ReleaseTakesAnything) {
  const Fixture f;
  std::uint64_t* const block = f.memory->allocate(10, Secrecy::open);
  std::uint64_t on_host = 0;
  for (std::uint64_t* address : {static_cast<std::uint64_t*>(nullptr), &on_host, block + 1}) {
    f.memory->release(address);
  }
  EXPECT_EQ(f.memory->statistics().cached, 0u);
  f.memory->release(block);
  f.memory->release(block);
  EXPECT_EQ(f.memory->statistics().cached, size_class(10) * 8);
  EXPECT_EQ(f.memory->allocate(10, Secrecy::open), block);
  EXPECT_NE(f.memory->allocate(10, Secrecy::open), block);
}

TEST(DeviceMemory, ClearsSecretsBeforeAnybodyElseHasThem) {
  for (const bool use_cache : {true, false}) {
    const Fixture f({.use_memory_cache = use_cache});
    std::uint64_t* const secret = f.memory->allocate(1000, Secrecy::secret);
    f.memory->upload(secret, counted(1000, 1).data(), 1000);
    f.memory->release(secret);
    f.memory->trim();
    EXPECT_EQ(f.state().live_buffers, 0);
    EXPECT_EQ(f.state().unclean_bytes, 0u);
    EXPECT_EQ(f.state().count("clear"), 1u);

    f.memory->release(f.memory->allocate(1000, Secrecy::open));
    f.memory->trim();
    EXPECT_NE(f.state().unclean_bytes, 0u);  // the fake sees bytes that were not cleared
    EXPECT_EQ(f.state().count("clear"), 1u);
  }
  // A block is as secret as its last request.
  const Fixture f;
  std::uint64_t* const block = f.memory->allocate(1000, Secrecy::open);
  f.memory->release(block);
  ASSERT_EQ(f.memory->allocate(1000, Secrecy::secret), block);
  f.memory->upload(block, counted(1000, 1).data(), 1000);
  f.memory->release(block);
  ASSERT_EQ(f.memory->allocate(1000, Secrecy::open), block);
  EXPECT_EQ(download(*f.memory, block, 1000), Words(1000, 0));
}

TEST(DeviceMemory, DoesNotKeepWhatItCannotClear) {
  const Fixture f;
  std::uint64_t* const secret = f.memory->allocate(1000, Secrecy::secret);
  f.state().fail("queue");
  f.memory->release(secret);
  f.state().fail("", 0);
  EXPECT_EQ(f.state().live_buffers, 0);
  EXPECT_EQ(f.memory->statistics().in_use, 0u);
  EXPECT_EQ(f.memory->statistics().cached, 0u);
}

TEST(DeviceMemory, GivesTheCacheBackBeforeItFails) {
  const Fixture f;
  const std::size_t block = size_class(1000) * 8;
  f.state().limit = 3 * block;
  std::vector<std::uint64_t*> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back(f.memory->allocate(1000, Secrecy::open));
  f.memory->release(blocks[1]);
  f.memory->release(blocks[2]);
  // The driver gets the memory of released buffers only when the work on them is done.
  std::uint64_t* const larger = f.memory->allocate(1500, Secrecy::open);
  EXPECT_EQ(f.state().calls(), std::vector<std::string>{"finish"});
  EXPECT_EQ(f.memory->statistics().cached, 0u);
  EXPECT_EQ(f.memory->statistics().allocation_count, 5u);

  const MemoryStatistics before = f.memory->statistics();
  expect_error_below<OutOfDeviceMemory>(
      {"gpu:7", std::to_string(size_class(5000) * 8), std::to_string(before.in_use),
       "the driver's words", std::to_string(std::uint64_t{1} << 40),
       std::to_string(std::uint64_t{1} << 38), "smaller batches"},
      [&] { f.memory->allocate(5000, Secrecy::open); });
  EXPECT_EQ(f.memory->statistics().in_use, before.in_use);

  f.memory->upload(larger, counted(1500, 3).data(), 1500);
  EXPECT_EQ(download(*f.memory, larger, 1500), counted(1500, 3));
}

TEST(DeviceMemory, TakesDriversThatFindMemoryLate) {
  const Fixture f;
  std::uint64_t* const block = f.memory->allocate(10, Secrecy::open);
  const Words words = counted(10, 1);
  f.memory->release(f.memory->allocate(1000, Secrecy::open));
  f.state().finds_no_memory = true;
  f.state().fail("upload", 1);
  f.memory->upload(block, words.data(), 10);
  EXPECT_EQ(f.memory->statistics().cached, 0u);
  EXPECT_EQ(download(*f.memory, block, 10), words);
  f.state().fail("copy", 2);
  expect_error_below<OutOfDeviceMemory>({"40 bytes", "no memory"},
                                        [&] { f.memory->copy(block, block + 5, 5); });
  EXPECT_EQ(download(*f.memory, block, 10), words);
}

TEST(DeviceMemory, RefusesSizesThatNobodyHas) {
  const Fixture f;
  EXPECT_THROW(f.memory->allocate(0, Secrecy::open), InvalidArgument);
  const std::size_t all = std::size_t{1} << 37;  // words of 2^40 bytes
  for (const std::size_t words : {kMax, kMax / 2, kMax / 8, kMax / 16 + 1, kMax / 17, all + 1}) {
    expect_error_below<OutOfDeviceMemory>({"gpu:7"},
                                          [&] { f.memory->allocate(words, Secrecy::open); });
  }
  EXPECT_TRUE(f.state().requests.empty());
  EXPECT_EQ(f.memory->statistics().in_use, 0u);
  f.state().limit = 0;
  EXPECT_THROW(f.memory->allocate(all, Secrecy::open), OutOfDeviceMemory);
  EXPECT_FALSE(f.state().requests.empty());
}

TEST(AddressRange, RefusesMoreThanThereIs) {
  for (const std::size_t words : {kMax, kMax / 8, kMax / 16, kMax / 1000}) {
    EXPECT_THROW(AddressRange{words}, RuntimeError);
  }
}

TEST(DeviceMemory, DoesNotRoundAboveTheLargestBlock) {
  const auto device = std::make_shared<ModelDevice>();
  device->properties_to_change().largest_allocation_bytes = 8 * 1030;
  DeviceMemory memory("gpu:0", device, {});
  memory.release(memory.allocate(1029, Secrecy::open));
  memory.release(memory.allocate(1030, Secrecy::open));
  EXPECT_EQ(device->state().requests, std::vector<std::size_t>{8 * 1030});
  memory.allocate(1031, Secrecy::open);
  EXPECT_EQ(device->state().requests.back(), size_class(1031) * 8);
}

TEST(DeviceMemory, FailuresOfTheDeviceAreErrors) {
  const Fixture f;
  std::uint64_t* const block = f.memory->allocate(10, Secrecy::open);
  Words words = counted(10, 1);
  f.memory->upload(block, words.data(), 10);
  f.state().fail("queue");
  EXPECT_THROW(f.memory->upload(block, words.data(), 10), RuntimeError);
  EXPECT_THROW(f.memory->copy(block, block + 5, 5), RuntimeError);
  EXPECT_THROW(f.memory->download(words.data(), block, 10), RuntimeError);
  EXPECT_THROW(f.memory->synchronize(), RuntimeError);
  EXPECT_EQ(words, counted(10, 1));
  f.state().fail("allocate");
  EXPECT_THROW(f.memory->allocate(10, Secrecy::open), RuntimeError);
  f.state().fail("", 0);
  EXPECT_EQ(download(*f.memory, block, 10), counted(10, 1));
  f.state().fail("make_queue");
  EXPECT_THROW(DeviceMemory("gpu:1", f.device, {}), RuntimeError);
}

TEST(DeviceMemory, AClosedDeviceRefusesAllButRelease) {
  const Fixture f;
  std::uint64_t* const open = f.memory->allocate(10, Secrecy::open);
  std::uint64_t* const secret = f.memory->allocate(1000, Secrecy::secret);
  f.memory->upload(secret, counted(1000, 1).data(), 1000);
  f.memory->release(f.memory->allocate(100, Secrecy::open));
  const Place kept = f.memory->resolve(secret);
  f.memory->close();
  EXPECT_EQ(f.state().live_buffers, 1);
  EXPECT_EQ(f.state().calls(), (std::vector<std::string>{"upload", "clear", "finish"}));
  EXPECT_EQ(f.memory->statistics().in_use, 0u);
  EXPECT_EQ(f.memory->statistics().cached, 0u);

  Words words(10);
  expect_error_below<LogicError>({"closed"}, [&] { f.memory->allocate(10, Secrecy::open); });
  EXPECT_THROW(f.memory->upload(open, words.data(), 10), LogicError);
  EXPECT_THROW(f.memory->upload(open, words.data(), 0), LogicError);
  EXPECT_THROW(f.memory->download(words.data(), open, 10), LogicError);
  EXPECT_THROW(f.memory->copy(open, open + 5, 5), LogicError);
  EXPECT_THROW(f.memory->resolve(open), LogicError);
  EXPECT_THROW(f.memory->synchronize(), LogicError);
  EXPECT_THROW(f.memory->with_queue([](Queue&) {}), LogicError);
  f.memory->release(open);
  f.memory->release(secret);
  f.memory->trim();
  f.memory->close();
  EXPECT_EQ(f.memory->name(), "gpu:7");
}

TEST(DeviceMemory, ClosesWhileSomebodyAllocates) {
  const Fixture f;
  f.state().during_allocate = [&f] { f.memory->close(); };
  EXPECT_THROW(f.memory->allocate(10, Secrecy::open), LogicError);
  EXPECT_EQ(f.state().live_buffers, 0);
  EXPECT_EQ(f.memory->statistics().in_use, 0u);
}

TEST(DeviceMemory, ClosesADeviceThatHasFailed) {
  const Fixture f;
  std::uint64_t* const secret = f.memory->allocate(10, Secrecy::secret);
  f.state().fail("queue");
  f.memory->close();
  EXPECT_EQ(f.state().live_buffers, 0);
  f.memory->release(secret);
}

TEST(DeviceMemory, StorageOutlivesIt) {
  Storage storage({1, 2, 8}, Secrecy::secret);
  Storage on_device({1, 2, 8});
  {
    Fixture f;
    static_cast<void>(storage.view<Form::ntt>(0, f.memory));
    static_cast<void>(on_device.view_for_writing<Form::ntt>(0, f.memory));
    f.memory->close();
  }
  EXPECT_EQ(storage.host<Form::ntt>(0).limb(1)[7], 0u);
  EXPECT_THROW(static_cast<void>(on_device.host<Form::ntt>(0)), LogicError);
  EXPECT_THROW(static_cast<void>(Storage(on_device)), LogicError);
  const Fixture anew;
  static_cast<void>(storage.view_for_writing<Form::ntt>(0, anew.memory));
  EXPECT_EQ(storage.device_memory(), anew.memory);
}

TEST(DeviceMemory, WorkOnTheQueueMayUseTheMemory) {
  const Fixture f;
  const std::uint64_t first = f.memory->with_queue([&f](Queue&) {
    std::uint64_t* const block = f.memory->allocate(10, Secrecy::secret);
    f.memory->upload(block, counted(10, 42).data(), 10);
    const std::uint64_t word = download(*f.memory, block, 1)[0];
    f.memory->release(block);
    return word;
  });
  EXPECT_EQ(first, 42u);
}

TEST(DeviceMemory, SurvivesThreads) {
  for (const bool use_cache : {true, false}) {
    const Fixture f({.use_memory_cache = use_cache});
    test::in_threads([&f](std::size_t thread) {
      std::vector<std::pair<std::uint64_t*, Words>> blocks;
      for (std::size_t i = 0; i < 60; ++i) {
        const std::size_t count = 1 + (thread * 7 + i * 13) % 40 * 50;
        const Words words = counted(count, thread * 1000000 + i * 10000);
        std::uint64_t* const block =
            f.memory->allocate(count, i % 3 == 0 ? Secrecy::secret : Secrecy::open);
        f.memory->upload(block, words.data(), count);
        blocks.emplace_back(block, words);
        EXPECT_EQ(f.memory->resolve(block + count - 1).word, count - 1);
        if (i % 5 == 0) f.memory->trim();
        if (i % 4 != 3) continue;
        const auto [old, expected] = blocks[i % blocks.size()];
        EXPECT_EQ(download(*f.memory, old, expected.size()), expected);
        f.memory->release(old);
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i % blocks.size()));
      }
      for (const auto& [block, words] : blocks) {
        EXPECT_EQ(download(*f.memory, block, words.size()), words);
        f.memory->release(block);
      }
    });
    EXPECT_EQ(f.memory->statistics().in_use, 0u);
    EXPECT_EQ(f.state().queues_used_at_once, 0);
    f.memory->trim();
    EXPECT_EQ(f.state().live_buffers, 0);
  }
}

TEST(DeviceMemory, ClosesUnderThreads) {
  const Fixture f;
  test::in_threads([&f](std::size_t thread) {
    const Words words = counted(100, 0);
    for (std::size_t i = 0; i < 200; ++i) {
      std::uint64_t* block = nullptr;
      try {
        if (thread == 0 && i == 100) f.memory->close();
        block = f.memory->allocate(100, i % 2 == 0 ? Secrecy::secret : Secrecy::open);
        f.memory->upload(block, words.data(), words.size());
        EXPECT_EQ(download(*f.memory, block, 100), words);
      } catch (const LogicError&) {
      }
      f.memory->release(block);
    }
  });
  EXPECT_THROW(f.memory->synchronize(), LogicError);
  EXPECT_EQ(f.state().live_buffers, 0);
  EXPECT_EQ(f.state().queues_used_at_once, 0);
}

}  // namespace
}  // namespace ringlet::gpu
