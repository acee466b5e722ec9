// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <sys/resource.h>

#include "compat/seal/src/util/memory_pool.hpp"
#include "seal_objects.hpp"
#include "support/memcheck.hpp"
#include "support/reference/seal_vectors.hpp"
#include "support/threads.hpp"

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
  // The pool outlives its thread.
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
  EXPECT_EQ(pool.alloc_byte_count(), 1u);
  void* second = detail::pool_allocate(pool, 64);
  EXPECT_EQ(pool.alloc_byte_count(), 65u);
  EXPECT_EQ(pool.pool_count(), 2u);
  void* third = detail::pool_allocate(pool, 65);
  EXPECT_EQ(pool.alloc_byte_count(), 130u);
  EXPECT_EQ(pool.pool_count(), 3u);
  for (void* block : {first, second, third}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
  }
  detail::pool_release(pool, first, 1);
  detail::pool_release(pool, second, 64);
  detail::pool_release(pool, third, 65);
  EXPECT_EQ(pool.alloc_byte_count(), 130u);
  EXPECT_EQ(detail::pool_allocate(pool, 65), third);
  EXPECT_EQ(pool.alloc_byte_count(), 130u);
  detail::pool_release(pool, third, 65);
  EXPECT_EQ(detail::pool_allocate(pool, 0), nullptr);
}

TEST(SealMemoryPool, HandsReleasedBlocksOutAgainTheLastFirst) {
  MemoryPool pool(false);
  void* first = pool.allocate(1000);
  void* second = pool.allocate(1000);
  pool.release(first, 1000);
  pool.release(second, 1000);
  EXPECT_EQ(pool.allocate(1000), second);
  EXPECT_EQ(pool.allocate(1000), first);
  EXPECT_EQ(pool.held_bytes(), 2000u);
  void* third = pool.allocate(1000);
  EXPECT_EQ(pool.held_bytes(), 3000u);
  for (void* block : {first, second, third}) pool.release(block, 1000);
}

TEST(SealMemoryPool, KeepsABoundedNumberOfBytes) {
  // Blocks are a quarter of the limit; only their first pages are ever touched.
  constexpr std::size_t kQuarter = MemoryPool::kCacheLimit / 4;
  MemoryPool pool(false);
  std::array<void*, 6> blocks{};
  for (void*& block : blocks) block = pool.allocate(kQuarter);
  void* small = pool.allocate(64);
  EXPECT_EQ(pool.held_bytes(), 6 * kQuarter + 64);
  pool.release(small, 64);
  for (int i = 0; i < 4; ++i) pool.release(blocks[i], kQuarter);
  // Four quarters and 64 bytes exceed the limit: the oldest block, the small one, is freed.
  EXPECT_EQ(pool.held_bytes(), 6 * kQuarter);
  pool.release(blocks[4], kQuarter);
  pool.release(blocks[5], kQuarter);
  EXPECT_EQ(pool.held_bytes(), MemoryPool::kCacheLimit);
  // A block above the limit is not kept, and first frees all others.
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
// Ends the process with 0 if the second block could only come from the memory of the first.
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
  // The pool uses the first words of a released block itself.
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

// A user's profile receives options that the library does not define.
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

using DynamicWords = DynArray<std::uint64_t>;

std::vector<std::uint64_t> values(const DynamicWords& array) {
  return {array.begin(), array.end()};
}

DynamicWords counting(std::size_t size) {
  DynamicWords array(size);
  std::iota(array.begin(), array.end(), std::uint64_t{0x0102030405060708});
  return array;
}

void expect_holds(const DynamicWords& array, const std::vector<std::uint64_t>& expected,
                  std::size_t capacity) {
  EXPECT_EQ(values(array), expected);
  EXPECT_EQ(array.size(), expected.size());
  EXPECT_EQ(array.capacity(), capacity);
}

TEST(SealDynArray, ConstructorsSetSizeAndCapacity) {
  const DynamicWords empty;
  expect_holds(empty, {}, 0);
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.pool(), MemoryManager::GetPool());
  expect_holds(DynamicWords(3), {0, 0, 0}, 3);
  expect_holds(DynamicWords(5, 2), {0, 0}, 5);
  const std::array<std::uint64_t, 2> source{7, 8};
  expect_holds(DynamicWords(source.data(), 2, 4), {7, 8}, 4);
  expect_holds(DynamicWords(source.data(), 1), {7}, 1);
}

