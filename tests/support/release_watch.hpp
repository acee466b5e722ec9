// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/environment.hpp"

// Replaces the aligned operator new and delete of the whole test program, so that a test sees the
// content of a block when it is released: a later read would be undefined. Include it in one source
// file of a program. ThreadSanitizer's run-time library insists on its own operators: a test checks
// kReleasesAreWatched first.

namespace ringlet::test {

inline constexpr bool kReleasesAreWatched = RINGLET_TEST_THREAD_SANITIZED == 0;

/// Watches the releases of one block, which watch() or watch_next() named last.
class ReleaseWatch {
 public:
  /// Watches the first `bytes` bytes of the block at `block`.
  void watch(const void* block, std::size_t bytes) {
    block_ = block;
    bytes_ = bytes;
    is_waiting_ = false;
    releases_ = 0;
    nonzero_bytes_ = 0;
  }
  /// Watches the next allocated block of exactly `bytes` bytes.
  void watch_next(std::size_t bytes) {
    watch(nullptr, bytes);
    is_waiting_ = true;
  }
  int releases() const { return releases_; }
  /// The number of bytes that were not zero when the block was released.
  std::size_t nonzero_bytes() const { return nonzero_bytes_; }

  void observe_new(const void* block, std::size_t bytes) noexcept {
    if (!is_waiting_ || bytes != bytes_) return;
    is_waiting_ = false;
    block_ = block;
  }
  void observe(const void* block) noexcept {
    if (block == nullptr || block != block_) return;
    block_ = nullptr;  // the allocator may give out the address again
    ++releases_;
    const auto* data = static_cast<const unsigned char*>(block);
    for (std::size_t i = 0; i < bytes_; ++i) nonzero_bytes_ += data[i] != 0 ? 1 : 0;
  }

 private:
  const void* block_ = nullptr;
  std::size_t bytes_ = 0;
  bool is_waiting_ = false;
  int releases_ = 0;
  std::size_t nonzero_bytes_ = 0;
};

inline ReleaseWatch& release_watch() {
  static ReleaseWatch watch;
  return watch;
}

}  // namespace ringlet::test

#if !RINGLET_TEST_THREAD_SANITIZED
// Out of line: otherwise gcc warns that free() receives the result of an operator new.
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto boundary = static_cast<std::size_t>(alignment);
  void* const block = std::aligned_alloc(boundary, (bytes + boundary - 1) / boundary * boundary);
  if (block == nullptr && bytes != 0) throw std::bad_alloc();
  ringlet::test::release_watch().observe_new(block, bytes);
  return block;
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept {
  ringlet::test::release_watch().observe(block);
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t,
                                       std::align_val_t alignment) noexcept {
  operator delete(block, alignment);
}
#endif
