// SPDX-License-Identifier: Apache-2.0
#include "seal/context.h"

#include <unordered_map>
#include <utility>

#include "context_level.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/kernels/kernel_selection.hpp"

namespace ringlet::seal4 {
namespace detail {
namespace {

using Data = SEALContext::ContextData;
using Error = EncryptionParameterQualifiers::error_type;

EncryptionParameters without_last_prime(EncryptionParameters parms) {
  std::vector<Modulus> primes = parms.coeff_modulus();
  primes.pop_back();
  parms.set_coeff_modulus(primes);
  return parms;
}

std::vector<ringlet::Modulus> native_primes(const std::vector<Modulus>& primes) {
  std::vector<ringlet::Modulus> result;
  for (const Modulus& prime : primes) result.emplace_back(prime.value());
  return result;
}

/// Returns Ringlet's own context for valid parameters, or nothing if it cannot be made, for example
/// because auxiliary primes are missing. SEAL's table has already decided about security.
std::optional<ringlet::Context> make_native(const EncryptionParameters& parms,
                                            bool using_keyswitching) {
  const KernelSelection& kernels = KernelSelection::from_environment();
  std::vector<ringlet::Modulus> data_primes = native_primes(parms.coeff_modulus());
  std::vector<ringlet::Modulus> special_primes;
  if (using_keyswitching) {
    special_primes.push_back(data_primes.back());
    data_primes.pop_back();
  }
  ringlet::EncryptionParameters native(static_cast<SchemeType>(parms.scheme()));
  native.set_poly_modulus_degree(parms.poly_modulus_degree());
  native.set_coeff_modulus(std::move(data_primes), std::move(special_primes));
  if (!parms.plain_modulus().is_zero()) native.set_plain_modulus(parms.plain_modulus().value());
  try {
    return ringlet::Context(native, SecurityLevel::none, SecurityTable::he_standard_2018, kernels);
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

const ringlet::ContextData* native_level_of(const ringlet::Context& context,
                                            std::size_t prime_count) {
  const ringlet::ContextData* level = context.key_context_data();
  while (level != nullptr && level->prime_count() != prime_count) {
    level = level->next_context_data();
  }
  return level;
}

}  // namespace

/// The levels of a SEALContext, from the key level down; never empty.
struct ContextChain {
  ContextChain(const EncryptionParameters& parms, bool expand_mod_chain, sec_level_type sec_level);

  const std::shared_ptr<const Data>& first() const {
    return using_keyswitching ? levels[1] : levels[0];
  }

  std::vector<std::shared_ptr<const Data>> levels;
  std::unordered_map<parms_id_type, std::shared_ptr<const Data>> by_parms_id;
  bool using_keyswitching = false;

 private:
  void add_levels(std::vector<std::unique_ptr<ContextLevel>> validated) {
    // From the last level up, because each level holds the next.
    std::shared_ptr<const Data> next;
    for (std::size_t i = validated.size(); i-- > 0;) {
      validated[i]->chain_index = validated.size() - 1 - i;
      validated[i]->next = next;
      std::shared_ptr<Data> data(new Data(std::move(validated[i])));
      if (next) next->level_->prev = data;
      by_parms_id.emplace(data->parms_id(), data);
      next = data;
      levels.insert(levels.begin(), std::move(data));
    }
  }
};

ContextChain::ContextChain(const EncryptionParameters& parms, bool expand_mod_chain,
                           sec_level_type sec_level) {
  std::vector<std::unique_ptr<ContextLevel>> validated;
  validated.push_back(validate(parms, sec_level));
  const std::size_t most = expand_mod_chain ? parms.coeff_modulus().size() : 2;
  while (validated.back()->qualifiers.parameters_set() && validated.size() < most &&
         validated.back()->parms.coeff_modulus().size() > 1) {
    auto next = validate(without_last_prime(validated.back()->parms), sec_level);
    if (!next->qualifiers.parameters_set()) break;
    validated.push_back(std::move(next));
  }

  using_keyswitching = validated.size() > 1;
  if (validated.front()->qualifiers.parameters_set()) {
    const auto native = make_native(parms, using_keyswitching);
    for (const auto& level : validated) {
      if (!native) break;
      level->native = native;
      level->native_level = native_level_of(*native, level->parms.coeff_modulus().size());
    }
    if (!native) {
      validated.resize(1);
      using_keyswitching = false;
      validated.front()->qualifiers.parameter_error = Error::failed_creating_rns_tool;
    }
  }
  add_levels(std::move(validated));
}

}  // namespace detail

SEALContext::SEALContext(const EncryptionParameters& parms, bool expand_mod_chain,
                         sec_level_type sec_level)
    : chain_(std::make_shared<const detail::ContextChain>(parms, expand_mod_chain, sec_level)) {}

std::shared_ptr<const SEALContext::ContextData> SEALContext::get_context_data(
    parms_id_type parms_id) const {
  const auto found = chain_->by_parms_id.find(parms_id);
  return found == chain_->by_parms_id.end() ? nullptr : found->second;
}

std::shared_ptr<const SEALContext::ContextData> SEALContext::key_context_data() const {
  return chain_->levels.front();
}

std::shared_ptr<const SEALContext::ContextData> SEALContext::first_context_data() const {
  return chain_->first();
}

std::shared_ptr<const SEALContext::ContextData> SEALContext::last_context_data() const {
  return chain_->levels.back();
}

const parms_id_type& SEALContext::key_parms_id() const noexcept {
  return chain_->levels.front()->parms_id();
}

const parms_id_type& SEALContext::first_parms_id() const noexcept {
  return chain_->first()->parms_id();
}

const parms_id_type& SEALContext::last_parms_id() const noexcept {
  return chain_->levels.back()->parms_id();
}

bool SEALContext::parameters_set() const noexcept {
  return chain_->first()->qualifiers().parameters_set();
}

const char* SEALContext::parameter_error_name() const noexcept {
  return chain_->first()->qualifiers().parameter_error_name();
}

const char* SEALContext::parameter_error_message() const noexcept {
  return chain_->first()->qualifiers().parameter_error_message();
}

bool SEALContext::using_keyswitching() const noexcept { return chain_->using_keyswitching; }

}  // namespace ringlet::seal4
