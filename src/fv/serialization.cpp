// SPDX-License-Identifier: Apache-2.0
#include <istream>
#include <ostream>
#include <utility>

#include "base/public_entry.hpp"
#include "fv/files.hpp"
#include "ringlet/fv/fv_serialization.hpp"

namespace ringlet::fv {
namespace {

constexpr const char* kSave = "fv::save";
constexpr const char* kLoadParameters = "fv::load_parameters";
constexpr const char* kLoadPublicKey = "fv::load<PublicKey>";
constexpr const char* kLoadCiphertext = "fv::load<Ciphertext>";
constexpr const char* kSaveSecretKey = "fv::save_secret_key";
constexpr const char* kLoadSecretKey = "fv::load_secret_key";

}  // namespace

SavedParameters SavedParameters::of(const Context& context) {
  return {context.parameters(), context.security_level(), context.security_table()};
}

Context SavedParameters::make_context() const { return Context(parameters, level, table); }

std::size_t save(const SavedParameters& object, std::ostream& stream) {
  return public_entry(kSave, [&] { return rlwe::save_file(encode(object), stream); });
}
std::size_t save(const Context& context, const PublicKey& object, std::ostream& stream) {
  return public_entry(kSave, [&] { return rlwe::save_file(encode(context, object), stream); });
}
std::size_t save(const Context& context, const Ciphertext& object, std::ostream& stream) {
  return public_entry(kSave, [&] { return rlwe::save_file(encode(context, object), stream); });
}

std::vector<std::byte> save(const SavedParameters& object) {
  return public_entry(kSave,
                      [&] { return rlwe::save_file<std::vector<std::byte>>(encode(object)); });
}
std::vector<std::byte> save(const Context& context, const PublicKey& object) {
  return public_entry(
      kSave, [&] { return rlwe::save_file<std::vector<std::byte>>(encode(context, object)); });
}
std::vector<std::byte> save(const Context& context, const Ciphertext& object) {
  return public_entry(
      kSave, [&] { return rlwe::save_file<std::vector<std::byte>>(encode(context, object)); });
}

SavedParameters load_parameters(std::istream& stream, SecurityLevel min_security) {
  return rlwe::load_from(stream, kLoadParameters, [=](rlwe::ByteSource& source) {
    return decode_parameters(source, min_security);
  });
}
SavedParameters load_parameters(std::span<const std::byte> bytes, SecurityLevel min_security) {
  return rlwe::load_from(bytes, kLoadParameters, [=](rlwe::ByteSource& source) {
    return decode_parameters(source, min_security);
  });
}

template <>
PublicKey load<PublicKey>(const Context& context, std::istream& stream) {
  return rlwe::load_from(stream, kLoadPublicKey, context, decode_public_key);
}
template <>
PublicKey load<PublicKey>(const Context& context, std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, kLoadPublicKey, context, decode_public_key);
}

template <>
Ciphertext load<Ciphertext>(const Context& context, std::istream& stream) {
  return rlwe::load_from(stream, kLoadCiphertext, context, decode_ciphertext);
}
template <>
Ciphertext load<Ciphertext>(const Context& context, std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, kLoadCiphertext, context, decode_ciphertext);
}

std::size_t save_secret_key(const Context& context, const SecretKey& key, std::ostream& stream) {
  return public_entry(kSaveSecretKey,
                      [&] { return rlwe::save_file(encode(context, key), stream); });
}
SecretVector<std::byte> save_secret_key(const Context& context, const SecretKey& key) {
  return public_entry(kSaveSecretKey, [&] {
    return rlwe::save_file<SecretVector<std::byte>>(encode(context, key));
  });
}

SecretKey load_secret_key(const Context& context, std::istream& stream) {
  return rlwe::load_from(stream, kLoadSecretKey, context, decode_secret_key);
}
SecretKey load_secret_key(const Context& context, std::span<const std::byte> bytes) {
  return rlwe::load_from(bytes, kLoadSecretKey, context, decode_secret_key);
}

}  // namespace ringlet::fv
