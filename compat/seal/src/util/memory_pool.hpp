// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace ringlet::seal4::detail {

/// A pool of 64-byte aligned blocks for many threads. It keeps released blocks by size for the next
/// caller. Above kCacheLimit bytes, it returns the blocks released first to the system.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  /// Bound of the bytes kept for reuse.
  static constexpr std::size_t kCacheLimit = std::size_t{256} << 20;

  /// @param wipes blocks are overwritten with zeros when they are released
  explicit MemoryPool(bool wipes) noexcept : wipes_(wipes) {}
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;
  ~MemoryPool() { return_oldest(0); }

  /// The largest block; objects of SEAL are far smaller.
  static constexpr std::size_t kMaxBlock = std::size_t{1} << 38;

  /// Returns a block, or null for 0 bytes. Throws std::bad_alloc without memory or above kMaxBlock.
  void* allocate(std::size_t bytes);
  void release(void* block, std::size_t bytes) noexcept;

  bool wipes() const noexcept { return wipes_; }
  std::size_t size_count() const noexcept;
  /// Returns the sum of the bytes that were asked for, of blocks in use and kept.
  std::size_t held_bytes() const noexcept;

 private:
  // A released block holds its own places in two lists: by size (last in, first out, so that a
  // caller gets a block that caches still hold) and by age.
  struct FreeBlock;
  struct SizeClass {
    std::size_t bytes;
    FreeBlock* newest;
  };
  struct FreeBlock {
    SizeClass* size_class;
    FreeBlock* newer_of_size;
    FreeBlock* older_of_size;
    FreeBlock* newer;
    FreeBlock* older;
  };

  void insert(FreeBlock* block, SizeClass* size_class) noexcept;
  void remove(FreeBlock* block) noexcept;
  /// Gives blocks to the system until at most `limit` bytes are kept.
  void return_oldest(std::size_t limit) noexcept;

  const bool wipes_;
  mutable std::mutex mutex_;
  std::unordered_map<std::size_t, SizeClass> classes_;  // references to its elements stay valid
  FreeBlock* newest_ = nullptr;
  FreeBlock* oldest_ = nullptr;
  std::size_t held_bytes_ = 0;
  std::size_t kept_bytes_ = 0;  // with those that fill blocks up to a multiple of the alignment
};

}  // namespace ringlet::seal4::detail
