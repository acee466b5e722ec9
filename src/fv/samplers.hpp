// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/fv/fv.hpp"
#include "ringlet/fv/wide_poly.hpp"
#include "rlwe/random/random_stream.hpp"
#include "rlwe/random/samplers.hpp"

// Each sampler is one exact function of the stream's bytes, the same on every machine.

namespace ringlet::fv {

/// Uniform in {0, 1}: the bits of each byte, lowest first. Constant time.
void sample_binary(std::span<std::int8_t> result, rlwe::RandomStream& stream);

/// The key, or the U of an encryption, from the stream of its purpose that `seed` stands for.
void sample_secret(std::span<std::int8_t> result, SecretDistribution distribution,
                   const rlwe::Seed& seed);

/// Uniform modulo q. Of each word_count() words, the least significant first, the low bits, as many
/// as q has, are taken and rejected if they are not below q. Which are rejected shows in the time;
/// it says nothing about the ones that are kept.
void sample_uniform(WidePoly& result, const WideModulus& q, rlwe::RandomStream& stream);

/// The uniform half that a published seed stands for.
void expand_uniform(WidePoly& result, const WideModulus& q, const rlwe::Seed& public_seed);

}  // namespace ringlet::fv
