// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/reference/double_words.hpp"

namespace ringlet::test {

/// A vector of double words in one of the two layouts. Guard words before, between and after its
/// memory reveal writes outside of it.
class GuardedWide {
 public:
  /// The memory starts `offset` words after a 64-byte boundary.
  GuardedWide(const DoubleWords& values, bool pairs, std::size_t offset = 0)
      : size_(values.size()),
        pairs_(pairs),
        low_(kGuard + offset),
        high_(pairs ? low_ + 1 : low_ + size_ + kGuard),
        words_(low_ + 2 * size_ + 2 * kGuard, kPattern) {
    for (std::size_t i = 0; i < size_; ++i) {
      words_[low_ + i * step()] = values[i][0];
      words_[high_ + i * step()] = values[i][1];
    }
  }

  WideResult view() {
    const std::span<std::uint64_t> all(words_);
    return pairs_ ? WideResult(all.subspan(low_, 2 * size_))
                  : WideResult(all.subspan(low_, size_), all.subspan(high_, size_));
  }
  DoubleWords values() const {
    DoubleWords result(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      result[i] = {words_[low_ + i * step()], words_[high_ + i * step()]};
    }
    return result;
  }
  /// Whether nothing outside of the vector was written.
  bool is_intact() const {
    std::size_t others = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if (!is_element(w)) others += words_[w] != kPattern ? 1 : 0;
    }
    return others == 0;
  }
  /// The whole memory, with the guard words.
  const AlignedVector<std::uint64_t>& words() const { return words_; }

 private:
  static constexpr std::size_t kGuard = 16;
  static constexpr std::uint64_t kPattern = 0xa5a5a5a55a5a5a5a;

  std::size_t step() const { return pairs_ ? 2 : 1; }
  bool is_element(std::size_t word) const {
    const std::size_t length = pairs_ ? 2 * size_ : size_;
    const auto is_in = [&](std::size_t start) { return word >= start && word < start + length; };
    return is_in(low_) || (!pairs_ && is_in(high_));
  }

  std::size_t size_;
  bool pairs_;
  std::size_t low_;
  std::size_t high_;
  AlignedVector<std::uint64_t> words_;
};

}  // namespace ringlet::test
