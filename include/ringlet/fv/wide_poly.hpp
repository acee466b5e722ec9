// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/base/aligned.hpp"

namespace ringlet {

/// A polynomial whose coefficients are integers modulo a wide modulus. It is stored as planes of
/// words: plane w holds word w of every coefficient, the least significant plane first. A new
/// polynomial is zero. Its memory is wiped when it is released.
class WidePoly {
 public:
  WidePoly() = default;
  WidePoly(std::size_t degree, std::size_t word_count)
      : degree_(degree), word_count_(word_count), words_(degree * word_count) {}

  /// Returns the number of coefficients.
  std::size_t degree() const noexcept { return degree_; }
  std::size_t word_count() const noexcept { return word_count_; }
  std::span<std::uint64_t> plane(std::size_t w) { return {words_.data() + w * degree_, degree_}; }
  std::span<const std::uint64_t> plane(std::size_t w) const {
    return {words_.data() + w * degree_, degree_};
  }
  /// Returns coefficient i; words from word_count() on are 0.
  WideInteger operator[](std::size_t i) const {
    WideInteger value{};
    for (std::size_t w = 0; w < word_count_; ++w) value[w] = words_[w * degree_ + i];
    return value;
  }
  void set(std::size_t i, const WideInteger& value) {
    for (std::size_t w = 0; w < word_count_; ++w) words_[w * degree_ + i] = value[w];
  }

  friend bool operator==(const WidePoly&, const WidePoly&) = default;

 private:
  std::size_t degree_ = 0;
  std::size_t word_count_ = 0;
  SecretVector<std::uint64_t> words_;
};

}  // namespace ringlet
