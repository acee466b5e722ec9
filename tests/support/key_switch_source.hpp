// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/arith/primes.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/key_switch_source.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// Digits of a level and their targets: primes 0 to level - 1, then the last primes of the basis.
struct DigitShape {
  std::size_t degree = 0;
  std::size_t level = 0;
  std::size_t digit_size = 1;
  std::size_t special_count = 1;
  bool has_values = true;  ///< Always true where digits have several primes.

  friend std::ostream& operator<<(std::ostream& out, const DigitShape& shape) {
    return out << "N = " << shape.degree << ", " << shape.level << " + " << shape.special_count
               << " primes, digits of " << shape.digit_size
               << (shape.has_values ? "" : ", no values");
  }
};

inline std::vector<std::size_t> targets_of(const DigitShape& shape, const RnsBasis& basis) {
  std::vector<std::size_t> targets;
  for (std::size_t i = 0; i < shape.level; ++i) targets.push_back(i);
  for (std::size_t i = 0; i < shape.special_count; ++i) {
    targets.push_back(basis.size() - shape.special_count + i);
  }
  return targets;
}

inline std::vector<KeySwitchDigit> digits_of(const DigitShape& shape, const RnsBasis& basis) {
  const std::vector<std::size_t> targets = targets_of(shape, basis);
  std::vector<KeySwitchDigit> digits;
  for (std::size_t first = 0; first < shape.level; first += shape.digit_size) {
    KeySwitchDigit& digit = digits.emplace_back();
    digit.first = first;
    digit.count = std::min(shape.digit_size, shape.level - first);
    if (shape.digit_size == 1) continue;
    std::vector<std::size_t> own;
    std::vector<std::size_t> others;
    for (const std::size_t prime : targets) {
      (prime >= first && prime < first + digit.count ? own : others).push_back(prime);
    }
    digit.lift.emplace(basis, own, others);
  }
  return digits;
}

}  // namespace ringlet::test
