// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "ringlet/base/error.hpp"
#include "ringlet/rlwe/parameter_sets.hpp"
#include "seal/modulus.h"
#include "seal/util/numth.h"

namespace ringlet::seal4 {
namespace {

void check_request(std::size_t degree, const std::vector<int>& bit_sizes) {
  constexpr const char* kOperation = "CoeffModulus::Create";
  if (degree < SEAL_POLY_MOD_DEGREE_MIN || degree > SEAL_POLY_MOD_DEGREE_MAX ||
      (degree & (degree - 1)) != 0) {
    throw_invalid_argument({.operation = kOperation,
                            .offending = "poly_modulus_degree = " + std::to_string(degree),
                            .limit = "a power of two in [2, 131072]",
                            .remedy = "choose a power of two in this range"});
  }
  if (bit_sizes.size() > SEAL_COEFF_MOD_COUNT_MAX) {
    throw_invalid_argument({.operation = kOperation,
                            .offending = std::to_string(bit_sizes.size()) + " bit sizes",
                            .limit = "at most 256",
                            .remedy = "ask for fewer primes"});
  }
  for (const int bits : bit_sizes) {
    if (bits < SEAL_USER_MOD_BIT_COUNT_MIN || bits > SEAL_USER_MOD_BIT_COUNT_MAX) {
      throw_invalid_argument({.operation = kOperation,
                              .offending = "a bit size of " + std::to_string(bits),
                              .limit = "2 to 60 bits",
                              .remedy = "choose sizes within the limit"});
    }
  }
}

/// Returns primes of the given sizes that are 1 modulo `factor`.
std::vector<Modulus> choose_primes(std::uint64_t factor, const std::vector<int>& bit_sizes) {
  std::map<int, std::size_t> counts;
  for (const int bits : bit_sizes) ++counts[bits];
  std::map<int, std::vector<Modulus>> primes;
  for (const auto& [bits, count] : counts) {
    primes[bits] = seal4_util::get_primes(factor, bits, count);
  }
  std::vector<Modulus> result;
  result.reserve(bit_sizes.size());
  for (const int bits : bit_sizes) {
    result.push_back(primes[bits].back());
    primes[bits].pop_back();
  }
  return result;
}

/// Returns the least common multiple, unless it exceeds 64 bits.
std::optional<std::uint64_t> least_common_multiple(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t quotient = a / std::gcd(a, b);
  if (quotient > std::numeric_limits<std::uint64_t>::max() / b) return std::nullopt;
  return quotient * b;
}

}  // namespace

std::vector<Modulus> CoeffModulus::BFVDefault(std::size_t poly_modulus_degree,
                                              sec_level_type sec_level) {
  if (MaxBitCount(poly_modulus_degree, sec_level) == 0 || sec_level == sec_level_type::none) {
    throw_invalid_argument(
        {.operation = "CoeffModulus::BFVDefault",
         .offending = "poly_modulus_degree = " + std::to_string(poly_modulus_degree) +
                      ", sec_level = " + std::to_string(static_cast<int>(sec_level)),
         .limit = "degrees 1024, 2048, ..., 32768 and levels 128, 192 and 256",
         .remedy = "choose primes by CoeffModulus::Create"});
  }
  std::vector<Modulus> primes;
  for (const ringlet::Modulus& prime : ringlet::seal_default_primes(
           poly_modulus_degree, static_cast<ringlet::SecurityLevel>(sec_level))) {
    primes.emplace_back(prime.value());
  }
  return primes;
}

std::vector<Modulus> CoeffModulus::Create(std::size_t poly_modulus_degree,
                                          std::vector<int> bit_sizes) {
  check_request(poly_modulus_degree, bit_sizes);
  return choose_primes(2 * static_cast<std::uint64_t>(poly_modulus_degree), bit_sizes);
}

std::vector<Modulus> CoeffModulus::Create(std::size_t poly_modulus_degree,
                                          const Modulus& plain_modulus,
                                          std::vector<int> bit_sizes) {
  check_request(poly_modulus_degree, bit_sizes);
  if (plain_modulus.is_zero()) {
    throw_invalid_argument(
        {.operation = "CoeffModulus::Create",
         .offending = "plain_modulus = 0",
         .limit = "at least 2",
         .remedy = "pass the plaintext modulus of BGV, or leave the argument out"});
  }
  const auto factor = least_common_multiple(2 * static_cast<std::uint64_t>(poly_modulus_degree),
                                            plain_modulus.value());
  if (!factor) {
    throw_logic_error(
        {.operation = "CoeffModulus::Create",
         .offending = "lcm(2 * poly_modulus_degree, plain_modulus) for poly_modulus_degree = " +
                      std::to_string(poly_modulus_degree) +
                      ", plain_modulus = " + std::to_string(plain_modulus.value()),
         .limit = "64 bits",
         .remedy = "choose a smaller plaintext modulus, or primes that do not depend on the "
                   "plaintext modulus"});
  }
  return choose_primes(*factor, bit_sizes);
}

Modulus PlainModulus::Batching(std::size_t poly_modulus_degree, int bit_size) {
  return CoeffModulus::Create(poly_modulus_degree, {bit_size}).front();
}

std::vector<Modulus> PlainModulus::Batching(std::size_t poly_modulus_degree,
                                            std::vector<int> bit_sizes) {
  return CoeffModulus::Create(poly_modulus_degree, std::move(bit_sizes));
}

}  // namespace ringlet::seal4
