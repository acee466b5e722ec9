// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/host_pool.hpp"
#include "support/release_watch.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

bool is_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % kAlignment == 0;
}

TEST(Aligned, EveryVectorStartsOnACacheLine) {
  for (const std::size_t size : {1, 3, 8, 9, 63, 64, 65, 1000}) {
    EXPECT_TRUE(is_aligned(AlignedVector<std::uint64_t>(size).data())) << size;
    EXPECT_TRUE(is_aligned(AlignedVector<char>(size).data())) << size;
    EXPECT_TRUE(is_aligned(SecretVector<std::uint64_t>(size).data())) << size;
  }
}

TEST(Aligned, RefusesASizeThatOverflows) {
  constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(AlignedAllocator<std::uint64_t>().allocate(kMax / 8 + 1), std::bad_array_new_length);
  EXPECT_THROW(WipingAllocator<std::uint64_t>().allocate(kMax), std::bad_array_new_length);
}

TEST(Aligned, AllocatorsOfAllTypesAreInterchangeable) {
  EXPECT_TRUE(AlignedAllocator<int>() == AlignedAllocator<double>());
  EXPECT_TRUE(WipingAllocator<int>() == WipingAllocator<double>());
  EXPECT_FALSE(AlignedAllocator<int>() != AlignedAllocator<int>());
  EXPECT_TRUE(std::allocator_traits<WipingAllocator<int>>::is_always_equal::value);
}

TEST(Aligned, ASecretVectorAloneIsWipedBeforeItsRelease) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "this sanitizer owns operator delete";
  const auto nonzero_bytes_of_release = [](auto vector, auto release) {
    release_watch().watch(vector.data(), vector.size() * sizeof(vector[0]));
    release(vector);
    EXPECT_EQ(release_watch().releases(), 1);
    return release_watch().nonzero_bytes();
  };
  const SecretVector<std::uint64_t> secret(100, 0x0123456789abcdefu);
  const AlignedVector<std::uint64_t> open(100, ~std::uint64_t{0});
  const auto drop = [](auto& vector) { std::remove_reference_t<decltype(vector)>().swap(vector); };
  EXPECT_EQ(nonzero_bytes_of_release(secret, drop), 0u);
  EXPECT_EQ(nonzero_bytes_of_release(secret, [](auto& vector) { vector.resize(4096); }), 0u)
      << "the old block of one that grows";
  EXPECT_EQ(nonzero_bytes_of_release(open, drop), 800u);
}

TEST(Wipe, ClearsExactlyTheGivenBytes) {
  std::vector<unsigned char> bytes(100, 0xff);
  secure_wipe(bytes.data() + 10, 57);
  secure_wipe(bytes.data(), 0);
  secure_wipe(nullptr, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(bytes[i], i >= 10 && i < 67 ? 0x00 : 0xff) << i;
  }
}

TEST(HostPool, BlocksAreAlignedAndAtMostAnEighthLongerThanAskedFor) {
  HostPool pool;
  std::vector<std::size_t> sizes(5000);
  std::iota(sizes.begin(), sizes.end(), std::size_t{0});
  sizes.insert(sizes.end(), {262144, 262145, 299999, 1 << 20, (1 << 20) + 1});
  for (const std::size_t bytes : sizes) {
    void* const block = pool.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % kAlignment, 0u);
    const std::size_t in_use = pool.statistics().bytes_in_use;
    EXPECT_GE(in_use, bytes);
    if (bytes >= 64) {
      EXPECT_LE(in_use, bytes + bytes / 8) << bytes;
    }
    std::memset(block, 0xa5, bytes);
    pool.release(block, bytes);
  }
  EXPECT_EQ(pool.statistics().bytes_in_use, 0u);
}

TEST(HostPool, RepeatedWorkAsksTheSystemForNothing) {
  HostPool pool;
  const auto work = [&pool] {
    void* const a = pool.allocate(1000);
    void* const b = pool.allocate(50000);
    void* const c = pool.allocate(1000);
    pool.release(a, 1000);
    pool.release(c, 1000);
    pool.release(b, 50000);
  };
  work();
  const std::size_t allocations = pool.statistics().system_allocations;
  EXPECT_EQ(allocations, 3u);
  for (int i = 0; i < 100; ++i) work();
  EXPECT_EQ(pool.statistics().system_allocations, allocations);
}

