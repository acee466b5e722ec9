// SPDX-License-Identifier: Apache-2.0
#include "seal/util/numth.h"

#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::seal4_util {
namespace {

void check_positive(const char* operation, std::uint64_t x, std::uint64_t y) {
  if (x != 0 && y != 0) return;
  throw_invalid_argument({.operation = operation,
                          .offending = "x = " + std::to_string(x) + ", y = " + std::to_string(y),
                          .limit = "at least 1",
                          .remedy = "pass positive numbers"});
}

bool is_power_of_two(std::uint64_t value) { return value >= 2 && std::has_single_bit(value); }

}  // namespace

std::vector<Modulus> get_primes(std::uint64_t factor, int bit_size, std::size_t count) {
  if (count == 0 || factor == 0 || bit_size < SEAL_MOD_BIT_COUNT_MIN ||
      bit_size > SEAL_MOD_BIT_COUNT_MAX) {
    throw_invalid_argument({.operation = "get_primes",
                            .offending = "factor = " + std::to_string(factor) +
                                         ", bit_size = " + std::to_string(bit_size) +
                                         ", count = " + std::to_string(count),
                            .limit = "factor and count at least 1, 2 to 61 bits",
                            .remedy = "pass arguments within the limits"});
  }
  const std::uint64_t lower = std::uint64_t{1} << (bit_size - 1);
  const std::uint64_t upper = 2 * lower - 1;
  std::vector<Modulus> primes;
  for (std::uint64_t k = (upper - 1) / factor; k > 0; --k) {
    const std::uint64_t candidate = k * factor + 1;
    if (candidate < lower) break;
    if (!ringlet::is_prime(candidate)) continue;
    primes.emplace_back(candidate);
    if (primes.size() == count) return primes;
  }
  throw_logic_error({.operation = "get_primes",
                     .offending = std::to_string(count) + " primes of " + std::to_string(bit_size) +
                                  " bits that are 1 modulo " + std::to_string(factor),
                     .limit = std::to_string(primes.size()) + " such primes exist",
                     .remedy = "ask for larger or fewer primes, or a smaller degree"});
}

std::uint64_t gcd(std::uint64_t x, std::uint64_t y) {
  check_positive("gcd", x, y);
  return std::gcd(x, y);
}

std::tuple<std::uint64_t, std::int64_t, std::int64_t> xgcd(std::uint64_t x, std::uint64_t y) {
  check_positive("xgcd", x, y);
  // r = a*x + b*y holds for both rows.
  std::int64_t a = 1, b = 0, next_a = 0, next_b = 1;
  while (y != 0) {
    const auto quotient = static_cast<std::int64_t>(x / y);
    x = std::exchange(y, x % y);
    a = std::exchange(next_a, a - quotient * next_a);
    b = std::exchange(next_b, b - quotient * next_b);
  }
  return {x, a, b};
}

std::vector<int> naf(int value) {
  std::vector<int> digits;
  std::int64_t rest = value;
  for (std::int64_t power = 1; rest != 0; power *= 2, rest /= 2) {
    if (rest % 2 == 0) continue;
    // The digit, 1 or -1, that leaves a multiple of 4.
    const std::int64_t digit = ((rest % 4) + 4) % 4 == 1 ? 1 : -1;
    digits.push_back(static_cast<int>(digit * power));
    rest -= digit;
  }
  return digits;
}

bool try_invert_uint_mod(std::uint64_t value, std::uint64_t modulus, std::uint64_t& result) {
  if (modulus < 2) {
    throw_invalid_argument({.operation = "try_invert_uint_mod",
                            .offending = "modulus = " + std::to_string(modulus),
                            .limit = "at least 2",
                            .remedy = "set the modulus first"});
  }
  // The rows of xgcd modulo `modulus`, whose coefficients fit 128 bits with their signs.
  __extension__ using Wide = __int128;
  std::uint64_t x = value % modulus, y = modulus;
  Wide a = 1, next_a = 0;
  while (y != 0) {
    const std::uint64_t quotient = x / y;
    x = std::exchange(y, x % y);
    a = std::exchange(next_a, a - static_cast<Wide>(quotient) * next_a);
  }
  if (x != 1) return false;
  result = static_cast<std::uint64_t>(a < 0 ? a + static_cast<Wide>(modulus) : a);
  return true;
}

bool is_primitive_root(std::uint64_t root, std::uint64_t degree, const Modulus& prime_modulus) {
  if (root == 0 || prime_modulus.is_zero() || !is_power_of_two(degree)) return false;
  return ringlet::is_primitive_root(root, degree, ringlet::Modulus(prime_modulus.value()));
}

bool try_minimal_primitive_root(std::uint64_t degree, const Modulus& prime_modulus,
                                std::uint64_t& destination) {
  if (!prime_modulus.is_prime() || !is_power_of_two(degree) ||
      (prime_modulus.value() - 1) % degree != 0) {
    return false;
  }
  destination = ringlet::minimal_primitive_root(degree, ringlet::Modulus(prime_modulus.value()));
  return true;
}

}  // namespace ringlet::seal4_util
