// SPDX-License-Identifier: Apache-2.0
#include "ring/cyclotomic/index_arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>

namespace ringlet {
namespace {

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t m) { return a * b % m; }

std::uint64_t power_mod(std::uint64_t base, std::uint64_t exponent, std::uint64_t m) {
  std::uint64_t result = 1 % m;
  for (base %= m; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply(result, base, m);
    base = multiply(base, base, m);
  }
  return result;
}

}  // namespace

std::vector<std::uint32_t> prime_divisors(std::uint64_t m) {
  std::vector<std::uint32_t> primes;
  for (std::uint64_t p = 2; p * p <= m; p += p == 2 ? 1 : 2) {
    if (m % p != 0) continue;
    primes.push_back(static_cast<std::uint32_t>(p));
    while (m % p == 0) m /= p;
  }
  if (m > 1) primes.push_back(static_cast<std::uint32_t>(m));
  return primes;
}

std::uint64_t radical(std::uint64_t m) {
  std::uint64_t product = 1;
  for (const std::uint32_t p : prime_divisors(m)) product *= p;
  return product;
}

std::uint64_t euler_phi(std::uint64_t m) {
  std::uint64_t phi = m;
  for (const std::uint32_t p : prime_divisors(m)) phi -= phi / p;
  return phi;
}

std::uint64_t multiplicative_order(std::uint64_t a, std::uint64_t m) {
  std::uint64_t order = euler_phi(m);
  for (const std::uint32_t p : prime_divisors(order)) {
    while (order % p == 0 && power_mod(a, order / p, m) == 1 % m) order /= p;
  }
  return order;
}

MoebiusDivisors moebius_divisors(std::uint64_t m) {
  const std::vector<std::uint32_t> primes = prime_divisors(m);
  MoebiusDivisors divisors;
  for (std::size_t subset = 0; subset < std::size_t{1} << primes.size(); ++subset) {
    std::uint64_t d = m;
    for (std::size_t i = 0; i < primes.size(); ++i) {
      if ((subset >> i & 1) != 0) d /= primes[i];
    }
    (std::popcount(subset) % 2 == 0 ? divisors.positive : divisors.negative).push_back(d);
  }
  std::sort(divisors.positive.begin(), divisors.positive.end(), std::greater<>());
  std::sort(divisors.negative.begin(), divisors.negative.end(), std::greater<>());
  return divisors;
}

}  // namespace ringlet
