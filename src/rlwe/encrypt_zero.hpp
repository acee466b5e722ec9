// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/context.hpp"
#include "ringlet/keys.hpp"
#include "ringlet/random.hpp"
#include "ringlet/storage.hpp"

// Encryptions of zero in NTT form: what keys and ciphertexts of every scheme are made of. Constant
// time in keys and randomness, apart from rejected words (see samplers.hpp).

namespace ringlet::rlwe {

/// b = -(a*s + e), a uniform, over basis()[primes[i]]; all views have one limb per prime. Nothing
/// but finished results is ever written to b and a.
void encrypt_zero_symmetric(const Backend& backend, PrimeIndices primes, ConstNttView secret,
                            const RandomSource& random, NttView b, NttView a);

/// (b*u + e_0, a*u + e_1) for the public key (b, a) and ternary u, over the primes one level above
/// `level`, divided by the last of them with rounding. Without a level above: over `level`, not
/// divided. c0 and c1 are at `level`.
void encrypt_zero_asymmetric(const Context& context, const ContextData& level,
                             const PublicKey& public_key, const RandomSource& random, NttView c0,
                             NttView c1);

}  // namespace ringlet::rlwe
