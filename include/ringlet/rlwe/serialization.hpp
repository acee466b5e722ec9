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

// Ringlet's own files, whose format docs/files.md describes: a bounded frame with magic number,
// type, version, digest of the parameters, exact length and SHA-256 checksum. Files are the same on
// every processor and of every kernel.
//
// Saving: an object that holds nothing is an InvalidArgument; a stream that takes no more bytes is
// a RuntimeError. Nothing is written before the object is found fit.
//
// Loading, from whatever bytes, gives an object that is fit for the context (residues below their
// primes, coefficients below t, a data level for messages and the key level for keys) or throws
//   InvalidArgument  the bytes are no such object, are of other parameters, are damaged or are
//                    followed by more (the latter only where they are a span),
//   RuntimeError     the bytes end too early, or the stream cannot be read.
// Every size is checked against what the context allows and against the budget of LoadLimits before
// memory is taken for it, and no more than that is ever decompressed. From a stream, which need not
// be seekable, exactly the bytes of the object are read; where an object is refused, how far the
// stream was read is not specified.

namespace ringlet {

/// How the payload of a file is written. Both are always readable.
enum class Compression : std::uint8_t {
  none = 0,  ///< As it is; the same bytes from every build of the library.
  zstd = 1,  ///< Zstandard (RFC 8878), with at most 2^20 bytes of history.
};

/// What loading may cost.
struct LoadLimits {
  /// The most bytes that the object may take in memory, beside the file itself. 0 stands for what
  /// one plaintext, fresh ciphertext, public key or single key of a set takes, and 32 for each byte
  /// of the file: whatever was saved fits.
  std::uint64_t max_bytes = 0;
  /// Called before each key of a set is read. What it throws ends the call.
  std::function<void()> between_parts = {};
};

/// What both sides of a computation have to agree about: parameters and the security that they were
/// checked for.
struct RINGLET_API SavedParameters {
  EncryptionParameters parms;
  /// `none` if whoever made the parameters asked for no check: then nothing is promised.
  SecurityLevel level = SecurityLevel::tc128;
  SecurityTable table = SecurityTable::classical_2024;

