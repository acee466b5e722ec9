// SPDX-License-Identifier: Apache-2.0
#include "seal/memorymanager.h"

#include <atomic>
#include <stdexcept>
#include <utility>

#include "ringlet/base/wipe.hpp"
#include "seal/util/mempool.h"
#include "util/memory_pool.hpp"

namespace ringlet::seal4 {

namespace detail {

struct PoolAccess {
  static MemoryPool* pool(const MemoryPoolHandle& handle) noexcept { return handle.pool_.get(); }
};

void* pool_allocate(const MemoryPoolHandle& pool, std::size_t bytes) {
  if (!pool) throw std::invalid_argument("the memory pool is uninitialized");
  return PoolAccess::pool(pool)->allocate(bytes);
}

void pool_release(const MemoryPoolHandle& pool, void* block, std::size_t bytes) noexcept {
  if (block != nullptr) PoolAccess::pool(pool)->release(block, bytes);
}

bool clears_on_release(const MemoryPoolHandle& pool) noexcept {
  return pool && PoolAccess::pool(pool)->wipes();
}

void wipe_memory(void* memory, std::size_t bytes) noexcept { secure_wipe(memory, bytes); }

}  // namespace detail

namespace {

// Returns the owner of the profile. Null, which a caller may install, means MMProfGlobal.
std::atomic<MMProf*>& current_profile() {
  static std::atomic<MMProf*> profile{new MMProfGlobal};
  return profile;
}

}  // namespace

MemoryPoolHandle MemoryPoolHandle::Global() {
  // Objects of static storage may release their memory after everything else has been destroyed.
  static const auto* pool = new MemoryPoolHandle(std::make_shared<detail::MemoryPool>(false));
  return *pool;
}

MemoryPoolHandle MemoryPoolHandle::ThreadLocal() {
  thread_local const MemoryPoolHandle pool(std::make_shared<detail::MemoryPool>(false));
  return pool;
}

MemoryPoolHandle MemoryPoolHandle::New(bool clear_on_destruction) {
  return MemoryPoolHandle(std::make_shared<detail::MemoryPool>(clear_on_destruction));
}

MemoryPoolHandle::operator detail::MemoryPool&() const {
  if (!pool_) throw std::logic_error("the memory pool is uninitialized");
  return *pool_;
}

std::size_t MemoryPoolHandle::pool_count() const noexcept {
  return pool_ ? pool_->size_count() : 0;
}

std::size_t MemoryPoolHandle::alloc_byte_count() const noexcept {
  return pool_ ? pool_->held_bytes() : 0;
}

MMProf::~MMProf() noexcept = default;
MMProfGlobal::~MMProfGlobal() noexcept = default;
MMProfNew::~MMProfNew() noexcept = default;
MMProfFixed::~MMProfFixed() noexcept = default;
MMProfThreadLocal::~MMProfThreadLocal() noexcept = default;

MemoryPoolHandle MMProfGlobal::get_pool(mm_prof_opt_t) { return MemoryPoolHandle::Global(); }

MemoryPoolHandle MMProfNew::get_pool(mm_prof_opt_t) { return MemoryPoolHandle::New(); }

MMProfFixed::MMProfFixed(MemoryPoolHandle pool) : pool_(std::move(pool)) {
  if (!pool_) throw std::invalid_argument("MMProfFixed: the memory pool is uninitialized");
}

MemoryPoolHandle MMProfFixed::get_pool(mm_prof_opt_t) { return pool_; }

MemoryPoolHandle MMProfThreadLocal::get_pool(mm_prof_opt_t) {
  return MemoryPoolHandle::ThreadLocal();
}

std::unique_ptr<MMProf> MemoryManager::SwitchProfile(std::unique_ptr<MMProf>&& profile) noexcept {
  return std::unique_ptr<MMProf>(current_profile().exchange(profile.release()));
}

MemoryPoolHandle MemoryManager::GetPool(mm_prof_opt_t prof_opt, bool clear_on_destruction) {
  switch (prof_opt) {
    case mm_force_global:
      return MemoryPoolHandle::Global();
    case mm_force_new:
      return MemoryPoolHandle::New(clear_on_destruction);
    case mm_force_thread_local:
      return MemoryPoolHandle::ThreadLocal();
    default: {
      MMProf* profile = current_profile().load();
      return profile != nullptr ? profile->get_pool(prof_opt) : MemoryPoolHandle::Global();
    }
  }
}

std::recursive_mutex& MemoryManager::switch_mutex() noexcept {
  static std::recursive_mutex mutex;
  return mutex;
}

MMProfGuard::MMProfGuard(std::unique_ptr<MMProf>&& profile, bool start_locked)
    : lock_(MemoryManager::switch_mutex(), std::defer_lock) {
  if (start_locked) lock(std::move(profile));
}

bool MMProfGuard::try_lock(std::unique_ptr<MMProf>&& profile) noexcept {
  if (lock_.owns_lock() || !lock_.try_lock()) return false;
  old_profile_ = MemoryManager::SwitchProfile(std::move(profile));
  return true;
}

void MMProfGuard::lock(std::unique_ptr<MMProf>&& profile) {
  if (lock_.owns_lock()) return;
  lock_.lock();
  old_profile_ = MemoryManager::SwitchProfile(std::move(profile));
}

bool MMProfGuard::unlock() noexcept {
  if (!lock_.owns_lock()) return false;
  MemoryManager::SwitchProfile(std::move(old_profile_));
  lock_.unlock();
  return true;
}

}  // namespace ringlet::seal4

namespace ringlet::seal4_util::detail {

seal4::MemoryPoolHandle handle_of(MemoryPool& pool) {
  return seal4::MemoryPoolHandle(pool.shared_from_this());
}

}  // namespace ringlet::seal4_util::detail
