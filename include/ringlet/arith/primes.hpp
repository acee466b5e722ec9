// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"

namespace ringlet {

/// True if n is prime; exact for every 64-bit n (Miller-Rabin with the first twelve primes as
/// bases). Variable time: public values only.
RINGLET_API bool is_prime(std::uint64_t n);

/// Widths of moduli whose transforms reduce by Montgomery's method where there is no faster one.
inline constexpr int kMinMontgomeryBits = 55;
inline constexpr int kMaxMontgomeryBits = 61;

/// Which primes of a width come first. A preference changes the order, never which primes there
/// are.
enum class PrimePreference : std::uint8_t {
  /// The largest first.
  largest,
  /// Those that are 1 mod 2^32 first, then the others, both from the largest down. Montgomery
  /// reduction modulo the former multiplies less, which transforms of kMinMontgomeryBits to
  /// kMaxMontgomeryBits make use of. The smallest has 37 bits; from 55 bits on there are more than
  /// 100,000 of every width for every degree.
  half_word_one,
};

/// "largest" or "half_word_one".
RINGLET_API const char* to_string(PrimePreference preference) noexcept;

/// The first `count` primes, in the order of `preference`, of exactly `bit_count` bits that are
/// 1 mod 2*degree: moduli that have a negacyclic transform of length `degree`. The time is
/// proportional to the numbers searched.
/// @throws InvalidArgument if degree is not a power of two in [2, 2^20], bit_count is outside
///         [2, 62], or fewer than `count` such primes exist.
RINGLET_API std::vector<Modulus> generate_ntt_primes(
    int bit_count, std::size_t degree, std::size_t count,
    PrimePreference preference = PrimePreference::largest);

/// `count` primes of at most `max_bits` bits that are 1 mod 2*degree and have fast transforms on
/// every instruction set, for callers who need moduli of about some size:
///
/// | max_bits | primes | why |
/// |---|---|---|
/// | 2 to 49 | the largest of `max_bits` bits | up to 30 bits half words do, up to 49 doubles do |
/// | 50 to 54 | the largest below 2^49 | 50 bits reduce more often, from 51 on words are split |
/// | 55 to 61 | of `max_bits` bits, preferably 1 mod 2^32 | the shorter Montgomery reduction |
/// | 62 | as for 61 | 62 bits leave no room for lazy sums |
///
/// In the order of generate_ntt_primes.
/// @throws InvalidArgument if degree is not a power of two in [2, 2^20], max_bits is outside
///         [2, 62], or fewer than `count` such primes exist.
RINGLET_API std::vector<Modulus> generate_fast_ntt_primes(int max_bits, std::size_t degree,
                                                          std::size_t count);

/// The first `count` primes, in the order of `preference`, of exactly `bit_count` bits that are
/// 1 mod `step`. The time is proportional to the numbers searched.
/// @throws InvalidArgument if step is outside [2, 2^61], bit_count is outside [2, 62], or fewer
///         than `count` such primes exist.
RINGLET_API std::vector<Modulus> generate_primes(
    int bit_count, std::uint64_t step, std::size_t count,
    PrimePreference preference = PrimePreference::largest);

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
