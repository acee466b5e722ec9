// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "arith/wide_integer.hpp"
#include "base/text.hpp"
#include "fv/samplers.hpp"
#include "fv/state.hpp"
#include "ring/cyclotomic/index_arithmetic.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/fv/fv_serialization.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/serialization/file_functions.hpp"
#include "rlwe/serialization/frame.hpp"
#include "rlwe/serialization/little_endian.hpp"
#include "rlwe/serialization/polynomials.hpp"

// Payloads of FV's objects; docs/files.md describes them.

namespace ringlet::fv {
namespace {

using rlwe::Bytes;
using rlwe::FrameHeader;
using rlwe::FrameReader;
using rlwe::FrameWriter;
using rlwe::ObjectType;
using rlwe::refuse_damage;
using rlwe::To;

// m, three words of q, t, distribution of secrets, security level, security table.
constexpr std::size_t kParameterBytes = 8 * 8;
constexpr std::size_t kFields = 16;  // degree and bits of q

/// The values on which the size of a polynomial in a file depends.
struct Shape {
  explicit Shape(const Context& context)
      : degree(context.parameters().ring.degree()),
        bits(context.parameters().modulus.bit_count()) {}
  explicit Shape(const auto& pair) : degree(pair[0].degree()), bits(Access::modulus_bits(pair)) {}

  // Returns the fewest bytes that hold all numbers below q; files have the least significant first.
  std::size_t coefficient_bytes() const { return (static_cast<std::size_t>(bits) + 7) / 8; }
  std::size_t poly_bytes() const { return degree * coefficient_bytes(); }
  std::size_t payload(const PublicKey*) const { return kFields + poly_bytes() + kSeedBytes; }
  std::size_t payload(const Ciphertext*) const { return kFields + 2 * poly_bytes(); }

