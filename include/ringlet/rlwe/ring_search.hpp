// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// Properties of the m-th cyclotomic ring for batching modulo a prime p.
struct RingProfile {
  std::uint64_t index = 0;      ///< m.
  std::size_t degree = 0;       ///< n = phi(m).
  std::size_t slot_count = 0;   ///< k = n / d.
  std::size_t slot_degree = 0;  ///< d: the order of p modulo m.
  std::size_t stride = 0;       ///< beta: see CyclotomicPolynomial::stride().
  std::size_t weight = 0;       ///< The number of coefficients of Phi_m that are not 0.
  std::int32_t max_coefficient = 0;
};

/// Returns the properties of the m-th cyclotomic ring, m = index, for batching modulo p.
/// @throws InvalidArgument unless p is a prime that does not divide m (for p = 2, m must be odd: if
///         m = 2 modulo 4, use m/2), and m is from 3 to 262144.
RINGLET_API RingProfile profile_ring(std::uint64_t index, std::uint64_t p = 2);

/// The conditions of a search for rings; 0 means no limit, except for max_degree.
struct RingSearch {
  std::uint64_t prime = 2;
  std::size_t min_degree = 0, max_degree = 16384;
  std::size_t min_slots = 0;
  std::size_t max_weight = 0;
  std::size_t min_stride = 0;
  /// The least value of max_modulus_bits() for the ring at 128 bits of security.
  int min_modulus_bits = 0;
};

/// Returns all rings that satisfy the conditions of `search`, in ascending order of degree, then
/// weight, then index. p = search.prime does not divide m, and m is not 2 modulo 4.
/// @throws InvalidArgument if max_degree is 0 or above 32768, or search.prime is not a prime.
RINGLET_API std::vector<RingProfile> search_rings(const RingSearch& search);

}  // namespace ringlet
