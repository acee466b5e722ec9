// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "ringlet/rlwe/serialization.hpp"
#include "rlwe/serialization/byte_stream.hpp"
#include "rlwe/serialization/frame.hpp"

// Payloads of the objects. encode() writes an object's file to a sink; raw_bytes() is the size of
// its uncompressed file. decode_*() reads one from a source. Errors: see
// ringlet/rlwe/serialization.hpp; of encode() only what serialization.hpp says of saving.

namespace ringlet::rlwe {

/// InvalidArgument: `what` holds nothing that could be saved.
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

SavedParameters decode_parameters(ByteSource& source, SecurityLevel min_security);
Plaintext decode_plaintext(const Context& context, ByteSource& source);
Ciphertext decode_ciphertext(const Context& context, ByteSource& source);
PublicKey decode_public_key(const Context& context, ByteSource& source);
RelinKeys decode_relin_keys(const Context& context, ByteSource& source);
GaloisKeys decode_galois_keys(const Context& context, ByteSource& source);

/// The secret key, which is never compressed.
class SecretKeyFile {
 public:
  static Bytes encode(const Context& context, const SecretKey& key);
  static SecretKey decode(const Context& context, ByteSource& source);
};

}  // namespace ringlet::rlwe
