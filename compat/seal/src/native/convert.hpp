// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/plaintext.h"
#include "seal/publickey.h"
#include "seal/secretkey.h"

// Between the data objects of SEAL's interface and Ringlet's own, which compute.

namespace ringlet::seal4 {

/// Returns the context that computes for `context`, with the data primes of the first data level.
/// @throws InvalidArgument if the parameters are not valid.
const ringlet::Context& native_context(const SEALContext& context);

/// Returns the level of the native context with the same primes.
/// @throws as above.
const ringlet::ContextData& native_level(const SEALContext::ContextData& level);

/// Returns the object as an operand of native_context(context): on the same words, without a copy.
/// It is for reading only, and the words must not move while it is used. Any level is allowed, the
/// key level too. Does not check that words are reduced. The scale of BFV and BGV plaintexts, which
/// SEAL ignores, becomes 1.
/// @throws InvalidArgument unless metadata and buffer are valid for the context. An empty
///         ciphertext gives an empty one.
ringlet::Plaintext borrow_native(const SEALContext& context, const Plaintext& in);
ringlet::Ciphertext borrow_native(const SEALContext& context, const Ciphertext& in);
/// Returns one key for switching, from its pairs.
ringlet::KSwitchKey borrow_native(const SEALContext& context, const std::vector<PublicKey>& in);

/// Stores a native object of native_context(context): words without padding, level, form, scale
/// and correction factor. Does not copy words that are in place already. The destination keeps its
/// pool.
/// @throws LogicError if the context has no such level, as when its chain was not expanded;
///         std::bad_alloc. The destination is then unchanged.
void write_back(const SEALContext& context, const ringlet::Plaintext& native, Plaintext& out);
void write_back(const SEALContext& context, const ringlet::Ciphertext& native, Ciphertext& out);

namespace detail {

/// Returns the level of a native identifier.
/// @throws LogicError if the context has no such level.
std::shared_ptr<const SEALContext::ContextData> level_of(const SEALContext& context,
                                                         const ringlet::ParmsId& native_id);

/// Return a native object at a level with the metadata of `in` on the given words. Check nothing.
/// A plaintext in coefficient form needs no level.
ringlet::Ciphertext borrow_words(const ringlet::ContextData& level, const Ciphertext& in,
                                 std::uint64_t* words, Contents contents = Contents::zero);
ringlet::Plaintext borrow_words(const ringlet::ContextData* level, bool has_scale,
                                const Plaintext& in, std::uint64_t* words);

/// Do what write_back does, with the level of the native object if that has one.
void write_words(const SEALContext::ContextData* level, const ringlet::Plaintext& native,
                 Plaintext& out);
void write_words(const SEALContext::ContextData& level, const ringlet::Ciphertext& native,
                 Ciphertext& out);

/// Copies limb after limb, without the padding between them, and returns the end.
template <typename View>
std::uint64_t* copy_limbs(const View& poly, std::uint64_t* out) {
  for (std::size_t i = 0; i < poly.limb_count; ++i) out = std::ranges::copy(poly.limb(i), out).out;
  return out;
}

}  // namespace detail
}  // namespace ringlet::seal4
