// SPDX-License-Identifier: Apache-2.0
// What primitives of a device refuse, and what that leaves; what they ask of the driver.

#include "gpu/backend/device_constants.hpp"
#include "support/devices/device_primitives.hpp"
#include "support/devices/watched_device.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

class DeviceFaultsTest : public DeviceBackendTest {
 protected:
  static constexpr std::size_t kDegree = 512;

  void SetUp() override {
    DeviceBackendTest::SetUp();
    if (device_ == nullptr) return;
    watched_ = std::make_shared<WatchedDevice>(device_);
    memory_ = std::make_shared<gpu::DeviceMemory>("gpu:0", watched_, DeviceOptions{});
    backend_ = gpu::make_device_backend(basis_, memory_);
    key_words_ = std::make_unique<Image>(
        make_image(basis_, first_primes(basis_.size()), rng_, Fill::scattered));
    images_ = make_primitive_images(basis_, rng_);
  }
  PlacedImages place(const std::shared_ptr<Memory>& memory) const {
    return test::place(images_, memory);
  }
  void expect_unchanged(const PlacedImages& placed) const {
    for (std::size_t i = 0; i < placed.size(); ++i) {
      EXPECT_EQ(placed[i]->download(), images_[i].words) << "image " << i;
    }
  }
  std::vector<Primitive> calls() const {
    return primitives(basis_, prepare_primitive_key(*backend_, *key_words_));
  }

  RnsBasis basis_ = make_device_basis(kDegree);
  std::mt19937_64 rng_ = make_rng();
  std::shared_ptr<WatchedDevice> watched_;
  std::shared_ptr<gpu::DeviceMemory> memory_;
  std::shared_ptr<const Backend> backend_;
  std::unique_ptr<Image> key_words_;
  std::vector<Image> images_;
};

TEST_F(DeviceFaultsTest, WordsOfTheHostAreRefused) {
  const PlacedImages on_host = place(nullptr);
  for (const Primitive& call : calls()) {
    EXPECT_THROW(call(*backend_, on_host), LogicError) << call.name;
  }
  expect_unchanged(on_host);
}

TEST_F(DeviceFaultsTest, WordsOfAnotherDeviceAreRefused) {
  const auto other = make_memory();
  const PlacedImages elsewhere = place(other);
  for (const Primitive& call : calls()) {
    EXPECT_THROW(call(*backend_, elsewhere), LogicError) << call.name;
  }
  expect_unchanged(elsewhere);
  // A key in another memory, too.
  const auto other_backend = gpu::make_device_backend(basis_, other);
  const PlacedImages placed = place(memory_);
  const auto foreign =
      primitives(basis_, prepare_primitive_key(*other_backend, *key_words_)).back();
  EXPECT_THROW(foreign(*backend_, placed), LogicError);
  expect_unchanged(placed);
}

TEST_F(DeviceFaultsTest, AClosedDeviceRefusesEverything) {
  const std::vector<Primitive> all = calls();
  const PlacedImages placed = place(memory_);
  memory_->close();
  for (const Primitive& call : all) {
    EXPECT_THROW(call(*backend_, placed), LogicError) << call.name;
  }
  EXPECT_THROW(static_cast<void>(prepare_primitive_key(*backend_, *key_words_)), LogicError);
}

// However far a primitive gets with its allocations, nothing was changed when one of them fails.
TEST_F(DeviceFaultsTest, WithoutMemoryNothingIsChanged) {
  const auto key = prepare_primitive_key(*backend_, *key_words_);
  const PlacedImages placed = place(memory_);
  const PlacedImages expected = place(nullptr);
  const auto cpu = make_cpu_backend(basis_);
  const auto cpu_calls = primitives(basis_, prepare_primitive_key(*cpu, *key_words_));
  const auto device_calls = primitives(basis_, key);
  for (std::size_t i = 0; i < device_calls.size(); ++i) {
    SCOPED_TRACE(device_calls[i].name);
    // Constants of its own for every call: none are there from the one before.
    const auto backend = gpu::make_device_backend(basis_, memory_);
    int failures = 0;
    for (int left = 0;; ++left) {
      memory_->trim();
      watched_->watch().allocations_left = left;
      try {
        device_calls[i](*backend, placed);
        break;
      } catch (const OutOfDeviceMemory& error) {
        EXPECT_FALSE(error.remedy().empty());
        ++failures;
      }
      ASSERT_LT(left, 20);
      watched_->watch().allocations_left = 1 << 20;
      for (std::size_t k = 0; k < placed.size(); ++k) {
        ASSERT_EQ(placed[k]->download(), expected[k]->download()) << "image " << k;
      }
    }
    watched_->watch().allocations_left = 1 << 20;
    const std::string& name = device_calls[i].name;
    EXPECT_EQ(failures > 0, name != "copy" && !name.starts_with("automorphism of values"));
    cpu_calls[i](*cpu, expected);
    for (std::size_t k = 0; k < placed.size(); ++k) {
      ASSERT_EQ(placed[k]->download(), expected[k]->download()) << "image " << k;
    }
  }
}

TEST_F(DeviceFaultsTest, AKeyThatDoesNotFitIsRefused) {
  memory_->trim();
  watched_->watch().allocations_left = 0;
  EXPECT_THROW(static_cast<void>(prepare_primitive_key(*backend_, *key_words_)), OutOfDeviceMemory);
  watched_->watch().allocations_left = 1 << 20;
  const auto all = calls();
  const PlacedImages placed = place(memory_);
  all.back()(*backend_, placed);
}

