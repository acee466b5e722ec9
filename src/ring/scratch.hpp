// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ringlet/aligned.hpp"

namespace ringlet {

/// Working memory of one call: 64-byte aligned words, not initialised, wiped at the end because a
/// primitive may run on secrets.
class Scratch {
 public:
  explicit Scratch(std::size_t words)
      : words_(words), data_(AlignedAllocator<std::uint64_t>().allocate(words)) {}
  ~Scratch() { WipingAllocator<std::uint64_t>().deallocate(data_, words_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::span<std::uint64_t> words() const noexcept { return {data_, words_}; }

 private:
  std::size_t words_;
  std::uint64_t* data_;
};

}  // namespace ringlet
