// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "ringlet/rlwe/serialization.hpp"
#include "rlwe/serialization/byte_stream.hpp"
#include "rlwe/serialization/frame.hpp"

// Payloads of the objects. encode() writes an object's file to a sink; raw_bytes() is the size of
// its uncompressed file. decode() reads an object from a source. For errors see
// ringlet/rlwe/serialization.hpp; encode() has only those of saving.

namespace ringlet::rlwe {

/// Tells decode() what a file holds.
template <typename T>
struct To {};

/// Throws InvalidArgument: `what` holds nothing that could be saved.
[[noreturn]] void refuse_empty(const char* what);

std::size_t raw_bytes(const SavedParameters& object);
std::size_t raw_bytes(const Plaintext& object);
std::size_t raw_bytes(const Ciphertext& object);
std::size_t raw_bytes(const SeededCiphertext& object);
std::size_t raw_bytes(const PublicKey& object);
std::size_t raw_bytes(const RelinKeys& object);
std::size_t raw_bytes(const GaloisKeys& object);

void encode(const SavedParameters& object, ByteSink& sink, Compression compression);
void encode(const Plaintext& object, ByteSink& sink, Compression compression);
void encode(const Ciphertext& object, ByteSink& sink, Compression compression);
void encode(const SeededCiphertext& object, ByteSink& sink, Compression compression);
void encode(const PublicKey& object, ByteSink& sink, Compression compression);
void encode(const RelinKeys& object, ByteSink& sink, Compression compression);
void encode(const GaloisKeys& object, ByteSink& sink, Compression compression);

SavedParameters decode(To<SavedParameters>, ByteSource& source, SecurityLevel min_security);
Plaintext decode(To<Plaintext>, const Context& context, ByteSource& source);
Ciphertext decode(To<Ciphertext>, const Context& context, ByteSource& source);
PublicKey decode(To<PublicKey>, const Context& context, ByteSource& source);
RelinKeys decode(To<RelinKeys>, const Context& context, ByteSource& source);
GaloisKeys decode(To<GaloisKeys>, const Context& context, ByteSource& source);

/// Secret keys are never compressed.
Bytes encode(const Context& context, const SecretKey& key);
SecretKey decode(To<SecretKey>, const Context& context, ByteSource& source);

/// Makes the file of a secret key with these coefficients in {-1, 0, 1}. Constant time in them.
Bytes encode_ternary(ObjectType type, const ParmsId& parms_id, const KeyId& key_id,
                     std::span<const std::int8_t> values);
/// Reads as many coefficients of such a file as `values` has; constant time except for the verdict.
/// @throws InvalidArgument also for a coefficient -1 with `is_binary`.
void decode_ternary(ByteSource& source, const FrameHeader& header, std::span<std::int8_t> values,
                    bool is_binary = false);

}  // namespace ringlet::rlwe
