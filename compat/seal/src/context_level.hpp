// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "ringlet/rlwe/context.hpp"
#include "seal/context.h"

namespace ringlet::seal4::detail {

/// The data of a level of a SEALContext, complete before it is shared except for what is made at
/// the first request.
struct ContextLevel {
  EncryptionParameters parms;
  EncryptionParameterQualifiers qualifiers;

  std::vector<std::uint64_t> total_coeff_modulus;  ///< q, as little-endian words; may be empty
  int total_bit_count = 0;

  // For BFV and BGV; empty or 0 for CKKS.
  std::vector<seal4_util::MultiplyUIntModOperand> coeff_div_plain_modulus;
  std::vector<std::uint64_t> plain_upper_half_increment;
  std::vector<std::uint64_t> upper_half_increment;
  std::uint64_t coeff_modulus_mod_plain_modulus = 0;
  std::uint64_t plain_upper_half_threshold = 0;

  std::vector<std::uint64_t> upper_half_threshold;  ///< CKKS

  std::optional<seal4_util::GaloisTool> galois_tool;

  std::size_t chain_index = 0;
  std::shared_ptr<const SEALContext::ContextData> next;
  std::weak_ptr<const SEALContext::ContextData> prev;

  /// Ringlet's own context, shared by all levels, and its level with the same primes. Absent if the
  /// parameters are not valid.
  std::optional<ringlet::Context> native;
  const ringlet::ContextData* native_level = nullptr;

  // Made at the first request: few programs ask for them, and the native context has its own.
  mutable std::once_flag tables_made;
  mutable std::vector<seal4_util::NTTTables> ntt_tables;
  mutable std::vector<seal4_util::NTTTables> plain_ntt_table;
  mutable std::once_flag rns_tool_made;
  mutable std::optional<seal4_util::RNSTool> rns_tool;
};

/// Validates parameters in the order of EncryptionParameterQualifiers::error_type. Computes the
/// data of the level, except for the native context, up to the first error.
std::unique_ptr<ContextLevel> validate(const EncryptionParameters& parms, sec_level_type sec_level);

/// Computes the data of the scheme from valid parameters of BFV, BGV or CKKS.
void precompute(ContextLevel& level);

}  // namespace ringlet::seal4::detail
