// SPDX-License-Identifier: Apache-2.0
#include <concepts>
#include <istream>
#include <ostream>
#include <utility>

#include "files/frame_streams.hpp"
#include "files/object_io.hpp"
#include "native/access.hpp"
#include "seal/galoiskeys.h"
#include "seal/kswitchkeys.h"
#include "seal/publickey.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"
#include "seal/valcheck.h"

namespace ringlet::seal4::detail {

namespace {

/// Whether this is metadata of a key; the words are not read yet.
bool is_key_metadata(const Ciphertext& metadata, const SEALContext& context) {
  return is_metadata_valid_for(metadata, context, true) && metadata.is_ntt_form() &&
         metadata.size() == SEAL_CIPHERTEXT_SIZE_MIN &&
         metadata.parms_id() == context.key_parms_id();
}

std::uint64_t max_public_key_size(const SEALContext& context) {
  return kHeaderBytes + CiphertextAccess::max_members_size(context, SEAL_CIPHERTEXT_SIZE_MIN);
}

/// Reads the whole object of a public key; does not check the values of its words.
template <typename... Input>
std::streamoff read_public_key(PublicKey& out, const SEALContext& context, MemoryBudget& budget,
                               Input&&... input) {
  const auto members = [&](std::istream& stream, SEALVersion version) {
    CiphertextAccess::read_members(out.data(), context, stream, version, is_key_metadata, budget);
  };
  return Serialization::Load(members, std::forward<Input>(input)..., false,
                             max_public_key_size(context));
}

constexpr std::size_t kKeySetFields = 32 + 8;

std::size_t pair_count(const SEALContext& context) {
  return context.first_context_data()->parms().coeff_modulus().size();
}

/// Returns the largest size in bytes of `entries` keys of this context.
std::uint64_t max_key_set_size(const SEALContext& context, std::size_t entries) {
  return kHeaderBytes + kKeySetFields +
         entries * (8 + pair_count(context) * max_public_key_size(context));
}

/// Reads entry by entry, and refuses each before it takes memory for it.
void read_members(KSwitchKeys& out, const SEALContext& context, std::istream& stream,
                  std::size_t max_entries) {
  MemoryBudget budget(max_key_set_size(context, 1));
  out.parms_id() = read_parms_id(stream);
  const std::uint64_t entries = read_value<std::uint64_t>(stream);
  // unsafe_load also takes a set that was never filled, as SEAL does; load refuses it afterwards.
  if (entries == 0 && out.parms_id() == parms_id_zero) return;
  if (out.parms_id() != context.key_parms_id() || !context.using_keyswitching() ||
      entries > max_entries) {
    throw_bad_data("KSwitchKeys::load", std::to_string(entries) + " entries",
                   "keys at the key level of this context, and a number of keys that it can use");
  }
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::uint64_t pairs = read_value<std::uint64_t>(stream);
    if (pairs != 0 && pairs != pair_count(context)) {
      throw_bad_data("KSwitchKeys::load", std::to_string(pairs) + " pairs",
                     "no pairs, or one pair for each data prime");
    }
    auto& keys = KeyAccess::entries(out);
    keys.emplace_back();
    for (std::uint64_t j = 0; j < pairs; ++j) {
      PublicKey pair(out.pool());
      read_public_key(pair, context, budget, stream);
      keys.back().push_back(std::move(pair));
    }
  }
}

std::size_t max_entries(const KSwitchKeys&, const SEALContext& context) {
  return context.key_context_data()->parms().poly_modulus_degree();
}
std::size_t max_entries(const RelinKeys&, const SEALContext&) {
  return SEAL_CIPHERTEXT_SIZE_MAX - 2;
}

}  // namespace

std::size_t members_size(const SecretKey& in) { return PlaintextAccess::members_size(in.data()); }
void write_members(const SecretKey& in, std::ostream& stream) {
  PlaintextAccess::write_members(in.data(), stream);
}

template <typename... Input>
std::streamoff load_to(SecretKey& target, const SEALContext& context, bool check_words,
                       Input&&... input) {
  require_parameters("SecretKey::load", context);
  SecretKey loaded;
  const std::streamoff bytes = loaded.data().unsafe_load(context, std::forward<Input>(input)...);
  const bool valid =
      check_words ? is_valid_for(loaded, context) : is_metadata_valid_for(loaded, context);
  if (!valid) {
    throw_bad_data("SecretKey::load", "a secret key that is not valid for this context",
                   "reduced words in NTT form at the key level");
  }
  target = std::move(loaded);
  return bytes;
}

std::size_t members_size(const PublicKey& in) { return CiphertextAccess::members_size(in.data()); }
void write_members(const PublicKey& in, std::ostream& stream) {
  CiphertextAccess::write_members(in.data(), stream);
}

template <typename... Input>
std::streamoff load_to(PublicKey& target, const SEALContext& context, bool check_words,
                       Input&&... input) {
  require_parameters("PublicKey::load", context);
  PublicKey loaded(target.pool());
  MemoryBudget budget(max_public_key_size(context));
  const std::streamoff bytes =
      read_public_key(loaded, context, budget, std::forward<Input>(input)...);
  if (check_words && !is_valid_for(loaded, context)) {
    throw_bad_data("PublicKey::load", "words that are not reduced",
                   "words below the prime that they belong to");
  }
  target = std::move(loaded);
  return bytes;
}

std::size_t members_size(const KSwitchKeys& in) {
  std::size_t size = kKeySetFields;
  for (const auto& entry : in.data()) {
    size += 8;
    for (const PublicKey& pair : entry) {
      size += static_cast<std::size_t>(pair.save_size(compr_mode_type::none));
    }
  }
  return size;
}

void write_members(const KSwitchKeys& in, std::ostream& stream) {
  write_parms_id(stream, in.parms_id());
  write_value(stream, std::uint64_t{in.data().size()});
  for (const auto& entry : in.data()) {
    write_value(stream, std::uint64_t{entry.size()});
    for (const PublicKey& pair : entry) pair.save(stream, compr_mode_type::none);
  }
}

template <std::derived_from<KSwitchKeys> Keys, typename... Input>
std::streamoff load_to(Keys& target, const SEALContext& context, bool check_words,
                       Input&&... input) {
  require_parameters("KSwitchKeys::load", context);
  Keys loaded;
  const std::size_t entries = max_entries(target, context);
  const auto members = [&](std::istream& stream, SEALVersion) {
    read_members(loaded, context, stream, entries);
  };
  const std::streamoff bytes = Serialization::Load(members, std::forward<Input>(input)..., false,
                                                   max_key_set_size(context, entries));
  if (check_words && !is_valid_for(loaded, context)) {
    throw_bad_data("KSwitchKeys::load", "no keys, or words that are not reduced",
                   "keys of this context, with words below the prime that they belong to");
  }
  target = std::move(loaded);
  return bytes;
}

template <>
inline constexpr bool kIsSecret<SecretKey> = true;
template class Saved<SecretKey>;
template class Loaded<SecretKey>;
template class Saved<PublicKey>;
template class Loaded<PublicKey>;
template class Saved<KSwitchKeys>;
template class Loaded<KSwitchKeys>;
template class Loaded<RelinKeys>;
template class Loaded<GaloisKeys>;

}  // namespace ringlet::seal4::detail
