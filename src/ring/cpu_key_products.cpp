// SPDX-License-Identifier: Apache-2.0
// Key switching of the processor's backend: digits, their lifts, and products with keys.
#include <cassert>
#include <vector>

#include "ring/canonical_key.hpp"
#include "ring/cpu_backend.hpp"

namespace ringlet {

void CpuBackend::subtract_offset(Words result, ConstWords digit, std::size_t digit_prime,
                                 std::size_t target) const {
  const std::uint64_t p = modulus(digit_prime);
  const std::uint64_t q = modulus(target);
  // digit - floor(p/2) + q stays below 4q where p <= 3q.
  const std::uint64_t shift = q - basis()[target].reduce(p / 2);
  ConstWords t = digit;
  if (p > 3 * q) {
    eltwise_[target].reduce(result, digit);
    t = result;
  }
  for (std::size_t j = 0; j < result.size(); ++j) result[j] = t[j] + shift;
}

void CpuBackend::lift_offset_digit(Words result, ConstWords digit, std::size_t digit_prime,
                                   std::size_t target) const {
  subtract_offset(result, digit, digit_prime, target);
  transforms_.forward(target, result, result, 4);  // which reduces it on its way
}

void CpuBackend::inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                       PrimeIndices primes) const {
  assert(match(primes, result, a));
  for_limbs(primes.size(), kTransformGrain, [&](std::size_t i) {
    const std::size_t prime = primes[i];
    transforms_.inverse(prime, result.limb(i), a.limb(i));
    eltwise_[prime].add_scalar(result.limb(i), result.limb(i), modulus(prime) / 2);
  });
}

void CpuBackend::to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const {
  assert(match(primes, result, a));
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].add_scalar(result.limb(i), a.limb(i), modulus(primes[i]) / 2);
  });
}

void CpuBackend::lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                                   PrimeIndices primes) const {
  assert(match(primes, result) && digit.size() == basis().degree() && digit_prime < basis().size());
  for_limbs(primes.size(), kTransformGrain, [&](std::size_t i) {
    lift_offset_digit(result.limb(i), digit, digit_prime, primes[i]);
  });
}

void CpuBackend::key_inner_product(NttView sum_b, NttView sum_a,
                                   std::span<const ConstNttView> lifted_digits,
                                   std::size_t first_digit, const PreparedKey& key,
                                   PrimeIndices primes) const {
  const auto& canonical = dynamic_cast<const CanonicalKey&>(key);
  const std::size_t count = lifted_digits.size();
  assert(match(primes, sum_b, sum_a) && count > 0 && first_digit + count <= canonical.b().size());
  for_limb_ranges(primes.size(), kElementGrain, [&](std::size_t first, std::size_t end) {
    std::vector<ConstWords> digits(count);
    std::vector<ConstWords> factors(count);
    if (first_digit != 0) {
      digits.push_back(ones_);
      factors.emplace_back();
    }
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t k = 0; k < count; ++k) digits[k] = lifted_digits[k].limb(i);
      const Eltwise& eltwise = eltwise_[primes[i]];
      const auto add_products = [&](Words sum, std::span<const ConstNttView> pairs) {
        for (std::size_t k = 0; k < count; ++k) {
          factors[k] = pairs[first_digit + k].limb(primes[i]);
        }
        if (count > 1) {
          if (first_digit != 0) factors.back() = sum;
          eltwise.multiply_accumulate(sum, digits, factors);
        } else if (first_digit == 0) {
          eltwise.multiply(sum, digits[0], factors[0]);
        } else {
          eltwise.multiply_add(sum, digits[0], factors[0], sum);
        }
      };
      add_products(sum_b.limb(i), canonical.b());
      add_products(sum_a.limb(i), canonical.a());
    }
  });
}

}  // namespace ringlet
