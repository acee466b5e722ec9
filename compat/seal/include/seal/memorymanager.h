// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "seal/util/defines.h"

// Memory pools, and the profile that chooses a pool for a call that names none.

namespace ringlet::seal4 {

namespace detail {

/// The blocks of a MemoryPoolHandle; its content is private to the library.
class MemoryPool;

struct PoolAccess;

}  // namespace detail

/// A counted reference to a pool of 64-byte aligned blocks, which keeps a bounded number of
/// released bytes for reuse. A default-constructed handle refers to no pool. A pool may be used by
/// several threads at once; two threads must not change one handle object at once.
class RINGLET_SEAL_API MemoryPoolHandle {
 public:
  MemoryPoolHandle() = default;
  explicit MemoryPoolHandle(std::shared_ptr<detail::MemoryPool> pool) noexcept
      : pool_(std::move(pool)) {}

  /// Returns the pool of the process, which is never destroyed.
  SEAL_NODISCARD static MemoryPoolHandle Global();

  /// Returns the pool of the calling thread. It stays alive after the thread while a handle refers
  /// to it.
  SEAL_NODISCARD static MemoryPoolHandle ThreadLocal();

  /// Returns a new pool. With clear_on_destruction every block is overwritten with zeros when it is
  /// released, so that neither the pool nor the system gets its contents.
  SEAL_NODISCARD static MemoryPoolHandle New(bool clear_on_destruction = false);

  /// Returns the number of block sizes that the pool has served since it was created; 0 without a
  /// pool.
  SEAL_NODISCARD std::size_t pool_count() const noexcept;

  /// Returns the sum of the bytes that callers asked for, of blocks in use or kept for reuse; 0
  /// without a pool.
  SEAL_NODISCARD std::size_t alloc_byte_count() const noexcept;

  /// Returns the number of handles that share the pool, handles inside objects included; 0 without
  /// a pool.
  SEAL_NODISCARD long use_count() const noexcept { return pool_.use_count(); }

  explicit operator bool() const noexcept { return static_cast<bool>(pool_); }

  /// Returns the pool, in the form that functions of seal::util expect.
  /// @throws std::logic_error if there is none.
  SEAL_NODISCARD operator detail::MemoryPool&() const;

  bool operator==(const MemoryPoolHandle& other) const noexcept { return pool_ == other.pool_; }
  bool operator!=(const MemoryPoolHandle& other) const noexcept { return pool_ != other.pool_; }

 private:
  friend struct detail::PoolAccess;

  std::shared_ptr<detail::MemoryPool> pool_;
};

namespace detail {

/// Returns a 64-byte aligned block of at least `bytes` bytes with unspecified content; null for 0
/// bytes. Throws std::invalid_argument without a pool, std::bad_alloc if there is no memory or for
/// more than 2^38 bytes.
RINGLET_SEAL_API void* pool_allocate(const MemoryPoolHandle& pool, std::size_t bytes);

/// Releases a block of pool_allocate with the same pool and size; null is ignored.
RINGLET_SEAL_API void pool_release(const MemoryPoolHandle& pool, void* block,
                                   std::size_t bytes) noexcept;

/// Returns true for a pool of MemoryPoolHandle::New(true).
SEAL_NODISCARD RINGLET_SEAL_API bool clears_on_release(const MemoryPoolHandle& pool) noexcept;

/// Overwrites memory with zeros; the compiler cannot remove the writes.
RINGLET_SEAL_API void wipe_memory(void* memory, std::size_t bytes) noexcept;

}  // namespace detail

using mm_prof_opt_t = std::uint64_t;

/// The options of MemoryManager::GetPool. Profiles may define further values.
enum mm_prof_opt : mm_prof_opt_t {
  mm_default = 0,
  mm_force_global = 1,
  mm_force_new = 2,
  mm_force_thread_local = 4
};

/// A rule that decides which pool a call uses.
class RINGLET_SEAL_API MMProf {
 public:
  MMProf() = default;
  MMProf(const MMProf&) = delete;
  MMProf& operator=(const MMProf&) = delete;
  virtual ~MMProf() noexcept;