TEST(SealDynArray, ConstructorsRefuseBadArguments) {
  const std::uint64_t value = 1;
  EXPECT_INVALID_ARGUMENT(DynamicWords{MemoryPoolHandle()});
  EXPECT_INVALID_ARGUMENT(DynamicWords(3, MemoryPoolHandle()));
  EXPECT_INVALID_ARGUMENT(DynamicWords(2, 3));
  EXPECT_INVALID_ARGUMENT(DynamicWords(&value, 3, 2));
  EXPECT_INVALID_ARGUMENT(DynamicWords(nullptr, 1));
  EXPECT_LOGIC_ERROR(DynamicWords(DynamicWords().max_size() + 1));
  EXPECT_THROW(DynamicWords(DynamicWords().max_size()), std::bad_alloc);
}

TEST(SealDynArray, CopiesAndMovesKeepTheirPools) {
  expect_copies_and_moves(counting(5));
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  DynamicWords array(7, pool);
  const DynamicWords copy(array);
  EXPECT_EQ(copy.pool(), pool);
  array = DynamicWords(2);
  const DynamicWords again(7, pool);  // in the block that was released
  EXPECT_EQ(pool.alloc_byte_count(), 2 * 7 * 8u);
}

TEST(SealDynArray, AtChecksTheIndex) {
  DynamicWords array(2);
  array.at(1) = 9;
  EXPECT_EQ(std::as_const(array).at(1), 9u);
  EXPECT_EQ(std::as_const(array)[1], 9u);
  EXPECT_OUT_OF_RANGE(array.at(2));
  EXPECT_OUT_OF_RANGE(std::as_const(array).at(~std::size_t{0}));
}

TEST(SealDynArray, SizeAndCapacityChange) {
  DynamicWords array(4);
  std::fill(array.begin(), array.end(), 1);
  array.resize(2);
  expect_holds(array, {1, 1}, 4);
  array.resize(3);
  expect_holds(array, {1, 1, 0}, 4);
  array[2] = 6;
  array.resize(2);
  array.resize(3, false);
  expect_holds(array, {1, 1, 6}, 4);  // the old word is still there
  array.resize(5);
  expect_holds(array, {1, 1, 6, 0, 0}, 5);
  array.reserve(2);
  expect_holds(array, {1, 1}, 2);
  array.reserve(9);
  expect_holds(array, {1, 1}, 9);
  array.clear();
  expect_holds(array, {}, 9);
  array.resize(1);
  array.shrink_to_fit();
  expect_holds(array, {0}, 1);
  array.release();
  expect_holds(array, {}, 0);
  EXPECT_EQ(array.begin(), nullptr);
  EXPECT_TRUE(array.pool());
  EXPECT_LOGIC_ERROR(array.reserve(array.max_size() + 1));
}

TEST(SealDynArray, RawFilesHaveTheirLayout) {
  DynamicWords array(2);
  array[0] = 0x1122334455667788;
  array[1] = 1;
  EXPECT_EQ(saved(array),
            as_bytes(std::string("\x5e\xa1\x10\4\4\0\0\0\x28\0\0\0\0\0\0\0"
                                 "\2\0\0\0\0\0\0\0\x88\x77\x66\x55\x44\x33\x22\x11\1\0\0\0\0\0\0\0",
                                 40)));
  EXPECT_EQ(array.save_size(compr_mode_type::none), 40);
  // Elements of two bytes are saved in their order too.
  DynArray<std::uint16_t> halves(2);
  halves[0] = 0x1122;
  EXPECT_EQ(saved(halves).size(), 28u);
  EXPECT_EQ(saved(halves)[24], std::byte{0x22});
}

