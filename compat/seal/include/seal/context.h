// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/modulus.h"
#include "seal/util/defines.h"
#include "seal/util/galois.h"
#include "seal/util/ntt.h"
#include "seal/util/pointer.h"
#include "seal/util/rns.h"
#include "seal/util/uintarithsmallmod.h"

namespace ringlet::seal4 {

namespace detail {
struct ContextChain;
struct ContextLevel;
struct NativeAccess;
}  // namespace detail

/// The result of the validation of parameters. A flag is false until validation has reached it.
class RINGLET_SEAL_API EncryptionParameterQualifiers {
 public:
  /// Results of validation, in the order of its checks. The numbers are those of SEAL.
  enum class error_type : int {
    none = -1,    ///< Not validated.
    success = 0,  ///< Valid.
    invalid_scheme = 1,
    invalid_coeff_modulus_size = 2,
    invalid_coeff_modulus_bit_count = 3,
    invalid_coeff_modulus_non_prime = 15,
    invalid_poly_modulus_degree = 5,
    invalid_poly_modulus_degree_non_power_of_two = 6,
    invalid_parameters_too_large = 7,
    invalid_parameters_insecure = 8,
    failed_creating_rns_base = 9,
    invalid_coeff_modulus_no_ntt = 4,
    invalid_plain_modulus_bit_count = 10,
    invalid_plain_modulus_coprimality = 11,
    invalid_plain_modulus_too_large = 12,
    invalid_plain_modulus_nonzero = 13,
    failed_creating_rns_tool = 14,
  };

  error_type parameter_error = error_type::none;
  /// True if the degree is a power of two.
  bool using_fft = false;
  /// True if every prime is 1 modulo 2N.
  bool using_ntt = false;
  /// True if the plaintext modulus is a prime that is 1 modulo 2N (BFV and BGV); always true for
  /// CKKS.
  bool using_batching = false;
  /// True if every prime is larger than the plaintext modulus; never true for CKKS.
  bool using_fast_plain_lift = false;
  /// True if the primes are strictly decreasing.
  bool using_descending_modulus_chain = false;
  /// The requested security level; `none` if the parameters do not reach this level.
  sec_level_type sec_level = sec_level_type::none;

  /// Returns the name of the enumerator.
  SEAL_NODISCARD const char* parameter_error_name() const noexcept;
  /// Returns the result of validation in words; "valid" for success.
  SEAL_NODISCARD const char* parameter_error_message() const noexcept;
  SEAL_NODISCARD bool parameters_set() const noexcept {
    return parameter_error == error_type::success;
  }
};

/// Holds validated parameters and all precomputed data: the chain of levels. Immutable; threads may
/// share it. Copies are cheap and share their state.
///
/// The key level has all primes; keys are at this level. Each further level has one prime less, as
/// long as its parameters are valid too. Ciphertexts start at the first of these levels. If there
/// is no further level, they start at the key level, and there is no key switching.
class RINGLET_SEAL_API SEALContext {
 public:
  /// One level of the chain. It stays valid as long as a shared pointer to it exists, even after
  /// its context is destroyed.
  class RINGLET_SEAL_API ContextData;

  /// Validates the parameters and precomputes the levels. Never throws for invalid parameters: see
  /// parameters_set(). The conversion is implicit, so that functions that expect a context accept
  /// parameters.
  /// \param expand_mod_chain  false: no levels below the first data level.
  /// \param sec_level         the level that the parameters must reach by the table of 2018.
  SEALContext(const EncryptionParameters& parms,  // NOLINT(google-explicit-constructor)
              bool expand_mod_chain = true, sec_level_type sec_level = sec_level_type::tc128);

  template <typename... Arguments>
  static std::shared_ptr<SEALContext> Create(Arguments&&...)
      RINGLET_SEAL_GONE("write SEALContext(parms, ...), or make_shared<SEALContext>(parms, ...)");

  /// Returns the level with that identifier; null if there is none.
  SEAL_NODISCARD std::shared_ptr<const ContextData> get_context_data(parms_id_type parms_id) const;
  SEAL_NODISCARD std::shared_ptr<const ContextData> key_context_data() const;
  SEAL_NODISCARD std::shared_ptr<const ContextData> first_context_data() const;
  SEAL_NODISCARD std::shared_ptr<const ContextData> last_context_data() const;

