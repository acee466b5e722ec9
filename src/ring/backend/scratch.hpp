// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ringlet/base/aligned.hpp"
#include "ringlet/base/host_pool.hpp"
#include "ringlet/base/wipe.hpp"
#include "ringlet/ring/memory.hpp"

namespace ringlet {

/// Working memory of one call: 64-byte aligned words, not initialised. It is wiped at the end,
/// because a primitive may run on secrets, unless the caller knows that the words are open.
class Scratch {
 public:
  /// Takes words of the system.
  explicit Scratch(std::size_t words)
      : words_(words), data_(AlignedAllocator<std::uint64_t>().allocate(words)) {}
  /// Takes words of a pool, which outlives the call.
  Scratch(HostPool& pool, std::size_t words, Secrecy secrecy = Secrecy::secret)
      : pool_(&pool),
        secrecy_(secrecy),
        words_(words),
        data_(static_cast<std::uint64_t*>(pool.allocate(words * sizeof(std::uint64_t)))) {}
  ~Scratch() {
    if (secrecy_ == Secrecy::secret) secure_wipe(data_, words_ * sizeof(std::uint64_t));
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
  Secrecy secrecy_ = Secrecy::secret;
  std::size_t words_;
  std::uint64_t* data_;
};

}  // namespace ringlet
