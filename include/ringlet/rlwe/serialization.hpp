// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ringlet/base/aligned.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "ringlet/rlwe/security.hpp"
#include "ringlet/rlwe/seeded_ciphertext.hpp"

// Ringlet's own files; docs/files.md describes the format. A file is a bounded frame with magic
// number, type, version, digest of the parameters, exact length and SHA-256 checksum. Files do not
// depend on the processor or on kernels.
//
// Saving throws InvalidArgument for an object that holds nothing, and RuntimeError if the stream
// takes no more bytes. Nothing is written before the object is checked.
//
// Loading accepts any bytes. The result fits the context (residues below their primes, coefficients
// below t, a data level for messages and the key level for keys), or it throws
//   InvalidArgument  if the bytes are no such object, have other parameters, are damaged, or are
//                    followed by more bytes (the last only in a span),
//   RuntimeError     if the bytes end too early, or the stream cannot be read.
// Every size is checked against the context and the budget of LoadLimits before memory is
// allocated, and no more bytes than the budget are decompressed. A stream need not be seekable:
// exactly the bytes of the object are read. If an object is refused, the position of the stream is
// not specified.

namespace ringlet {

/// How the payload of a file is written. Every build reads both.
enum class Compression : std::uint8_t {
  none = 0,  ///< Uncompressed; the same bytes from every build of the library.
  zstd = 1,  ///< Zstandard (RFC 8878), with at most 2^20 bytes of history.
};

/// Limits of the cost of loading.
struct LoadLimits {
  /// The most bytes that the object may use in memory, besides the file itself. 0 means the size of
  /// one object (a plaintext, a fresh ciphertext, a public key, or one key of a set) plus 32 bytes
  /// for each byte of the file. Every saved object fits this limit.
  std::uint64_t max_bytes = 0;
  /// A function that is called before each key of a set is read. An exception that it throws ends
  /// the call.
  std::function<void()> between_parts = {};
};

/// The data that both parties of a computation must share: the parameters, and the security level
/// and table for which they were checked.
struct RINGLET_API SavedParameters {
  EncryptionParameters parms;
  /// `none` if the parameters were made without a check: then there is no guarantee.
  SecurityLevel level = SecurityLevel::tc128;
  SecurityTable table = SecurityTable::classical_2024;