  SEAL_NODISCARD const parms_id_type& key_parms_id() const noexcept;
  SEAL_NODISCARD const parms_id_type& first_parms_id() const noexcept;
  SEAL_NODISCARD const parms_id_type& last_parms_id() const noexcept;

  /// Returns true if the parameters are valid.
  SEAL_NODISCARD bool parameters_set() const noexcept;
  /// Return the result of validation of the first data level, or of the key level if the parameters
  /// are not valid.
  SEAL_NODISCARD const char* parameter_error_name() const noexcept;
  SEAL_NODISCARD const char* parameter_error_message() const noexcept;
  /// Returns true if there is a special prime, so that relinearization and Galois keys can be made.
  SEAL_NODISCARD bool using_keyswitching() const noexcept;

 private:
  friend struct detail::NativeAccess;

  std::shared_ptr<const detail::ContextChain> chain_;
};

class RINGLET_SEAL_API SEALContext::ContextData {
 public:
  ContextData(const ContextData&) = delete;
  ContextData& operator=(const ContextData&) = delete;
  ~ContextData();

  /// Returns the parameters of this level: those of the context with this level's primes.
  SEAL_NODISCARD const EncryptionParameters& parms() const noexcept;
  SEAL_NODISCARD const parms_id_type& parms_id() const noexcept { return parms().parms_id(); }
  SEAL_NODISCARD EncryptionParameterQualifiers qualifiers() const noexcept;
  /// Returns the product of the primes as little-endian words, as many as there are primes; null if
  /// the primes were refused.
  SEAL_NODISCARD const std::uint64_t* total_coeff_modulus() const noexcept;
  /// Returns the number of significant bits of the product of the primes; 0 if they were refused.
  SEAL_NODISCARD int total_coeff_modulus_bit_count() const noexcept;

  /// Returns the level with one prime more; null at the key level, and if that level no longer
  /// exists.
  SEAL_NODISCARD std::shared_ptr<const ContextData> prev_context_data() const noexcept;
  /// Returns the level with one prime less; null at the last level.
  SEAL_NODISCARD std::shared_ptr<const ContextData> next_context_data() const noexcept;
  /// Returns 0 for the last level, and one more for each level above it.
  SEAL_NODISCARD std::size_t chain_index() const noexcept;

  // Precomputed data for the polynomials of this level. Null or 0 if the parameters are not valid.

  /// Returns the operations modulo this level's primes, made at the first request.
  SEAL_NODISCARD const seal4_util::RNSTool* rns_tool() const;
  /// Returns the transforms modulo this level's primes, in their order.
  SEAL_NODISCARD const seal4_util::NTTTables* small_ntt_tables() const;
  /// Returns the transform modulo t; null without batching, and for CKKS.
  SEAL_NODISCARD const seal4_util::NTTTables* plain_ntt_tables() const;
  SEAL_NODISCARD const seal4_util::GaloisTool* galois_tool() const noexcept;
  /// Returns floor(q/t) modulo each prime (BFV and BGV); null for CKKS.
  SEAL_NODISCARD const seal4_util::MultiplyUIntModOperand* coeff_div_plain_modulus() const noexcept;
  /// Returns q mod t (BFV and BGV); 0 for CKKS.
  SEAL_NODISCARD std::uint64_t coeff_modulus_mod_plain_modulus() const noexcept;
  /// Returns (t + 1)/2 rounded down (BFV and BGV), or 2^63 (CKKS): the smallest coefficient that
  /// represents a negative number.
  SEAL_NODISCARD std::uint64_t plain_upper_half_threshold() const noexcept;
  /// Returns the summand that converts a coefficient of a negative number from modulo t to modulo q
  /// (BFV and BGV): with using_fast_plain_lift, prime - t for each prime, otherwise q - t as
  /// little-endian words. For CKKS returns -2^64 modulo each prime.
  SEAL_NODISCARD const std::uint64_t* plain_upper_half_increment() const noexcept;
  /// Returns (q + 1)/2 rounded down, as little-endian words (CKKS); null for BFV and BGV.
  SEAL_NODISCARD const std::uint64_t* upper_half_threshold() const noexcept;
  /// Returns q mod t, modulo each prime (BFV and BGV); null for CKKS.
  SEAL_NODISCARD const std::uint64_t* upper_half_increment() const noexcept;

 private:
  friend struct detail::ContextChain;
  friend struct detail::NativeAccess;

  explicit ContextData(std::unique_ptr<detail::ContextLevel> level) noexcept;

  std::unique_ptr<detail::ContextLevel> level_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
