// SPDX-License-Identifier: Apache-2.0
#include "context_level.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "seal/util/common.h"
#include "util/multiword.hpp"

namespace ringlet::seal4::detail {
namespace {

using Error = EncryptionParameterQualifiers::error_type;

bool is_outside(int value, int low, int high) { return value < low || value > high; }

Error check_primes(const std::vector<Modulus>& primes) {
  if (primes.size() < SEAL_COEFF_MOD_COUNT_MIN || primes.size() > SEAL_COEFF_MOD_COUNT_MAX) {
    return Error::invalid_coeff_modulus_size;
  }
  for (const Modulus& prime : primes) {
    if (is_outside(prime.bit_count(), SEAL_USER_MOD_BIT_COUNT_MIN, SEAL_USER_MOD_BIT_COUNT_MAX)) {
      return Error::invalid_coeff_modulus_bit_count;
    }
    if (!prime.is_prime()) return Error::invalid_coeff_modulus_non_prime;
  }
  return Error::success;
}

Error check_degree(std::size_t degree, std::size_t prime_count) {
  if (degree < SEAL_POLY_MOD_DEGREE_MIN || degree > SEAL_POLY_MOD_DEGREE_MAX) {
    return Error::invalid_poly_modulus_degree;
  }
  if (seal4_util::get_power_of_two(degree) < 0) {
    return Error::invalid_poly_modulus_degree_non_power_of_two;
  }
  // Cannot happen: both factors are bounded already.
  if (prime_count > std::numeric_limits<std::size_t>::max() / degree) {
    return Error::invalid_parameters_too_large;
  }
  return Error::success;
}

Error check_security(ContextLevel& level, sec_level_type sec_level) {
  if (level.total_bit_count <=
      CoeffModulus::MaxBitCount(level.parms.poly_modulus_degree(), sec_level)) {
    level.qualifiers.sec_level = sec_level;
    return Error::success;
  }
  return Error::invalid_parameters_insecure;
}

bool are_distinct(std::vector<Modulus> primes) {
  std::sort(primes.begin(), primes.end());
  return std::adjacent_find(primes.begin(), primes.end()) == primes.end();
}

bool has_transform(const Modulus& modulus, std::size_t degree) {
  return modulus.is_prime() && modulus.value() % (2 * degree) == 1;
}

Error check_transforms(ContextLevel& level) {
  const std::vector<Modulus>& primes = level.parms.coeff_modulus();
  const std::size_t degree = level.parms.poly_modulus_degree();
  level.qualifiers.using_ntt = std::all_of(primes.begin(), primes.end(), [&](const Modulus& prime) {
    return has_transform(prime, degree);
  });
  return level.qualifiers.using_ntt ? Error::success : Error::invalid_coeff_modulus_no_ntt;
}

Error check_plain_modulus(ContextLevel& level) {
  const std::vector<Modulus>& primes = level.parms.coeff_modulus();
  const Modulus& t = level.parms.plain_modulus();
  if (level.parms.scheme() == scheme_type::ckks) {
    if (!t.is_zero()) return Error::invalid_plain_modulus_nonzero;
    level.qualifiers.using_batching = true;
    return Error::success;
  }
  if (is_outside(t.bit_count(), SEAL_PLAIN_MOD_BIT_COUNT_MIN, SEAL_PLAIN_MOD_BIT_COUNT_MAX)) {
    return Error::invalid_plain_modulus_bit_count;
  }
  if (std::any_of(primes.begin(), primes.end(),
                  [&](const Modulus& prime) { return std::gcd(prime.value(), t.value()) != 1; })) {
    return Error::invalid_plain_modulus_coprimality;
  }
  if (!is_above(level.total_coeff_modulus, t.value())) {
    return Error::invalid_plain_modulus_too_large;
  }
  level.qualifiers.using_batching = has_transform(t, level.parms.poly_modulus_degree());
  level.qualifiers.using_fast_plain_lift =
      std::all_of(primes.begin(), primes.end(), [&](const Modulus& prime) { return prime > t; });
  return Error::success;
}

Error run_checks(ContextLevel& level, sec_level_type sec_level) {
  const EncryptionParameters& parms = level.parms;
  const std::vector<Modulus>& primes = parms.coeff_modulus();
  if (parms.scheme() == scheme_type::none) return Error::invalid_scheme;
  if (const Error error = check_primes(primes); error != Error::success) return error;
  level.total_coeff_modulus = product_of(primes);
  level.total_bit_count = bit_count(level.total_coeff_modulus);

  const Error degree_error = check_degree(parms.poly_modulus_degree(), primes.size());
  if (degree_error != Error::success) return degree_error;
  level.qualifiers.using_fft = true;
  if (const Error error = check_security(level, sec_level); error != Error::success) return error;
  if (!are_distinct(primes)) return Error::failed_creating_rns_base;
  if (const Error error = check_transforms(level); error != Error::success) return error;
  if (const Error error = check_plain_modulus(level); error != Error::success) return error;
  level.qualifiers.using_descending_modulus_chain =
      std::is_sorted(primes.rbegin(), primes.rend());  // they are distinct
  return Error::success;
}

void precompute_plain_modulus(ContextLevel& level) {
  const std::vector<Modulus>& primes = level.parms.coeff_modulus();
  const Words& q = level.total_coeff_modulus;
  const std::uint64_t t = level.parms.plain_modulus().value();
  const Words q_div_t = quotient_of(q, t);
  const std::uint64_t q_mod_t = remainder_of(q, t);
  const bool fast_lift = level.qualifiers.using_fast_plain_lift;

  level.coeff_modulus_mod_plain_modulus = q_mod_t;
  level.plain_upper_half_threshold = (t + 1) / 2;
  level.coeff_div_plain_modulus.resize(primes.size());
  for (std::size_t i = 0; i < primes.size(); ++i) {
    level.coeff_div_plain_modulus[i].set(remainder_of(q_div_t, primes[i].value()), primes[i]);
    level.upper_half_increment.push_back(primes[i].reduce(q_mod_t));
    if (fast_lift) level.plain_upper_half_increment.push_back(primes[i].value() - t);
  }
  if (!fast_lift) level.plain_upper_half_increment = minus(q, t);
}

}  // namespace

std::unique_ptr<ContextLevel> validate(const EncryptionParameters& parms,
                                       sec_level_type sec_level) {
  auto level = std::make_unique<ContextLevel>();
  level->parms = parms;
  level->qualifiers.parameter_error = run_checks(*level, sec_level);
  if (level->qualifiers.parameters_set()) precompute(*level);
  return level;
}

void precompute(ContextLevel& level) {
  level.galois_tool.emplace(seal4_util::get_power_of_two(level.parms.poly_modulus_degree()));
  if (level.parms.scheme() == scheme_type::ckks) {
    level.upper_half_threshold = upper_half(level.total_coeff_modulus);
    // Signed words: a word from 2^63 on is the number 2^64 below it.
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
    level.plain_upper_half_threshold = kHalf;
    for (const Modulus& q : level.parms.coeff_modulus()) {
      const std::uint64_t half = q.reduce(kHalf);
      level.plain_upper_half_increment.push_back(q.value() - q.reduce(2 * half));
    }
  } else {
    precompute_plain_modulus(level);
  }
}

}  // namespace ringlet::seal4::detail
