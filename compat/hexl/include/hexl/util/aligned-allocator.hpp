// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <stddef.h>
#include <stdint.h>
#include <type_traits>
#include <vector>

#include "hexl/util/allocator.hpp"
#include "hexl/util/defines.hpp"

namespace intel {
namespace hexl {

/// Allocates with the C library.
struct MallocStrategy : AllocatorBase {
  void* allocate(size_t bytes_count) final { return std::malloc(bytes_count); }
  void deallocate(void* p, size_t) final { std::free(p); }
};

using AllocatorStrategyPtr = std::shared_ptr<AllocatorBase>;

/// A shared MallocStrategy.
HEXL_RINGLET_API extern const AllocatorStrategyPtr mallocStrategy;

/// A standard allocator of blocks that start on a multiple of `Alignment` bytes, a power of two.
/// Memory comes from a strategy (null: from the C library). Allocators are equal if they share
/// their strategy; only then can one allocator release a block of the other.
template <typename T, uint64_t Alignment>
class AlignedAllocator {
 public:
  static_assert(Alignment != 0 && (Alignment & (Alignment - 1)) == 0,
                "the alignment must be a power of two");

  using value_type = T;
  using is_always_equal = std::false_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  template <typename U>
  struct rebind {
    using other = AlignedAllocator<U, Alignment>;
  };

  AlignedAllocator() noexcept {}
  explicit AlignedAllocator(AllocatorStrategyPtr strategy) noexcept
      : strategy_(std::move(strategy)) {}
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U, Alignment>& other) noexcept
      : strategy_(other.strategy_) {}

  /// Returns memory for `n` elements.
  /// @throws std::bad_alloc if the strategy has no memory, or the size does not fit a word.
  T* allocate(size_t n) {
    if (n > (std::numeric_limits<size_t>::max() - kOverhead) / sizeof(T)) throw std::bad_alloc();
    void* const block = take(block_bytes(n));
    if (block == nullptr) throw std::bad_alloc();
    // The word before the elements holds the address of the block.
    const uintptr_t first = reinterpret_cast<uintptr_t>(block) + sizeof(void*);
    const uintptr_t aligned = (first + kAlignment - 1) / kAlignment * kAlignment;
    reinterpret_cast<void**>(aligned)[-1] = block;
    return reinterpret_cast<T*>(aligned);
  }

  void deallocate(T* p, size_t n) {
    if (p == nullptr) return;
    void* const block = reinterpret_cast<void**>(p)[-1];
    if (strategy_ == nullptr) {
      std::free(block);
    } else {
      strategy_->deallocate(block, block_bytes(n));
    }
  }

  template <typename U>
  bool operator==(const AlignedAllocator<U, Alignment>& other) const noexcept {
    return strategy_ == other.strategy_;
  }
  template <typename U>
  bool operator!=(const AlignedAllocator<U, Alignment>& other) const noexcept {
    return !(*this == other);
  }

 private:
  template <typename, uint64_t>
  friend class AlignedAllocator;

  static constexpr size_t kAlignment = Alignment < sizeof(void*) ? sizeof(void*) : Alignment;
  static constexpr size_t kOverhead = sizeof(void*) + kAlignment - 1;

  static size_t block_bytes(size_t n) { return n * sizeof(T) + kOverhead; }

  void* take(size_t bytes) {
    return strategy_ == nullptr ? std::malloc(bytes) : strategy_->allocate(bytes);
  }

  AllocatorStrategyPtr strategy_;
};

/// A vector that starts on a multiple of 64 bytes.
template <typename T>
using AlignedVector64 = std::vector<T, AlignedAllocator<T, 64>>;

}  // namespace hexl
}  // namespace intel
