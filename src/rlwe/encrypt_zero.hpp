// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "ringlet/context.hpp"
#include "ringlet/keys.hpp"
#include "ringlet/random.hpp"
#include "ringlet/storage.hpp"

// Encryptions of zero in NTT form: what keys and ciphertexts of every scheme are made of. Constant
// time in keys and randomness, apart from rejected words (see samplers.hpp).

namespace ringlet::rlwe {

/// What noise is multiplied by: t for BGV, otherwise 1.
std::uint64_t noise_factor(const Context& context);

/// b = -(a*s + f*e), a uniform, at `level`, which may be the key level; f is noise_factor().
/// Nothing but finished results is ever written to b and a. Returns the seed of a, unless `random`
/// has its own way to make uniform halves.
std::optional<PublicSeed> encrypt_zero_symmetric(const Context& context, const ContextData& level,
                                                 ConstNttView secret, const RandomSource& random,
                                                 NttView b, NttView a);

/// (b*u + f*e_0, a*u + f*e_1) for the public key (b, a) and ternary u, over the primes of `level`
/// and one prime p more (the next data prime, or a special one), divided by p with rounding that
/// keeps what the result is modulo f. Where there is no such prime: over `level`, not divided. c0
/// and c1 are at `level`, a data level.
void encrypt_zero_asymmetric(const Context& context, const ContextData& level,
                             const PublicKey& public_key, const RandomSource& random, NttView c0,
                             NttView c1);

}  // namespace ringlet::rlwe
