// SPDX-License-Identifier: Apache-2.0
#include "rlwe/keys/key_switch_plan.hpp"

#include <algorithm>
#include <utility>

namespace ringlet::rlwe {
namespace {

KeySwitchRescaling make_rescaling(const RnsBasis& basis, PrimeIndices primes,
                                  PrimeIndices special_primes) {
  std::vector<std::size_t> divisor{primes.back()};
  divisor.insert(divisor.end(), special_primes.begin(), special_primes.end());
  std::vector<std::uint64_t> product;
  for (const std::size_t prime : primes) {
    const Modulus& q = basis[prime];
    std::uint64_t residue = q.reduce(1);
    for (const std::size_t special : special_primes) {
      residue = q.multiply(residue, q.reduce(basis[special].value()));
    }
    product.push_back(residue);
  }
  return {BasisConversion(basis, divisor, primes.first(primes.size() - 1)), std::move(product)};
}

}  // namespace

KeySwitchPlan::KeySwitchPlan(const RnsBasis& basis, PrimeIndices primes,
                             PrimeIndices special_primes, std::size_t digit_size,
                             bool is_rescaled) {
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
  if (is_rescaled && primes.size() > 1) {
    rescaling_ = make_rescaling(basis, primes, special_primes);
  }
}

}  // namespace ringlet::rlwe
