// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

// Arithmetic of the index m of a cyclotomic ring, by trial division: for m of 32 bits or less.
// Variable time: public values only.

namespace ringlet {

/// Returns the prime divisors of m >= 1, ascending, each once.
std::vector<std::uint32_t> prime_divisors(std::uint64_t m);

/// Returns the product of the prime divisors of m >= 1.
std::uint64_t radical(std::uint64_t m);

/// Returns Euler's function: how many of 1..m are coprime to m >= 1.
std::uint64_t euler_phi(std::uint64_t m);

/// Returns the smallest d >= 1 with a^d = 1 modulo m >= 1, for a coprime to m.
std::uint64_t multiplicative_order(std::uint64_t a, std::uint64_t m);

/// The divisors m / e of m over the squarefree divisors e of m, descending, by the sign of mu(e),
/// Moebius' function.
struct MoebiusDivisors {
  std::vector<std::uint64_t> positive;  ///< d with mu(m/d) = 1.
  std::vector<std::uint64_t> negative;  ///< d with mu(m/d) = -1.
};
MoebiusDivisors moebius_divisors(std::uint64_t m);

}  // namespace ringlet
