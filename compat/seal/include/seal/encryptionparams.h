// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "seal/modulus.h"
#include "seal/randomgen.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"
#include "seal/version.h"

namespace ringlet::seal4 {

/// Homomorphic-encryption schemes.
enum class scheme_type : std::uint8_t {
  none = 0,
  bfv = 1,
  ckks = 2,
  bgv = 3,
  BFV RINGLET_SEAL_GONE("write seal::scheme_type::bfv") = 1,
  CKKS RINGLET_SEAL_GONE("write seal::scheme_type::ckks") = 2,
};

/// Identifies the parameters of one level of a modulus chain; see EncryptionParameters::parms_id.
using parms_id_type = std::array<std::uint64_t, 4>;
/// The identifier of objects that belong to no level: objects without content, and BFV and BGV
/// plaintexts in coefficient form.
inline constexpr parms_id_type parms_id_zero{};

/// The parameters of a scheme. A plain value: the setters check little, and SEALContext validates
/// all parameters together. save() leaves the random generator out, and load() sets the default
/// generator. load() refuses all values that the setters refuse, and a degree above 131072.
class RINGLET_SEAL_API EncryptionParameters : public detail::Saved<EncryptionParameters>,
                                              public detail::LoadedAlone<EncryptionParameters> {
 public:
  EncryptionParameters(
      scheme_type scheme = scheme_type::none);  // NOLINT(google-explicit-constructor)
  /// Makes parameters of the scheme with this number.
  /// @throws std::invalid_argument if `scheme` is not a value of scheme_type.
  EncryptionParameters(std::uint8_t scheme);  // NOLINT(google-explicit-constructor)

  /// Sets N, the degree of the ring Z[X]/(X^N + 1).
  /// @throws std::logic_error if the scheme is none and the degree is not 0.
  void set_poly_modulus_degree(std::size_t poly_modulus_degree);
  /// Sets the primes. Levels drop the last prime first. If there are several primes, the last is
  /// the special prime of key switching.
  /// @throws std::logic_error if the scheme is none and the list is not empty; for the other
  ///         schemes std::invalid_argument unless there are 1 to 256 primes.
  void set_coeff_modulus(const std::vector<Modulus>& coeff_modulus);
  /// Sets t.
  /// @throws std::logic_error if the scheme is neither BFV nor BGV and t is not 0;
  ///         std::invalid_argument if t is not a valid Modulus.
  void set_plain_modulus(const Modulus& plain_modulus);
  void set_plain_modulus(std::uint64_t plain_modulus);
  /// Sets the source of all randomness of a context with these parameters; null means the default
  /// source.
  void set_random_generator(std::shared_ptr<UniformRandomGeneratorFactory> random_generator) {
    random_generator_ = std::move(random_generator);
  }

  SEAL_NODISCARD scheme_type scheme() const noexcept { return scheme_; }
  SEAL_NODISCARD std::size_t poly_modulus_degree() const noexcept { return poly_modulus_degree_; }
  SEAL_NODISCARD const std::vector<Modulus>& coeff_modulus() const noexcept {
    return coeff_modulus_;
  }
  SEAL_NODISCARD const Modulus& plain_modulus() const noexcept { return plain_modulus_; }
  SEAL_NODISCARD std::shared_ptr<UniformRandomGeneratorFactory> random_generator() const noexcept {
    return random_generator_;
  }

  /// Returns BLAKE2b-256 of 64-bit little-endian words: the scheme, N, the primes in order, t (0
  /// for CKKS). The random generator has no effect on it.
  SEAL_NODISCARD const parms_id_type& parms_id() const noexcept { return parms_id_; }

  /// Returns true if the identifiers are equal.
  SEAL_NODISCARD bool operator==(const EncryptionParameters& other) const noexcept {
    return parms_id_ == other.parms_id_;
  }
  SEAL_NODISCARD bool operator!=(const EncryptionParameters& other) const noexcept {
    return parms_id_ != other.parms_id_;
  }

 private:
  void compute_parms_id();

  scheme_type scheme_ = scheme_type::none;
  std::size_t poly_modulus_degree_ = 0;
  std::vector<Modulus> coeff_modulus_;
  Modulus plain_modulus_;
  std::shared_ptr<UniformRandomGeneratorFactory> random_generator_;
  parms_id_type parms_id_{};
};

}  // namespace ringlet::seal4

/// Hashes identifiers and parameters for hash tables: h = 17, then h = 31*h + word.
template <>
struct std::hash<ringlet::seal4::parms_id_type> {
  std::size_t operator()(const ringlet::seal4::parms_id_type& parms_id) const noexcept {
    std::uint64_t result = 17;
    for (const std::uint64_t word : parms_id) result = 31 * result + word;
    return static_cast<std::size_t>(result);
  }
};

template <>
struct std::hash<ringlet::seal4::EncryptionParameters> {
  std::size_t operator()(const ringlet::seal4::EncryptionParameters& parms) const noexcept {
    return std::hash<ringlet::seal4::parms_id_type>{}(parms.parms_id());
  }
};

namespace seal {
using namespace ringlet::seal4;
}
