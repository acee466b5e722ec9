// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/base/wipe.hpp"

namespace ringlet {

/// Alignment of all polynomial data, in bytes: one cache line, or one 512-bit vector.
inline constexpr std::size_t kAlignment = 64;

/// Allocates a block on a 64-byte boundary from the system: from 2 MiB on, on pages of 2 MiB where
/// the system has them. Its contents are unspecified. release_block() takes the same size.
/// @throws std::bad_alloc.
RINGLET_API void* allocate_block(std::size_t bytes);
RINGLET_API void release_block(void* block, std::size_t bytes) noexcept;

/// A standard allocator whose blocks start on a 64-byte boundary.
/// @throws std::bad_alloc if there is no memory (std::bad_array_new_length if the size overflows).
template <typename T>
class AlignedAllocator {
 public:
  using value_type = T;

  AlignedAllocator() noexcept = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{kAlignment}));
  }
  void deallocate(T* block, std::size_t) noexcept {
    ::operator delete(block, std::align_val_t{kAlignment});
  }

  template <typename U>
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator<U>&) noexcept {
    return true;
  }
};

/// An AlignedAllocator for secrets: it wipes a block before it releases the block.
template <typename T>
class WipingAllocator : public AlignedAllocator<T> {
 public:
  using value_type = T;

  WipingAllocator() noexcept = default;
  template <typename U>
  WipingAllocator(const WipingAllocator<U>&) noexcept {}

  void deallocate(T* block, std::size_t count) noexcept {
    secure_wipe(block, count * sizeof(T));
    AlignedAllocator<T>::deallocate(block, count);
  }

  template <typename U>
  friend bool operator==(const WipingAllocator&, const WipingAllocator<U>&) noexcept {
    return true;
  }
};

/// A std::vector whose memory starts on a 64-byte boundary.
template <typename T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// A std::vector whose memory starts on a 64-byte boundary and is wiped when it is released.
template <typename T>
using SecretVector = std::vector<T, WipingAllocator<T>>;

}  // namespace ringlet
