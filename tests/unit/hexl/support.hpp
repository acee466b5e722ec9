// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hexl/ntt/ntt.hpp"
#include "support/values.hpp"

// Expected results of the functions that replace HEXL's, by division of double words; memory that
// counts its blocks, and the three ways in which a caller gives it to a transform.

namespace ringlet::test {

__extension__ using DoubleWord = unsigned __int128;

inline std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>(static_cast<DoubleWord>(a) * b % q);
}

inline std::uint64_t plus(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>((static_cast<DoubleWord>(a) + b) % q);
}

inline std::uint64_t minus(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>((static_cast<DoubleWord>(a) + q - b % q) % q);
}

/// The vector of element(0), element(1), ..., element(n - 1).
template <typename Element>
Words words(std::size_t n, Element element) {
  Words result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = element(i);
  return result;
}

/// Counts its blocks in use; aborts on a block that is not its own, or with another size.
class CountedMemory {
 public:
  void* allocate(std::size_t bytes) {
    void* const block = std::malloc(bytes);
    sizes_[block] = bytes;
    bytes_ += bytes;
    return block;
  }
  void deallocate(void* block, std::size_t bytes) {
    const auto found = sizes_.find(block);
    if (found == sizes_.end() || found->second != bytes) std::abort();
    bytes_ -= bytes;
    sizes_.erase(found);
    std::free(block);
  }
  std::size_t blocks() const { return sizes_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::map<void*, std::size_t> sizes_;
  std::size_t bytes_ = 0;
};

/// CountedMemory as a class that derives from AllocatorBase.
class CountedStrategy : public intel::hexl::AllocatorBase {
 public:
  explicit CountedStrategy(std::shared_ptr<CountedMemory> memory) : memory_(std::move(memory)) {}
  void* allocate(std::size_t bytes) override { return memory_->allocate(bytes); }
  void deallocate(void* block, std::size_t bytes) override { memory_->deallocate(block, bytes); }

 private:
  std::shared_ptr<CountedMemory> memory_;
};

struct NoMemory : intel::hexl::AllocatorBase {
  void* allocate(std::size_t) override { return nullptr; }
  void deallocate(void*, std::size_t) override {}
};

/// CountedMemory as a handle that can only be moved and has an adapter of its own below.
class MemoryHandle {
 public:
  explicit MemoryHandle(std::shared_ptr<CountedMemory> memory) : memory_(std::move(memory)) {}
  MemoryHandle(MemoryHandle&&) = default;
  MemoryHandle& operator=(MemoryHandle&&) = default;
  CountedMemory& memory() { return *memory_; }

 private:
  std::shared_ptr<CountedMemory> memory_;
};

/// CountedMemory as a class that defines members of the adapter, instead of an adapter of its own.
struct PlainMemory {
  std::shared_ptr<CountedMemory> memory;
};

/// A second argument of an adapter, which can only be moved too.
struct Policy {
  std::unique_ptr<int> state = std::make_unique<int>(1);
};

}  // namespace ringlet::test

namespace intel::hexl {

template <>
struct NTT::AllocatorAdapter<ringlet::test::MemoryHandle>
    : public AllocatorInterface<NTT::AllocatorAdapter<ringlet::test::MemoryHandle>> {
  explicit AllocatorAdapter(ringlet::test::MemoryHandle handle) : handle_(std::move(handle)) {}
  void* allocate_impl(std::size_t bytes) { return handle_.memory().allocate(bytes); }
  void deallocate_impl(void* block, std::size_t bytes) {
    handle_.memory().deallocate(block, bytes);
  }

 private:
  ringlet::test::MemoryHandle handle_;
};

template <>
inline NTT::AllocatorAdapter<ringlet::test::PlainMemory>::AllocatorAdapter(
    ringlet::test::PlainMemory&& plain)
    : alloc(std::move(plain)) {}
template <>
inline void* NTT::AllocatorAdapter<ringlet::test::PlainMemory>::allocate_impl(std::size_t bytes) {
  return alloc.memory->allocate(bytes);
}
template <>
inline void NTT::AllocatorAdapter<ringlet::test::PlainMemory>::deallocate_impl(void* block,
                                                                               std::size_t bytes) {
  alloc.memory->deallocate(block, bytes);
}

template <>
struct NTT::AllocatorAdapter<ringlet::test::MemoryHandle, ringlet::test::Policy>
    : public AllocatorInterface<
          NTT::AllocatorAdapter<ringlet::test::MemoryHandle, ringlet::test::Policy>> {
  AllocatorAdapter(ringlet::test::MemoryHandle handle, ringlet::test::Policy&& policy)
      : handle_(std::move(handle)), policy_(std::move(policy)) {}
  void* allocate_impl(std::size_t bytes) {
    return policy_.state == nullptr ? nullptr : handle_.memory().allocate(bytes);
  }
  void deallocate_impl(void* block, std::size_t bytes) {
    handle_.memory().deallocate(block, bytes);
  }

 private:
  ringlet::test::MemoryHandle handle_;
  ringlet::test::Policy policy_;
};

}  // namespace intel::hexl
