// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// The context that computes for this one. Its data primes are those of the first data level.
/// @throws InvalidArgument if the parameters are not valid.
const ringlet::Context& native_context(const SEALContext& context);

/// The level of the native context with the same primes.
/// @throws as above.
const ringlet::ContextData& native_level(const SEALContext::ContextData& level);

/// The object as an operand of native_context(context): on the same words, without a copy. It is
/// for reading only, and the words must stay where they are meanwhile. Any level is allowed, the
/// key level too. Whether words are reduced is not looked at. The scale of BFV and BGV plaintexts,
/// which SEAL ignores, becomes 1.
/// @throws InvalidArgument unless metadata and buffer are valid for the context. An empty
///         ciphertext gives an empty one.
ringlet::Plaintext borrow_native(const SEALContext& context, const Plaintext& in);
ringlet::Ciphertext borrow_native(const SEALContext& context, const Ciphertext& in);
/// One key for switching: its pairs.
ringlet::KSwitchKey borrow_native(const SEALContext& context, const std::vector<PublicKey>& in);

/// The same for operands that an operation also writes: it may write the words of `in` itself.
/// Afterwards write_back() has to follow, with that operand as its source, unless the operation
/// threw.
ringlet::Plaintext borrow_for_writing(const SEALContext& context, Plaintext& in);
ringlet::Ciphertext borrow_for_writing(const SEALContext& context, Ciphertext& in);

/// Stores a native object of native_context(context): words without padding, level, form, scale
/// and correction factor. Words that are there already (borrow_for_writing) are not copied. The
/// destination keeps its pool.
/// @throws LogicError if the context has no such level, as when its chain was not expanded;
///         std::bad_alloc. The destination is then unchanged.
void write_back(const SEALContext& context, const ringlet::Plaintext& native, Plaintext& out);
void write_back(const SEALContext& context, const ringlet::Ciphertext& native, Ciphertext& out);
void write_back(const SEALContext& context, const ringlet::SecretKey& native, SecretKey& out);

}  // namespace ringlet::seal4
