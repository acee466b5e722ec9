// SPDX-License-Identifier: Apache-2.0
#include <istream>
#include <ostream>
#include <utility>

#include "files/object_io.hpp"
#include "native/access.hpp"
#include "seal/plaintext.h"
#include "seal/valcheck.h"

namespace ringlet::seal4::detail {

namespace {

constexpr std::size_t kPlaintextFields = 32 + 8 + 8;

/// Returns the most words of a plaintext of this context, N for each prime.
std::size_t max_words(const SEALContext& context) {
  const EncryptionParameters& parms = context.key_context_data()->parms();
  return parms.poly_modulus_degree() * parms.coeff_modulus().size();
}

/// Whether a plaintext of this level, or in coefficient form, may have so many words.
bool is_word_count_valid(const SEALContext& context, const parms_id_type& parms_id,
                         std::uint64_t count) {
  const EncryptionParameters& key_parms = context.key_context_data()->parms();
  if (parms_id == parms_id_zero) {
    return count <= key_parms.poly_modulus_degree();
  }
  const auto level = context.get_context_data(parms_id);
  return level != nullptr &&
         count == key_parms.poly_modulus_degree() * level->parms().coeff_modulus().size();
}

}  // namespace

std::size_t PlaintextAccess::members_size(const Plaintext& in) {
  return kPlaintextFields + array_size(in.coeff_count());
}

void PlaintextAccess::write_members(const Plaintext& in, std::ostream& stream) {
  write_parms_id(stream, in.parms_id_);
  write_value(stream, std::uint64_t{in.coeff_count()});
  write_value(stream, in.scale_);
  write_array(stream, in.data_.begin(), in.coeff_count(), true);
}

void PlaintextAccess::read_members(Plaintext& out, const SEALContext& context,
                                   std::istream& stream) {
  const parms_id_type parms_id = read_parms_id(stream);
  const std::uint64_t coeff_count = read_value<std::uint64_t>(stream);
  const double scale = read_value<double>(stream);
  if (!is_word_count_valid(context, parms_id, coeff_count)) {
    throw_bad_data("Plaintext::load", std::to_string(coeff_count) + " words",
                   "a level of this context and the number of words of that level");
  }
  read_array(stream, static_cast<std::size_t>(coeff_count), true, [&](std::uint64_t count) {
    if (count != coeff_count) {
      throw_bad_data("Plaintext::load", std::to_string(count) + " words in the array",
                     "the number of words that the plaintext states");
    }
    out.data_.resize(static_cast<std::size_t>(count), false);
    return out.data_.begin();
  });
  out.parms_id_ = parms_id;
  out.scale_ = scale;
}

std::size_t members_size(const Plaintext& in) { return PlaintextAccess::members_size(in); }
void write_members(const Plaintext& in, std::ostream& stream) {
  PlaintextAccess::write_members(in, stream);
}

template <typename... Input>
std::streamoff load_to(Plaintext& target, const SEALContext& context, bool check_words,
                       Input&&... input) {
  require_parameters("Plaintext::load", context);
  Plaintext loaded(target.pool());
  const auto members = [&](std::istream& stream, SEALVersion) {
    PlaintextAccess::read_members(loaded, context, stream);
  };
  const std::uint64_t bound = kHeaderBytes + kPlaintextFields + array_size(max_words(context));
  const std::streamoff bytes =
      Serialization::Load(members, std::forward<Input>(input)..., true, bound);
  // Like SEAL, unsafe_load also takes coefficients in a context of CKKS.
  const bool is_coefficients_of_ckks =
      !loaded.is_ntt_form() && context.key_context_data()->parms().scheme() == scheme_type::ckks;
  if (check_words ? !is_valid_for(loaded, context)
                  : !is_metadata_valid_for(loaded, context, true) && !is_coefficients_of_ckks) {
    throw_bad_data("Plaintext::load", "a plaintext that is not valid for this context",
                   "reduced words at a data level and a positive scale");
  }
  target = std::move(loaded);
  return bytes;
}

template <>
inline constexpr bool kIsSecret<Plaintext> = true;
template class Saved<Plaintext>;
template class Loaded<Plaintext>;

}  // namespace ringlet::seal4::detail
