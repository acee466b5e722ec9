// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/environment.hpp"

// Replaces the aligned operator new and delete of the whole test program, so that a test sees what
// a block holds at the moment when it is given back: reading it later would be undefined. Include
// it in one source file of a program. ThreadSanitizer's run-time library insists on its own
// operators: a test asks kReleasesAreWatched first.

namespace ringlet::test {

inline constexpr bool kReleasesAreWatched = RINGLET_TEST_THREAD_SANITIZED == 0;

/// The releases of one block, the one that watch() or watch_next() named last.
class ReleaseWatch {
 public:
  /// Watches the block that starts at `block`; its first `bytes` bytes are looked at.
  void watch(const void* block, std::size_t bytes) {
    block_ = block;
    bytes_ = bytes;
    is_waiting_ = false;
    releases_ = 0;
    nonzero_bytes_ = 0;
  }
  /// Watches the next block that is asked for with exactly `bytes` bytes.
  void watch_next(std::size_t bytes) {
    watch(nullptr, bytes);
    is_waiting_ = true;
  }
  int releases() const { return releases_; }
  /// Bytes that were not zero when the block was released.
  std::size_t nonzero_bytes() const { return nonzero_bytes_; }

  void observe_new(const void* block, std::size_t bytes) noexcept {
    if (!is_waiting_ || bytes != bytes_) return;
    is_waiting_ = false;
    block_ = block;
  }
  void observe(const void* block) noexcept {
    if (block == nullptr || block != block_) return;
    block_ = nullptr;  // the address may come back for another block
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
// Out of line, so that gcc does not find a free() of what an operator new has returned.
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