  /// Returns the pool for a value of mm_prof_opt that is not one of the mm_force_ constants.
  virtual MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) = 0;
};

/// A profile that always returns the pool of the process: the profile at start.
class RINGLET_SEAL_API MMProfGlobal : public MMProf {
 public:
  MMProfGlobal() = default;
  ~MMProfGlobal() noexcept override;
  SEAL_NODISCARD MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) override;
};

/// A profile that returns a new pool for each call.
class RINGLET_SEAL_API MMProfNew : public MMProf {
 public:
  MMProfNew() = default;
  ~MMProfNew() noexcept override;
  SEAL_NODISCARD MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) override;
};

/// A profile that always returns the given pool. Throws std::invalid_argument if the handle has no
/// pool.
class RINGLET_SEAL_API MMProfFixed : public MMProf {
 public:
  explicit MMProfFixed(MemoryPoolHandle pool);
  ~MMProfFixed() noexcept override;
  SEAL_NODISCARD MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) override;

 private:
  MemoryPoolHandle pool_;
};

/// A profile that returns the pool of the calling thread.
class RINGLET_SEAL_API MMProfThreadLocal : public MMProf {
 public:
  MMProfThreadLocal() = default;
  ~MMProfThreadLocal() noexcept override;
  SEAL_NODISCARD MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) override;
};

/// Returns pools by the profile of the process. Thread-safe, but a profile that was replaced must
/// not be destroyed while another thread may still run one of its functions.
class RINGLET_SEAL_API MemoryManager {
 public:
  MemoryManager() = delete;

  /// Installs a profile (null: MMProfGlobal) and returns the profile that it replaces.
  static std::unique_ptr<MMProf> SwitchProfile(std::unique_ptr<MMProf>&& profile) noexcept;
  static std::unique_ptr<MMProf> SwitchProfile(MMProf*&& profile) noexcept {
    return SwitchProfile(std::unique_ptr<MMProf>(profile));
  }

  /// Returns the pool that the option forces, or else the profile's pool; clear_on_destruction
  /// matters for mm_force_new only (see MemoryPoolHandle::New).
  SEAL_NODISCARD static MemoryPoolHandle GetPool(mm_prof_opt_t prof_opt,
                                                 bool clear_on_destruction = false);
  SEAL_NODISCARD static MemoryPoolHandle GetPool() { return GetPool(mm_default); }

 private:
  friend class MMProfGuard;
  static std::recursive_mutex& switch_mutex() noexcept;
};

/// Installs a profile while this guard lives, or until unlock. Guards of other threads wait
/// meanwhile.
class RINGLET_SEAL_API MMProfGuard {
 public:
  explicit MMProfGuard(std::unique_ptr<MMProf>&& profile, bool start_locked = true);
  explicit MMProfGuard(MMProf*&& profile, bool start_locked = true)
      : MMProfGuard(std::unique_ptr<MMProf>(profile), start_locked) {}
  MMProfGuard(const MMProfGuard&) = delete;
  MMProfGuard& operator=(const MMProfGuard&) = delete;
  ~MMProfGuard() noexcept { unlock(); }

  /// Installs a profile if no guard holds the lock. Returns false otherwise, also if this guard
  /// holds the lock itself.
  bool try_lock(std::unique_ptr<MMProf>&& profile) noexcept;
  bool try_lock(MMProf*&& profile) noexcept { return try_lock(std::unique_ptr<MMProf>(profile)); }

  /// Installs a profile once the lock is free. Has no effect if this guard holds the lock.
  void lock(std::unique_ptr<MMProf>&& profile);
  void lock(MMProf*&& profile) { lock(std::unique_ptr<MMProf>(profile)); }

  /// Restores the profile that was installed before the lock. Returns false if this guard does not
  /// hold the lock.
  bool unlock() noexcept;

  SEAL_NODISCARD bool owns_lock() const noexcept { return lock_.owns_lock(); }

 private:
  std::unique_ptr<MMProf> old_profile_;
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
