// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/host_pool.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "ringlet/base/aligned.hpp"

namespace ringlet {
namespace {

/// Attempts to lock the pool; another thread holds the lock for well below a microsecond.
constexpr int kAttempts = 4096;
/// What is always worth keeping: the blocks of one operation have many sizes, at different times.
constexpr std::size_t kSmallCache = std::size_t{1} << 25;

struct SizeClass {
  std::size_t index = 0;
  std::size_t bytes = 0;
};

/// The smallest class of `bytes` bytes or more: m * 2^e with m in [8, 16).
SizeClass class_of(std::size_t bytes) {
  bytes = std::max(bytes, kAlignment);
  const auto exponent = static_cast<std::size_t>(std::bit_width(bytes)) - 4;
  const std::size_t step = std::size_t{1} << exponent;
  if (bytes > std::numeric_limits<std::size_t>::max() - step) throw std::bad_alloc();
  const std::size_t rounded = (bytes + step - 1) & ~(step - 1);
  if (std::bit_width(rounded) != std::bit_width(bytes)) return {8 * (exponent + 1), rounded};
  return {8 * exponent + (rounded >> exponent) - 8, rounded};
}

void raise_to(std::atomic<std::size_t>& most, std::size_t value) noexcept {
  std::size_t known = most;
  while (known < value && !most.compare_exchange_weak(known, value)) {
  }
}

// Blocks of at least this size are on pages of this size where the system has them. A key switch
// reads keys of a hundred megabytes once; on pages of four kilobytes each page would cost a search
// in the page table.
constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::size_t bytes_of_class(std::size_t index) { return (8 + index % 8) << (index / 8); }

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= kHugePage ? kHugePage : kAlignment};
}

}  // namespace

void* allocate_block(std::size_t bytes) {
  void* const block = ::operator new(bytes, alignment_of(bytes));
#ifdef MADV_HUGEPAGE
  // Systems that are set up without huge pages refuse this, which costs only time.
  if (bytes >= kHugePage) madvise(block, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return block;
}

void release_block(void* block, std::size_t bytes) noexcept {
  ::operator delete(block, alignment_of(bytes));
}

/// The first bytes of a block that the pool keeps.
struct HostPool::FreeBlock {
  FreeBlock* next = nullptr;
  std::size_t size_class = 0;
};

HostPool::HostPool(std::size_t cache_limit) noexcept : cache_limit_(cache_limit) {}

HostPool::~HostPool() { trim(); }

// A process may be forked while another thread of its parent holds the mutex. In the child the
// mutex then stays locked forever, and threads that cannot lock it use the system's memory instead.
std::unique_lock<std::mutex> HostPool::try_lock() const noexcept {
  std::unique_lock lock(mutex_, std::try_to_lock);
  for (int attempt = 0; !lock && attempt < kAttempts; ++attempt) lock.try_lock();
  return lock;
}

void* HostPool::take(std::size_t size_class, std::size_t bytes) noexcept {
  const auto lock = try_lock();
  if (!lock) return nullptr;
  last_use_[size_class] = ++uses_;
  if (free_[size_class] == nullptr) return nullptr;
  FreeBlock* const block = free_[size_class];
  free_[size_class] = block->next;
  cached_ -= bytes;
  return block;
}

bool HostPool::keep(void* block, std::size_t size_class, std::size_t bytes) noexcept {
  auto lock = try_lock();
  const std::size_t limit =
      std::min<std::size_t>(cache_limit_, std::max(kSmallCache, 2 * most_in_use_));
  if (!lock || bytes > limit) return false;
  FreeBlock* evicted = nullptr;
  while (cached_ + bytes > limit) {
    FreeBlock* const oldest = take_of_oldest_class();
    oldest->next = std::exchange(evicted, oldest);
  }
  free_[size_class] = new (block) FreeBlock{free_[size_class], size_class};
  cached_ += bytes;
  lock.unlock();
  while (evicted != nullptr) {
    FreeBlock* const next = evicted->next;
    release_block(evicted, bytes_of_class(evicted->size_class));
    evicted = next;
  }
  return true;
}

// There is a block, since the cache holds more than nothing.
HostPool::FreeBlock* HostPool::take_of_oldest_class() noexcept {
  std::size_t oldest = kClassCount;
  for (std::size_t index = 0; index < kClassCount; ++index) {
    if (free_[index] == nullptr) continue;
    if (oldest == kClassCount || last_use_[index] < last_use_[oldest]) oldest = index;
  }
  FreeBlock* const block = free_[oldest];
  free_[oldest] = block->next;
  cached_ -= bytes_of_class(oldest);
  return block;
}

void* HostPool::allocate(std::size_t bytes) {
  const SizeClass size = class_of(bytes);
  void* block = take(size.index, size.bytes);
  if (block == nullptr) {
    block = allocate_block(size.bytes);
    ++system_allocations_;
  }
  const std::size_t in_use = in_use_ += size.bytes;
  raise_to(peak_, in_use);
  raise_to(most_in_use_, in_use);
  return block;
}

void HostPool::release(void* block, std::size_t bytes) noexcept {
  const SizeClass size = class_of(bytes);
  in_use_ -= size.bytes;
  if (!keep(block, size.index, size.bytes)) release_block(block, size.bytes);
}

void HostPool::trim() noexcept {
  const auto lock = try_lock();
  if (!lock) return;
  for (std::size_t index = 0; index < kClassCount; ++index) {
    while (FreeBlock* const block = free_[index]) {
      free_[index] = block->next;
      release_block(block, bytes_of_class(index));
    }
  }
  cached_ = 0;
}

void HostPool::set_cache_limit(std::size_t bytes) noexcept {
  cache_limit_ = bytes;
  trim();
}

void HostPool::reset_peak() noexcept { peak_ = in_use_.load(); }

HostPoolStatistics HostPool::statistics() const noexcept {
  const auto lock = try_lock();
  return {in_use_, peak_, lock ? cached_ : 0, system_allocations_};
}

}  // namespace ringlet
