// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ringlet/ring/basis_conversion.hpp"
#include "ringlet/ring/key_switch_source.hpp"
#include "ringlet/ring/rns_basis.hpp"

namespace ringlet::rlwe {

/// The constants of a division by the special primes' product P and the last prime of a level.
struct KeySwitchRescaling {
  /// Leads from the last prime and the special primes, in this order, to the level's other primes.
  BasisConversion conversion;
  /// P modulo each prime of the level.
  std::vector<std::uint64_t> special_product;
};

/// Groups the primes of a level into digits and holds the conversions of the digits. Immutable.
class KeySwitchPlan {
 public:
  /// `primes` are 0, 1, ... of the basis. With `is_rescaled`, results may be rescaled in the same
  /// division.
  KeySwitchPlan(const RnsBasis& basis, PrimeIndices primes, PrimeIndices special_primes,
                std::size_t digit_size, bool is_rescaled);

  const std::vector<KeySwitchDigit>& digits() const noexcept { return digits_; }
  /// Returns the conversion from the special primes to those of the level. It is empty for one
  /// special prime, which Backend::divide_and_round_by_last serves.
  const std::optional<BasisConversion>& from_special() const noexcept { return from_special_; }
  /// Is empty if nothing is rescaled, and at a level of one prime.
  const std::optional<KeySwitchRescaling>& rescaling() const noexcept { return rescaling_; }

 private:
  std::vector<KeySwitchDigit> digits_;
  std::optional<BasisConversion> from_special_;
  std::optional<KeySwitchRescaling> rescaling_;
};

}  // namespace ringlet::rlwe
