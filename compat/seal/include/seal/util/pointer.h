// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "seal/memorymanager.h"
#include "seal/util/defines.h"
#include "seal/util/mempool.h"

// Arrays in the memory of a pool.

namespace ringlet::seal4_util {

/// Owns an array of `count` objects in memory of a pool, or an array of new[], or refers to memory
/// of somebody else (Aliasing). It keeps the pool alive. Can be moved, not copied.
template <class T = void>
class Pointer {
 public:
  Pointer() = default;
  Pointer(std::nullptr_t) noexcept {}
  Pointer(Pointer&& source) noexcept { swap_with(source); }
  Pointer& operator=(Pointer&& assign) noexcept {
    Pointer(std::move(assign)).swap_with(*this);
    return *this;
  }
  ~Pointer() { release(); }

  /// Takes an array that new[] made.
  SEAL_NODISCARD static Pointer Owning(T* pointer) noexcept {
    Pointer result(pointer, 0);
    result.owns_new_ = true;
    return result;
  }
  /// Refers to memory that it does not own.
  SEAL_NODISCARD static Pointer Aliasing(T* pointer) noexcept { return Pointer(pointer, 0); }

  /// Makes `count` objects, each from `args`, in memory of the pool. Without arguments, objects of
  /// trivial types have unspecified values.
  template <class... Args>
  SEAL_NODISCARD static Pointer Make(MemoryPool& pool, std::size_t count, Args&&... args) {
    return Filled(pool, count, [&](void* place) {
      if constexpr (sizeof...(Args) > 0 || !std::is_trivially_default_constructible<T>::value) {
        ::new (place) T(args...);
      }
    });
  }
  /// Makes `count` objects from those that start at `first`.
  template <class InputIt>
  SEAL_NODISCARD static Pointer MakeFrom(InputIt first, MemoryPool& pool, std::size_t count) {
    return Filled(pool, count, [&](void* place) { ::new (place) T(*first++); });
  }

  SEAL_NODISCARD T& operator[](std::size_t index) const noexcept { return data_[index]; }
  SEAL_NODISCARD T& operator*() const noexcept { return *data_; }
  SEAL_NODISCARD T* operator->() const noexcept { return data_; }
  SEAL_NODISCARD T* get() const noexcept { return data_; }
  SEAL_NODISCARD bool is_set() const noexcept { return data_ != nullptr; }
  SEAL_NODISCARD explicit operator bool() const noexcept { return data_ != nullptr; }

  /// Destroys the objects, if it owns them, and refers to nothing afterwards.
  void release() noexcept {
    if (owns_new_) delete[] data_;
    if (pool_) {
      for (std::size_t i = count_; i-- > 0;) data_[i].~T();
      seal4::detail::pool_release(pool_, data_, bytes_);
    }
    data_ = nullptr;
    count_ = bytes_ = 0;
    owns_new_ = false;
    pool_ = seal4::MemoryPoolHandle();
  }

  /// Releases its own objects and takes those of `other`.
  void acquire(Pointer&& other) noexcept { *this = std::move(other); }
  void swap_with(Pointer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(bytes_, other.bytes_);
    std::swap(owns_new_, other.owns_new_);
    std::swap(pool_, other.pool_);
  }
  void swap_with(Pointer&& other) noexcept { swap_with(other); }

 private:
  Pointer(T* data, std::size_t bytes) noexcept : data_(data), bytes_(bytes) {}

  // Counts the objects one by one, so that release() destroys exactly those that were made if a
  // constructor throws.
  template <class Construct>
  static Pointer Filled(MemoryPool& pool, std::size_t count, const Construct& construct) {
    const std::size_t bytes = detail::array_bytes(count, sizeof(T));
    seal4::MemoryPoolHandle handle = detail::handle_of(pool);
    Pointer result(static_cast<T*>(seal4::detail::pool_allocate(handle, bytes)), bytes);
    result.pool_ = std::move(handle);
    for (; result.count_ < count; ++result.count_) construct(result.data_ + result.count_);
    return result;
  }

  T* data_ = nullptr;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  bool owns_new_ = false;
  seal4::MemoryPoolHandle pool_;
};

/// A Pointer whose objects are not written.
template <class T = void>
class ConstPointer {
 public:
  ConstPointer() = default;
  ConstPointer(std::nullptr_t) noexcept {}
  ConstPointer(Pointer<T>&& source) noexcept : owner_(std::move(source)) {}
  ConstPointer& operator=(Pointer<T>&& assign) noexcept {
    owner_ = std::move(assign);
    return *this;
  }

  SEAL_NODISCARD static ConstPointer Owning(T* pointer) noexcept {
    return Pointer<T>::Owning(pointer);
  }
  SEAL_NODISCARD static ConstPointer Aliasing(const T* pointer) noexcept {
    return Pointer<T>::Aliasing(const_cast<T*>(pointer));
  }

  SEAL_NODISCARD const T& operator[](std::size_t index) const noexcept { return owner_[index]; }
  SEAL_NODISCARD const T& operator*() const noexcept { return *owner_; }
  SEAL_NODISCARD const T* operator->() const noexcept { return owner_.get(); }
  SEAL_NODISCARD const T* get() const noexcept { return owner_.get(); }
  SEAL_NODISCARD bool is_set() const noexcept { return owner_.is_set(); }
  SEAL_NODISCARD explicit operator bool() const noexcept { return owner_.is_set(); }
  void release() noexcept { owner_.release(); }
  void swap_with(ConstPointer& other) noexcept { owner_.swap_with(other.owner_); }

 private:
  Pointer<T> owner_;
};

/// Makes one object from `args` in memory of the pool.
template <class T, class... Args>
SEAL_NODISCARD Pointer<T> allocate(MemoryPool& pool, Args&&... args) {
  return Pointer<T>::Make(pool, 1, std::forward<Args>(args)...);
}
/// Makes `count` objects, each from `args`; values of trivial types are unspecified without `args`.
/// @throws std::logic_error if the bytes exceed 64 bits.
template <class T, class... Args>
SEAL_NODISCARD Pointer<T> allocate(std::size_t count, MemoryPool& pool, Args&&... args) {
  return Pointer<T>::Make(pool, count, std::forward<Args>(args)...);
}
/// Makes copies of the `count` objects that start at `first`.
template <class T, class InputIt>
SEAL_NODISCARD Pointer<T> allocate(InputIt first, std::size_t count, MemoryPool& pool) {
  return Pointer<T>::MakeFrom(first, pool, count);
}

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
