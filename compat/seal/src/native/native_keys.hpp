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

// Conversion of SEAL's keys to native keys, which borrow their words.

namespace ringlet::seal4::detail {

/// Return a native key, valid for `context`: Bridge::native() or Bridge::key_level().
ringlet::SecretKey borrow_key(const ringlet::Context& context, const SecretKey& key);
ringlet::PublicKey borrow_key(const ringlet::Context& context, const PublicKey& key);

/// @throws InvalidArgument if the key is not valid for the context, words included.
void check_key(const Bridge& bridge, const SecretKey& key, const char* operation);
void check_key(const Bridge& bridge, const PublicKey& key, const char* operation);

/// Returns the keys for powers of the secret below `size`.
/// @throws InvalidArgument if the object, or a key that is used, is of another context.
ringlet::RelinKeys borrow_keys(const Bridge& bridge, const RelinKeys& keys, std::size_t size,
                               const char* operation);

/// Returns the keys of the given elements that exist. If none exists, returns some other key: the
/// native service then throws the right error for the missing one.
/// @throws InvalidArgument as above.
ringlet::GaloisKeys borrow_keys(const Bridge& bridge, const GaloisKeys& keys,
                                std::span<const std::uint64_t> elements, const char* operation);

}  // namespace ringlet::seal4::detail