TEST(HostPool, BlocksOfASizeInUseTakeThePlaceOfOthers) {
  constexpr std::size_t kUnit = std::size_t{1} << 22;
  HostPool pool;
  std::vector<void*> blocks(10);
  for (void*& block : blocks) block = pool.allocate(kUnit);
  for (void* block : blocks) pool.release(block, kUnit);
  for (const std::size_t units : {11, 12}) {
    for (int i = 0; i < 100; ++i) pool.release(pool.allocate(units * kUnit), units * kUnit);
  }
  EXPECT_EQ(pool.statistics().system_allocations, 12u);
  EXPECT_EQ(pool.statistics().bytes_cached, 2 * pool.statistics().peak_bytes_in_use);
  pool.release(pool.allocate(kUnit), kUnit);  // what did not have to go is still there
  EXPECT_EQ(pool.statistics().system_allocations, 12u);
}

TEST(HostPool, WhatIsKeptIsBounded) {
  HostPool pool(10000);
  std::vector<void*> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(pool.allocate(1024));
  EXPECT_EQ(pool.statistics().bytes_in_use, 100u * 1024);
  EXPECT_EQ(pool.statistics().bytes_cached, 0u);
  for (void* block : blocks) pool.release(block, 1024);
  EXPECT_EQ(pool.statistics().bytes_in_use, 0u);
  EXPECT_EQ(pool.statistics().bytes_cached, 9u * 1024);
  EXPECT_EQ(pool.statistics().peak_bytes_in_use, 100u * 1024);
  pool.trim();
  EXPECT_EQ(pool.statistics().bytes_cached, 0u);
}

TEST(HostPool, NoMoreIsKeptThanTwiceWhatWasUsed) {
  HostPool pool;
  std::mt19937_64 random(1);
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (int i = 0; i < 5000; ++i) {
    if (blocks.empty() || random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % (std::size_t{1024} << (random() % 15));
      blocks.emplace_back(pool.allocate(bytes), bytes);
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      pool.release(blocks.back().first, blocks.back().second);
      blocks.pop_back();
    }
    const HostPoolStatistics now = pool.statistics();
    ASSERT_LE(now.bytes_cached, std::max(std::size_t{1} << 25, 2 * now.peak_bytes_in_use));
  }
  for (const auto& [block, bytes] : blocks) pool.release(block, bytes);
}

TEST(HostPool, TheLimitAndThePeakMayChange) {
  HostPool pool;
  void* const small = pool.allocate(64);
  pool.release(pool.allocate(4096), 4096);
  EXPECT_EQ(pool.statistics().bytes_cached, 4096u);
  pool.set_cache_limit(0);
  EXPECT_EQ(pool.statistics().bytes_cached, 0u);
  pool.release(pool.allocate(4096), 4096);
  EXPECT_EQ(pool.statistics().bytes_cached, 0u);
  EXPECT_EQ(pool.statistics().system_allocations, 3u);
  pool.reset_peak();
  EXPECT_EQ(pool.statistics().peak_bytes_in_use, 64u);
  pool.release(pool.allocate(128), 128);
  EXPECT_EQ(pool.statistics().peak_bytes_in_use, 192u);
  pool.release(small, 64);
}

TEST(HostPool, SizesThatNoMemoryHasAreBadAllocations) {
  HostPool pool;
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(pool.allocate(kMost), std::bad_alloc);
  EXPECT_THROW(pool.allocate(kMost - kMost / 16), std::bad_alloc);
  EXPECT_EQ(pool.statistics().bytes_in_use, 0u);
}

TEST(HostPool, ServesThreads) {
  HostPool pool;
  in_threads([&pool](std::size_t id) {
    std::mt19937_64 random(id);
    for (int i = 0; i < 2000; ++i) {
      const std::size_t words = 8 + random() % 500;
      auto* const block = static_cast<std::size_t*>(pool.allocate(words * 8));
      std::fill_n(block, words, id);
      for (std::size_t w = 0; w < words; ++w) ASSERT_EQ(block[w], id);
      pool.release(block, words * 8);
    }
  });
  EXPECT_EQ(pool.statistics().bytes_in_use, 0u);
}

TEST(HostPool, AForkedChildAllocatesWhileItsParentDoes) {
  if (!kMayFork) GTEST_SKIP() << kWhyNotFork;
  HostPool pool;
  std::atomic<bool> is_done = false;
  std::thread busy([&] {
    while (!is_done) pool.release(pool.allocate(256), 256);
  });
  for (int i = 0; i < 20; ++i) {
    const int status = status_of_child([&pool] {
      alarm(20);
      for (int k = 0; k < 3; ++k) pool.release(pool.allocate(256), 256);
      return 7;
    });
    EXPECT_EQ(status, 7);
  }
  is_done = true;
  busy.join();
}

}  // namespace
}  // namespace ringlet::test
