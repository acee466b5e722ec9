// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// What a HostPool holds, in bytes; blocks count with the size of their class.
struct HostPoolStatistics {
  std::size_t bytes_in_use = 0;
  std::size_t peak_bytes_in_use = 0;  ///< Since the pool was made, or since reset_peak().
  std::size_t bytes_cached = 0;
  std::size_t system_allocations = 0;  ///< Blocks that were not there and came from the system.
};

/// Memory of the host for polynomials and what goes with them. A block that is given back is kept,
/// and the next request of its size class takes it: repeated work asks the system for nothing.
/// Eight classes lie between two powers of two. What is kept is bounded by the most that ever was
/// in use, and by the cache limit.
///
/// A pool knows no secrets: who had some in a block wipes it first. Used by several threads, and by
/// a child process after fork() at any moment; it must outlive its blocks.
class RINGLET_API HostPool {
 public:
  static constexpr std::size_t kDefaultCacheLimit = std::size_t{1} << 29;

  explicit HostPool(std::size_t cache_limit = kDefaultCacheLimit) noexcept;
  ~HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  /// A block of `bytes` bytes or more on a 64-byte boundary, contents unspecified.
  /// @throws std::bad_alloc.
  void* allocate(std::size_t bytes);
  /// Gives back a block of allocate(bytes).
  void release(void* block, std::size_t bytes) noexcept;

  /// Gives what is kept back to the system.
  void trim() noexcept;
  /// The most bytes that are kept; with 0 every block goes back to the system at once. Gives back
  /// all that is kept now.
  void set_cache_limit(std::size_t bytes) noexcept;
  /// Lets the peak start anew from what is in use now.
  void reset_peak() noexcept;
  HostPoolStatistics statistics() const noexcept;

 private:
  struct FreeBlock;
  /// Classes of all sizes that a word can hold.
  static constexpr std::size_t kClassCount = 8 * 64;

  std::unique_lock<std::mutex> try_lock() const noexcept;
  void* take(std::size_t size_class, std::size_t bytes) noexcept;
  bool keep(void* block, std::size_t size_class, std::size_t bytes) noexcept;

  std::atomic<std::size_t> cache_limit_;
  std::atomic<std::size_t> in_use_{0};
  std::atomic<std::size_t> peak_{0};
  std::atomic<std::size_t> most_in_use_{0};  ///< The peak that nobody resets.
  std::atomic<std::size_t> system_allocations_{0};
  mutable std::mutex mutex_;  ///< Of what follows.
  std::size_t cached_ = 0;
  std::array<FreeBlock*, kClassCount> free_{};
};

}  // namespace ringlet
