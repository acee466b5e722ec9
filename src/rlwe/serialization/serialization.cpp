// SPDX-License-Identifier: Apache-2.0
#include "ringlet/serialization.hpp"

#include <istream>
#include <ostream>
#include <utility>

#include "base/text.hpp"
#include "ringlet/error.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/serialization/objects.hpp"

namespace ringlet {
namespace {

constexpr const char* kLoadParameters = "load_parameters";
constexpr const char* kSaveSecretKey = "save_secret_key";
constexpr const char* kLoadSecretKey = "load_secret_key";

template <typename T>
std::size_t save_to(const T& object, std::ostream& stream, Compression compression) {
  rlwe::StreamSink sink(stream, rlwe::kSave);
  rlwe::encode(object, sink, compression);
  return sink.written();
}

template <typename T>
std::vector<std::byte> save_bytes(const T& object, Compression compression) {
  std::vector<std::byte> bytes;
  if (compression == Compression::none) bytes.reserve(rlwe::raw_bytes(object));
  rlwe::MemorySink sink(bytes);
  rlwe::encode(object, sink, compression);
  return bytes;
}

}  // namespace

SeededCiphertext::SeededCiphertext(const Context& context, Ciphertext ciphertext,
                                   const PublicSeed& seed)
    : seed_(seed) {
  constexpr const char* kOperation = "SeededCiphertext";
  rlwe::check_operand(context, ciphertext, "ciphertext", kOperation);
  if (ciphertext.size() != kMinCiphertextSize) {
    throw_invalid_argument({.operation = kOperation,
                            .offending = concat("a ciphertext of size ", ciphertext.size()),
                            .limit = "fresh ciphertexts, of size 2",
                            .remedy = "take what Encryptor::encrypt_symmetric_seeded returns"});
  }
  ciphertext_ = std::move(ciphertext);
}

std::size_t save(const SavedParameters& object, std::ostream& stream, Compression compression) {
  return save_to(object, stream, compression);
}
std::vector<std::byte> save(const SavedParameters& object, Compression compression) {
  return save_bytes(object, compression);
}
std::size_t save_size(const SavedParameters& object) { return rlwe::raw_bytes(object); }

std::size_t save(const Plaintext& object, std::ostream& stream, Compression compression) {
  return save_to(object, stream, compression);
}
std::vector<std::byte> save(const Plaintext& object, Compression compression) {
  return save_bytes(object, compression);
}
std::size_t save_size(const Plaintext& object) { return rlwe::raw_bytes(object); }

std::size_t save(const Ciphertext& object, std::ostream& stream, Compression compression) {
  return save_to(object, stream, compression);
}
std::vector<std::byte> save(const Ciphertext& object, Compression compression) {
  return save_bytes(object, compression);
}
std::size_t save_size(const Ciphertext& object) { return rlwe::raw_bytes(object); }

std::size_t save(const SeededCiphertext& object, std::ostream& stream, Compression compression) {
  return save_to(object, stream, compression);
}
std::vector<std::byte> save(const SeededCiphertext& object, Compression compression) {
  return save_bytes(object, compression);
}
std::size_t save_size(const SeededCiphertext& object) { return rlwe::raw_bytes(object); }

std::size_t save(const PublicKey& object, std::ostream& stream, Compression compression) {
  return save_to(object, stream, compression);
}
std::vector<std::byte> save(const PublicKey& object, Compression compression) {
  return save_bytes(object, compression);
}
std::size_t save_size(const PublicKey& object) { return rlwe::raw_bytes(object); }

std::size_t save(const RelinKeys& object, std::ostream& stream, Compression compression) {
  return save_to(object, stream, compression);
}
std::vector<std::byte> save(const RelinKeys& object, Compression compression) {
  return save_bytes(object, compression);
}
std::size_t save_size(const RelinKeys& object) { return rlwe::raw_bytes(object); }

std::size_t save(const GaloisKeys& object, std::ostream& stream, Compression compression) {
  return save_to(object, stream, compression);
}
std::vector<std::byte> save(const GaloisKeys& object, Compression compression) {
  return save_bytes(object, compression);
}
std::size_t save_size(const GaloisKeys& object) { return rlwe::raw_bytes(object); }

SavedParameters load_parameters(std::istream& stream) {
  return rlwe::load_from(stream, kLoadParameters, rlwe::decode_parameters);
}
SavedParameters load_parameters(std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, kLoadParameters, rlwe::decode_parameters);
}

