// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/ring/backend.hpp"

namespace ringlet {

/// A prepared key that holds views of the canonical key.
class CanonicalKey final : public PreparedKey {
 public:
  CanonicalKey(std::span<const ConstNttView> b, std::span<const ConstNttView> a)
      : b_(b.begin(), b.end()), a_(a.begin(), a.end()) {}

  std::span<const ConstNttView> b() const noexcept { return b_; }
  std::span<const ConstNttView> a() const noexcept { return a_; }
  /// Returns the two factors of a digit modulo a prime.
  std::array<std::span<const std::uint64_t>, 2> pair(std::size_t digit, std::size_t prime) const {
    return {b_[digit].limb(prime), a_[digit].limb(prime)};
  }

 private:
  std::vector<ConstNttView> b_;
  std::vector<ConstNttView> a_;
};

}  // namespace ringlet
