// SPDX-License-Identifier: Apache-2.0
#include "rlwe/serialization/polynomials.hpp"

#include "base/text.hpp"
#include "ring/backend/reinterpret.hpp"
#include "ringlet/ring/backend.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/random/random_stream.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe/serialization/byte_stream.hpp"

namespace ringlet::rlwe {
namespace {

[[noreturn]] void refuse_level(const ContextData& level, const FrameHeader& header,
                               const std::string& limit) {
  refuse_damage(concat(describe(header.type), " at level ", level.chain_index(),
                       level.prev_context_data() == nullptr ? ", the key level" : ""),
                limit);
}

}  // namespace

const ContextData& level_of(const Context& context, const FrameHeader& header) {
  const ContextData* level = context.get_context_data(header.parms_id);
  if (level != nullptr) return *level;
  refuse(concat(describe(header.type), " of identifier ", describe(header.parms_id)),
         concat("the levels of ", describe(context)),
         "make the context with the parameters, security level and table of the object, for "
         "example from a file of parameters");
}

const ContextData& key_level_of(const Context& context, const FrameHeader& header) {
  const ContextData& level = level_of(context, header);
  if (&level == context.key_context_data()) return level;
  refuse_level(level, header, "the key level");
}

const ContextData& data_level_of(const Context& context, const FrameHeader& header) {
  const ContextData& level = level_of(context, header);
  const std::size_t first = context.first_context_data()->chain_index();
  if (level.chain_index() <= first) return level;
  refuse_level(level, header, concat("data levels, 0 to ", first));
}

void expect_size(FrameReader& reader, std::size_t expected, const char* what) {
  const std::uint64_t found = reader.get_word();
  if (found == expected) return;
  refuse_damage(concat(what, " = ", found), concat(expected, ", the value of these parameters"));
}

void put_poly(FrameWriter& writer, ConstResidueView poly) {
  for (std::size_t i = 0; i < poly.limb_count; ++i) writer.put_words(poly.limb(i));
}

void get_poly(FrameReader& reader, const ContextData& level, ResidueView poly) {
  for (std::size_t i = 0; i < poly.limb_count; ++i) {
    reader.get_words(poly.limb(i), level.coeff_modulus()[i].value(), "residue");
  }
}

void put_pair(FrameWriter& writer, const Ciphertext& pair, const PublicSeed* seed) {
  put_poly(writer, pair.view(0));
  if (seed != nullptr) {
    writer.put(std::span<const std::uint8_t>(*seed));
  } else {
    put_poly(writer, pair.view(1));
  }
}

void get_pair(FrameReader& reader, const Context& context, const ContextData& level,
              Ciphertext& pair, PublicSeed* seed) {
  get_poly(reader, level, pair.view_for_writing(0));
  if (seed == nullptr) return get_poly(reader, level, pair.view_for_writing(1));
  reader.get(*seed);
  const Seed expandable(*seed);
  const ResidueView a = pair.view_for_writing(1);
  for (std::size_t i = 0; i < a.limb_count; ++i) {
    expand_uniform(a.limb(i), level.coeff_modulus()[i], expandable, i);
  }
  if (pair.is_ntt_form()) return;
  const CoeffView coefficients = pair.coeff_view_for_writing(1);
  // Files are read on the host, wherever the context computes.
  context.on_host().backend().inverse_ntt(coefficients, as_values(coefficients), level.primes());
}

}  // namespace ringlet::rlwe
