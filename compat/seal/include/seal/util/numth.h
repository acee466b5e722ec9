// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
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

/// Returns true if the modulus is prime. Exact for every value.
SEAL_NODISCARD inline bool is_prime(const Modulus& modulus) noexcept { return modulus.is_prime(); }

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
inline bool try_invert_uint_mod(std::uint64_t value, const Modulus& modulus,
                                std::uint64_t& result) {
  return try_invert_uint_mod(value, modulus.value(), result);
}

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

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
