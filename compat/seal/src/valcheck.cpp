// SPDX-License-Identifier: Apache-2.0
#include "seal/valcheck.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "files/object_io.hpp"
#include "native/access.hpp"
#include "native/convert.hpp"
#include "ringlet/ring/backend.hpp"

namespace ringlet::seal4 {

namespace {

/// Whether `count` words are all below q < 2^63. Constant time in the words.
bool are_words_below(const std::uint64_t* words, std::size_t count, std::uint64_t q) {
  std::uint64_t outside = 0;
  // The highest bit tells: processors without AVX2 or AVX-512 compare no vectors of 64-bit words.
  for (std::size_t i = 0; i < count; ++i) outside |= (q - 1 - words[i]) | words[i];
  return outside >> 63U == 0;
}

}  // namespace

bool detail::are_words_reduced(const SEALContext& context, const parms_id_type& parms_id,
                               const std::uint64_t* words, std::size_t poly_count) {
  const ringlet::ContextData& level = native_level(*context.get_context_data(parms_id));
  const Backend& backend = native_context(context).backend();
  ConstResidueView poly{words, level.degree(), level.prime_count(), level.degree()};
  bool reduced = true;
  for (std::size_t i = 0; i < poly_count; ++i) {
    reduced &= backend.is_reduced(poly, level.primes());
    poly.data += poly.limb_count * poly.degree;
  }
  return reduced;
}

namespace {

using Level = std::shared_ptr<const SEALContext::ContextData>;

/// Returns the level of the identifier, or null if the object may not be at that level.
Level allowed_level(const parms_id_type& parms_id, const SEALContext& context,
                    bool allow_pure_key_levels) {
  Level level = context.get_context_data(parms_id);
  if (level == nullptr || allow_pure_key_levels) return level;
  const bool above_data = level->chain_index() > context.first_context_data()->chain_index();
  return above_data ? nullptr : level;
}

bool is_positive_normal(double scale) { return std::isnormal(scale) && scale > 0; }

bool is_scale_valid(double scale, scheme_type scheme) {
  return scheme == scheme_type::ckks ? is_positive_normal(scale) : scale == 1.0;
}

bool is_factor_valid(std::uint64_t factor, const EncryptionParameters& parms) {
  if (parms.scheme() != scheme_type::bgv) return factor == 1;
  return factor > 0 && factor < parms.plain_modulus().value();
}

bool is_at_key_level(const parms_id_type& parms_id, const SEALContext& context) {
  return context.parameters_set() && parms_id == context.key_parms_id();
}

bool are_keys_valid(const KSwitchKeys& in, const SEALContext& context, std::size_t max_entries) {
  if (!is_at_key_level(in.parms_id(), context) || !context.using_keyswitching()) return false;
  const std::size_t pairs = context.first_context_data()->parms().coeff_modulus().size();
  return in.data().size() <= max_entries &&
         std::all_of(in.data().begin(), in.data().end(), [&](const auto& entry) {
           return entry.empty() ||
                  (entry.size() == pairs &&
                   std::all_of(entry.begin(), entry.end(), [&](const PublicKey& pair) {
                     return is_metadata_valid_for(pair, context);
                   }));
         });
}

template <typename Condition>
bool all_pairs(const KSwitchKeys& in, Condition condition) {
  return std::all_of(in.data().begin(), in.data().end(), [&](const auto& entry) {
    return std::all_of(entry.begin(), entry.end(), condition);
  });
}

}  // namespace

bool is_metadata_valid_for(const Plaintext& in, const SEALContext& context,
                           bool allow_pure_key_levels) {
  if (!context.parameters_set() || !is_positive_normal(in.scale())) return false;
  const EncryptionParameters& key_parms = context.key_context_data()->parms();
  if (!in.is_ntt_form()) {
    return key_parms.scheme() != scheme_type::ckks &&
           in.coeff_count() <= key_parms.poly_modulus_degree();
  }
  const Level level = allowed_level(in.parms_id(), context, allow_pure_key_levels);
  return level != nullptr && in.coeff_count() == key_parms.poly_modulus_degree() *
                                                     level->parms().coeff_modulus().size();
}

bool is_metadata_valid_for(const Ciphertext& in, const SEALContext& context,
                           bool allow_pure_key_levels) {
  if (!context.parameters_set()) return false;
  const Level level = allowed_level(in.parms_id(), context, allow_pure_key_levels);
  if (level == nullptr) return false;
  return detail::has_metadata_of(in, level->parms());
}

bool detail::has_metadata_of(const Ciphertext& in, const EncryptionParameters& parms) {
  const bool is_size_valid = in.size() == 0 || (in.size() >= SEAL_CIPHERTEXT_SIZE_MIN &&
                                                in.size() <= SEAL_CIPHERTEXT_SIZE_MAX);
  return is_size_valid && in.poly_modulus_degree() == parms.poly_modulus_degree() &&
         in.coeff_modulus_size() == parms.coeff_modulus().size() &&
         is_scale_valid(in.scale(), parms.scheme()) &&
         is_factor_valid(in.correction_factor(), parms);
}

bool is_metadata_valid_for(const SecretKey& in, const SEALContext& context) {
  return is_at_key_level(in.parms_id(), context) && is_metadata_valid_for(in.data(), context, true);
}

bool is_metadata_valid_for(const PublicKey& in, const SEALContext& context) {
  return is_at_key_level(in.parms_id(), context) &&
         is_metadata_valid_for(in.data(), context, true) && in.data().is_ntt_form() &&
         in.data().size() == SEAL_CIPHERTEXT_SIZE_MIN;
}

bool is_metadata_valid_for(const KSwitchKeys& in, const SEALContext& context) {
  const auto key_level = context.key_context_data();
  return are_keys_valid(in, context, key_level->parms().poly_modulus_degree());
}

bool is_metadata_valid_for(const RelinKeys& in, const SEALContext& context) {
  return are_keys_valid(in, context, SEAL_CIPHERTEXT_SIZE_MAX - 2);
}

// coeff_count() is the size of the array.
bool is_buffer_valid(const Plaintext&) { return true; }

bool is_buffer_valid(const Ciphertext& in) {
  return detail::CiphertextAccess::word_count(in) ==
         in.size() * in.poly_modulus_degree() * in.coeff_modulus_size();
}

bool is_buffer_valid(const SecretKey& in) { return is_buffer_valid(in.data()); }
bool is_buffer_valid(const PublicKey& in) { return is_buffer_valid(in.data()); }

bool is_buffer_valid(const KSwitchKeys& in) {
  return all_pairs(in, [](const PublicKey& pair) { return is_buffer_valid(pair); });
}

namespace {

/// Checks only the words; the metadata must be valid.
bool are_words_valid(const Plaintext& in, const SEALContext& context) {
  const std::uint64_t* const words = detail::PlaintextAccess::words(in);
  if (in.is_ntt_form()) return detail::are_words_reduced(context, in.parms_id(), words, 1);
  const std::uint64_t t = context.first_context_data()->parms().plain_modulus().value();
  return are_words_below(words, in.coeff_count(), t);
}

bool are_words_valid(const Ciphertext& in, const SEALContext& context) {
  return is_buffer_valid(in) &&
         detail::are_words_reduced(context, in.parms_id(),
                                   detail::CiphertextAccess::array(in).begin(), in.size());
}

bool are_words_valid(const SecretKey& in, const SEALContext& context) {
  return are_words_valid(in.data(), context);
}

bool are_words_valid(const PublicKey& in, const SEALContext& context) {
  return are_words_valid(in.data(), context);
}

bool are_words_valid(const KSwitchKeys& in, const SEALContext& context) {
  return all_pairs(in, [&](const PublicKey& pair) { return are_words_valid(pair, context); });
}

}  // namespace

#define RINGLET_SEAL_DEFINE_VERDICTS(Class)                                    \
  bool is_data_valid_for(const Class& in, const SEALContext& context) {        \
    return is_metadata_valid_for(in, context) && are_words_valid(in, context); \
  }                                                                            \
  bool is_valid_for(const Class& in, const SEALContext& context) {             \
    return is_buffer_valid(in) && is_data_valid_for(in, context);              \
  }

RINGLET_SEAL_DEFINE_VERDICTS(Plaintext)
RINGLET_SEAL_DEFINE_VERDICTS(Ciphertext)
RINGLET_SEAL_DEFINE_VERDICTS(SecretKey)
RINGLET_SEAL_DEFINE_VERDICTS(PublicKey)
RINGLET_SEAL_DEFINE_VERDICTS(KSwitchKeys)
RINGLET_SEAL_DEFINE_VERDICTS(RelinKeys)

}  // namespace ringlet::seal4