  /// Returns the parameters from which `context` was made.
  static SavedParameters of(const Context& context);
  /// Makes a context of these parameters. Its identifiers are those of the context that was saved.
  /// @throws as Context.
  Context make_context() const;
};

/// The functions that save and load a type.
enum class FileKind : std::uint8_t {
  parameters,  ///< save and load_parameters
  object,      ///< save and load
  seeded,      ///< save; load returns the object that is expanded from the seed
  secret_key,  ///< save_secret_key and load_secret_key only, against saving by mistake
};

/// The FileKind of a type, and the class of contexts to which its objects belong.
template <FileKind kKind, typename OwnContext = Context>
struct FileOf {
  static constexpr FileKind kind = kKind;
  using Context = OwnContext;
};

/// The kind of files of T; types without a specialisation have no files.
template <typename T>
struct FileTraits;
template <>
struct FileTraits<SavedParameters> : FileOf<FileKind::parameters> {};
template <>
struct FileTraits<Plaintext> : FileOf<FileKind::object> {};
template <>
struct FileTraits<Ciphertext> : FileOf<FileKind::object> {};
template <>
struct FileTraits<SeededCiphertext> : FileOf<FileKind::seeded> {};
template <>
struct FileTraits<PublicKey> : FileOf<FileKind::object> {};
template <>
struct FileTraits<RelinKeys> : FileOf<FileKind::object> {};
template <>
struct FileTraits<GaloisKeys> : FileOf<FileKind::object> {};
template <>
struct FileTraits<SecretKey> : FileOf<FileKind::secret_key> {};

// The conditions are default template arguments, not constraints. Some compilers make constraints
// part of the symbol names of functions and others do not, and one library must serve programs of
// all these compilers.

/// Enables a function for the types of one kind.
template <typename T, FileKind kKind>
using IfKept = std::enable_if_t<FileTraits<T>::kind == kKind>;
/// Enables save() for all types that have files, except secret keys.
template <typename T>
using IfSavable = std::enable_if_t<FileTraits<T>::kind != FileKind::secret_key>;
/// The class of contexts to which a T belongs.
template <typename T>
using ContextOf = typename FileTraits<T>::Context;

/// Writes an object and returns the number of bytes. If the uniform halves of a key were expanded
/// from seeds, the file holds the seeds, which halves its size; this also holds for a
/// SeededCiphertext. A plaintext is secret: compressed and uncompressed copies are wiped, buffers
/// of the stream are not.
/// @throws InvalidArgument if the object holds nothing; RuntimeError if the stream fails.
template <typename T, typename = IfSavable<T>>
RINGLET_API std::size_t save(const T& object, std::ostream& stream,
                             Compression compression = Compression::none);
/// Saves into memory. The caller wipes a saved plaintext if necessary.
template <typename T, typename = IfSavable<T>>
RINGLET_API std::vector<std::byte> save(const T& object,
                                        Compression compression = Compression::none);
/// Returns the size in bytes of the file of an object with Compression::none.
/// @throws InvalidArgument if the object holds nothing.
template <typename T, typename = IfSavable<T>>
RINGLET_API std::size_t save_size(const T& object);

/// Loads parameters, without a context. They are validated as Context does, except for the limit of
/// the table, which Context checks. Throws InvalidArgument for parameters that claim less than
/// `min_security`: name a lower level, such as SecurityLevel::none, only if you trust the author of
/// the parameters.
template <typename T = SavedParameters, typename = IfKept<T, FileKind::parameters>>
RINGLET_API T load_parameters(std::istream& stream,
                              SecurityLevel min_security = SecurityLevel::tc128);
/// Loads parameters from memory that holds the object and nothing else.
template <typename T = SavedParameters, typename = IfKept<T, FileKind::parameters>>
RINGLET_API T load_parameters(std::span<const std::byte> bytes,
                              SecurityLevel min_security = SecurityLevel::tc128);

/// Loads a T for `context`. The file of a SeededCiphertext can be loaded as a Ciphertext: the
/// uniform half is expanded from the seed.
template <typename T, typename = IfKept<T, FileKind::object>>
RINGLET_API T load(const ContextOf<T>& context, std::istream& stream,
                   const LoadLimits& limits = {});
/// Loads a T from memory that holds the object and nothing else.
template <typename T, typename = IfKept<T, FileKind::object>>
RINGLET_API T load(const ContextOf<T>& context, std::span<const std::byte> bytes,
                   const LoadLimits& limits = {});

/// Opens a file of Galois keys, which are read one by one. The call reads only the directory of the
/// file. key() reads and checks each key at its first use and keeps it. Several threads may use the
/// keys. If one key is damaged, only the call of key() for this key fails: the error names the
/// Galois element, and the call may be repeated. max_bytes bounds all keys together, and
/// between_parts is not called. If the open file is overwritten, key() throws RuntimeError; a new
/// file under the same path has no effect.
/// @throws as load; RuntimeError if the file cannot be opened.
RINGLET_API GaloisKeys open_galois_keys(const Context& context, const std::string& path,
                                        const LoadLimits& limits = {});
/// Opens Galois keys at the position of a seekable stream; nothing else may use the stream as long
/// as the keys exist.
RINGLET_API GaloisKeys open_galois_keys(const Context& context,
                                        std::shared_ptr<std::istream> stream,
                                        const LoadLimits& limits = {});
/// Opens Galois keys in memory. @throws InvalidArgument if the pointer is null.
RINGLET_API GaloisKeys open_galois_keys(const Context& context,
                                        std::shared_ptr<const std::vector<std::byte>> bytes,
                                        const LoadLimits& limits = {});

/// Saves a secret key, unencrypted: anyone who has the file can read every message. The file holds
/// the ternary coefficients, two bits each, and is never compressed. Ringlet's buffers are wiped,
/// those of the stream are not. Constant time in the key.
/// @throws InvalidArgument if the key is empty, of another context, or not ternary; RuntimeError if
///         the stream fails.
template <typename Key, typename = IfKept<Key, FileKind::secret_key>>
RINGLET_API std::size_t save_secret_key(const ContextOf<Key>& context, const Key& key,
                                        std::ostream& stream);
/// Saves a secret key into memory that is wiped when it is released.
template <typename Key, typename = IfKept<Key, FileKind::secret_key>>
RINGLET_API SecretVector<std::byte> save_secret_key(const ContextOf<Key>& context, const Key& key);
/// Loads a secret key. The context determines its size and memory, so that there are no LoadLimits.
template <typename Key = SecretKey, typename = IfKept<Key, FileKind::secret_key>>
RINGLET_API Key load_secret_key(const ContextOf<Key>& context, std::istream& stream);
/// Loads a secret key from memory that holds the key and nothing else.
template <typename Key = SecretKey, typename = IfKept<Key, FileKind::secret_key>>
RINGLET_API Key load_secret_key(const ContextOf<Key>& context, std::span<const std::byte> bytes);

}  // namespace ringlet
