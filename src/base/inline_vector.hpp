// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/assert.hpp"

namespace ringlet {

/// A list of at most kCapacity elements that allocates no memory itself: for calls that must not
/// allocate. Elements are default-constructible and assignable.
template <typename T, std::size_t kCapacity>
class InlineVector {
 public:
  /// Appends an element. RINGLET_ASSERT checks the precondition size() < kCapacity.
  void push_back(const T& element) {
    RINGLET_ASSERT(size_ < kCapacity);
    elements_[size_++] = element;
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](std::size_t i) { return elements_[i]; }
  const T& operator[](std::size_t i) const { return elements_[i]; }
  T& back() { return elements_[size_ - 1]; }
  const T& back() const { return elements_[size_ - 1]; }
  T* begin() noexcept { return elements_.data(); }
  T* end() noexcept { return begin() + size_; }
  const T* begin() const noexcept { return elements_.data(); }
  const T* end() const noexcept { return begin() + size_; }

  operator std::span<const T>() const noexcept { return {begin(), size_}; }
  operator std::span<T>() noexcept { return {begin(), size_}; }

 private:
  std::array<T, kCapacity> elements_{};
  std::size_t size_ = 0;
};

}  // namespace ringlet
