// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ringlet/backend.hpp"
#include "ringlet/basis_conversion.hpp"
#include "ringlet/rns_basis.hpp"

namespace ringlet::rlwe {

/// One digit of key switching at a level: the primes [first, first + count) of the basis.
struct KeySwitchDigit {
  std::size_t first = 0;
  std::size_t count = 0;
  /// To all targets but the digit's own primes, in order. None where all digits are single primes,
  /// which Backend::lift_digit_to_ntt serves.
  std::optional<BasisConversion> lift;
};

/// How the primes of a level group into digits, and the conversions that these need. Immutable.
class KeySwitchPlan {
 public:
  /// `primes` are 0, 1, ... of the basis.
  KeySwitchPlan(const RnsBasis& basis, PrimeIndices primes, PrimeIndices special_primes,
                std::size_t digit_size);

  const std::vector<KeySwitchDigit>& digits() const noexcept { return digits_; }
  /// From the special primes to those of the level; none for one special prime, which
  /// Backend::divide_and_round_by_last serves.
  const std::optional<BasisConversion>& from_special() const noexcept { return from_special_; }

 private:
  std::vector<KeySwitchDigit> digits_;
  std::optional<BasisConversion> from_special_;
};

}  // namespace ringlet::rlwe
