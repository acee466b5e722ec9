// SPDX-License-Identifier: Apache-2.0
#include "rlwe/key_switch_plan.hpp"

#include <algorithm>

namespace ringlet::rlwe {

KeySwitchPlan::KeySwitchPlan(const RnsBasis& basis, PrimeIndices primes,
                             PrimeIndices special_primes, std::size_t digit_size) {
  for (std::size_t first = 0; first < primes.size(); first += digit_size) {
    KeySwitchDigit& digit = digits_.emplace_back();
    digit.first = first;
    digit.count = std::min(digit_size, primes.size() - first);
    if (digit_size == 1) continue;
    std::vector<std::size_t> others(primes.begin(), primes.end());
    const auto own = others.begin() + static_cast<std::ptrdiff_t>(first);
    others.erase(own, own + static_cast<std::ptrdiff_t>(digit.count));
    others.insert(others.end(), special_primes.begin(), special_primes.end());
    digit.lift.emplace(basis, primes.subspan(first, digit.count), others);
  }
  if (special_primes.size() > 1) from_special_.emplace(basis, special_primes, primes);
}

}  // namespace ringlet::rlwe