template <>
Plaintext load<Plaintext>(const Context& context, std::istream& stream) {
  return rlwe::load_from(stream, "load<Plaintext>", [&context](rlwe::ByteSource& source) {
    return rlwe::decode_plaintext(context, source);
  });
}

template <>
Plaintext load<Plaintext>(const Context& context, std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, "load<Plaintext>", [&context](rlwe::ByteSource& source) {
    return rlwe::decode_plaintext(context, source);
  });
}

template <>
Ciphertext load<Ciphertext>(const Context& context, std::istream& stream) {
  return rlwe::load_from(stream, "load<Ciphertext>", [&context](rlwe::ByteSource& source) {
    return rlwe::decode_ciphertext(context, source);
  });
}

template <>
Ciphertext load<Ciphertext>(const Context& context, std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, "load<Ciphertext>", [&context](rlwe::ByteSource& source) {
    return rlwe::decode_ciphertext(context, source);
  });
}

template <>
PublicKey load<PublicKey>(const Context& context, std::istream& stream) {
  return rlwe::load_from(stream, "load<PublicKey>", [&context](rlwe::ByteSource& source) {
    return rlwe::decode_public_key(context, source);
  });
}

template <>
PublicKey load<PublicKey>(const Context& context, std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, "load<PublicKey>", [&context](rlwe::ByteSource& source) {
    return rlwe::decode_public_key(context, source);
  });
}

template <>
RelinKeys load<RelinKeys>(const Context& context, std::istream& stream) {
  return rlwe::load_from(stream, "load<RelinKeys>", [&context](rlwe::ByteSource& source) {
    return rlwe::decode_relin_keys(context, source);
  });
}

template <>
RelinKeys load<RelinKeys>(const Context& context, std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, "load<RelinKeys>", [&context](rlwe::ByteSource& source) {
    return rlwe::decode_relin_keys(context, source);
  });
}

template <>
GaloisKeys load<GaloisKeys>(const Context& context, std::istream& stream) {
  return rlwe::load_from(stream, "load<GaloisKeys>", [&context](rlwe::ByteSource& source) {
    return rlwe::decode_galois_keys(context, source);
  });
}

template <>
GaloisKeys load<GaloisKeys>(const Context& context, std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, "load<GaloisKeys>", [&context](rlwe::ByteSource& source) {
    return rlwe::decode_galois_keys(context, source);
  });
}

std::size_t save_secret_key(const Context& context, const SecretKey& key, std::ostream& stream) {
  rlwe::StreamSink sink(stream, kSaveSecretKey);
  sink.write(rlwe::SecretKeyFile::encode(context, key, kSaveSecretKey));
  return sink.written();
}

SecretVector<std::byte> save_secret_key(const Context& context, const SecretKey& key) {
  SecretVector<std::byte> bytes;
  rlwe::MemorySink sink(bytes);
  sink.write(rlwe::SecretKeyFile::encode(context, key, kSaveSecretKey));
  return bytes;
}

SecretKey load_secret_key(const Context& context, std::istream& stream) {
  return rlwe::load_from(stream, kLoadSecretKey, [&context](rlwe::ByteSource& source) {
    return rlwe::SecretKeyFile::decode(context, source);
  });
}

SecretKey load_secret_key(const Context& context, std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, kLoadSecretKey, [&context](rlwe::ByteSource& source) {
    return rlwe::SecretKeyFile::decode(context, source);
  });
}

}  // namespace ringlet
