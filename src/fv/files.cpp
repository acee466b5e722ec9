// SPDX-License-Identifier: Apache-2.0
#include "fv/files.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "arith/wide_integer.hpp"
#include "base/declassify.hpp"
#include "base/text.hpp"
#include "fv/message_scaling.hpp"
#include "fv/samplers.hpp"
#include "fv/state.hpp"
#include "ring/cyclotomic/index_arithmetic.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/serialization/frame.hpp"
#include "rlwe/serialization/little_endian.hpp"

namespace ringlet::fv {
namespace {

using rlwe::Bytes;
using rlwe::FrameHeader;
using rlwe::FrameReader;
using rlwe::FrameWriter;
using rlwe::ObjectType;
using rlwe::refuse_damage;

// m, three words of q, t, distribution of secrets, security level, security table.
constexpr std::size_t kParameterBytes = 8 * 8;
constexpr std::size_t kFields = 16;  // degree and bits of q
constexpr std::size_t kSecretFields = 8;
constexpr std::size_t kPerByte = 4;  // coefficients of a secret key
constexpr std::size_t kPolys = 2;

std::size_t coefficient_bytes(const Context& context) {
  return (static_cast<std::size_t>(context.parameters().modulus.bit_count()) + 7) / 8;
}

std::size_t poly_bytes(const Context& context) {
  return context.parameters().ring.degree() * coefficient_bytes(context);
}

std::size_t packed_bytes(const Context& context) {
  return (context.parameters().ring.degree() + kPerByte - 1) / kPerByte;
}

void put_fields(FrameWriter& writer, const Context& context) {
  writer.put(std::uint64_t{context.parameters().ring.degree()});
  writer.put(static_cast<std::uint64_t>(context.parameters().modulus.bit_count()));
}

// Each coefficient as the fewest bytes that hold all numbers below q, least significant first.
void put_poly(FrameWriter& writer, const Context& context, const WidePoly& poly) {
  const std::size_t size = coefficient_bytes(context);
  Bytes bytes(poly_bytes(context));
  for (std::size_t i = 0; i < poly.degree(); ++i) {
    const WideInteger value = poly[i];
    for (std::size_t at = 0; at < size; at += 8) {
      rlwe::store_little_endian(
          std::span(bytes).subspan(i * size + at, std::min<std::size_t>(8, size - at)),
          value[at / 8]);
    }
  }
  writer.put(bytes);
}

void expect_field(FrameReader& reader, std::uint64_t wanted, const char* what) {
  const std::uint64_t value = reader.get_word();
  if (value == wanted) return;
  refuse_damage(concat(what, " ", value), concat(wanted, " of the context"));
}

void expect_fields(FrameReader& reader, const Context& context) {
  expect_field(reader, context.parameters().ring.degree(), "degree");
  expect_field(reader, static_cast<std::uint64_t>(context.parameters().modulus.bit_count()),
               "bits of q");
}

WidePoly get_poly(FrameReader& reader, const Context& context) {
  const WideModulus& q = context.parameters().modulus;
  const std::size_t size = coefficient_bytes(context);
  Bytes bytes(poly_bytes(context));
  reader.get(bytes);
  WidePoly poly(context.parameters().ring.degree(), q.word_count());
  for (std::size_t i = 0; i < poly.degree(); ++i) {
    WideInteger value{};
    for (std::size_t at = 0; at < size; at += 8) {
      value[at / 8] = rlwe::load_little_endian(
          std::span(bytes).subspan(i * size + at, std::min<std::size_t>(8, size - at)));
    }
    if (!wide::is_less(value, q.value())) {
      refuse_damage(concat("a coefficient at place ", i, " that is not reduced"),
                    concat("below q = ", q.to_string()));
    }
    poly.set(i, value);
  }
  return poly;
}

FrameHeader header_for(const Context& context, rlwe::ByteSource& source, ObjectType type,
                       std::uint16_t flags) {
  const FrameHeader header = rlwe::read_header(source, type, flags);
  check_parms_id(context, header.parms_id, rlwe::describe(type));
  if (header.flags == flags) return header;
  refuse_damage(concat("flags ", header.flags, " of ", rlwe::describe(type)),
                concat("flags ", flags));
}

std::uint64_t get_between(FrameReader& reader, std::uint64_t low, std::uint64_t high,
                          const char* what) {
  const std::uint64_t value = reader.get_word();
  if (value < low || value > high) {
    refuse_damage(concat(what, " ", value), concat("from ", low, " to ", high));
  }
  return value;
}

// Of a ring of allowed size; its tables are not made yet.
std::uint64_t get_ring_index(FrameReader& reader) {
  const std::uint64_t index = get_between(reader, 3, kMaxGeneralRingIndex, "index m");
  if (index % 4 == 2) {
    refuse_damage(concat("index m = ", index), "m/2, which is the same ring");
  }
  if (euler_phi(index) > kMaxDegree) {
    refuse_damage(concat("index m = ", index, " of degree ", euler_phi(index)),
                  concat("degrees up to ", kMaxDegree));
  }
  return index;
}

WideModulus get_modulus(FrameReader& reader) {
  WideInteger value{};
  for (std::uint64_t& word : value) word = reader.get_word();
  const int bits = wide::bit_count(value);
  if (bits < 2 || bits > kMaxWideModulusBits) {
    refuse_damage(concat("a modulus of ", bits, " bits"),
                  concat("2 to ", kMaxWideModulusBits, " bits"));
  }
  return WideModulus(value);
}

}  // namespace

Bytes encode(const SavedParameters& object) {
  const Parameters& parameters = object.parameters;
  validate(parameters, SecurityLevel::none, object.table);
  FrameWriter writer(ObjectType::fv_parameters, 0, kParmsIdZero, kParameterBytes,
                     Compression::none);
  writer.put(parameters.ring.cyclotomic_index());
  for (const std::uint64_t word : parameters.modulus.value()) writer.put(word);
  writer.put(parameters.plain_modulus);
  writer.put(static_cast<std::uint64_t>(parameters.secrets));
  writer.put(static_cast<std::uint64_t>(object.level));
  writer.put(static_cast<std::uint64_t>(object.table));
  return std::move(writer).finish();
}

SavedParameters decode_parameters(rlwe::ByteSource& source, SecurityLevel min_security) {
  const FrameHeader header = rlwe::read_header(source, ObjectType::fv_parameters, 0);
  if (header.parms_id != kParmsIdZero) {
    refuse_damage(concat("parms_id ", rlwe::describe(header.parms_id)),
                  "parms_id 0 for parameters");
  }
  FrameReader reader(source, header, kParameterBytes);
  reader.expect_rest(kParameterBytes);
  const std::uint64_t index = get_ring_index(reader);
  const WideModulus q = get_modulus(reader);
  const std::uint64_t t = get_between(reader, 2, kMaxPlainModulus, "plain modulus");
  const auto secrets =
      static_cast<SecretDistribution>(get_between(reader, 0, 1, "distribution of secrets"));
  const SecurityLevel level = rlwe::get_security_level(reader, min_security);
  const auto table = static_cast<SecurityTable>(get_between(
      reader, 0, static_cast<std::uint64_t>(SecurityTable::he_standard_2018_quantum), "table"));
  reader.finish();
  SavedParameters object{{.ring = RingSpec::cyclotomic(index),
                          .modulus = q,
                          .plain_modulus = t,
                          .secrets = secrets,
                          .way = ProductWay::automatic},
                         level,
                         table};
  validate(object.parameters, SecurityLevel::none, table);
  return object;
}

Bytes encode(const Context& context, const PublicKey& object) {
  check_parms_id(context, object.parms_id(), "public key");
  FrameWriter writer(ObjectType::fv_public_key, rlwe::kFlagSeeded, object.parms_id(),
                     kFields + poly_bytes(context) + kSeedBytes, Compression::none,
                     object.key_id());
  put_fields(writer, context);
  put_poly(writer, context, object[0]);
  writer.put(object.seed());
  return std::move(writer).finish();
}

PublicKey decode_public_key(const Context& context, rlwe::ByteSource& source) {
  const FrameHeader header =
      header_for(context, source, ObjectType::fv_public_key, rlwe::kFlagSeeded);
  const std::size_t size = kFields + poly_bytes(context) + kSeedBytes;
  FrameReader reader(source, header, size);
  reader.expect_rest(size);
  expect_fields(reader, context);
  PublicKey key;
  auto& polys = Access::polys(key);
  polys[0] = get_poly(reader, context);
  reader.get(Access::seed(key));
  reader.finish();
  polys[1] = WidePoly(polys[0].degree(), polys[0].word_count());
  expand_uniform(polys[1], context.parameters().modulus, rlwe::Seed(key.seed()));
  Access::set_parms_id(key, context.parms_id());
  Access::set_key_id(key, header.key_id);
  return key;
}

Bytes encode(const Context& context, const Ciphertext& object) {
  check_parms_id(context, object.parms_id(), "ciphertext");
  FrameWriter writer(ObjectType::fv_ciphertext, 0, object.parms_id(),
                     kFields + kPolys * poly_bytes(context), Compression::none, object.key_id());
  put_fields(writer, context);
  for (std::size_t i = 0; i < kPolys; ++i) put_poly(writer, context, object[i]);
  return std::move(writer).finish();
}

Ciphertext decode_ciphertext(const Context& context, rlwe::ByteSource& source) {
  const FrameHeader header = header_for(context, source, ObjectType::fv_ciphertext, 0);
  const std::size_t size = kFields + kPolys * poly_bytes(context);
  FrameReader reader(source, header, size);
  reader.expect_rest(size);
  expect_fields(reader, context);
  Ciphertext result;
  for (WidePoly& poly : Access::polys(result)) poly = get_poly(reader, context);
  reader.finish();
  const WidePoly zero(result[1].degree(), result[1].word_count());
  if (result[1] == zero) {
    rlwe::refuse_file("a transparent ciphertext, C_2 = 0",
                      "ciphertexts that cannot be read without the secret key",
                      "send messages that need no protection in the clear");
  }
  Access::set_parms_id(result, context.parms_id());
  Access::set_key_id(result, header.key_id);
  return result;
}

Bytes encode(const Context& context, const SecretKey& object) {
  check_parms_id(context, object.parms_id(), "secret key");
  const auto values = object.coefficients();
  Bytes packed(packed_bytes(context));
  for (std::size_t i = 0; i < values.size(); ++i) {
    // 0, 1 and -1 as 0, 1 and 2.
    const unsigned code = static_cast<unsigned>(values[i] & 1) +
                          (static_cast<unsigned>(static_cast<std::uint8_t>(values[i])) >> 7);
    packed[i / kPerByte] =
        static_cast<std::uint8_t>(packed[i / kPerByte] | code << (2 * (i % kPerByte)));
  }
  FrameWriter writer(ObjectType::fv_secret_key, 0, object.parms_id(), kSecretFields + packed.size(),
                     Compression::none, object.key_id());
  writer.put(std::uint64_t{values.size()});
  writer.put(packed);
  return std::move(writer).finish();
}

SecretKey decode_secret_key(const Context& context, rlwe::ByteSource& source) {
  const FrameHeader header = header_for(context, source, ObjectType::fv_secret_key, 0);
  Bytes packed(packed_bytes(context));
  FrameReader reader(source, header, kSecretFields + packed.size());
  reader.expect_rest(kSecretFields + packed.size());
  expect_field(reader, context.parameters().ring.degree(), "degree");
  reader.get(packed);
  reader.finish();
  SecretKey key;
  auto& values = Access::coefficients(key);
  values.resize(context.parameters().ring.degree());
  // Binary keys have no -1, whose code is 2.
  const bool is_binary = context.parameters().secrets == SecretDistribution::binary;
  unsigned bad = 0;
  for (std::size_t i = 0; i < kPerByte * packed.size(); ++i) {
    const unsigned code = packed[i / kPerByte] >> (2 * (i % kPerByte)) & 3u;
    if (i < values.size()) {
      bad |= is_binary ? code >> 1 : code & code >> 1;
      values[i] =
          static_cast<std::int8_t>(static_cast<int>(code & 1) - static_cast<int>(code >> 1));
    } else {
      bad |= code;
    }
  }
  if (declassify(bad != 0)) {
    refuse_damage("a secret key with a coefficient that is not of its distribution",
                  "0, 1 and 2 for the coefficients 0, 1 and -1, and zeros behind the last one");
  }
  Access::set_parms_id(key, context.parms_id());
  Access::set_key_id(key, header.key_id);
  return key;
}

}  // namespace ringlet::fv
