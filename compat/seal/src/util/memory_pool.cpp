// SPDX-License-Identifier: Apache-2.0
#include "util/memory_pool.hpp"

#include <new>

#include "ringlet/base/wipe.hpp"

namespace ringlet::seal4::detail {

namespace {

constexpr std::align_val_t kBlockAlignment{64};

std::size_t rounded(std::size_t bytes) noexcept {
  constexpr auto kUnit = static_cast<std::size_t>(kBlockAlignment);
  return (bytes + kUnit - 1) / kUnit * kUnit;
}

}  // namespace

void* MemoryPool::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  static_assert(sizeof(FreeBlock) <= static_cast<std::size_t>(kBlockAlignment));
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
  void* block = ::operator new(size, kBlockAlignment, std::nothrow);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (block == nullptr) {
    return_oldest(0);
    block = ::operator new(size, kBlockAlignment);
  }
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
    held_bytes_ -= block->size_class->bytes;
    remove(block);
    ::operator delete(block, kBlockAlignment);
  }
}

}  // namespace ringlet::seal4::detail
