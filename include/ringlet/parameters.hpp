// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ringlet/export.hpp"
#include "ringlet/modulus.hpp"
#include "ringlet/security.hpp"

namespace ringlet {

/// Homomorphic-encryption schemes. This version implements CKKS; a Context refuses the others.
enum class SchemeType : std::uint8_t { none = 0, bfv = 1, ckks = 2, bgv = 3 };

/// "none", "bfv", "ckks" or "bgv".
RINGLET_API const char* to_string(SchemeType scheme) noexcept;

/// Identifies the parameters of one level of a modulus chain; see EncryptionParameters::parms_id.
using ParmsId = std::array<std::uint64_t, 4>;
/// The identifier of no level: that of an object that holds nothing.
inline constexpr ParmsId kParmsIdZero{};

/// The identifier as 64 hexadecimal digits, most significant digit of each word first.
RINGLET_API std::string to_string(const ParmsId& parms_id);

/// Limits of a coefficient modulus.
inline constexpr std::size_t kMaxCoeffModulusCount = 256;
inline constexpr int kMaxCoeffModulusBits = 61;

/// Ways to choose the primes of a coefficient modulus.
struct RINGLET_API CoeffModulus {
  /// One prime = 1 mod 2*degree of bit_sizes[i] bits at each position i. A size b that occurs c
  /// times takes the c largest primes of exactly b bits; they are placed from the smallest to the
  /// largest. An empty list gives an empty result. The last prime becomes the special prime of key
  /// switching and should be at least as large as the others.
  /// @throws InvalidArgument if degree is not a power of two in [2, 131072], there are more than
  ///         256 sizes, a size is outside [2, 61], or there are too few such primes.
  static std::vector<Modulus> create(std::size_t degree, const std::vector<int>& bit_sizes);

  /// max_modulus_bits under the name that SEAL's users know.
  static int max_bit_count(std::size_t degree, SecurityLevel level = SecurityLevel::tc128,
                           SecurityTable table = SecurityTable::classical_2024) noexcept {
    return max_modulus_bits(degree, level, table);
  }
};

/// What a scheme is run with: the ring's degree and the primes of the modulus. A plain value: the
/// setters check nothing that depends on the other setting; Context validates the whole.
class RINGLET_API EncryptionParameters {
 public:
  explicit EncryptionParameters(SchemeType scheme = SchemeType::none) noexcept : scheme_(scheme) {}

  /// N, of the ring Z[X]/(X^N + 1). Validated by Context.
  void set_poly_modulus_degree(std::size_t degree) noexcept { degree_ = degree; }
  /// The primes, data primes first in the order in which levels keep them (the last one is dropped
  /// first). If there is more than one, the last is the special prime of key switching and
  /// ciphertexts live over the others. Validated by Context.
  void set_coeff_modulus(std::vector<Modulus> primes) noexcept { primes_ = std::move(primes); }

  SchemeType scheme() const noexcept { return scheme_; }
  std::size_t poly_modulus_degree() const noexcept { return degree_; }
  const std::vector<Modulus>& coeff_modulus() const noexcept { return primes_; }

  /// SHA-256 of: the 16 ASCII bytes "ringlet.parms.v1", then as 64-bit little-endian words the
  /// scheme, the kind of ring (1), N, the plain modulus (0 for CKKS), the number of primes and the
  /// primes in order. Byte 8i+j of the digest is byte j, least significant first, of word i.
  /// Security settings and kernels do not enter it.
  /// @throws RuntimeError if the hash is not available.
  ParmsId parms_id() const;

  friend bool operator==(const EncryptionParameters&, const EncryptionParameters&) = default;

 private:
  SchemeType scheme_;
  std::size_t degree_ = 0;
  std::vector<Modulus> primes_;
};

}  // namespace ringlet
