// SPDX-License-Identifier: Apache-2.0
#include <istream>
#include <ostream>
#include <utility>
#include <vector>

#include "files/frame_streams.hpp"
#include "files/object_io.hpp"
#include "native/access.hpp"
#include "random/seed_expansion.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "seal/ciphertext.h"
#include "seal/randomgen.h"
#include "seal/valcheck.h"

namespace ringlet::seal4::detail {

namespace {

constexpr std::size_t kCiphertextFields = 32 + 1 + 8 + 8 + 8 + 8 + 8;
/// A seed replaces a polynomial only if the seed is smaller.
constexpr std::size_t kMinSeededWords = 12;

std::size_t poly_words(const Ciphertext& ciphertext) {
  return ciphertext.poly_modulus_degree() * ciphertext.coeff_modulus_size();
}

std::size_t seed_size() {
  return static_cast<std::size_t>(UniformRandomGeneratorInfo::SaveSize(compr_mode_type::none));
}

void expand_into(const UniformRandomGeneratorInfo& info, SEALVersion version,
                 const EncryptionParameters& parms, std::uint64_t* words) {
  std::vector<std::uint64_t> moduli;
  for (const Modulus& q : parms.coeff_modulus()) moduli.push_back(q.value());
  expand_seed(info, version, moduli, parms.poly_modulus_degree(), words);
}

/// Reads the seed after c_0 and expands it into c_1.
void read_seeded_half(std::istream& stream, SEALVersion version, const EncryptionParameters& parms,
                      std::uint64_t* words) {
  if (version.major == 3 && version.minor < 6) {
    throw_bad_data("Ciphertext::load",
                   "a seeded object of version 3." + std::to_string(version.minor),
                   "seeded objects of version 3.6 and later");
  }
  UniformRandomGeneratorInfo info;
  info.load(stream);
  expand_into(info, version, parms, words);
}

/// Transforms BGV ciphertexts of versions that saved coefficients. The words must be reduced.
void transform_to_ntt(Ciphertext& ciphertext, const EncryptionParameters& parms) {
  const std::size_t degree = parms.poly_modulus_degree();
  std::uint64_t* words = CiphertextAccess::array_for_writing(ciphertext).begin();
  std::vector<Ntt> plans;
  for (const Modulus& q : parms.coeff_modulus()) plans.emplace_back(degree, q.value());
  for (std::size_t i = 0; i < ciphertext.size(); ++i) {
    for (const Ntt& plan : plans) {
      plan.forward({words, degree}, {words, degree});
      words += degree;
    }
  }
  ciphertext.is_ntt_form() = true;
}

/// Whether unsafe_load accepts the ciphertext, which may be at any level.
bool is_at_any_level(const Ciphertext& metadata, const SEALContext& context) {
  return is_metadata_valid_for(metadata, context, true);
}

bool is_at_data_level(const Ciphertext& metadata, const SEALContext& context) {
  return is_metadata_valid_for(metadata, context, false);
}

void bring_to_native_form(Ciphertext& loaded, const SEALContext& context, bool check_words) {
  const EncryptionParameters& parms = context.get_context_data(loaded.parms_id())->parms();
  const bool transforms =
      parms.scheme() == scheme_type::bgv && !loaded.is_ntt_form() && loaded.size() > 0;
  if ((check_words || transforms) &&
      !are_words_reduced(context, loaded.parms_id(), CiphertextAccess::array(loaded).begin(),
                         loaded.size())) {
    throw_bad_data("Ciphertext::load", "words that are not reduced",
                   "words below the prime that they belong to");
  }
  if (transforms) transform_to_ntt(loaded, parms);
}

}  // namespace

std::uint64_t CiphertextAccess::max_members_size(const SEALContext& context, std::size_t size) {
  const EncryptionParameters& parms = context.key_context_data()->parms();
  const std::size_t words = parms.poly_modulus_degree() * parms.coeff_modulus().size();
  return kCiphertextFields + array_size(size * words) + seed_size();
}

std::size_t CiphertextAccess::members_size(const Ciphertext& in) {
  return kCiphertextFields + array_size(word_count(in)) + (in.fields_.seed ? seed_size() : 0);
}

void CiphertextAccess::write_members(const Ciphertext& in, std::ostream& stream) {
  const DynArray<std::uint64_t>& words = array(in);
  write_parms_id(stream, in.fields_.parms_id);
  write_value(stream, std::uint8_t{in.fields_.is_ntt_form});
  write_value(stream, std::uint64_t{in.fields_.size});
  write_value(stream, std::uint64_t{in.fields_.poly_modulus_degree});
  write_value(stream, std::uint64_t{in.fields_.coeff_modulus_size});
  write_value(stream, in.fields_.scale);
  write_value(stream, std::uint64_t{in.fields_.correction_factor});
  write_array(stream, words.begin(), words.size(), false);
  if (in.fields_.seed) in.fields_.seed->save(stream, compr_mode_type::none);
}

void CiphertextAccess::read_members(Ciphertext& out, const SEALContext& context,
                                    std::istream& stream, SEALVersion version, Accepts accepts,
                                    MemoryBudget& budget) {
  out.fields_.parms_id = read_parms_id(stream);
  const std::uint8_t form = read_value<std::uint8_t>(stream);
  out.fields_.is_ntt_form = form == 1;
  out.fields_.size = read_value<std::uint64_t>(stream);
  out.fields_.poly_modulus_degree = read_value<std::uint64_t>(stream);
  out.fields_.coeff_modulus_size = read_value<std::uint64_t>(stream);
  out.fields_.scale = read_value<double>(stream);
  if (version.major >= 4) out.fields_.correction_factor = read_value<std::uint64_t>(stream);
  if (form > 1 || !accepts(out, context)) {
    throw_bad_data(
        "Ciphertext::load", "metadata that does not fit this context",
        "a level, sizes, a form, a scale and a correction factor that the context allows");
  }
  const std::size_t words = poly_words(out);
  bool is_seeded = false;
  read_array(stream, out.fields_.size * words, false, [&](std::uint64_t count) {
    is_seeded = out.fields_.size == 2 && count == words;
    if (!is_seeded && count != out.fields_.size * words) {
      throw_bad_data("Ciphertext::load", std::to_string(count) + " words",
                     "the number of words that the sizes of the ciphertext state");
    }
    budget.reserve(stream, 8 * out.fields_.size * words);
    out.data_.resize(out.fields_.size * words, false);
    return out.data_.begin();
  });
  if (is_seeded) {
    read_seeded_half(stream, version, context.get_context_data(out.fields_.parms_id)->parms(),
                     out.data_.begin() + words);
  }
}

void CiphertextAccess::replace_by_seed(Ciphertext& out,
                                       std::shared_ptr<const UniformRandomGeneratorInfo> seed) {
  const std::size_t words = poly_words(out);
  if (words < kMinSeededWords) return;
  out.data_.resize(words);
  out.fields_.seed = std::move(seed);
}

std::size_t members_size(const Ciphertext& in) { return CiphertextAccess::members_size(in); }
void write_members(const Ciphertext& in, std::ostream& stream) {
  CiphertextAccess::write_members(in, stream);
}

template <typename... Input>
std::streamoff load_to(Ciphertext& target, const SEALContext& context, bool check_words,
                       Input&&... input) {
  require_parameters("Ciphertext::load", context);
  Ciphertext loaded(target.pool());
  MemoryBudget budget(CiphertextAccess::max_members_size(context, SEAL_CIPHERTEXT_SIZE_MIN));
  const auto members = [&](std::istream& stream, SEALVersion version) {
    CiphertextAccess::read_members(loaded, context, stream, version,
                                   check_words ? is_at_data_level : is_at_any_level, budget);
  };
  const std::uint64_t bound =
      kHeaderBytes + CiphertextAccess::max_members_size(context, SEAL_CIPHERTEXT_SIZE_MAX);
  const std::streamoff bytes =
      Serialization::Load(members, std::forward<Input>(input)..., false, bound);
  bring_to_native_form(loaded, context, check_words);
  target = std::move(loaded);
  return bytes;
}

template class Saved<Ciphertext>;
template class Loaded<Ciphertext>;

}  // namespace ringlet::seal4::detail
