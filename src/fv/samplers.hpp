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

/// Samples uniformly in {0, 1}: the bits of each byte, lowest first. Constant time.
void sample_binary(std::span<std::int8_t> result, rlwe::RandomStream& stream);

/// Samples the key, or the U of an encryption, from the stream of its purpose under `seed`.
void sample_secret(std::span<std::int8_t> result, SecretDistribution distribution,
                   const rlwe::Seed& seed);

/// Samples uniformly modulo q. It takes the low bits of each word_count() words, the least
/// significant first, as many as q has, and rejects values that are not below q. The time shows
/// which values are rejected, but nothing about those that are kept.
void sample_uniform(WidePoly& result, const WideModulus& q, rlwe::RandomStream& stream);

/// Expands a published seed to its uniform half.
void expand_uniform(WidePoly& result, const WideModulus& q, const rlwe::Seed& public_seed);

}  // namespace ringlet::fv
