// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "ringlet/base/aligned.hpp"
#include "ringlet/base/wipe.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet {

/// Words on a device: a block, or a part that keeps its block alive.
using DeviceWords = std::shared_ptr<std::uint64_t>;

DeviceWords make_block(const std::shared_ptr<Memory>& memory, std::size_t words, Secrecy secrecy);

/// Allocate and release bytes of a pool, or of the system if `pool` is null.
void* allocate_bytes(const std::shared_ptr<HostPool>& pool, std::size_t bytes);
void release_bytes(const std::shared_ptr<HostPool>& pool, void* block, std::size_t bytes) noexcept;

/// A copy of the words on a device, current or not.
struct DeviceCopy {
  std::shared_ptr<Memory> memory;
  DeviceWords words;
  const std::uint64_t* shared_block = nullptr;  ///< Contains `words`; null for their own.
  bool is_current = false;
};

/// Holds the words on the host, on devices, or both. Host words are on a 64-byte boundary and wiped
/// on release where they are secret, or they are borrowed. If no copy is current, nothing was
/// written yet. Members under the mutex may change during a view for reading.
struct Storage::Block {
  /// Owns its words, which have no memory yet.
  Block(const StorageShape& shape, std::size_t stride, Secrecy secrecy_in,
        std::shared_ptr<HostPool> pool_in)
      : pool(std::move(pool_in)),
        limb_count(shape.poly_count * shape.limb_count),
        degree(shape.degree),
        limb_stride(stride),
        secrecy(secrecy_in) {}
  Block(const StorageShape& shape, std::size_t stride, Secrecy secrecy_in, std::uint64_t* words)
      : Block(shape, stride, secrecy_in, std::shared_ptr<HostPool>()) {
    is_borrowed = true;
    host = words;
    host_is_current = true;
  }
  ~Block() {
    if (is_borrowed || host == nullptr) return;
    if (secrecy == Secrecy::secret) secure_wipe(host, byte_count());
    release_bytes(pool, host, byte_count());
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Makes a block in memory of `pool`.
  template <typename... Arguments>
  static std::unique_ptr<Block, ReleaseBlock> make(const std::shared_ptr<HostPool>& pool,
                                                   const Arguments&... arguments);

  std::size_t word_count() const { return limb_count * limb_stride; }  ///< Padding included.
  std::size_t byte_count() const { return word_count() * sizeof(std::uint64_t); }

  /// Makes the copy in `wanted` current and returns its address. Call it under the mutex.
  std::uint64_t* bring_to(const std::shared_ptr<Memory>& wanted);
  /// Does the same as bring_to, and then makes this copy the only current one.
  std::uint64_t* claim(const std::shared_ptr<Memory>& wanted);
  /// Copies the words of a block of the same shape.
  void copy_words_of(Block& other);
  /// Returns a device's copy that is current; null if there is none.
  DeviceCopy* current_copy() noexcept;
  /// A part of a block in `memory`; nulls if the words have none.
  struct Slice {
    const std::uint64_t* block = nullptr;
    const std::uint64_t* words = nullptr;
  };
  Slice slice_in(const std::shared_ptr<Memory>& memory) noexcept;
  /// Moves the words in `memory` to `block`, from its word `first` on: copies the current ones
  /// there, or uploads those of the host.
  void move_to(const std::shared_ptr<Memory>& memory, const DeviceWords& block, std::size_t first);

 private:
  void make_host();
  std::uint64_t* bring_to_host();
  DeviceCopy& copy_in(const std::shared_ptr<Memory>& wanted);
  void upload(DeviceCopy& copy) const;
  void keep_only(const std::shared_ptr<Memory>& wanted) noexcept;
  void copy_on_device(DeviceCopy& source, std::size_t source_stride);
  void copy_on_host(Block& other);
  template <typename Move>
  void for_runs(const Move& move) const;

 public:
  std::mutex mutex;
  std::shared_ptr<HostPool> pool;  ///< Of the words and of this object; null for the system.
  std::size_t limb_count;
  std::size_t degree;
  std::size_t limb_stride;
  Secrecy secrecy;
  bool is_borrowed = false;
  /// Read without the mutex. If it is true, the host has the current words.
  std::atomic<bool> host_is_current{false};
  std::uint64_t* host = nullptr;
  std::vector<DeviceCopy> copies;    ///< One per memory, as long as a view of it may exist.
  std::vector<DeviceWords> in_view;  ///< Replaced by move_to; kept as long as a view may exist.
};

template <typename... Arguments>
std::unique_ptr<Storage::Block, Storage::ReleaseBlock> Storage::Block::make(
    const std::shared_ptr<HostPool>& pool, const Arguments&... arguments) {
  static_assert(alignof(Block) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  // Objects that borrow words are made at every call through SEAL's interface.
  void* const memory =
      pool != nullptr ? pool->allocate(sizeof(Block)) : ::operator new(sizeof(Block));
  return std::unique_ptr<Block, ReleaseBlock>(new (memory) Block(arguments...));
}

}  // namespace ringlet
