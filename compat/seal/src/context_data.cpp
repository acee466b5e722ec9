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

constexpr ErrorText kErrorTexts[] = {
    {Error::none, "none", "the parameters have not been validated"},
    {Error::success, "success", "valid"},
    {Error::invalid_scheme, "invalid_scheme", "the scheme must be BFV, BGV or CKKS"},
    {Error::invalid_coeff_modulus_size, "invalid_coeff_modulus_size",
     "the coefficient modulus must have 1 to 256 primes"},
    {Error::invalid_coeff_modulus_bit_count, "invalid_coeff_modulus_bit_count",
     "every prime of the coefficient modulus must have 2 to 60 bits"},
    {Error::invalid_coeff_modulus_non_prime, "invalid_coeff_modulus_non_prime",
     "every factor of the coefficient modulus must be prime"},
    {Error::invalid_coeff_modulus_no_ntt, "invalid_coeff_modulus_no_ntt",
     "every prime of the coefficient modulus must be 1 modulo twice the polynomial degree"},
    {Error::invalid_poly_modulus_degree, "invalid_poly_modulus_degree",
     "the polynomial degree must be 2 to 131072"},
    {Error::invalid_poly_modulus_degree_non_power_of_two,
     "invalid_poly_modulus_degree_non_power_of_two",
     "the polynomial degree must be a power of two"},
    {Error::invalid_parameters_too_large, "invalid_parameters_too_large",
     "polynomials of these parameters are larger than memory can hold"},
    {Error::invalid_parameters_insecure, "invalid_parameters_insecure",
     "the parameters do not reach the security level: the coefficient modulus, its special prime "
     "included, has more bits than the standard of 2018 allows at this polynomial degree"},
    {Error::failed_creating_rns_base, "failed_creating_rns_base",
     "the primes of the coefficient modulus must be distinct"},
    {Error::invalid_plain_modulus_bit_count, "invalid_plain_modulus_bit_count",
     "the plaintext modulus must have 2 to 60 bits"},
    {Error::invalid_plain_modulus_coprimality, "invalid_plain_modulus_coprimality",
     "the plaintext modulus must have no factor in common with the coefficient modulus"},
    {Error::invalid_plain_modulus_too_large, "invalid_plain_modulus_too_large",
     "the plaintext modulus must be smaller than the coefficient modulus"},
    {Error::invalid_plain_modulus_nonzero, "invalid_plain_modulus_nonzero",
     "CKKS has no plaintext modulus: it must be zero"},
    {Error::failed_creating_rns_tool, "failed_creating_rns_tool",
     "the arithmetic of these primes could not be set up"},
};

const ErrorText& text_of(Error error) noexcept {
  for (const ErrorText& text : kErrorTexts) {
    if (text.error == error) return text;
  }
  static constexpr ErrorText kUnknown{Error::none, "invalid parameter_error",
                                      "parameter_error is none of the values of error_type"};
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
