// SPDX-License-Identifier: Apache-2.0
// Public keys and sets of key-switching keys.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/text.hpp"
#include "rlwe/serialization/key_set.hpp"
#include "rlwe/serialization/layout.hpp"
#include "rlwe/serialization/objects.hpp"
#include "rlwe/serialization/polynomials.hpp"

namespace ringlet::rlwe {
namespace {

KeySet set_of(const RelinKeys& keys) {
  if (keys.parms_id() == kParmsIdZero) refuse_empty("a set of relinearization keys");
  return {ObjectType::relin_keys, keys.parms_id(), keys.key_id(), keys.powers(),
          [&keys](std::uint64_t power) -> const KSwitchKey& {
            return keys.key(static_cast<std::size_t>(power));
          }};
}

KeySet set_of(const GaloisKeys& keys) {
  if (keys.parms_id() == kParmsIdZero) refuse_empty("a set of Galois keys");
  return {ObjectType::galois_keys, keys.parms_id(), keys.key_id(), keys.galois_elements(),
          [&keys](std::uint64_t element) -> const KSwitchKey& { return keys.key(element); }};
}

KSwitchKeyMap read_keys(const Context& context, ByteSource& source, ObjectType type) {
  KSwitchKeyMap keys;
  for (const DirectoryEntry& entry : read_directory(context, source, type)) {
    source.between_parts();
    keys.emplace(entry.index, read_key(context, source, type, entry));
  }
  return keys;
}

}  // namespace

std::size_t raw_bytes(const PublicKey& object) {
  const Ciphertext& data = object.data();
  if (data.size() == 0) refuse_empty("a public key");
  return frame_bytes(kPublicKeyFields + pair_bytes(data.coeff_modulus_size(),
                                                   data.poly_modulus_degree(),
                                                   object.seed().has_value()));
}

void encode(const PublicKey& object, ByteSink& sink, Compression compression) {
  const std::size_t payload = raw_bytes(object) - kHeaderBytes;
  const Ciphertext& data = object.data();
  FrameWriter writer(ObjectType::public_key, object.seed() ? kFlagSeeded : std::uint16_t{0},
                     object.parms_id(), payload, compression, object.key_id());
  writer.put(std::uint64_t{data.coeff_modulus_size()});
  writer.put(std::uint64_t{data.poly_modulus_degree()});
  put_pair(writer, data, object.seed() ? &*object.seed() : nullptr);
  sink.write(std::move(writer).finish());
}

PublicKey decode(To<PublicKey>, const Context& context, ByteSource& source) {
  const FrameHeader header = read_header(source, ObjectType::public_key, kFlagZstd | kFlagSeeded);
  const ContextData& level = key_level_of(context, header);
  const auto payload = [&level](bool is_seeded) {
    return pair_bytes(level.prime_count(), level.degree(), is_seeded);
  };
  FrameReader reader(source, header, kPublicKeyFields + payload(false));
  expect_size(reader, level.prime_count(), "number of primes");
  expect_size(reader, level.degree(), "degree");
  reader.expect_rest(payload(header.is_seeded()));
  source.reserve(payload(false), payload(false));
  Ciphertext data(level);
  data.key_id() = header.key_id;
  PublicSeed seed{};
  get_pair(reader, context, level, data, header.is_seeded() ? &seed : nullptr);
  reader.finish();
  if (data.is_transparent()) {
    refuse("the uniform half of the public key is 0, so that nothing is encrypted",
           "public keys with a uniform half other than 0",
           "load a key that a key generator has made");
  }
  if (header.is_seeded()) return {context, std::move(data), seed};
  return {context, std::move(data)};
}

std::size_t raw_bytes(const RelinKeys& object) {
  return static_cast<std::size_t>(file_bytes(raw_directory(set_of(object))));
}
std::size_t raw_bytes(const GaloisKeys& object) {
  return static_cast<std::size_t>(file_bytes(raw_directory(set_of(object))));
}

void encode(const RelinKeys& object, ByteSink& sink, Compression compression) {
  encode_key_set(set_of(object), sink, compression);
}
void encode(const GaloisKeys& object, ByteSink& sink, Compression compression) {
  encode_key_set(set_of(object), sink, compression);
}

RelinKeys decode(To<RelinKeys>, const Context& context, ByteSource& source) {
  return {context, read_keys(context, source, ObjectType::relin_keys)};
}

GaloisKeys decode(To<GaloisKeys>, const Context& context, ByteSource& source) {
  return {context, read_keys(context, source, ObjectType::galois_keys)};
}

}  // namespace ringlet::rlwe