  /// What `context` was made from.
  static SavedParameters of(const Context& context);
  /// A context of these parameters; its identifiers are those of the context that was saved.
  /// @throws as Context.
  Context make_context() const;
};

/// How a type is kept in files.
enum class FileKind : std::uint8_t {
  parameters,  ///< By save and load_parameters.
  object,      ///< By save and load.
  seeded,      ///< By save; load gives the object that the seed stands for.
  secret_key,  ///< By save_secret_key and load_secret_key alone, so that none is saved by mistake.
};

/// A kind, and the class whose parameters an object belongs to.
template <FileKind kKind, typename OwnContext = Context>
struct FileOf {
  static constexpr FileKind kind = kKind;
  using Context = OwnContext;
};

/// How T is kept in files; types without a specialisation are in none.
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

// Conditions are default arguments: as constraints they would be part of the names of functions for
// some compilers and not for others, and libraries serve programs of either.

/// For what is kept as `kKind`.
template <typename T, FileKind kKind>
using IfKept = std::enable_if_t<FileTraits<T>::kind == kKind>;
/// For what save() takes: all that has files, except secret keys.
template <typename T>
using IfSavable = std::enable_if_t<FileTraits<T>::kind != FileKind::secret_key>;
/// The class of contexts that a T belongs to.
template <typename T>
using ContextOf = typename FileTraits<T>::Context;

/// Writes an object and returns the number of bytes. Keys whose uniform halves were expanded from
/// seeds are saved with the seeds, which halves their size; so are SeededCiphertexts. A plaintext
/// is secret: compressed and uncompressed copies are wiped, the stream's own are not.
/// @throws InvalidArgument if the object holds nothing; RuntimeError if the stream fails.
template <typename T, typename = IfSavable<T>>
RINGLET_API std::size_t save(const T& object, std::ostream& stream,
                             Compression compression = Compression::none);
/// The same into memory. The caller wipes a saved plaintext where that matters.
template <typename T, typename = IfSavable<T>>
RINGLET_API std::vector<std::byte> save(const T& object,
                                        Compression compression = Compression::none);
/// The size in bytes of the file of an object with Compression::none.
/// @throws InvalidArgument if the object holds nothing.
template <typename T, typename = IfSavable<T>>
RINGLET_API std::size_t save_size(const T& object);

/// Parameters need no context. They are validated as Context does, except that the limit of the
/// table is left to Context. Parameters that claim less than `min_security` are an InvalidArgument:
/// name a lower level, such as SecurityLevel::none, only if you trust whoever made them.
template <typename T = SavedParameters, typename = IfKept<T, FileKind::parameters>>
RINGLET_API T load_parameters(std::istream& stream,
                              SecurityLevel min_security = SecurityLevel::tc128);
/// The same from memory that holds the object and nothing else.
template <typename T = SavedParameters, typename = IfKept<T, FileKind::parameters>>
RINGLET_API T load_parameters(std::span<const std::byte> bytes,
                              SecurityLevel min_security = SecurityLevel::tc128);

/// Loads a T for `context`. A Ciphertext may have been saved whole, or by a seed: then the uniform
/// half is expanded.
template <typename T, typename = IfKept<T, FileKind::object>>
RINGLET_API T load(const ContextOf<T>& context, std::istream& stream,
                   const LoadLimits& limits = {});
/// The same from memory that holds the object and nothing else.
template <typename T, typename = IfKept<T, FileKind::object>>
RINGLET_API T load(const ContextOf<T>& context, std::span<const std::byte> bytes,
                   const LoadLimits& limits = {});

/// Galois keys that are read one by one: only the directory of the file is read now, and each key,
/// checked, when key() first asks for it. It is then kept; the keys may be used by several threads.
/// A damaged key is an error of that call alone, which names the Galois element and may be made
/// again. max_bytes bounds all keys together, and between_parts is not called.
/// Keys that were overwritten meanwhile are a RuntimeError; a new file that takes the path changes
/// nothing.
/// @throws as load; RuntimeError if the file cannot be opened.
RINGLET_API GaloisKeys open_galois_keys(const Context& context, const std::string& path,
                                        const LoadLimits& limits = {});
/// From the position of a stream that can seek; nobody else uses the stream meanwhile.
RINGLET_API GaloisKeys open_galois_keys(const Context& context,
                                        std::shared_ptr<std::istream> stream,
                                        const LoadLimits& limits = {});
/// From memory. @throws InvalidArgument if the pointer is null.
RINGLET_API GaloisKeys open_galois_keys(const Context& context,
                                        std::shared_ptr<const std::vector<std::byte>> bytes,
                                        const LoadLimits& limits = {});

/// Saves a secret key, unencrypted: whoever has the file reads everything. The file holds the
/// ternary coefficients, two bits each, and is never compressed; buffers are wiped, the stream's
/// own are not. Constant time in the key.
/// @throws InvalidArgument if the key is empty, of another context, or not ternary; RuntimeError if
///         the stream fails.
template <typename Key, typename = IfKept<Key, FileKind::secret_key>>
RINGLET_API std::size_t save_secret_key(const ContextOf<Key>& context, const Key& key,
                                        std::ostream& stream);
/// The same into memory that is wiped when it is released.
template <typename Key, typename = IfKept<Key, FileKind::secret_key>>
RINGLET_API SecretVector<std::byte> save_secret_key(const ContextOf<Key>& context, const Key& key);
/// Loads it. The context determines its size and memory, so that there are no LoadLimits.
template <typename Key = SecretKey, typename = IfKept<Key, FileKind::secret_key>>
RINGLET_API Key load_secret_key(const ContextOf<Key>& context, std::istream& stream);
/// The same from memory that holds the key and nothing else.
template <typename Key = SecretKey, typename = IfKept<Key, FileKind::secret_key>>
RINGLET_API Key load_secret_key(const ContextOf<Key>& context, std::span<const std::byte> bytes);

}  // namespace ringlet
