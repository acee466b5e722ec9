// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "seal/modulus.h"
#include "seal/util/defines.h"

// Number theory on single words. Variable time: for public values.

namespace ringlet::seal4_util {

using seal4::Modulus;

/// Returns the `count` largest primes of exactly bit_size bits that are 1 modulo `factor`, in
/// decreasing order. The time is proportional to the count of numbers searched.
/// @throws std::invalid_argument if count is 0, factor is 0 or bit_size is outside [2, 61];
///         std::logic_error if there are fewer such primes.
SEAL_NODISCARD RINGLET_SEAL_API std::vector<Modulus> get_primes(std::uint64_t factor, int bit_size,
                                                                std::size_t count);

/// Returns the largest prime of exactly bit_size bits that is 1 modulo `factor`; errors as
/// get_primes.
SEAL_NODISCARD inline Modulus get_prime(std::uint64_t factor, int bit_size) {
  return get_primes(factor, bit_size, 1)[0];
}

/// Returns true if the modulus is prime. Exact for every value, so the number of rounds, which
/// SEAL's test takes, has no effect.
SEAL_NODISCARD inline bool is_prime(const Modulus& modulus,
                                    std::size_t /*num_rounds*/ = 40) noexcept {
  return modulus.is_prime();
}

/// Returns the greatest common divisor of x and y.
/// @throws std::invalid_argument if x or y is 0.
SEAL_NODISCARD RINGLET_SEAL_API std::uint64_t gcd(std::uint64_t x, std::uint64_t y);

SEAL_NODISCARD inline bool are_coprime(std::uint64_t x, std::uint64_t y) { return gcd(x, y) <= 1; }

/// Returns (g, a, b) with g = gcd(x, y) = a*x + b*y.
/// @throws std::invalid_argument if x or y is 0.
SEAL_NODISCARD RINGLET_SEAL_API std::tuple<std::uint64_t, std::int64_t, std::int64_t> xgcd(
    std::uint64_t x, std::uint64_t y);

/// Returns signed powers of two that sum to `value`, no two of them adjacent, the smallest first.
SEAL_NODISCARD RINGLET_SEAL_API std::vector<int> naf(int value);

/// Computes result = 1/value modulo `modulus`, in [1, modulus). Returns false and writes no result
/// if there is no inverse.
/// @throws std::invalid_argument if modulus is below 2.
RINGLET_SEAL_API bool try_invert_uint_mod(std::uint64_t value, std::uint64_t modulus,
                                          std::uint64_t& result);

/// Returns true if `root` has order exactly `degree`, a power of two, modulo a prime.
SEAL_NODISCARD RINGLET_SEAL_API bool is_primitive_root(std::uint64_t root, std::uint64_t degree,
                                                       const Modulus& prime_modulus);

/// Writes the smallest element of order exactly `degree`, a power of two, modulo a prime, to
/// `destination`. Returns false and writes nothing if there is none.
RINGLET_SEAL_API bool try_minimal_primitive_root(std::uint64_t degree, const Modulus& prime_modulus,
                                                 std::uint64_t& destination);
/// Writes an element of order exactly `degree`: the smallest one, as try_minimal_primitive_root.
inline bool try_primitive_root(std::uint64_t degree, const Modulus& prime_modulus,
                               std::uint64_t& destination) {
  return try_minimal_primitive_root(degree, prime_modulus, destination);
}

/// Returns, for each i below `modulus`, the smallest number of the form i * generator^k modulo
/// `modulus`, and 0 for each i that has a factor in common with `modulus`.
/// @throws std::invalid_argument if an argument is 0, or both have a factor in common.
SEAL_NODISCARD RINGLET_SEAL_API std::vector<std::uint64_t> conjugate_classes(
    std::uint64_t modulus, std::uint64_t subgroup_generator);
/// Returns, for each i below `modulus`, the smallest e >= 1 such that i^e is in the class of 1, and
/// 0 where the class is 0. `classes` is the result of conjugate_classes.
/// @throws std::invalid_argument if there are not `modulus` classes, or modulus is 0.
SEAL_NODISCARD RINGLET_SEAL_API std::vector<std::uint64_t> multiplicative_orders(
    std::vector<std::uint64_t> classes, std::uint64_t modulus);

/// Fills baby_steps with 3^i and -3^i for i below k/2, and giant_steps with 3^(j*k/2) for j from 1
/// to modulus/k, all modulo 2*modulus, where k is 2^floor(log2(modulus)/2).
/// @throws std::invalid_argument if modulus is not a power of two below 2^63.
RINGLET_SEAL_API void babystep_giantstep(std::uint64_t modulus,
                                         std::vector<std::uint64_t>& baby_steps,
                                         std::vector<std::uint64_t>& giant_steps);
/// Returns the first (i, j), in the order of i, with giant_steps[i] * baby_steps[j] equal to
/// `input` modulo `modulus`.
/// @throws std::invalid_argument if modulus is 0; std::logic_error if there is no such pair.
SEAL_NODISCARD RINGLET_SEAL_API std::pair<std::size_t, std::size_t> decompose_babystep_giantstep(
    std::uint64_t modulus, std::uint64_t input, const std::vector<std::uint64_t>& baby_steps,
    const std::vector<std::uint64_t>& giant_steps);

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
