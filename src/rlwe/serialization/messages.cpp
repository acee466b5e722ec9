// SPDX-License-Identifier: Apache-2.0
// Plaintexts and ciphertexts.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/scheme_traits.hpp"
#include "rlwe/serialization/layout.hpp"
#include "rlwe/serialization/objects.hpp"
#include "rlwe/serialization/polynomials.hpp"

namespace ringlet::rlwe {
namespace {

Form get_form(FrameReader& reader) {
  const std::uint64_t form = reader.get_word();
  if (form == static_cast<std::uint64_t>(Form::coefficient)) return Form::coefficient;
  if (form == static_cast<std::uint64_t>(Form::ntt)) return Form::ntt;
  refuse_damage(concat("form ", form), "0 (coefficient form) or 1 (NTT form)");
}

void put_fields(FrameWriter& writer, const Ciphertext& object) {
  writer.put(static_cast<std::uint64_t>(object.form()));
  writer.put(std::uint64_t{object.size()});
  writer.put(std::uint64_t{object.coeff_modulus_size()});
  writer.put(std::uint64_t{object.poly_modulus_degree()});
  writer.put(object.scale());
  writer.put(object.correction_factor());
}

Plaintext decode_coefficients(const Context& context, FrameReader& reader, double scale) {
  if (!traits_of(context.scheme()).has_plain_modulus || scale != 1.0) {
    refuse_damage(concat("coefficients with ", describe_scale(scale), " in scheme ",
                         to_string(context.scheme())),
                  "coefficients with scale 1, in schemes with a plain modulus");
  }
  const std::uint64_t count = reader.get_word();
  const std::size_t degree = context.ring().degree();
  if (count > degree) {
    refuse_damage(concat(count, " coefficients"), concat("at most N = ", degree));
  }
  reader.expect_rest(8 * static_cast<std::size_t>(count));
  Plaintext plain(static_cast<std::size_t>(count));
  reader.get_words(plain.coefficients_for_writing(), context.plain_modulus().value(),
                   "coefficient");
  reader.finish();
  return plain;
}

}  // namespace

void refuse_empty(const char* what) {
  refuse(concat(what, " that holds nothing"), "an object with content",
         "encode, encrypt or generate it first");
}

std::size_t raw_bytes(const Plaintext& object) {
  return frame_bytes(kPlaintextFields + object.byte_count());
}

void encode(const Plaintext& object, ByteSink& sink, Compression compression) {
  FrameWriter writer(ObjectType::plaintext, 0, object.parms_id(),
                     kPlaintextFields + object.byte_count(), compression);
  writer.put(static_cast<std::uint64_t>(object.form()));
  writer.put(object.scale());
  writer.put(std::uint64_t{object.coeff_count()});
  if (object.is_ntt_form()) {
    put_poly(writer, object.ntt_view());
  } else {
    writer.put_words(object.coefficients());
  }
  sink.write(std::move(writer).finish());
}

Plaintext decode(To<Plaintext>, const Context& context, ByteSource& source) {
  const FrameHeader header = read_header(source, ObjectType::plaintext, kFlagZstd);
  const bool is_ntt_form = header.parms_id != kParmsIdZero;
  const ContextData& level =
      is_ntt_form ? data_level_of(context, header) : *context.first_context_data();
  const std::size_t limbs = is_ntt_form ? level.prime_count() : 1;
  FrameReader reader(source, header, kPlaintextFields + poly_bytes(limbs, level.degree()));
  source.reserve(poly_bytes(limbs, level.degree()), poly_bytes(limbs, level.degree()));
  const Form form = get_form(reader);
  const double scale = reader.get_double();
  if ((form == Form::ntt) != is_ntt_form) {
    refuse_damage(concat(is_ntt_form ? "the plaintext is in coefficient form at a level"
                                     : "the plaintext is in NTT form without a level"),
                  "coefficient form with identifier 0, or NTT form with the identifier of a level");
  }
  if (!is_ntt_form) return decode_coefficients(context, reader, scale);
  expect_size(reader, level.prime_count() * level.degree(), "number of words");
  reader.expect_rest(poly_bytes(limbs, level.degree()));
  Plaintext plain(level);
  plain.scale() = scale;
  check_operand(context, plain, "plaintext");
  get_poly(reader, level, plain.ntt_view_for_writing());
  reader.finish();
  return plain;
}

std::size_t raw_bytes(const Ciphertext& object) {
  if (object.size() == 0) refuse_empty("a ciphertext");
  return frame_bytes(kCiphertextFields + object.byte_count());
}

void encode(const Ciphertext& object, ByteSink& sink, Compression compression) {
  FrameWriter writer(ObjectType::ciphertext, 0, object.parms_id(), raw_bytes(object) - kHeaderBytes,
                     compression, object.key_id());
  put_fields(writer, object);
  for (std::size_t i = 0; i < object.size(); ++i) put_poly(writer, object.view(i));
  sink.write(std::move(writer).finish());
}

std::size_t raw_bytes(const SeededCiphertext& object) {
  return frame_bytes(kCiphertextFields + object.byte_count());
}

void encode(const SeededCiphertext& object, ByteSink& sink, Compression compression) {
  FrameWriter writer(ObjectType::ciphertext, kFlagSeeded, object.parms_id(),
                     raw_bytes(object) - kHeaderBytes, compression, object.ciphertext().key_id());
  put_fields(writer, object.ciphertext());
  put_pair(writer, object.ciphertext(), &object.seed());
  sink.write(std::move(writer).finish());
}

Ciphertext decode(To<Ciphertext>, const Context& context, ByteSource& source) {
  const FrameHeader header = read_header(source, ObjectType::ciphertext, kFlagZstd | kFlagSeeded);
  const ContextData& level = data_level_of(context, header);
  const std::size_t limbs = level.prime_count();
  const std::size_t poly = poly_bytes(limbs, level.degree());
  FrameReader reader(source, header, kCiphertextFields + kMaxCiphertextSize * poly);
  const Form form = get_form(reader);
  const std::uint64_t size = reader.get_word();
  const std::size_t max_size = header.is_seeded() ? kMinCiphertextSize : kMaxCiphertextSize;
  if (size < kMinCiphertextSize || size > max_size) {
    refuse_damage(
        concat(header.is_seeded() ? "a seeded ciphertext" : "a ciphertext", " of size ", size),
        concat(kMinCiphertextSize, " to ", max_size));
  }
  if (header.is_seeded() && form != context.ciphertext_form()) {
    refuse_damage("a seeded ciphertext in another form than fresh ciphertexts",
                  "the native form of the scheme");
  }
  expect_size(reader, limbs, "number of primes");
  expect_size(reader, level.degree(), "degree");
  const double scale = reader.get_double();
  const std::uint64_t correction_factor = reader.get_word();
  reader.expect_rest(header.is_seeded() ? pair_bytes(limbs, level.degree(), true)
                                        : static_cast<std::size_t>(size) * poly);
  source.reserve(size * poly, kMinCiphertextSize * poly);
  Ciphertext result(level, static_cast<std::size_t>(size), form);
  result.scale() = scale;
  result.correction_factor() = correction_factor;
  result.key_id() = header.key_id;
  check_ciphertext(context, result, "ciphertext");
  if (header.is_seeded()) {
    PublicSeed seed{};
    get_pair(reader, context, level, result, &seed);
  } else {
    for (std::size_t i = 0; i < result.size(); ++i) {
      get_poly(reader, level, result.view_for_writing(i));
    }
  }
  reader.finish();
  if (result.is_transparent()) {
    refuse(concat("a transparent ciphertext, ", describe(context, result)),
           "ciphertexts that cannot be read without the secret key",
           "send messages that need no protection as plaintexts");
  }
  return result;
}

}  // namespace ringlet::rlwe
