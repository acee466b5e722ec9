// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/index_arithmetic.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/serialization/layout.hpp"
#include "rlwe/serialization/objects.hpp"
#include "rlwe/validation.hpp"

namespace ringlet {

SavedParameters SavedParameters::of(const Context& context) {
  return {context.parms(), context.security_level(), context.security_table()};
}

Context SavedParameters::make_context() const { return Context(parms, level, table); }

}  // namespace ringlet

namespace ringlet::rlwe {
namespace {

std::size_t payload_bytes(const EncryptionParameters& parms) {
  return parameters_bytes(parms.coeff_modulus().size(), parms.has_general_ring());
}

// Reads the next word, which must be at most `limit`.
std::uint64_t get_at_most(FrameReader& reader, std::uint64_t limit, const char* what) {
  const std::uint64_t value = reader.get_word();
  if (value > limit) {
    refuse_damage(concat(what, " = ", value), concat("at most ", limit));
  }
  return value;
}

std::uint64_t get_ring_index(FrameReader& reader) {
  const std::uint64_t m = get_at_most(reader, kMaxGeneralRingIndex, "index of a cyclotomic ring");
  // Such an m is a second name of another ring, under which no ring is saved.
  if (m < 3 || m % 4 == 2 || std::has_single_bit(m)) {
    refuse_damage(concat("index of a cyclotomic ring ", m),
                  "from 3 on, neither 2 modulo 4 nor a power of two");
  }
  return m;
}

// `parms` have the degree in the file.
void set_general_ring(EncryptionParameters& parms, std::uint64_t m) {
  if (parms.poly_modulus_degree() != euler_phi(m)) {
    refuse_damage(concat("degree ", parms.poly_modulus_degree()),
                  concat(euler_phi(m), " for m = ", m));
  }
  for (const Modulus& q : parms.coeff_modulus()) {
    if (q.value() % m == 1 && is_prime(q.value())) continue;
    refuse_damage(concat("prime ", q.value()), concat("primes that are 1 mod m = ", m));
  }
  parms.set_ring(RingSpec::cyclotomic(m));
}

Modulus get_modulus(FrameReader& reader, int max_bits, const char* what) {
  const std::uint64_t value = reader.get_word();
  if (value < 2 || static_cast<int>(std::bit_width(value)) > max_bits) {
    refuse_damage(concat(what, " = ", value), concat("from 2 to 2^", max_bits, " - 1"));
  }
  return value;
}

std::vector<Modulus> get_primes(FrameReader& reader, std::uint64_t count) {
  std::vector<Modulus> primes;
  for (std::uint64_t i = 0; i < count; ++i) {
    primes.push_back(get_modulus(reader, kMaxCoeffModulusBits, "prime"));
  }
  return primes;
}

// Validates as Context does, except for the limit of the table, which Context checks.
void validate(const SavedParameters& object) {
  try {
    validate_parameters(object.parms, SecurityLevel::none, object.table);
  } catch (const InvalidArgument& error) {
    refuse(error.offending(), error.limit(), "save the parameters of a context");
  }
}

}  // namespace

std::size_t raw_bytes(const SavedParameters& object) {
  return frame_bytes(payload_bytes(object.parms));
}

void encode(const SavedParameters& object, ByteSink& sink, Compression compression) {
  const EncryptionParameters& parms = object.parms;
  validate(object);
  const std::uint16_t flags = parms.has_general_ring() ? kFlagGeneralRing : 0;
  FrameWriter writer(ObjectType::parameters, flags, kParmsIdZero, payload_bytes(parms),
                     compression);
  if (parms.has_general_ring()) writer.put(parms.ring().cyclotomic_index());
  writer.put(static_cast<std::uint64_t>(parms.scheme()));
  writer.put(std::uint64_t{parms.poly_modulus_degree()});
  writer.put(parms.plain_modulus());
  writer.put(static_cast<std::uint64_t>(object.level));
  writer.put(static_cast<std::uint64_t>(object.table));
  writer.put(std::uint64_t{parms.digit_size()});
  writer.put(std::uint64_t{parms.data_primes().size()});
  writer.put(std::uint64_t{parms.special_primes().size()});
  for (const Modulus& prime : parms.coeff_modulus()) writer.put(prime.value());
  sink.write(std::move(writer).finish());
}

SavedParameters decode(To<SavedParameters>, ByteSource& source, SecurityLevel min_security) {
  const FrameHeader header =
      read_header(source, ObjectType::parameters, kFlagZstd | kFlagGeneralRing);
  if (header.parms_id != kParmsIdZero) {
    refuse_damage(concat("identifier ", describe(header.parms_id)), "identifier 0 for parameters");
  }
  const bool has_general_ring = (header.flags & kFlagGeneralRing) != 0;
  FrameReader reader(source, header, parameters_bytes(kMaxCoeffModulusCount, has_general_ring));
  SavedParameters object;
  EncryptionParameters& parms = object.parms;
  const std::uint64_t ring_index = has_general_ring ? get_ring_index(reader) : 0;
  parms = EncryptionParameters(static_cast<SchemeType>(
      get_at_most(reader, static_cast<std::uint64_t>(SchemeType::bgv), "scheme")));
  parms.set_poly_modulus_degree(
      static_cast<std::size_t>(get_at_most(reader, kMaxPolyModulusDegree, "degree")));
  const std::uint64_t plain_modulus =
      get_at_most(reader, (std::uint64_t{1} << kMaxPlainModulusBits) - 1, "plain modulus");
  if (plain_modulus == 1) refuse_damage("plain modulus 1", "0, for none, or from 2 on");
  if (plain_modulus != 0) parms.set_plain_modulus(plain_modulus);
  object.level = get_security_level(reader, min_security);
  object.table = static_cast<SecurityTable>(
      get_at_most(reader, static_cast<std::uint64_t>(SecurityTable::he_standard_2018_quantum),
                  "security table"));
  const std::uint64_t digit_size = get_at_most(reader, kMaxCoeffModulusCount, "digit size");
  const std::uint64_t data = get_at_most(reader, kMaxCoeffModulusCount, "number of data primes");
  const std::uint64_t special =
      get_at_most(reader, kMaxCoeffModulusCount - data, "number of special primes");
  reader.expect_rest(8 * static_cast<std::size_t>(data + special));
  std::vector<Modulus> data_primes = get_primes(reader, data);
  parms.set_coeff_modulus(std::move(data_primes), get_primes(reader, special));
  if (digit_size != special) parms.set_digit_size(static_cast<std::size_t>(digit_size));
  reader.finish();
  // Tables of large rings take time, so cheap checks come first.
  if (has_general_ring) set_general_ring(parms, ring_index);
  validate(object);
  return object;
}

}  // namespace ringlet::rlwe
