// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ringlet/export.hpp"
#include "ringlet/modulus.hpp"

namespace ringlet {

/// True if n is prime; exact for every 64-bit n (Miller-Rabin with the first twelve primes as
/// bases). Variable time: public values only.
RINGLET_API bool is_prime(std::uint64_t n);

/// The `count` largest primes of exactly `bit_count` bits that are 1 mod 2*degree, in decreasing
/// order: moduli that have a negacyclic transform of length `degree`. The time is proportional to
/// the numbers searched.
/// @throws InvalidArgument if degree is not a power of two in [2, 2^20], bit_count is outside
///         [2, 62], or fewer than `count` such primes exist.
RINGLET_API std::vector<Modulus> generate_ntt_primes(int bit_count, std::size_t degree,
                                                     std::size_t count);

/// The `count` largest primes of exactly `bit_count` bits that are 1 mod `step`, in decreasing
/// order. The time is proportional to the numbers searched.
/// @throws InvalidArgument if step is outside [2, 2^61], bit_count is outside [2, 62], or fewer
///         than `count` such primes exist.
RINGLET_API std::vector<Modulus> generate_primes(int bit_count, std::uint64_t step,
                                                 std::size_t count);

/// True if `root`, in [0, q), has order exactly `order` modulo the prime q; false for root >= q.
/// @throws InvalidArgument if `order` is not a power of two >= 2.
RINGLET_API bool is_primitive_root(std::uint64_t root, std::uint64_t order, const Modulus& q);

/// The smallest element of order exactly `order` modulo the prime q, order a power of two >= 2.
/// It depends on (order, q) alone, which is what makes the NTT form canonical. Takes order/2
/// multiplications.
/// @throws InvalidArgument if q is not prime, or `order` is not a power of two >= 2 that divides
///         q - 1.
RINGLET_API std::uint64_t minimal_primitive_root(std::uint64_t order, const Modulus& q);

}  // namespace ringlet