  std::size_t degree;
  int bits;
};

/// Calls use(word, bytes) for each word of coefficient i.
template <typename Use>
void for_each_word(const Shape& shape, std::span<std::uint8_t> bytes, std::size_t i, Use use) {
  const std::size_t size = shape.coefficient_bytes();
  for (std::size_t at = 0; at < size; at += 8) {
    use(at / 8, bytes.subspan(i * size + at, std::min<std::size_t>(8, size - at)));
  }
}

void put_poly(FrameWriter& writer, const Shape& shape, const WidePoly& poly) {
  Bytes bytes(shape.poly_bytes());
  for (std::size_t i = 0; i < poly.degree(); ++i) {
    const WideInteger value = poly[i];
    for_each_word(shape, bytes, i, [&](std::size_t word, std::span<std::uint8_t> place) {
      rlwe::store_little_endian(place, value[word]);
    });
  }
  writer.put(bytes);
}

WidePoly get_poly(FrameReader& reader, const Context& context) {
  const WideModulus& q = context.parameters().modulus;
  const Shape shape(context);
  Bytes bytes(shape.poly_bytes());
  reader.get(bytes);
  WidePoly poly(shape.degree, q.word_count());
  for (std::size_t i = 0; i < poly.degree(); ++i) {
    WideInteger value{};
    for_each_word(shape, bytes, i, [&](std::size_t word, std::span<std::uint8_t> place) {
      value[word] = rlwe::load_little_endian(place);
    });
    if (!wide::is_less(value, q.value())) {
      refuse_damage(concat("a coefficient at place ", i, " that is not reduced"),
                    concat("below q = ", q.to_string()));
    }
    poly.set(i, value);
  }
  return poly;
}

/// Writes the frame of a pair; finish(writer, shape) puts what follows the first polynomial.
template <typename Finish>
void encode_pair(const auto& pair, ObjectType type, std::uint16_t flags, rlwe::ByteSink& sink,
                 Compression compression, Finish finish) {
  const std::size_t size = raw_bytes(pair) - rlwe::kHeaderBytes;
  FrameWriter writer(type, flags, pair.parms_id(), size, compression, pair.key_id());
  const Shape shape(pair);
  writer.put(std::uint64_t{shape.degree});
  writer.put(static_cast<std::uint64_t>(shape.bits));
  put_poly(writer, shape, pair[0]);
  finish(writer, shape);
  sink.write(std::move(writer).finish());
}

FrameHeader header_for(const Context& context, rlwe::ByteSource& source, ObjectType type,
                       std::uint16_t flags, std::uint16_t optional_flags) {
  const FrameHeader header =
      rlwe::read_header(source, type, static_cast<std::uint16_t>(flags | optional_flags));
  check_parms_id(context, header.parms_id, rlwe::describe(type));
  if ((header.flags & flags) == flags) return header;
  refuse_damage(concat("flags ", header.flags, " of ", rlwe::describe(type)),
                concat("flags ", flags));
}

/// Reads a pair from a frame of `type`; finish(reader, pair, second) reads the second polynomial.
template <typename Pair, typename Finish>
Pair decode_pair(const Context& context, rlwe::ByteSource& source, ObjectType type,
                 std::uint16_t flags, Finish finish) {
  const FrameHeader header = header_for(context, source, type, flags, rlwe::kFlagZstd);
  const Shape shape(context);
  const std::size_t size = shape.payload(static_cast<const Pair*>(nullptr));
  FrameReader reader(source, header, size);
  reader.expect_rest(size);
  rlwe::expect_size(reader, shape.degree, "degree");
  rlwe::expect_size(reader, static_cast<std::size_t>(shape.bits), "bits of q");
  const std::uint64_t memory = 2 * 8 * shape.degree * context.parameters().modulus.word_count();
  source.reserve(memory, memory);
  Pair pair;
  auto& polys = Access::polys(pair);
  polys[0] = get_poly(reader, context);
  finish(reader, pair, polys[1]);
  reader.finish();
  Access::set_owner(pair, Access::state(context), header.key_id);
  return pair;
}

std::uint64_t get_between(FrameReader& reader, std::uint64_t low, std::uint64_t high,
                          const char* what) {
  const std::uint64_t value = reader.get_word();
  if (value < low || value > high) {
    refuse_damage(concat(what, " = ", value), concat("from ", low, " to ", high));
  }
  return value;
}

// Reads the index of a ring of allowed size, whose tables are not made yet.
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

std::size_t raw_bytes(const SavedParameters&) { return rlwe::frame_bytes(kParameterBytes); }

std::size_t raw_bytes(const PublicKey& object) {
  if (object.parms_id() == kParmsIdZero) rlwe::refuse_empty("a public key");
  return rlwe::frame_bytes(Shape(object).payload(&object));
}

std::size_t raw_bytes(const Ciphertext& object) {
  if (object.parms_id() == kParmsIdZero) rlwe::refuse_empty("a ciphertext");
  return rlwe::frame_bytes(Shape(object).payload(&object));
}

void encode(const SavedParameters& object, rlwe::ByteSink& sink, Compression compression) {
  const Parameters& parameters = object.parameters;
  validate(parameters, SecurityLevel::none, object.table);
  FrameWriter writer(ObjectType::fv_parameters, 0, kParmsIdZero, kParameterBytes, compression);
  writer.put(parameters.ring.cyclotomic_index());
  for (const std::uint64_t word : parameters.modulus.value()) writer.put(word);
  writer.put(parameters.plain_modulus);
  writer.put(static_cast<std::uint64_t>(parameters.secrets));
  writer.put(static_cast<std::uint64_t>(object.level));
  writer.put(static_cast<std::uint64_t>(object.table));
  sink.write(std::move(writer).finish());
}

SavedParameters decode(To<SavedParameters>, rlwe::ByteSource& source, SecurityLevel min_security) {
  const FrameHeader header = rlwe::read_header(source, ObjectType::fv_parameters, rlwe::kFlagZstd);
  if (header.parms_id != kParmsIdZero) {
    refuse_damage(concat("identifier ", rlwe::describe(header.parms_id)),
                  "identifier 0 for parameters");
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

void encode(const PublicKey& object, rlwe::ByteSink& sink, Compression compression) {
  encode_pair(object, ObjectType::fv_public_key, rlwe::kFlagSeeded, sink, compression,
              [&](FrameWriter& writer, const Shape&) { writer.put(object.seed()); });
}

PublicKey decode(To<PublicKey>, const Context& context, rlwe::ByteSource& source) {
  return decode_pair<PublicKey>(context, source, ObjectType::fv_public_key, rlwe::kFlagSeeded,
                                [&context](FrameReader& reader, PublicKey& key, WidePoly& uniform) {
                                  reader.get(Access::seed(key));
                                  uniform = WidePoly(key[0].degree(), key[0].word_count());
                                  expand_uniform(uniform, context.parameters().modulus,
                                                 rlwe::Seed(key.seed()));
                                });
}

void encode(const Ciphertext& object, rlwe::ByteSink& sink, Compression compression) {
  encode_pair(object, ObjectType::fv_ciphertext, 0, sink, compression,
              [&](FrameWriter& writer, const Shape& shape) { put_poly(writer, shape, object[1]); });
}

Ciphertext decode(To<Ciphertext>, const Context& context, rlwe::ByteSource& source) {
  return decode_pair<Ciphertext>(context, source, ObjectType::fv_ciphertext, 0,
                                 [&context](FrameReader& reader, Ciphertext&, WidePoly& second) {
                                   second = get_poly(reader, context);
                                   if (second != WidePoly(second.degree(), second.word_count()))
                                     return;
                                   refuse("a transparent ciphertext, C_2 = 0",
                                          "ciphertexts that cannot be read without the secret key",
                                          "send messages that need no protection in the clear");
                                 });
}

Bytes encode(const Context& context, const SecretKey& object) {
  check_parms_id(context, object.parms_id(), "secret key");
  return rlwe::encode_ternary(ObjectType::fv_secret_key, object.parms_id(), object.key_id(),
                              object.coefficients());
}

SecretKey decode(To<SecretKey>, const Context& context, rlwe::ByteSource& source) {
  const FrameHeader header = header_for(context, source, ObjectType::fv_secret_key, 0, 0);
  SecretKey key;
  auto& values = Access::coefficients(key);
  values.resize(context.parameters().ring.degree());
  rlwe::decode_ternary(source, header, values,
                       context.parameters().secrets == SecretDistribution::binary);
  Access::set_owner(key, Access::state(context), header.key_id);
  return key;
}

SavedParameters SavedParameters::of(const Context& context) {
  return {context.parameters(), context.security_level(), context.security_table()};
}

Context SavedParameters::make_context() const { return Context(parameters, level, table); }

}  // namespace ringlet::fv

namespace ringlet {

RINGLET_INSTANTIATE_FILES_OF_PARAMETERS(fv::SavedParameters)
RINGLET_INSTANTIATE_FILES(fv::PublicKey)
RINGLET_INSTANTIATE_FILES(fv::Ciphertext)
RINGLET_INSTANTIATE_FILES_OF_SECRET_KEY(fv::SecretKey)

}  // namespace ringlet
