// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/random.hpp"

// Encryptions of zero, from which keys and ciphertexts of every scheme are made. Constant time in
// keys and randomness, apart from rejected words (see samplers.hpp).

namespace ringlet::rlwe {

/// Returns the factor of noise: t for BGV, otherwise 1.
std::uint64_t noise_factor(const Context& context);

/// A polynomial of small signed coefficients; of none, 0.
struct SmallPolyView {
  std::span<const std::int64_t> coefficients;
  std::uint64_t bound = 0;  ///< Of their absolute values; below 2^61.
};

/// The destination and form of a fresh encryption and, in NTT form alone, a message that is added
/// to its first polynomial.
struct FreshEncryption {
  ResidueView c0;
  ResidueView c1;
  Form form = Form::ntt;
  SmallPolyView message = {};
};

/// Writes c1 = a, uniform, and c0 = -(a*s + f*e) + message at `level`, which may be the key level.
/// f is noise_factor(); `secret` is in NTT form. The memory of the results never holds secrets:
/// only a in NTT form and, in NTT form, -c0 precede the results. Returns the seed of a, unless
/// `random` makes uniform halves in its own way.
std::optional<PublicSeed> encrypt_zero_symmetric(const Context& context, const ContextData& level,
                                                 ConstNttView secret, const RandomSource& random,
                                                 const FreshEncryption& fresh);

/// Writes (b*u + f*e_0, a*u + f*e_1) for the public key (b, a) and ternary u. It is computed over
/// the primes of `level` and one more prime p (the next data prime, or a special one), and divided
/// by p with rounding that keeps the result modulo f; then the message is added. If there is no
/// such prime, nothing is divided. `level` is a data level.
void encrypt_zero_asymmetric(const Context& context, const ContextData& level,
                             const PublicKey& public_key, const RandomSource& random,
                             const FreshEncryption& fresh);

}  // namespace ringlet::rlwe
