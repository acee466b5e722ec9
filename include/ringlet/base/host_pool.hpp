// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// Statistics of a HostPool, in bytes. A block counts with the size of its size class.
struct HostPoolStatistics {
  std::size_t bytes_in_use = 0;
  std::size_t peak_bytes_in_use = 0;  ///< Since construction or reset_peak().
  std::size_t bytes_cached = 0;
  std::size_t system_allocations = 0;  ///< Requests that no cached block served.
};

/// A cache of host memory for polynomials and related data. The pool keeps a released block and
/// gives it to the next request of the same size class, so that repeated work does not call the
/// system allocator. There are eight size classes between two powers of two. Cached memory never
/// exceeds the cache limit, nor twice the largest amount that was ever in use, or 32 MiB if that is
/// more: a released block takes the place of blocks of the size class that was asked for least
/// recently.
///
/// The pool does not wipe blocks: the caller wipes a block that held secrets before its release.
/// Several threads may use a pool, and so may a child process after a fork() at any moment. The
/// pool must outlive its blocks.
class RINGLET_API HostPool {
 public:
  static constexpr std::size_t kDefaultCacheLimit = std::size_t{1} << 29;

  explicit HostPool(std::size_t cache_limit = kDefaultCacheLimit) noexcept;
  ~HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  /// Returns a block of at least `bytes` bytes on a 64-byte boundary. Its contents are unspecified.
  /// @throws std::bad_alloc.
  void* allocate(std::size_t bytes);
  /// Releases a block that allocate(bytes) returned; `bytes` must be the same number.
  void release(void* block, std::size_t bytes) noexcept;

  /// Returns all cached blocks to the system.
  void trim() noexcept;
  /// Sets the largest number of cached bytes and returns all cached blocks to the system. If
  /// `bytes` is 0, every released block returns to the system at once.
  void set_cache_limit(std::size_t bytes) noexcept;
  /// Sets the peak to the number of bytes in use now.
  void reset_peak() noexcept;
  HostPoolStatistics statistics() const noexcept;

 private:
  struct FreeBlock;
  /// The number of size classes for all sizes that a word can hold.
  static constexpr std::size_t kClassCount = 8 * 64;

  std::unique_lock<std::mutex> try_lock() const noexcept;
  void* take(std::size_t size_class, std::size_t bytes) noexcept;
  bool keep(void* block, std::size_t size_class, std::size_t bytes) noexcept;
  FreeBlock* take_of_oldest_class() noexcept;

  std::atomic<std::size_t> cache_limit_;
  std::atomic<std::size_t> in_use_{0};
  std::atomic<std::size_t> peak_{0};
  std::atomic<std::size_t> most_in_use_{0};  ///< As peak_, but never reset.
  std::atomic<std::size_t> system_allocations_{0};
  mutable std::mutex mutex_;  ///< Protects the members below.
  std::size_t cached_ = 0;
  std::array<FreeBlock*, kClassCount> free_{};
  std::size_t uses_ = 0;
  std::array<std::size_t, kClassCount> last_use_{};  ///< Number of the last use of each size class.
};

}  // namespace ringlet
