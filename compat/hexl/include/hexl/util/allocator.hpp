// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

namespace intel {
namespace hexl {

/// The source of the memory of a transform.
struct AllocatorBase {
  virtual ~AllocatorBase() noexcept {}

  /// Returns a block of `bytes_count` bytes, of any alignment; null if there is none.
  virtual void* allocate(size_t bytes_count) = 0;

  /// Releases a block `p` of `n` bytes; `n` is the number of bytes of its allocation.
  virtual void deallocate(void* p, size_t n) = 0;
};

/// Implements AllocatorBase with two functions of a derived class,
///   void* allocate_impl(size_t bytes_count) and void deallocate_impl(void* p, size_t n).
template <class AllocatorImpl>
struct AllocatorInterface : public AllocatorBase {
  void* allocate(size_t bytes_count) override {
    return static_cast<AllocatorImpl*>(this)->allocate_impl(bytes_count);
  }
  void deallocate(void* p, size_t n) override {
    static_cast<AllocatorImpl*>(this)->deallocate_impl(p, n);
  }

 private:
  // Called only if the derived class does not define these functions: an allocator without memory.
  void* allocate_impl(size_t) { return nullptr; }
  void deallocate_impl(void*, size_t) {}
};

}  // namespace hexl
}  // namespace intel
