// SPDX-License-Identifier: Apache-2.0
#include "seal/util/numth.h"

#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "ringlet/arith/modular.hpp"
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

/// Returns a*b modulo any modulus, in variable time.
std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(static_cast<uint128_t>(a) * b % modulus);
}

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

std::vector<std::uint64_t> conjugate_classes(std::uint64_t modulus,
                                             std::uint64_t subgroup_generator) {
  if (!are_coprime(modulus, subgroup_generator)) {
    throw_invalid_argument({.operation = "conjugate_classes",
                            .offending = "modulus = " + std::to_string(modulus) +
                                         ", generator = " + std::to_string(subgroup_generator),
                            .limit = "numbers without a common factor",
                            .remedy = "choose a generator of units"});
  }
  std::vector<std::uint64_t> classes(modulus);
  for (std::uint64_t i = 1; i < modulus; ++i) {
    if (classes[i] != 0 || !are_coprime(i, modulus)) continue;
    for (std::uint64_t j = i; classes[j] == 0; j = multiply(j, subgroup_generator, modulus)) {
      classes[j] = i;
    }
  }
  return classes;
}

std::vector<std::uint64_t> multiplicative_orders(std::vector<std::uint64_t> classes,
                                                 std::uint64_t modulus) {
  if (modulus == 0 || classes.size() != modulus) {
    throw_invalid_argument({.operation = "multiplicative_orders",
                            .offending = std::to_string(classes.size()) + " classes",
                            .limit = "modulus = " + std::to_string(modulus) + " classes",
                            .remedy = "pass the result of conjugate_classes"});
  }
  std::vector<std::uint64_t> orders(modulus);
  for (std::uint64_t i = 1; i < modulus; ++i) {
    if (classes[i] < i) {
      orders[i] = orders[classes[i]];
      continue;
    }
    orders[i] = 1;
    for (std::uint64_t j = i; classes[j] != 1; j = multiply(j, i, modulus)) ++orders[i];
  }
  return orders;
}

void babystep_giantstep(std::uint64_t modulus, std::vector<std::uint64_t>& baby_steps,
                        std::vector<std::uint64_t>& giant_steps) {
  if (!std::has_single_bit(modulus) || modulus >> 63 != 0) {
    throw_invalid_argument({.operation = "babystep_giantstep",
                            .offending = "modulus = " + std::to_string(modulus),
                            .limit = "a power of two below 2^63",
                            .remedy = "pass half the order of the ring's roots of unity"});
  }
  const std::uint64_t k = std::uint64_t{1} << (std::countr_zero(modulus) / 2);
  const std::uint64_t mask = 2 * modulus - 1;
  baby_steps.clear();
  giant_steps.clear();
  std::uint64_t power = 1;
  for (std::uint64_t i = 0; i < k / 2; ++i, power = 3 * power & mask) {
    baby_steps.push_back(power);
    baby_steps.push_back((0 - power) & mask);
  }
  std::uint64_t giant = power;
  for (std::uint64_t j = 0; j < modulus / k; ++j, giant = giant * power & mask) {
    giant_steps.push_back(giant);
  }
}

std::pair<std::size_t, std::size_t> decompose_babystep_giantstep(
    std::uint64_t modulus, std::uint64_t input, const std::vector<std::uint64_t>& baby_steps,
    const std::vector<std::uint64_t>& giant_steps) {
  check_positive("decompose_babystep_giantstep", modulus, 1);
  for (std::size_t i = 0; i < giant_steps.size(); ++i) {
    for (std::size_t j = 0; j < baby_steps.size(); ++j) {
      if (multiply(giant_steps[i], baby_steps[j], modulus) == input) return {i, j};
    }
  }
  throw_logic_error({.operation = "decompose_babystep_giantstep",
                     .offending = "input = " + std::to_string(input),
                     .limit = "products of a baby step and a giant step",
                     .remedy = "pass an odd number below the modulus"});
}

}  // namespace ringlet::seal4_util
