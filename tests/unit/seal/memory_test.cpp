// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <sys/resource.h>

#include "compat/seal/src/memory_pool.hpp"
#include "seal/dynarray.h"
#include "seal/memorymanager.h"
#include "support/memcheck.hpp"
#include "support/threads.hpp"
#include "thrown.hpp"

namespace ringlet::test {
namespace {

using namespace seal4;  // NOLINT(google-build-using-namespace)
using detail::MemoryPool;

TEST(SealMemoryPoolHandle, WithoutAPoolSaysSo) {
  const MemoryPoolHandle handle;
  EXPECT_FALSE(handle);
  EXPECT_EQ(handle.alloc_byte_count(), 0u);
  EXPECT_EQ(handle.pool_count(), 0u);
  EXPECT_EQ(handle.use_count(), 0);
  EXPECT_EQ(handle, MemoryPoolHandle());
  EXPECT_INVALID_ARGUMENT(detail::pool_allocate(handle, 8));
  EXPECT_FALSE(detail::clears_on_release(handle));
  detail::pool_release(handle, nullptr, 0);
}

TEST(SealMemoryPoolHandle, PoolsAreSharedOrNewByTheirName) {
  EXPECT_EQ(MemoryPoolHandle::Global(), MemoryPoolHandle::Global());
  EXPECT_EQ(MemoryPoolHandle::ThreadLocal(), MemoryPoolHandle::ThreadLocal());
  EXPECT_NE(MemoryPoolHandle::Global(), MemoryPoolHandle::ThreadLocal());
  EXPECT_NE(MemoryPoolHandle::New(), MemoryPoolHandle::New());
  MemoryPoolHandle of_thread;
  std::thread([&] { of_thread = MemoryPoolHandle::ThreadLocal(); }).join();
  EXPECT_TRUE(of_thread);
  EXPECT_NE(of_thread, MemoryPoolHandle::ThreadLocal());
  // The thread is gone, its pool is not.
  const DynArray<std::uint64_t> array(100, of_thread);
  EXPECT_EQ(array[99], 0u);
}

TEST(SealMemoryPoolHandle, CountsItsUsers) {
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  EXPECT_EQ(pool.use_count(), 1);
  {
    const std::array<MemoryPoolHandle, 2> copies{pool, pool};
    EXPECT_EQ(copies[1].use_count(), 3);
    const DynArray<std::uint64_t> array(5, pool);
    EXPECT_EQ(pool.use_count(), 4);
  }
  EXPECT_EQ(pool.use_count(), 1);
}

TEST(SealMemoryPoolHandle, CountsBytesAndSizes) {
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  EXPECT_EQ(pool.alloc_byte_count(), 0u);
  void* first = detail::pool_allocate(pool, 1);
  EXPECT_EQ(pool.alloc_byte_count(), 64u);
  void* second = detail::pool_allocate(pool, 64);
  EXPECT_EQ(pool.alloc_byte_count(), 128u);
  EXPECT_EQ(pool.pool_count(), 1u);
  void* third = detail::pool_allocate(pool, 65);
  EXPECT_EQ(pool.alloc_byte_count(), 256u);
  EXPECT_EQ(pool.pool_count(), 2u);
  for (void* block : {first, second, third}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
  }
  detail::pool_release(pool, first, 1);
  detail::pool_release(pool, second, 64);
  detail::pool_release(pool, third, 65);
  EXPECT_EQ(pool.alloc_byte_count(), 256u);
  EXPECT_EQ(detail::pool_allocate(pool, 0), nullptr);
}

TEST(SealMemoryPool, HandsReleasedBlocksOutAgainTheLastFirst) {
  MemoryPool pool(false);
  void* first = pool.allocate(1000);
  void* second = pool.allocate(1000);
  pool.release(first, 1000);
  pool.release(second, 1000);
  EXPECT_EQ(pool.allocate(1024), second);
  EXPECT_EQ(pool.allocate(1000), first);
  EXPECT_EQ(pool.held_bytes(), 2048u);
  void* third = pool.allocate(1000);
  EXPECT_EQ(pool.held_bytes(), 3072u);
  for (void* block : {first, second, third}) pool.release(block, 1000);
}

TEST(SealMemoryPool, KeepsABoundedNumberOfBytes) {
  // Blocks of a quarter of the limit: their pages are never touched but for the first.
  constexpr std::size_t kQuarter = MemoryPool::kCacheLimit / 4;
  MemoryPool pool(false);
  std::array<void*, 6> blocks{};
  for (void*& block : blocks) block = pool.allocate(kQuarter);
  void* small = pool.allocate(64);
  EXPECT_EQ(pool.held_bytes(), 6 * kQuarter + 64);
  pool.release(small, 64);
  for (int i = 0; i < 4; ++i) pool.release(blocks[i], kQuarter);
  // Four quarters and 64 bytes are more than the limit: the oldest went, which is the small one.
  EXPECT_EQ(pool.held_bytes(), 6 * kQuarter);
  pool.release(blocks[4], kQuarter);
  pool.release(blocks[5], kQuarter);
  EXPECT_EQ(pool.held_bytes(), MemoryPool::kCacheLimit);
  // One block that alone is more than the limit is not kept, and pushes the others out first.
  void* large = pool.allocate(MemoryPool::kCacheLimit + 64);
  pool.release(large, MemoryPool::kCacheLimit + 64);
  EXPECT_EQ(pool.held_bytes(), 0u);
}

TEST(SealMemoryPool, RefusesSizesThatNothingNeeds) {
  MemoryPool pool(false);
  EXPECT_THROW(pool.allocate(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
  EXPECT_THROW(pool.allocate(MemoryPool::kMaxBlock + 1), std::bad_alloc);
  EXPECT_EQ(pool.held_bytes(), 0u);
  EXPECT_EQ(pool.size_count(), 0u);
}

#if !RINGLET_TEST_SANITIZED  // sanitizers reserve more address space than any limit leaves
// Ends the process, with 0 if the second block could only come from the memory of the first.
[[noreturn]] void allocate_with_little_memory() {
  constexpr std::size_t kBytes = std::size_t{128} << 20;
  MemoryPool pool(false);
  pool.release(pool.allocate(kBytes), kBytes);
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages;
  const rlim_t bytes = pages * static_cast<std::size_t>(getpagesize()) + kBytes / 2;
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(1);
  pool.release(pool.allocate(kBytes - 64), kBytes - 64);
  if (pool.held_bytes() != kBytes - 64) std::_Exit(2);
  try {
    pool.allocate(2 * kBytes);
  } catch (const std::bad_alloc&) {
    std::_Exit(pool.held_bytes() == 0 ? 0 : 3);
  }
  std::_Exit(4);
}

TEST(SealMemoryPool, GivesItsCacheBackWhenMemoryRunsOut) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(allocate_with_little_memory(), testing::ExitedWithCode(0), "");
}
#endif

TEST(SealMemoryPool, WipesReleasedBlocksOnRequestOnly) {
  // The first words of a released block are the pool's own.
  constexpr std::size_t kOwn = 64;
  for (const bool wipes : {false, true}) {
    MemoryPool pool(wipes);
    auto* block = static_cast<unsigned char*>(pool.allocate(4096));
    std::memset(block, 0xA5, 4096);
    pool.release(block, 4096);
    ASSERT_EQ(pool.allocate(4096), block);
    std::size_t kept = 0;
    for (std::size_t i = kOwn; i < 4096; ++i) kept += block[i] == 0xA5;
    EXPECT_EQ(kept, wipes ? 0 : 4096 - kOwn);
    pool.release(block, 4096);
  }
  EXPECT_TRUE(detail::clears_on_release(MemoryPoolHandle::New(true)));
  EXPECT_FALSE(detail::clears_on_release(MemoryPoolHandle::New()));
}

TEST(SealMemoryPool, ServesManyThreads) {
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  in_threads([&](std::size_t thread) {
    for (std::size_t round = 0; round < 2000; ++round) {
      const std::size_t count = 1 + (round * 37 + thread) % 300;
      DynArray<std::uint64_t> array(count, pool);
      for (std::uint64_t& word : array) word = thread;
      for (const std::uint64_t word : array) {
        if (word != thread) throw std::runtime_error("a block was handed out twice");
      }
    }
  });
  EXPECT_EQ(pool.use_count(), 1);
  EXPECT_LE(pool.alloc_byte_count(), kThreads * 38 * 2432);
}

TEST(SealMemoryManager, AnswersByOption) {
  EXPECT_EQ(MemoryManager::GetPool(), MemoryPoolHandle::Global());
  EXPECT_EQ(MemoryManager::GetPool(mm_default), MemoryPoolHandle::Global());
  EXPECT_EQ(MemoryManager::GetPool(mm_prof_opt::mm_force_global), MemoryPoolHandle::Global());
  EXPECT_EQ(MemoryManager::GetPool(mm_force_thread_local), MemoryPoolHandle::ThreadLocal());
  EXPECT_NE(MemoryManager::GetPool(mm_force_new), MemoryManager::GetPool(mm_force_new));
  EXPECT_TRUE(detail::clears_on_release(MemoryManager::GetPool(mm_force_new, true)));
  EXPECT_FALSE(detail::clears_on_release(MemoryManager::GetPool(mm_force_new)));
}

TEST(SealMemoryManager, AsksTheProfileThatIsInstalled) {
  const MemoryPoolHandle fixed = MemoryPoolHandle::New();
  std::unique_ptr<MMProf> old = MemoryManager::SwitchProfile(std::make_unique<MMProfFixed>(fixed));
  ASSERT_NE(old, nullptr);
  EXPECT_NE(dynamic_cast<MMProfGlobal*>(old.get()), nullptr);
  EXPECT_EQ(MemoryManager::GetPool(), fixed);
  EXPECT_EQ(DynArray<std::uint64_t>().pool(), fixed);
  EXPECT_EQ(MemoryManager::GetPool(mm_force_global), MemoryPoolHandle::Global());
  MemoryManager::SwitchProfile(new MMProfThreadLocal);
  EXPECT_EQ(MemoryManager::GetPool(), MemoryPoolHandle::ThreadLocal());
  MemoryManager::SwitchProfile(std::make_unique<MMProfNew>());
  EXPECT_NE(MemoryManager::GetPool(), MemoryManager::GetPool());
  EXPECT_NE(MemoryManager::SwitchProfile(std::unique_ptr<MMProf>()), nullptr);
  EXPECT_EQ(MemoryManager::GetPool(), MemoryPoolHandle::Global());
  MemoryManager::SwitchProfile(std::move(old));
  EXPECT_EQ(MemoryManager::GetPool(), MemoryPoolHandle::Global());
  EXPECT_INVALID_ARGUMENT(MMProfFixed{MemoryPoolHandle()});
}

// A profile of the user's own sees options that are not the library's.
class ByOption : public MMProf {
 public:
  MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) override {
    return prof_opt == 8 ? pool : MemoryPoolHandle::ThreadLocal();
  }
  MemoryPoolHandle pool = MemoryPoolHandle::New();
};

TEST(SealMemoryManager, PassesOtherOptionsToTheProfile) {
  auto profile = std::make_unique<ByOption>();
  const MemoryPoolHandle pool = profile->pool;
  const MMProfGuard guard(std::move(profile));
  EXPECT_EQ(MemoryManager::GetPool(8), pool);
  EXPECT_EQ(MemoryManager::GetPool(16), MemoryPoolHandle::ThreadLocal());
}

TEST(SealMMProfGuard, InstallsAndRestoresAProfile) {
  const MemoryPoolHandle fixed = MemoryPoolHandle::New();
  {
    MMProfGuard guard(std::make_unique<MMProfFixed>(fixed));
    EXPECT_TRUE(guard.owns_lock());
    EXPECT_EQ(MemoryManager::GetPool(), fixed);
    EXPECT_FALSE(guard.try_lock(std::make_unique<MMProfNew>()));
    EXPECT_TRUE(guard.unlock());
    EXPECT_FALSE(guard.unlock());
    EXPECT_EQ(MemoryManager::GetPool(), MemoryPoolHandle::Global());
    guard.lock(new MMProfFixed(fixed));
    EXPECT_EQ(MemoryManager::GetPool(), fixed);
    bool locked = true;
    std::thread([&] {
      MMProfGuard other(std::make_unique<MMProfNew>(), false);
      locked = other.try_lock(std::make_unique<MMProfNew>());
    }).join();
    EXPECT_FALSE(locked);
  }
  EXPECT_EQ(MemoryManager::GetPool(), MemoryPoolHandle::Global());
  MMProfGuard idle(std::make_unique<MMProfFixed>(fixed), false);
  EXPECT_FALSE(idle.owns_lock());
  EXPECT_EQ(MemoryManager::GetPool(), MemoryPoolHandle::Global());
}

}  // namespace
}  // namespace ringlet::test
