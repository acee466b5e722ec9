// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <vector>

#include "ringlet/base/aligned.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/fv/fv.hpp"
#include "ringlet/rlwe/security.hpp"

// Files of FV with a multi-precision modulus, in the frame of docs/files.md. What
// ringlet/rlwe/serialization.hpp says of saving and loading holds here too: whatever the bytes are,
// loading gives an object that is fit for the context or throws InvalidArgument, or RuntimeError
// where bytes are missing; every size is checked before memory is taken for it; of a stream exactly
// the bytes of the object are read. The context determines the memory of each object, and the ring
// that they name that of parameters, about 3 MiB at most: there are no LoadLimits.

namespace ringlet::fv {

/// What both sides of a computation have to agree about.
struct RINGLET_API SavedParameters {
  Parameters parameters;
  /// `none` if whoever made the parameters asked for no check: then nothing is promised.
  SecurityLevel level = SecurityLevel::tc128;
  SecurityTable table = SecurityTable::classical_2024;

  /// What `context` was made from.
  static SavedParameters of(const Context& context);
  /// A context of these parameters; its identifier is that of the context that was saved.
  /// @throws as Context.
  Context make_context() const;
};

/// Writes an object and returns the number of bytes; of a public key P_1 and the seed of A.
/// @throws InvalidArgument if it does not belong to the context; RuntimeError if the stream fails.
RINGLET_API std::size_t save(const SavedParameters& object, std::ostream& stream);
RINGLET_API std::size_t save(const Context& context, const PublicKey& object, std::ostream& stream);
RINGLET_API std::size_t save(const Context& context, const Ciphertext& object,
                             std::ostream& stream);
/// Secret keys have a call of their own, save_secret_key, so that none is saved by mistake.
std::size_t save(const Context& context, const SecretKey& object, std::ostream& stream) = delete;
/// The same into memory.
RINGLET_API std::vector<std::byte> save(const SavedParameters& object);
RINGLET_API std::vector<std::byte> save(const Context& context, const PublicKey& object);
RINGLET_API std::vector<std::byte> save(const Context& context, const Ciphertext& object);
std::vector<std::byte> save(const Context& context, const SecretKey& object) = delete;

/// Parameters need no context. They are validated as Context does, but for the limit of the table,
/// the level that binary secrets need, and the bound on noise: these are left to Context. The way
/// to multiply is not saved. Parameters that claim less than `min_security` are an InvalidArgument:
/// name a lower level only if you trust whoever made them.
RINGLET_API SavedParameters load_parameters(std::istream& stream,
                                            SecurityLevel min_security = SecurityLevel::tc128);
/// The same from memory that holds the object and nothing else.
RINGLET_API SavedParameters load_parameters(std::span<const std::byte> bytes,
                                            SecurityLevel min_security = SecurityLevel::tc128);

/// Loads a PublicKey or a Ciphertext for `context`.
template <typename T>
T load(const Context& context, std::istream& stream);
template <typename T>
T load(const Context& context, std::span<const std::byte> bytes);

template <>
RINGLET_API PublicKey load<PublicKey>(const Context& context, std::istream& stream);
template <>
RINGLET_API PublicKey load<PublicKey>(const Context& context, std::span<const std::byte> bytes);
/// Ciphertexts that anybody can read (C_2 = 0) are refused.
template <>
RINGLET_API Ciphertext load<Ciphertext>(const Context& context, std::istream& stream);
template <>
RINGLET_API Ciphertext load<Ciphertext>(const Context& context, std::span<const std::byte> bytes);
/// load_secret_key is the way.
template <>
SecretKey load<SecretKey>(const Context& context, std::istream& stream) = delete;
template <>
SecretKey load<SecretKey>(const Context& context, std::span<const std::byte> bytes) = delete;

/// Saves a secret key, unencrypted: whoever has the file reads everything. Buffers are wiped, the
/// stream's own are not. Constant time in the key.
/// @throws as save.
RINGLET_API std::size_t save_secret_key(const Context& context, const SecretKey& key,
                                        std::ostream& stream);
/// The same into memory that is wiped when it is released.
RINGLET_API SecretVector<std::byte> save_secret_key(const Context& context, const SecretKey& key);
/// A key whose coefficients are not of the parameters' distribution is refused.
RINGLET_API SecretKey load_secret_key(const Context& context, std::istream& stream);
RINGLET_API SecretKey load_secret_key(const Context& context, std::span<const std::byte> bytes);

}  // namespace ringlet::fv
