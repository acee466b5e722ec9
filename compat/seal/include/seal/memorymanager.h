// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "seal/util/defines.h"

// Memory pools and the profile that chooses one of them for a call that names none.

namespace ringlet::seal4 {

namespace detail {

/// The blocks behind a MemoryPoolHandle; its content is private to the library.
class MemoryPool;

struct PoolAccess;

}  // namespace detail

/// A counted reference to a pool of 64-byte aligned blocks, which keeps a bounded number of
/// released bytes for reuse. A default-constructed handle refers to no pool. A pool may be used by
/// several threads at once; one handle object may not be changed by two.
class RINGLET_SEAL_API MemoryPoolHandle {
 public:
  MemoryPoolHandle() = default;
  explicit MemoryPoolHandle(std::shared_ptr<detail::MemoryPool> pool) noexcept
      : pool_(std::move(pool)) {}

  /// The pool of the process. It is never destroyed.
  SEAL_NODISCARD static MemoryPoolHandle Global();

  /// The pool of the calling thread; it lives on after the thread while a handle refers to it.
  SEAL_NODISCARD static MemoryPoolHandle ThreadLocal();

  /// A new pool. With clear_on_destruction every block is overwritten with zeros when it is
  /// released, so that neither the pool nor the system gets back what it held.
  SEAL_NODISCARD static MemoryPoolHandle New(bool clear_on_destruction = false);

  /// Number of block sizes that the pool has served since it was created; 0 without a pool.
  SEAL_NODISCARD std::size_t pool_count() const noexcept;

  /// Bytes that the pool holds from the system, in use or kept for reuse; 0 without a pool.
  SEAL_NODISCARD std::size_t alloc_byte_count() const noexcept;

  /// Number of handles that share the pool, those inside objects included; 0 without a pool.
  SEAL_NODISCARD long use_count() const noexcept { return pool_.use_count(); }

  explicit operator bool() const noexcept { return static_cast<bool>(pool_); }

  bool operator==(const MemoryPoolHandle& other) const noexcept { return pool_ == other.pool_; }
  bool operator!=(const MemoryPoolHandle& other) const noexcept { return pool_ != other.pool_; }

 private:
  friend struct detail::PoolAccess;

  std::shared_ptr<detail::MemoryPool> pool_;
};

namespace detail {

/// A 64-byte aligned block of at least `bytes` bytes with unspecified content; null for 0 bytes.
/// Throws std::invalid_argument without a pool, std::bad_alloc if there is no memory or for more
/// than 2^38 bytes.
RINGLET_SEAL_API void* pool_allocate(const MemoryPoolHandle& pool, std::size_t bytes);

/// Gives back a block of pool_allocate with the same pool and size; null is ignored.
RINGLET_SEAL_API void pool_release(const MemoryPoolHandle& pool, void* block,
                                   std::size_t bytes) noexcept;

/// True for a pool of MemoryPoolHandle::New(true).
SEAL_NODISCARD RINGLET_SEAL_API bool clears_on_release(const MemoryPoolHandle& pool) noexcept;

/// Overwrites memory with zeros; the compiler does not leave that out.
RINGLET_SEAL_API void wipe_memory(void* memory, std::size_t bytes) noexcept;

}  // namespace detail

using mm_prof_opt_t = std::uint64_t;

/// What a caller of MemoryManager::GetPool asks for. Profiles may give other values a meaning.
enum mm_prof_opt : mm_prof_opt_t {
  mm_default = 0,
  mm_force_global = 1,
  mm_force_new = 2,
  mm_force_thread_local = 4
};

/// A rule that answers which pool a call shall use.
class RINGLET_SEAL_API MMProf {
 public:
  MMProf() = default;
  MMProf(const MMProf&) = delete;
  MMProf& operator=(const MMProf&) = delete;
  virtual ~MMProf() noexcept;

  /// The pool for a value of mm_prof_opt that is not one of the mm_force_ constants.
  virtual MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) = 0;
};

/// Always the pool of the process: the profile at start.
class RINGLET_SEAL_API MMProfGlobal : public MMProf {
 public:
  MMProfGlobal() = default;
  ~MMProfGlobal() noexcept override;
  SEAL_NODISCARD MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) override;
};

/// A new pool for each call.
class RINGLET_SEAL_API MMProfNew : public MMProf {
 public:
  MMProfNew() = default;
  ~MMProfNew() noexcept override;
  SEAL_NODISCARD MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) override;
};

/// Always the pool that was given. Throws std::invalid_argument if the handle has no pool.
class RINGLET_SEAL_API MMProfFixed : public MMProf {
 public:
  explicit MMProfFixed(MemoryPoolHandle pool);
  ~MMProfFixed() noexcept override;
  SEAL_NODISCARD MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) override;

 private:
  MemoryPoolHandle pool_;
};

/// The pool of the thread that asks.
class RINGLET_SEAL_API MMProfThreadLocal : public MMProf {
 public:
  MMProfThreadLocal() = default;
  ~MMProfThreadLocal() noexcept override;
  SEAL_NODISCARD MemoryPoolHandle get_pool(mm_prof_opt_t prof_opt) override;
};

/// Gives pools by the profile of the process. Thread-safe, but a profile that is switched away
/// must not be destroyed while another thread may still be inside it.
class RINGLET_SEAL_API MemoryManager {
 public:
  MemoryManager() = delete;

  /// Installs a profile (null: MMProfGlobal) and returns the one that it replaces.
  static std::unique_ptr<MMProf> SwitchProfile(std::unique_ptr<MMProf>&& profile) noexcept;
  static std::unique_ptr<MMProf> SwitchProfile(MMProf*&& profile) noexcept {
    return SwitchProfile(std::unique_ptr<MMProf>(profile));
  }

  /// The pool that the option forces, or else the profile's; clear_on_destruction matters for
  /// mm_force_new only (see MemoryPoolHandle::New).
  SEAL_NODISCARD static MemoryPoolHandle GetPool(mm_prof_opt_t prof_opt,
                                                 bool clear_on_destruction = false);
  SEAL_NODISCARD static MemoryPoolHandle GetPool() { return GetPool(mm_default); }

 private:
  friend class MMProfGuard;
  static std::recursive_mutex& switch_mutex() noexcept;
};

/// Installs a profile for as long as it lives (or until unlock), and keeps other guards of other
/// threads waiting meanwhile.
class RINGLET_SEAL_API MMProfGuard {
 public:
  explicit MMProfGuard(std::unique_ptr<MMProf>&& profile, bool start_locked = true);
  explicit MMProfGuard(MMProf*&& profile, bool start_locked = true)
      : MMProfGuard(std::unique_ptr<MMProf>(profile), start_locked) {}
  MMProfGuard(const MMProfGuard&) = delete;
  MMProfGuard& operator=(const MMProfGuard&) = delete;
  ~MMProfGuard() noexcept { unlock(); }

  /// Installs a profile if no guard holds the lock; false otherwise, or if this guard owns it.
  bool try_lock(std::unique_ptr<MMProf>&& profile) noexcept;
  bool try_lock(MMProf*&& profile) noexcept { return try_lock(std::unique_ptr<MMProf>(profile)); }

  /// Installs a profile once the lock is free; no effect if this guard owns it.
  void lock(std::unique_ptr<MMProf>&& profile);
  void lock(MMProf*&& profile) { lock(std::unique_ptr<MMProf>(profile)); }

  /// Restores the profile from before the lock; false if this guard does not own it.
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
