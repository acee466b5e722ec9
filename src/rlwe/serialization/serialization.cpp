// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/serialization.hpp"

#include <istream>
#include <ostream>
#include <utility>

#include "base/public_entry.hpp"
#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/serialization/objects.hpp"

namespace ringlet {
namespace {

constexpr const char* kSave = "save";
constexpr const char* kLoadParameters = "load_parameters";
constexpr const char* kSaveSecretKey = "save_secret_key";
constexpr const char* kLoadSecretKey = "load_secret_key";

template <typename T>
std::size_t save_to(const T& object, std::ostream& stream, Compression compression) {
  return public_entry(kSave, [&] {
    rlwe::StreamSink sink(stream);
    rlwe::encode(object, sink, compression);
    return sink.written();
  });
}

template <typename T>
std::vector<std::byte> save_bytes(const T& object, Compression compression) {
  return public_entry(kSave, [&] {
    std::vector<std::byte> bytes;
    if (compression == Compression::none) bytes.reserve(rlwe::raw_bytes(object));
    rlwe::MemorySink sink(bytes);
    rlwe::encode(object, sink, compression);
    return bytes;
  });
}

}  // namespace

SeededCiphertext::SeededCiphertext(const Context& context, Ciphertext ciphertext,
                                   const PublicSeed& seed)
    : seed_(seed) {
  public_entry("SeededCiphertext", [&] {
    rlwe::check_operand(context, ciphertext, "ciphertext");
    if (ciphertext.size() == kMinCiphertextSize) return;
    throw_invalid_argument({.offending = concat("a ciphertext of size ", ciphertext.size()),
                            .limit = "fresh ciphertexts, of size 2",
                            .remedy = "take what Encryptor::encrypt_symmetric_seeded returns"});
  });
  ciphertext_ = std::move(ciphertext);
}

#define RINGLET_DEFINE_SAVE(Type)                                                       \
  std::size_t save(const Type& object, std::ostream& stream, Compression compression) { \
    return save_to(object, stream, compression);                                        \
  }                                                                                     \
  std::vector<std::byte> save(const Type& object, Compression compression) {            \
    return save_bytes(object, compression);                                             \
  }                                                                                     \
  std::size_t save_size(const Type& object) {                                           \
    return public_entry(kSave, [&] { return rlwe::raw_bytes(object); });                \
  }

RINGLET_DEFINE_SAVE(SavedParameters)
RINGLET_DEFINE_SAVE(Plaintext)
RINGLET_DEFINE_SAVE(Ciphertext)
RINGLET_DEFINE_SAVE(SeededCiphertext)
RINGLET_DEFINE_SAVE(PublicKey)
RINGLET_DEFINE_SAVE(RelinKeys)
RINGLET_DEFINE_SAVE(GaloisKeys)
#undef RINGLET_DEFINE_SAVE

SavedParameters load_parameters(std::istream& stream, SecurityLevel min_security) {
  return rlwe::load_from(stream, kLoadParameters, [=](rlwe::ByteSource& source) {
    return rlwe::decode_parameters(source, min_security);
  });
}
SavedParameters load_parameters(std::span<const std::byte> bytes, SecurityLevel min_security) {
  return rlwe::load_from(bytes, kLoadParameters, [=](rlwe::ByteSource& source) {
    return rlwe::decode_parameters(source, min_security);
  });
}

#define RINGLET_DEFINE_LOAD(Type, decode)                                                   \
  template <>                                                                               \
  Type load<Type>(const Context& context, std::istream& stream, const LoadLimits& limits) { \
    return rlwe::load_from(stream, "load<" #Type ">", context, rlwe::decode, limits);       \
  }                                                                                         \
  template <>                                                                               \
  Type load<Type>(const Context& context, std::span<const std::byte> bytes,                 \
                  const LoadLimits& limits) {                                               \
    return rlwe::load_from(bytes, "load<" #Type ">", context, rlwe::decode, limits);        \
  }

RINGLET_DEFINE_LOAD(Plaintext, decode_plaintext)
RINGLET_DEFINE_LOAD(Ciphertext, decode_ciphertext)
RINGLET_DEFINE_LOAD(PublicKey, decode_public_key)
RINGLET_DEFINE_LOAD(RelinKeys, decode_relin_keys)
RINGLET_DEFINE_LOAD(GaloisKeys, decode_galois_keys)
#undef RINGLET_DEFINE_LOAD

std::size_t save_secret_key(const Context& context, const SecretKey& key, std::ostream& stream) {
  return public_entry(kSaveSecretKey, [&] {
    return rlwe::save_file(rlwe::SecretKeyFile::encode(context, key), stream);
  });
}
SecretVector<std::byte> save_secret_key(const Context& context, const SecretKey& key) {
  return public_entry(kSaveSecretKey, [&] {
    return rlwe::save_file<SecretVector<std::byte>>(rlwe::SecretKeyFile::encode(context, key));
  });
}

SecretKey load_secret_key(const Context& context, std::istream& stream) {
  return rlwe::load_from(stream, kLoadSecretKey, context, rlwe::SecretKeyFile::decode);
}
SecretKey load_secret_key(const Context& context, std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, kLoadSecretKey, context, rlwe::SecretKeyFile::decode);
}

}  // namespace ringlet
