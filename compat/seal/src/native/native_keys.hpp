// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "native/bridge.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "seal/galoiskeys.h"
#include "seal/publickey.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"

// From SEAL's keys to native ones, which borrow their words.

namespace ringlet::seal4::detail {

/// For Bridge::native(), or Bridge::key_level() as `context`; the key is valid there.
ringlet::SecretKey borrow_key(const ringlet::Context& context, const SecretKey& key);
ringlet::PublicKey borrow_key(const ringlet::Context& context, const PublicKey& key);

/// @throws InvalidArgument if the key is not valid for the context, words included.
void check_key(const Bridge& bridge, const SecretKey& key, const char* operation);
void check_key(const Bridge& bridge, const PublicKey& key, const char* operation);

/// The keys for powers of the secret below `size`.
/// @throws InvalidArgument if the keys, or those of them that are used, are of another context.
ringlet::RelinKeys borrow_keys(const Bridge& bridge, const RelinKeys& keys, std::size_t size,
                               const char* operation);

/// The keys for those of the given elements that there are; if there is none of them, some other
/// key, so that the native service finds the right words for what is missing.
/// @throws InvalidArgument as above.
ringlet::GaloisKeys borrow_keys(const Bridge& bridge, const GaloisKeys& keys,
                                std::span<const std::uint64_t> elements, const char* operation);

}  // namespace ringlet::seal4::detail
