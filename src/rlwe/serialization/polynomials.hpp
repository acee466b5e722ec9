// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/random.hpp"
#include "rlwe/serialization/frame.hpp"

// The common parts of several payloads: sizes, polynomials and seeded pairs.

namespace ringlet::rlwe {

/// Returns the level of `context` that a header names.
/// @throws InvalidArgument if the header names none: the message tells how to get the parameters.
const ContextData& level_of(const Context& context, const FrameHeader& header);
/// Return this level if it is the key level, or a data level; else throw.
const ContextData& key_level_of(const Context& context, const FrameHeader& header);
const ContextData& data_level_of(const Context& context, const FrameHeader& header);

/// Reads one of the sizes in a payload, which must be that of the context.
void expect_size(FrameReader& reader, std::size_t expected, const char* what);

/// Returns the bytes of one polynomial.
constexpr std::size_t poly_bytes(std::size_t limb_count, std::size_t degree) noexcept {
  return 8 * limb_count * degree;
}
/// Returns the bytes of a pair (b, a), where a seed may stand for a.
constexpr std::size_t pair_bytes(std::size_t limb_count, std::size_t degree,
                                 bool is_seeded) noexcept {
  return poly_bytes(limb_count, degree) + (is_seeded ? kSeedBytes : poly_bytes(limb_count, degree));
}

/// Writes limb after limb, without padding.
void put_poly(FrameWriter& writer, ConstResidueView poly);
/// Reads residues modulo the primes of `level`. @throws InvalidArgument if one is not reduced.
void get_poly(FrameReader& reader, const ContextData& level, ResidueView poly);

/// Writes the pair; `seed` stands for its second polynomial unless it is null.
void put_pair(FrameWriter& writer, const Ciphertext& pair, const PublicSeed* seed);
/// Reads a pair in the form that `pair` has. With `seed`, reads the seed and expands the second
/// polynomial from it.
void get_pair(FrameReader& reader, const Context& context, const ContextData& level,
              Ciphertext& pair, PublicSeed* seed);

}  // namespace ringlet::rlwe
