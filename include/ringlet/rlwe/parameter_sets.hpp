// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/security.hpp"

namespace ringlet {

/// Returns parameters that use all bits of a security table for a degree, so that the caller need
/// not choose primes. All primes have at most 49 bits, where the kernels are fastest.
///
/// BFV and BGV: primes of about equal size whose bits add up to the table's entry, and the plain
/// modulus PlainModulus::batching(degree, 20). CKKS: a first data prime of 49 bits, further data
/// primes of 40 bits for a scale of 2^40, and special primes of 49 bits. If the table's entry has
/// no room for two data primes and one special prime of these sizes, all primes are smaller and of
/// about equal size. With 8 primes or more, about one in five is special, and each digit has as
/// many data primes as there are special primes. Keys are then several times smaller, and key
/// switching is faster, than with one special prime. Entries below 60 bits give one prime, no key
/// switching, and 2 as the plain modulus.
/// @throws InvalidArgument if the scheme or the level is none, or the table has no entry for this
///         degree and level.
RINGLET_API EncryptionParameters default_parameters(
    SchemeType scheme, std::size_t degree, SecurityLevel level = SecurityLevel::tc128,
    SecurityTable table = SecurityTable::classical_2024);

/// Returns parameters for BFV and BGV over any cyclotomic ring: primes of about equal size whose
/// bits add up to max_modulus_bits(ring.degree()). Small sets have one special prime.
/// `plain_modulus` is t; pass 2 for slots of bits (SlotEncoder). Z[X]/Phi_10773 (n = 5832, 108
/// slots, 151 bits) has 3 data primes and a special one; Z[X]/Phi_8191 (n = 8190, 630 slots, 213
/// bits) has 4 and 1. docs/notes/cyclotomic_noise.md states how deep circuits may be.
/// @throws InvalidArgument as the function for a degree, if the scheme is ckks, or if too few
///         primes of the necessary size are 1 modulo ring.modulus_step(), as in rings of small
///         degree.
RINGLET_API EncryptionParameters
default_parameters(SchemeType scheme, const RingSpec& ring, const Modulus& plain_modulus,
                   SecurityLevel level = SecurityLevel::tc128,
                   SecurityTable table = SecurityTable::classical_2024);

/// Returns the primes that Microsoft SEAL proposes by default for BFV, the special prime last. The
/// bits of the primes add up to the entries of the standard of 2018, which exceed the entries of
/// 2024: a Context accepts the primes only with SecurityTable::he_standard_2018.
/// @throws InvalidArgument unless the degree is 1024, 2048, ..., 32768 and the level is not none.
RINGLET_API std::vector<Modulus> seal_default_primes(std::size_t degree,
                                                     SecurityLevel level = SecurityLevel::tc128);

}  // namespace ringlet
