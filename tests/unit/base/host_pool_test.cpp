// SPDX-License-Identifier: Apache-2.0
#include "ringlet/host_pool.hpp"

#include <unistd.h>

#include "ringlet/aligned.hpp"
#include "support/forking.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

TEST(HostPool, BlocksAreAlignedAndAsLongAsAskedFor) {
  HostPool pool;
  for (std::size_t bytes = 0; bytes < 5000; ++bytes) {
    void* const block = pool.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % kAlignment, 0u);
    std::memset(block, 0xa5, bytes);
    pool.release(block, bytes);
  }
  EXPECT_EQ(pool.statistics().bytes_in_use, 0u);
}

TEST(HostPool, AClassIsAtMostAnEighthLongerThanTheRequest) {
  HostPool pool;
  for (const std::size_t bytes : {64u, 65u, 71u, 72u, 73u, 127u, 128u, 129u, 1000u, 262144u,
                                  262145u, 299999u, 1u << 20, (1u << 20) + 1}) {
    void* const block = pool.allocate(bytes);
    const std::size_t in_use = pool.statistics().bytes_in_use;
    EXPECT_GE(in_use, bytes);
    EXPECT_LE(in_use, bytes + bytes / 8) << bytes;
    pool.release(block, bytes);
  }
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

TEST(HostPool, NoMoreIsKeptThanWasUsed) {
  HostPool pool;
  std::mt19937_64 random(1);
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (int i = 0; i < 20000; ++i) {
    if (blocks.empty() || random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % (std::size_t{1} << (random() % 16));
      blocks.emplace_back(pool.allocate(bytes), bytes);
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      pool.release(blocks.back().first, blocks.back().second);
      blocks.pop_back();
    }
    const HostPoolStatistics now = pool.statistics();
    ASSERT_LE(now.bytes_cached, now.peak_bytes_in_use);
  }
  for (const auto& [block, bytes] : blocks) pool.release(block, bytes);
}

TEST(HostPool, WithoutALimitNothingIsKept) {
  HostPool pool;
  pool.release(pool.allocate(4096), 4096);
  EXPECT_EQ(pool.statistics().bytes_cached, 4096u);
  pool.set_cache_limit(0);
  EXPECT_EQ(pool.statistics().bytes_cached, 0u);
  pool.release(pool.allocate(4096), 4096);
  EXPECT_EQ(pool.statistics().bytes_cached, 0u);
  EXPECT_EQ(pool.statistics().system_allocations, 2u);
}

TEST(HostPool, ThePeakStartsAnewWhereItIsTold) {
  HostPool pool;
  void* const small = pool.allocate(64);
  pool.release(pool.allocate(1 << 20), 1 << 20);
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
  std::vector<std::thread> threads;
  for (std::uint64_t id = 1; id <= 4; ++id) {
    threads.emplace_back([&pool, id] {
      std::mt19937_64 random(id);
      for (int i = 0; i < 2000; ++i) {
        const std::size_t words = 8 + random() % 500;
        auto* const block = static_cast<std::uint64_t*>(pool.allocate(words * 8));
        std::fill_n(block, words, id);
        for (std::size_t w = 0; w < words; ++w) ASSERT_EQ(block[w], id);
        pool.release(block, words * 8);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
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
