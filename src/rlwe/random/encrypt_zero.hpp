// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/random.hpp"

// Encryptions of zero: what keys and ciphertexts of every scheme are made of. Constant
// time in keys and randomness, apart from rejected words (see samplers.hpp).

namespace ringlet::rlwe {

/// What noise is multiplied by: t for BGV, otherwise 1.
std::uint64_t noise_factor(const Context& context);

/// A polynomial of small signed coefficients; of none, 0.
struct SmallPolyView {
  std::span<const std::int64_t> coefficients;
  std::uint64_t bound = 0;  ///< Of their absolute values; below 2^61.
};

/// Where a fresh encryption goes, in which form, and, in NTT form alone, what is added to its first
/// polynomial on the way.
struct FreshEncryption {
  ResidueView c0;
  ResidueView c1;
  Form form = Form::ntt;
  SmallPolyView message = {};
};

/// c1 = a, uniform, c0 = -(a*s + f*e) + message, at `level`, which may be the key level; f is
/// noise_factor(); `secret` is in NTT form. Nothing but results is ever written there: a in NTT
/// form first, and in NTT form -c0. Returns the seed of a, unless `random` has its own way to make
/// uniform halves.
std::optional<PublicSeed> encrypt_zero_symmetric(const Context& context, const ContextData& level,
                                                 ConstNttView secret, const RandomSource& random,
                                                 const FreshEncryption& fresh);

/// (b*u + f*e_0, a*u + f*e_1) for the public key (b, a) and ternary u, over the primes of `level`
/// and one prime p more (the next data prime, or a special one), divided by p with rounding that
/// keeps what the result is modulo f; then the message is added. Where there is no such prime: over
/// `level`, not divided. `level` is a data level.
void encrypt_zero_asymmetric(const Context& context, const ContextData& level,
                             const PublicKey& public_key, const RandomSource& random,
                             const FreshEncryption& fresh);

}  // namespace ringlet::rlwe
