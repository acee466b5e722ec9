// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/fv/fv_serialization.hpp"
#include "rlwe/serialization/byte_stream.hpp"

// Payloads of FV's objects: encode() gives an object's file, decode_*() reads one. docs/files.md
// describes them; errors: ringlet/fv/fv_serialization.hpp.

namespace ringlet::fv {

rlwe::Bytes encode(const SavedParameters& object);
rlwe::Bytes encode(const Context& context, const PublicKey& object);
rlwe::Bytes encode(const Context& context, const Ciphertext& object);
rlwe::Bytes encode(const Context& context, const SecretKey& object);

SavedParameters decode_parameters(rlwe::ByteSource& source, SecurityLevel min_security);
PublicKey decode_public_key(const Context& context, rlwe::ByteSource& source);
Ciphertext decode_ciphertext(const Context& context, rlwe::ByteSource& source);
SecretKey decode_secret_key(const Context& context, rlwe::ByteSource& source);

}  // namespace ringlet::fv
