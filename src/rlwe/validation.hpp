// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ringlet/arith/primes.hpp"
#include "ringlet/ring/rns_basis.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/security.hpp"

namespace ringlet::rlwe {

/// Validates parameters in the order that Context documents and returns the basis that their
/// backend needs, as Context::backend_basis describes it.
/// @throws InvalidArgument at the first offence.
RnsBasis validate_parameters(const EncryptionParameters& parms, SecurityLevel level,
                             SecurityTable table);

/// @throws InvalidArgument without data primes, and with more primes than a modulus may have.
void check_prime_count(const EncryptionParameters& parms);

/// Returns the first `count` primes of so many bits, in the order of `preference`, that a modulus
/// over `ring` may have.
/// @throws InvalidArgument if there are too few.
std::vector<Modulus> ring_primes(const RingSpec& ring, int bit_count, std::size_t count,
                                 PrimePreference preference);

/// Returns the number of auxiliary primes beside a level of BFV whose modulus Q has that many bits.
/// Their product is at least 16*t*d*Q, d being the expansion factor of the ring (N for X^N + 1).
/// With operands in [-Q/2, Q/2] and products of at most 16 polynomials, 8 terms each, a product is
/// below 2*d*Q^2 and its t/Q-fold below 2*t*d*Q, an eighth of that.
std::size_t auxiliary_prime_count(const EncryptionParameters& parms, int modulus_bits);

}  // namespace ringlet::rlwe
