// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include "ringlet/base/error.hpp"
#include "ringlet/ring/memory.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// A device whose words are on the host, behind addresses that cannot be followed, or behind the
/// addresses of the words. It counts its calls, and fails on demand.
class FakeMemory : public Memory {
 public:
  static constexpr std::uint64_t kUnwritten = 0xDEADBEEF;  ///< What new blocks hold.

  explicit FakeMemory(std::string name, bool is_followed = false)
      : name_(std::move(name)), is_followed_(is_followed) {}
  ~FakeMemory() override { EXPECT_TRUE(blocks_.empty()) << blocks_.size() << " blocks are left"; }

  std::string name() const override { return name_; }
  std::size_t shared_block_words() const override { return most_shared_words; }
  std::uint64_t* allocate(std::size_t words, Secrecy secrecy) override {
    const std::lock_guard lock(mutex_);
    fail("allocate");
    if (words > most_words)
      throw_runtime_error({name_, "the memory is used up", "fewer words", "use smaller batches"});
    if (allocations_left == 0) throw std::bad_alloc();
    --allocations_left;
    ++allocations;
    std::vector block(words, kUnwritten);
    std::uint64_t* start = block.data();
    if (!is_followed_) {
      const std::size_t bytes = words * sizeof(std::uint64_t);
      void* const range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (range == MAP_FAILED) throw std::bad_alloc();
      start = static_cast<std::uint64_t*>(range);
    }
    blocks_[start] = {std::move(block), secrecy};
    return start;
  }
  void release(std::uint64_t* start) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(start);
    if (found == blocks_.end()) {
      ADD_FAILURE() << "release of what is no block";
      return;
    }
    if (!is_followed_) munmap(start, found->second.words.size() * sizeof(std::uint64_t));
    blocks_.erase(found);
  }
  void upload(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override {
    const std::lock_guard lock(mutex_);
    fail("upload");
    ++uploads;
    std::copy_n(source, words, at(target, words).begin());
  }
  void download(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override {
    const std::lock_guard lock(mutex_);
    fail("download");
    ++downloads;
    std::ranges::copy(at(source, words), target);
  }
  void copy(std::uint64_t* target, const std::uint64_t* source, std::size_t words) override {
    const std::lock_guard lock(mutex_);
    fail("copy");
    ++copies;
    const std::span<std::uint64_t> from = at(source, words);
    std::ranges::copy(from, at(target, words).begin());
  }

  /// Returns the words that a backend sees behind a view.
  std::span<std::uint64_t> words_at(const std::uint64_t* address, std::size_t words) {
    const std::lock_guard lock(mutex_);
    return at(address, words);
  }
  bool owns(const std::uint64_t* word) const {
    const std::lock_guard lock(mutex_);
    const auto next = blocks_.upper_bound(const_cast<std::uint64_t*>(word));
    if (next == blocks_.begin()) return false;
    const auto& [start, block] = *std::prev(next);
    return word < start + block.words.size();
  }
  std::size_t block_count() const { return blocks_.size(); }
  Secrecy only_secrecy() const { return blocks_.begin()->second.secrecy; }
  int transfers() const { return uploads + downloads + copies; }

  int allocations = 0;
  int uploads = 0;
  int downloads = 0;
  int copies = 0;
  std::string failing;
  std::size_t allocations_left = std::numeric_limits<std::size_t>::max();
  std::size_t most_words = std::numeric_limits<std::size_t>::max();  ///< Of a block.
  std::size_t most_shared_words = std::size_t{1} << 20;

 private:
  struct Block {
    std::vector<std::uint64_t> words;
    Secrecy secrecy = Secrecy::open;
  };

  std::span<std::uint64_t> at(const std::uint64_t* address, std::size_t words) {
    auto next = blocks_.upper_bound(const_cast<std::uint64_t*>(address));
    if (next == blocks_.begin()) throw_logic_error({name_, "an unknown address", "none", "none"});
    auto& [start, block] = *--next;
    const auto offset = static_cast<std::size_t>(address - start);
    if (offset > block.words.size() || words > block.words.size() - offset) {
      throw_logic_error({name_, "words outside of all blocks", "none", "none"});
    }
    return std::span(block.words).subspan(offset, words);
  }
  void fail(const std::string& call) const {
    if (failing == call) throw_runtime_error({name_ + ": " + call, "injected", "none", "none"});
  }

  std::string name_;
  bool is_followed_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t*, Block, std::less<>> blocks_;
};

}  // namespace ringlet::test