TEST(SealDynArray, FilesComeBack) {
  // The last sizes are on both sides of the number of words that are read at once.
  for (const std::size_t size : {0, 1, 2, 1000, 8192, 8193, 8194, 40000}) {
    for (const compr_mode_type mode : kModes) {
      const DynamicWords array = counting(size);
      const Bytes file = saved(array, mode);
      EXPECT_LE(std::ssize(file), array.save_size(mode));
      for (const std::size_t bound : {std::size_t{0}, size, size + 1}) {
        DynamicWords loaded(3);
        EXPECT_EQ(loaded.load(file.data(), file.size(), bound), std::ssize(file));
        expect_holds(loaded, values(array), std::max<std::size_t>(size, 3));
        Pipe pipe(as_text(file) + "tail");
        std::istream stream(&pipe);
        DynamicWords streamed;
        streamed.load(stream, bound);
        EXPECT_EQ(values(streamed), values(array));
        EXPECT_EQ(pipe.position(), file.size());
      }
      Bytes buffer(file.size());
      EXPECT_EQ(array.save(buffer.data(), buffer.size(), mode), std::ssize(file));
      EXPECT_EQ(buffer, file);
    }
  }
  const SealVectors vectors("random");
  for (const std::size_t size : {0, 1, 1000}) {
    const auto& file = vectors.bytes("dynarray_zeros" + std::to_string(size));
    DynamicWords array = counting(2);
    EXPECT_EQ(array.load(file.data(), file.size()), std::ssize(file));
    EXPECT_EQ(values(array), std::vector<std::uint64_t>(size, 0));
  }
}

TEST(SealDynArray, CountsAreNotTrusted) {
  Bytes file = saved(counting(4));
  DynamicWords array = counting(1);
  EXPECT_LOGIC_ERROR(array.load(file.data(), file.size(), 3));
  for (const std::size_t byte : {16, 19, 20, 22, 23}) {
    file[byte] ^= std::byte{0x40};  // counts from 68 to more than 2^62
    const std::size_t before = array.pool().alloc_byte_count();
    EXPECT_LOGIC_ERROR(array.load(file.data(), file.size()));
    EXPECT_LOGIC_ERROR(array.load(file.data(), file.size(), 4));
    EXPECT_LE(array.pool().alloc_byte_count(), before + (std::size_t{1} << 17));
    file[byte] ^= std::byte{0x40};
  }
  file[16] = std::byte{3};  // one word is left over
  EXPECT_LOGIC_ERROR(array.load(file.data(), file.size()));
  EXPECT_EQ(values(array), values(counting(1)));
}

TEST(SealDynArray, DamagedFilesAreErrorsOrOtherValues) {
  for (const compr_mode_type mode : kModes) {
    const std::size_t accepted = accepted_flips(saved(counting(3), mode), [](const Bytes& damaged) {
      DynamicWords loaded = counting(1);
      try {
        loaded.load(damaged.data(), damaged.size(), 1000);
      } catch (...) {
        EXPECT_EQ(values(loaded), values(counting(1)));
        throw;
      }
      EXPECT_LE(loaded.size(), 1000u);
    });
    if (mode == compr_mode_type::none) {
      // Accepted: flips in the words, in two reserved bytes, and minor version 0 instead of 4.
      EXPECT_EQ(accepted, 3u * 64 + 1 + 16);
    }
    expect_mutations_are_harmless(saved(counting(200), mode), [](const Bytes& changed) {
      DynamicWords loaded;
      loaded.load(changed.data(), changed.size());
      EXPECT_LE(loaded.size(), std::size_t{1} << 24);
    });
  }
}

TEST(SealDynArray, SecretsAreWipedWhereThePoolAsksForIt) {
  const MemoryPoolHandle pool = MemoryPoolHandle::New(true);
  const Bytes file = saved(counting(20000));
  DynamicWords(pool).load(file.data(), file.size());
  // No block that the pool returns again still holds a word of the array.
  for (const std::size_t size : {8208, 16416, 20000}) {
    DynamicWords again(pool);
    again.resize(size, false);
    const auto held = std::count_if(again.begin() + 8, again.end(),
                                    [](std::uint64_t word) { return word >> 32 == 0x01020304; });
    EXPECT_EQ(held, 0);
  }
}

}  // namespace
}  // namespace ringlet::test
