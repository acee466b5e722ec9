// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/random.hpp"
#include "rlwe/serialization/frame.hpp"

// What payloads of several types have in common: sizes, polynomials and seeded pairs.

namespace ringlet::rlwe {

/// The level of `context` that a header names, for an object that is called `what`.
/// @throws InvalidArgument if the header names none: the message tells how to get the parameters.
const ContextData& level_of(const Context& context, const FrameHeader& header);
/// The same where only the key level will do, or only data levels.
const ContextData& key_level_of(const Context& context, const FrameHeader& header);
const ContextData& data_level_of(const Context& context, const FrameHeader& header);

/// Reads one of the sizes in a payload, which the context has decided.
void expect_size(FrameReader& reader, std::size_t expected, const char* what);

/// Bytes of one polynomial.
constexpr std::size_t poly_bytes(std::size_t limb_count, std::size_t degree) noexcept {
  return 8 * limb_count * degree;
}
/// Bytes of a pair (b, a), where a seed may stand for a.
constexpr std::size_t pair_bytes(std::size_t limb_count, std::size_t degree,
                                 bool is_seeded) noexcept {
  return poly_bytes(limb_count, degree) + (is_seeded ? kSeedBytes : poly_bytes(limb_count, degree));
}

/// Limb after limb, without padding.
void put_poly(FrameWriter& writer, ConstResidueView poly);
/// Residues modulo the primes of `level`. @throws InvalidArgument if one is not reduced.
void get_poly(FrameReader& reader, const ContextData& level, ResidueView poly);

/// The pair, its second polynomial by `seed` unless that is null.
void put_pair(FrameWriter& writer, const Ciphertext& pair, const PublicSeed* seed);
/// A pair in the form that it has. With `seed`, its second polynomial is expanded from what is read
/// into that.
void get_pair(FrameReader& reader, const Context& context, const ContextData& level,
              Ciphertext& pair, PublicSeed* seed);

}  // namespace ringlet::rlwe
