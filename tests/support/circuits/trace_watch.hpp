// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <malloc.h>

#include "support/environment.hpp"
#include "support/memory_meter.hpp"

// Replaces operator new and delete of the whole test program, so that a test sees whether released
// memory holds secrets. Include it in one source file of a program. ThreadSanitizer has an operator
// delete of its own that a program cannot replace.

namespace ringlet::test {

/// The blocks that are searched: the library's own, which have an alignment, or also those of all
/// containers and streams.
enum class WatchedBlocks { aligned, all };

using Patterns = std::vector<std::vector<std::uint8_t>>;

/// Bytes to look for, and the count of released blocks that held them.
struct Watch {
  Patterns patterns;
  WatchedBlocks blocks = WatchedBlocks::aligned;
  std::size_t released = 0;
  std::size_t traces = 0;
};

inline std::atomic<Watch*> active_watch{nullptr};

inline void inspect(const void* block, WatchedBlocks kind) noexcept {
  note_released(malloc_usable_size(const_cast<void*>(block)));
  Watch* watch = active_watch.load();
  if (watch == nullptr || block == nullptr) return;
  if (kind == WatchedBlocks::all && watch->blocks != kind) return;
  ++watch->released;
  const auto* begin = static_cast<const std::uint8_t*>(block);
  const std::span bytes(begin, malloc_usable_size(const_cast<void*>(block)));
  for (const auto& pattern : watch->patterns) {
    if (std::search(bytes.begin(), bytes.end(), pattern.begin(), pattern.end()) != bytes.end()) {
      ++watch->traces;
    }
  }
}

/// Watches releases for the lifetime of the object.
class WatchScope {
 public:
  /// Pass a variable: a list in the call is released only after the watch began.
  explicit WatchScope(Patterns&& patterns, WatchedBlocks blocks = WatchedBlocks::aligned) {
    watch_.patterns = std::move(patterns);
    watch_.blocks = blocks;
    active_watch = &watch_;
  }
  ~WatchScope() { active_watch = nullptr; }
  WatchScope(const WatchScope&) = delete;
  WatchScope& operator=(const WatchScope&) = delete;

  std::size_t released() const { return watch_.released; }
  std::size_t traces() const { return watch_.traces; }

 private:
  Watch watch_;
};

/// 16 to 32 bytes from the middle of a secret, where an allocator keeps no data of its own.
template <typename Words>
std::vector<std::uint8_t> pattern_of(const Words& secret) {
  const std::span words(secret);
  const auto middle = words.subspan(words.size() / 2, 32 / sizeof(std::uint64_t));
  std::vector<std::uint8_t> bytes(middle.size_bytes());
  std::memcpy(bytes.data(), middle.data(), bytes.size());
  return bytes;
}

struct WipingTest : ::testing::Test {
  void SetUp() override {
    if (RINGLET_TEST_THREAD_SANITIZED) GTEST_SKIP() << "operator delete belongs to the sanitizer";
  }
  /// Counts patterns in the blocks that work() releases; it must release at least `least` blocks.
  static std::size_t traces(Patterns patterns, const std::function<void()>& work,
                            WatchedBlocks blocks = WatchedBlocks::all, std::size_t least = 6) {
    const WatchScope watch(std::move(patterns), blocks);
    work();
    EXPECT_GE(watch.released(), least);
    return watch.traces();
  }
};

}  // namespace ringlet::test

#if !RINGLET_TEST_THREAD_SANITIZED
namespace ringlet::test {

/// Fills a block with zeros: otherwise data of an earlier owner, such as a vector of the test
/// itself, would count as a trace.
inline void* cleared(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  note_taken(malloc_usable_size(block));
  return std::memset(block, 0, malloc_usable_size(block));
}

}  // namespace ringlet::test

[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  return ringlet::test::cleared(std::aligned_alloc(align, (size + align - 1) / align * align));
}
// The standard library's own calls the operator above; a sanitizer's own does not.
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment,
                                     const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept {
  ringlet::test::inspect(block, ringlet::test::WatchedBlocks::aligned);
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  ringlet::test::inspect(block, ringlet::test::WatchedBlocks::aligned);
  std::free(block);
}
// Blocks without an alignment of their own belong to containers that are not the library's.
[[gnu::noinline]] void operator delete(void* block) noexcept {
  ringlet::test::inspect(block, ringlet::test::WatchedBlocks::all);
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
  ringlet::test::inspect(block, ringlet::test::WatchedBlocks::all);
  std::free(block);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  return ringlet::test::cleared(std::malloc(size == 0 ? 1 : size));
}
#endif
