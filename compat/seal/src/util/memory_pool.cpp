// SPDX-License-Identifier: Apache-2.0
#include "util/memory_pool.hpp"

#include <new>

#include "ringlet/base/aligned.hpp"
#include "ringlet/base/host_pool.hpp"
#include "ringlet/base/wipe.hpp"

namespace ringlet::seal4::detail {

namespace {

std::size_t rounded(std::size_t bytes) noexcept {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// All pools take their blocks from one cache of the process: a program that makes a pool for each
/// key would otherwise ask the system for every page again. Never destroyed: pools may live longer.
HostPool& process_pool() {
  static auto* const pool = new HostPool();
  return *pool;
}

}  // namespace

void* MemoryPool::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  static_assert(sizeof(FreeBlock) <= kAlignment);
  if (bytes > kMaxBlock) throw std::bad_alloc();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    SizeClass& size_class = classes_.try_emplace(bytes, SizeClass{bytes, nullptr}).first->second;
    if (FreeBlock* block = size_class.newest; block != nullptr) {
      remove(block);
      return block;
    }
  }
  const std::size_t size = rounded(bytes);
  void* block = nullptr;
  try {
    block = process_pool().allocate(size);
  } catch (const std::bad_alloc&) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return_oldest(0);
  }
  if (block == nullptr) block = process_pool().allocate(size);
  const std::lock_guard<std::mutex> lock(mutex_);
  held_bytes_ += bytes;
  return block;
}

void MemoryPool::release(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  if (wipes_) secure_wipe(block, rounded(bytes));
  const std::lock_guard<std::mutex> lock(mutex_);
  insert(::new (block) FreeBlock{}, &classes_.find(bytes)->second);
  return_oldest(kCacheLimit);
}

std::size_t MemoryPool::size_count() const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return classes_.size();
}

std::size_t MemoryPool::held_bytes() const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return held_bytes_;
}

void MemoryPool::insert(FreeBlock* block, SizeClass* size_class) noexcept {
  *block = {size_class, nullptr, size_class->newest, nullptr, newest_};
  if (block->older_of_size != nullptr) block->older_of_size->newer_of_size = block;
  size_class->newest = block;
  if (block->older != nullptr) block->older->newer = block;
  newest_ = block;
  if (oldest_ == nullptr) oldest_ = block;
  kept_bytes_ += rounded(size_class->bytes);
}

void MemoryPool::remove(FreeBlock* block) noexcept {
  SizeClass* size_class = block->size_class;
  if (block->older_of_size != nullptr) block->older_of_size->newer_of_size = block->newer_of_size;
  if (block->newer_of_size != nullptr) {
    block->newer_of_size->older_of_size = block->older_of_size;
  } else {
    size_class->newest = block->older_of_size;
  }
  (block->older != nullptr ? block->older->newer : oldest_) = block->newer;
  (block->newer != nullptr ? block->newer->older : newest_) = block->older;
  kept_bytes_ -= rounded(size_class->bytes);
}

void MemoryPool::return_oldest(std::size_t limit) noexcept {
  while (kept_bytes_ > limit) {
    FreeBlock* block = oldest_;
    const std::size_t bytes = block->size_class->bytes;
    held_bytes_ -= bytes;
    remove(block);
    process_pool().release(block, rounded(bytes));
  }
}

}  // namespace ringlet::seal4::detail