TEST_F(DeviceFaultsTest, NoPrimitiveWaitsAndAWarmOneUploadsAndAllocatesNothing) {
  const std::vector<Primitive> all = calls();
  const PlacedImages placed = place(memory_);
  for (const Primitive& call : all) {
    SCOPED_TRACE(call.name);
    DeviceWatch& watch = watched_->watch();
    watch.waits = 0;
    call(*backend_, placed);
    EXPECT_EQ(watch.waits, 0);
    watch.launches = 0;
    watch.uploads = 0;
    watch.allocations = 0;
    for (int i = 0; i < 3; ++i) call(*backend_, placed);
    EXPECT_EQ(watch.waits, 0);
    EXPECT_EQ(watch.uploads, 0);
    EXPECT_EQ(watch.allocations, 0);
    EXPECT_GE(watch.launches, 3);
    EXPECT_LE(watch.launches, 3 * 10);
  }
}

// The words of a division in between are secret: the block that is used next is zero.
TEST_F(DeviceFaultsTest, ScratchMemoryIsWiped) {
  const PlacedImages placed = place(memory_);
  for (const Primitive& call : calls()) {
    if (call.name.find("of values") == std::string::npos || call.name[0] != 'd') continue;
    SCOPED_TRACE(call.name);
    call(*backend_, placed);
    const std::size_t words = kPrimitivePrimes.size() * kDegree;
    const std::uint64_t reused = memory_->statistics().reuse_count;
    std::uint64_t* const block = memory_->allocate(words, Secrecy::open);
    ASSERT_EQ(memory_->statistics().reuse_count, reused + 1);
    Words left(words, 1);
    memory_->download(left.data(), block, words);
    memory_->release(block);
    EXPECT_EQ(left, Words(words, 0));
  }
}

TEST_F(DeviceFaultsTest, ManyThreadsMayShareOneBackend) {
  const std::vector<Primitive> all = calls();
  const auto work = [&] {
    std::vector<Words> results;
    const PlacedImages placed = place(memory_);
    for (const Primitive& call : all) {
      call(*backend_, placed);
      results.push_back(placed[0]->download());
    }
    return results;
  };
  const auto expected = work();
  std::vector<std::vector<Words>> results(kThreads);
  in_threads([&](std::size_t thread) { results[thread] = work(); });
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TEST_F(DeviceFaultsTest, ItsNamesAreThoseOfTheDeviceAndTheTransform) {
  EXPECT_EQ(backend_->name(), "gpu:0");
  EXPECT_EQ(backend_->memory(), memory_);
  const std::vector<std::string> names = backend_->kernel_names();
  ASSERT_EQ(names.size(), basis_.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int bits = basis_[i].bit_count();
    const std::string path = bits <= 30 ? "narrow" : bits <= 57 ? "lazy" : "exact";
    EXPECT_EQ(names[i], "gpu:0/radix8/" + path);
  }
}

class ConstantCacheTest : public DeviceBackendTest {
 protected:
  static Words words_of(gpu::DeviceMemory& memory, const gpu::ConstantCache::Block& block,
                        std::size_t count) {
    Words words(count);
    memory.download(words.data(), block->words(), count);
    return words;
  }
};

TEST_F(ConstantCacheTest, MakesAListOnceAndKeepsThoseThatWereUsedLast) {
  const auto memory = make_memory();
  gpu::ConstantCache cache(memory);
  constexpr std::size_t kMost = gpu::ConstantCache::kMostLists;
  std::size_t made = 0;
  const auto get = [&](std::uint64_t i) {
    return cache.get({1, i}, [&] {
      ++made;
      return Words{i, i + 1};
    });
  };
  const auto first = get(0);
  EXPECT_EQ(get(0), first);
  EXPECT_EQ(made, 1u);
  for (std::size_t i = 1; i < kMost; ++i) get(i);
  get(0);
  EXPECT_EQ(made, kMost);
  get(kMost);  // 1 goes
  EXPECT_EQ(cache.size(), kMost);
  EXPECT_EQ(get(0), first);
  EXPECT_EQ(made, kMost + 1);
  get(1);
  EXPECT_EQ(made, kMost + 2);
  for (std::size_t i = 2; i < 2 * kMost; ++i) get(i);
  EXPECT_EQ(words_of(*memory, first, 2), (Words{0, 1}));  // still held
  EXPECT_NE(get(0), first);
  EXPECT_EQ(words_of(*memory, get(0), 2), (Words{0, 1}));
  EXPECT_NE(get(7), cache.get({7}, [] { return Words{9}; }));
}

TEST_F(ConstantCacheTest, ItsWordsAreBounded) {
  const auto memory = make_memory();
  gpu::ConstantCache cache(memory);
  constexpr std::size_t kMost = gpu::ConstantCache::kMostWords;
  for (std::uint64_t i = 0; i < 5; ++i) {
    cache.get({i}, [] { return Words(kMost / 2, 3); });
    EXPECT_LE(cache.size(), 2u);
  }
  cache.get({5}, [] { return Words(2 * kMost, 4); });
  EXPECT_EQ(cache.size(), 1u);
  const auto again = cache.get({5}, []() -> Words { throw std::bad_alloc(); });
  EXPECT_EQ(words_of(*memory, again, 2), (Words{4, 4}));
}

TEST_F(ConstantCacheTest, WhatCannotBeMadeIsNotKept) {
  gpu::ConstantCache cache(make_memory());
  EXPECT_THROW(cache.get({1}, []() -> Words { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_NE(cache.get({1}, [] { return Words{1}; }), nullptr);
  EXPECT_EQ(cache.size(), 1u);
}

}  // namespace
}  // namespace ringlet::test
