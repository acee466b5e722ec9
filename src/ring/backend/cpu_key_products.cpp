// SPDX-License-Identifier: Apache-2.0
// The digits of key switching and their lifts on the processor's backend.

#include "ring/backend/cpu_backend.hpp"

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
  transforms_.forward(target, result, result, 4);  // which reduces from [0, 4q)
}

void CpuBackend::do_inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                          PrimeIndices primes) const {
  for_limbs(primes.size(), kTransformGrain, [&](std::size_t i) {
    const std::size_t prime = primes[i];
    transforms_.inverse(prime, result.limb(i), a.limb(i));
    eltwise_[prime].add_scalar(result.limb(i), result.limb(i), modulus(prime) / 2);
  });
}

void CpuBackend::do_to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].add_scalar(result.limb(i), a.limb(i), modulus(primes[i]) / 2);
  });
}

void CpuBackend::do_lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                                      PrimeIndices primes) const {
  for_limbs(primes.size(), kTransformGrain, [&](std::size_t i) {
    lift_offset_digit(result.limb(i), digit, digit_prime, primes[i]);
  });
}

}  // namespace ringlet
