// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "context_level.hpp"
#include "seal/context.h"
#include "seal/util/common.h"

namespace ringlet::seal4 {
namespace {

using Error = EncryptionParameterQualifiers::error_type;

struct ErrorText {
  Error error;
  const char* name;
  const char* message;
};

// The words are those of SEAL 4.1, because programs compare them. It did not have non_prime.
constexpr ErrorText kErrorTexts[] = {
    {Error::none, "none", "constructed but not yet validated"},
    {Error::success, "success", "valid"},
    {Error::invalid_scheme, "invalid_scheme", "scheme must be BFV or CKKS or BGV"},
    {Error::invalid_coeff_modulus_size, "invalid_coeff_modulus_size",
     "coeff_modulus's primes' count is not bounded by SEAL_COEFF_MOD_COUNT_MIN(MAX)"},
    {Error::invalid_coeff_modulus_bit_count, "invalid_coeff_modulus_bit_count",
     "coeff_modulus's primes' bit counts are not bounded by SEAL_USER_MOD_BIT_COUNT_MIN(MAX)"},
    {Error::invalid_coeff_modulus_non_prime, "invalid_coeff_modulus_non_prime",
     "every factor of the coefficient modulus must be prime"},
    {Error::invalid_coeff_modulus_no_ntt, "invalid_coeff_modulus_no_ntt",
     "coeff_modulus's primes are not congruent to 1 modulo (2 * poly_modulus_degree)"},
    {Error::invalid_poly_modulus_degree, "invalid_poly_modulus_degree",
     "poly_modulus_degree is not bounded by SEAL_POLY_MOD_DEGREE_MIN(MAX)"},
    {Error::invalid_poly_modulus_degree_non_power_of_two,
     "invalid_poly_modulus_degree_non_power_of_two", "poly_modulus_degree is not a power of two"},
    {Error::invalid_parameters_too_large, "invalid_parameters_too_large",
     "parameters are too large to fit in size_t type"},
    {Error::invalid_parameters_insecure, "invalid_parameters_insecure",
     "parameters are not compliant with HomomorphicEncryption.org security standard"},
    {Error::failed_creating_rns_base, "failed_creating_rns_base", "RNSBase cannot be constructed"},
    {Error::invalid_plain_modulus_bit_count, "invalid_plain_modulus_bit_count",
     "plain_modulus's bit count is not bounded by SEAL_PLAIN_MOD_BIT_COUNT_MIN(MAX)"},
    {Error::invalid_plain_modulus_coprimality, "invalid_plain_modulus_coprimality",
     "plain_modulus is not coprime to coeff_modulus"},
    {Error::invalid_plain_modulus_too_large, "invalid_plain_modulus_too_large",
     "plain_modulus is not smaller than coeff_modulus"},
    {Error::invalid_plain_modulus_nonzero, "invalid_plain_modulus_nonzero",
     "plain_modulus is not zero"},
    {Error::failed_creating_rns_tool, "failed_creating_rns_tool", "RNSTool cannot be constructed"},
};

const ErrorText& text_of(Error error) noexcept {
  for (const ErrorText& text : kErrorTexts) {
    if (text.error == error) return text;
  }
  static constexpr ErrorText kUnknown{Error::none, "invalid parameter_error",
                                      "invalid parameter_error"};
  return kUnknown;
}

template <class T>
const T* data_or_null(const std::vector<T>& values) noexcept {
  return values.empty() ? nullptr : values.data();
}

/// Makes the transforms of a level with valid parameters once.
void make_tables(const detail::ContextLevel& level) {
  std::call_once(level.tables_made, [&level] {
    const int power = seal4_util::get_power_of_two(level.parms.poly_modulus_degree());
    std::vector<seal4_util::NTTTables> tables;
    for (const Modulus& prime : level.parms.coeff_modulus()) tables.emplace_back(power, prime);
    if (level.parms.scheme() != scheme_type::ckks && level.qualifiers.using_batching) {
      level.plain_ntt_table.assign(1, {power, level.parms.plain_modulus()});
    }
    level.ntt_tables = std::move(tables);
  });
}

}  // namespace

const char* EncryptionParameterQualifiers::parameter_error_name() const noexcept {
  return text_of(parameter_error).name;
}

const char* EncryptionParameterQualifiers::parameter_error_message() const noexcept {
  return text_of(parameter_error).message;
}

SEALContext::ContextData::ContextData(std::unique_ptr<detail::ContextLevel> level) noexcept
    : level_(std::move(level)) {}

SEALContext::ContextData::~ContextData() = default;

const EncryptionParameters& SEALContext::ContextData::parms() const noexcept {
  return level_->parms;
}

EncryptionParameterQualifiers SEALContext::ContextData::qualifiers() const noexcept {
  return level_->qualifiers;
}

const std::uint64_t* SEALContext::ContextData::total_coeff_modulus() const noexcept {
  return data_or_null(level_->total_coeff_modulus);
}

int SEALContext::ContextData::total_coeff_modulus_bit_count() const noexcept {
  return level_->total_bit_count;
}

std::shared_ptr<const SEALContext::ContextData> SEALContext::ContextData::prev_context_data()
    const noexcept {
  return level_->prev.lock();
}

std::shared_ptr<const SEALContext::ContextData> SEALContext::ContextData::next_context_data()
    const noexcept {
  return level_->next;
}

std::size_t SEALContext::ContextData::chain_index() const noexcept { return level_->chain_index; }

const seal4_util::RNSTool* SEALContext::ContextData::rns_tool() const {
  if (!level_->qualifiers.parameters_set()) return nullptr;
  std::call_once(level_->rns_tool_made, [this] {
    const MemoryPoolHandle pool = MemoryManager::GetPool();
    level_->rns_tool.emplace(parms().poly_modulus_degree(),
                             seal4_util::RNSBase(parms().coeff_modulus(), pool),
                             parms().plain_modulus(), pool);
  });
  return &*level_->rns_tool;
}

const seal4_util::NTTTables* SEALContext::ContextData::small_ntt_tables() const {
  if (!level_->qualifiers.parameters_set()) return nullptr;
  make_tables(*level_);
  return level_->ntt_tables.data();
}

const seal4_util::NTTTables* SEALContext::ContextData::plain_ntt_tables() const {
  if (!level_->qualifiers.parameters_set()) return nullptr;
  make_tables(*level_);
  return data_or_null(level_->plain_ntt_table);
}

const seal4_util::GaloisTool* SEALContext::ContextData::galois_tool() const noexcept {
  return level_->galois_tool ? &*level_->galois_tool : nullptr;
}

const seal4_util::MultiplyUIntModOperand* SEALContext::ContextData::coeff_div_plain_modulus()
    const noexcept {
  return data_or_null(level_->coeff_div_plain_modulus);
}

std::uint64_t SEALContext::ContextData::coeff_modulus_mod_plain_modulus() const noexcept {
  return level_->coeff_modulus_mod_plain_modulus;
}

std::uint64_t SEALContext::ContextData::plain_upper_half_threshold() const noexcept {
  return level_->plain_upper_half_threshold;
}

const std::uint64_t* SEALContext::ContextData::plain_upper_half_increment() const noexcept {
  return data_or_null(level_->plain_upper_half_increment);
}

const std::uint64_t* SEALContext::ContextData::upper_half_threshold() const noexcept {
  return data_or_null(level_->upper_half_threshold);
}

const std::uint64_t* SEALContext::ContextData::upper_half_increment() const noexcept {
  return data_or_null(level_->upper_half_increment);
}

}  // namespace ringlet::seal4
