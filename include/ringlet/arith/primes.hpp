// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"

namespace ringlet {

/// Returns true if n is prime. Exact for every 64-bit n: Miller-Rabin with the first twelve primes
/// as bases. Variable time: public values only.
RINGLET_API bool is_prime(std::uint64_t n);

/// Smallest and largest number of bits of moduli whose transforms use Montgomery reduction if no
/// faster kernel is available.
inline constexpr int kMinMontgomeryBits = 55;
inline constexpr int kMaxMontgomeryBits = 61;

/// The order in which primes of one width are returned. A preference changes the order and leaves
/// the set of primes unchanged.
enum class PrimePreference : std::uint8_t {
  /// Descending order.
  largest,
  /// First the primes that are 1 mod 2^32, then all others, both in descending order. Montgomery
  /// reduction modulo a prime that is 1 mod 2^32 takes fewer multiplications. Transforms use this
  /// shorter reduction for primes of kMinMontgomeryBits to kMaxMontgomeryBits bits. The smallest
  /// prime that is 1 mod 2^32 has 37 bits. From 55 bits on, more than 100,000 such primes exist for
  /// every width and degree.
  half_word_one,
};

/// Returns "largest" or "half_word_one".
RINGLET_API const char* to_string(PrimePreference preference) noexcept;

/// Returns the first `count` primes, in the order of `preference`, of exactly `bit_count` bits that
/// are 1 mod 2*degree. Such moduli have a negacyclic transform of length `degree`. The time is
/// proportional to the count of numbers searched.
/// @throws InvalidArgument if degree is not a power of two in [2, 2^20], bit_count is outside
///         [2, 62], or fewer than `count` such primes exist.
RINGLET_API std::vector<Modulus> generate_ntt_primes(
    int bit_count, std::size_t degree, std::size_t count,
    PrimePreference preference = PrimePreference::largest);

/// Returns `count` primes of at most `max_bits` bits that are 1 mod 2*degree and have fast
/// transforms on every instruction set. Call it if moduli may have fewer than `max_bits` bits. The
/// order is that of generate_ntt_primes:
///
/// | max_bits | primes | reason |
/// |---|---|---|
/// | 2 to 49 | the largest of `max_bits` bits | up to 30 bits fit half words, up to 49 doubles |
/// | 50 to 54 | the largest below 2^49 | 50 bits need more reductions, 51 to 54 split words |
/// | 55 to 61 | of `max_bits` bits, preferably 1 mod 2^32 | the shorter Montgomery reduction |
/// | 62 | as for 61 | 62 bits leave no room for lazy sums |
///
/// @throws InvalidArgument if degree is not a power of two in [2, 2^20], max_bits is outside
///         [2, 62], or fewer than `count` such primes exist.
RINGLET_API std::vector<Modulus> generate_fast_ntt_primes(int max_bits, std::size_t degree,
                                                          std::size_t count);

/// Returns the first `count` primes, in the order of `preference`, of exactly `bit_count` bits that
/// are 1 mod `step`. The time is proportional to the count of numbers searched.
/// @throws InvalidArgument if step is outside [2, 2^61], bit_count is outside [2, 62], or fewer
///         than `count` such primes exist.
RINGLET_API std::vector<Modulus> generate_primes(
    int bit_count, std::uint64_t step, std::size_t count,
    PrimePreference preference = PrimePreference::largest);

/// Returns true if `root`, in [0, q), has order exactly `order` modulo the prime q. Returns false
/// for root >= q.
/// @throws InvalidArgument if `order` is not a power of two >= 2.
RINGLET_API bool is_primitive_root(std::uint64_t root, std::uint64_t order, const Modulus& q);

/// Returns the smallest element of order exactly `order` modulo the prime q. `order` is a power of
/// two >= 2. The result depends on `order` and q alone, so that the NTT form is canonical. Costs
/// order/2 multiplications.
/// @throws InvalidArgument if q is not prime, or `order` is not a power of two >= 2 that divides
///         q - 1.
RINGLET_API std::uint64_t minimal_primitive_root(std::uint64_t order, const Modulus& q);

}  // namespace ringlet
