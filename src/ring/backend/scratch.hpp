// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ringlet/base/aligned.hpp"
#include "ringlet/base/host_pool.hpp"
#include "ringlet/base/wipe.hpp"

namespace ringlet {

/// Working memory of one call: 64-byte aligned words, not initialised, wiped at the end because a
/// primitive may run on secrets.
class Scratch {
 public:
  /// Takes words of the system.
  explicit Scratch(std::size_t words)
      : words_(words), data_(AlignedAllocator<std::uint64_t>().allocate(words)) {}
  /// Takes words of a pool, which outlives the call.
  Scratch(HostPool& pool, std::size_t words)
      : pool_(&pool),
        words_(words),
        data_(static_cast<std::uint64_t*>(pool.allocate(words * sizeof(std::uint64_t)))) {}
  ~Scratch() {
    secure_wipe(data_, words_ * sizeof(std::uint64_t));
    if (pool_ != nullptr) {
      pool_->release(data_, words_ * sizeof(std::uint64_t));
    } else {
      AlignedAllocator<std::uint64_t>().deallocate(data_, words_);
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::span<std::uint64_t> words() const noexcept { return {data_, words_}; }

 private:
  HostPool* pool_ = nullptr;
  std::size_t words_;
  std::uint64_t* data_;
};

}  // namespace ringlet
