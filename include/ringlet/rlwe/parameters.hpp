// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "ringlet/rlwe/security.hpp"

namespace ringlet {

/// A homomorphic-encryption scheme. A Context refuses `none`.
enum class SchemeType : std::uint8_t { none = 0, bfv = 1, ckks = 2, bgv = 3 };

/// Returns "none", "bfv", "ckks" or "bgv".
RINGLET_API const char* to_string(SchemeType scheme) noexcept;

/// Identifies the parameters and one level of their modulus chain; see ContextData::parms_id.
using ParmsId = std::array<std::uint64_t, 4>;
/// The identifier of objects that belong to no level, such as empty objects.
inline constexpr ParmsId kParmsIdZero{};

/// Returns the identifier as 64 hexadecimal digits, most significant digit of each word first.
RINGLET_API std::string to_string(const ParmsId& parms_id);

/// Limits of a coefficient modulus.
inline constexpr std::size_t kMaxCoeffModulusCount = 256;
inline constexpr int kMaxCoeffModulusBits = 61;
/// Largest number of bits of a plain modulus.
inline constexpr int kMaxPlainModulusBits = 60;

/// Functions that choose a plain modulus.
struct RINGLET_API PlainModulus {
  /// Returns the largest prime = 1 mod 2*degree of exactly `bits` bits that is not in `taken`.
  /// Messages then have N slots. Pass the primes of the coefficient modulus as `taken` if they may
  /// have the same number of bits.
  /// @throws InvalidArgument if degree is not a power of two in [2, 131072], bits is outside
  ///         [2, 60], or there is no such prime.
  static Modulus batching(std::size_t degree, int bits, std::span<const Modulus> taken = {});
};

/// Functions that choose the primes of a coefficient modulus.
struct RINGLET_API CoeffModulus {
  /// Returns primes = 1 mod 2*degree, one of bit_sizes[i] bits at each position i. If a size b
  /// occurs c times, its primes are the first c primes of exactly b bits in the order of
  /// `preference`, by default the c largest. The first of them is at the last position of size b,
  /// and so on towards the front: by default they are in ascending order. An empty list gives an
  /// empty result.
  ///
  /// The last prime becomes the special prime of key switching and should be at least as large as
  /// the others. PrimePreference::half_word_one gives faster transforms for sizes from 55 to 61;
  /// for smaller sizes it also takes the largest primes, which are near a power of two. Sizes up to
  /// 49 are the fastest. Primes that divide `plain_modulus` are left out.
  /// @throws InvalidArgument if degree is not a power of two in [2, 131072], there are more than
  ///         256 sizes, a size is outside [2, 61], or there are too few such primes.
  static std::vector<Modulus> create(std::size_t degree, const std::vector<int>& bit_sizes,
                                     PrimePreference preference = PrimePreference::largest,
                                     std::uint64_t plain_modulus = 1);
  /// Returns primes for any ring, each 1 mod ring.modulus_step(); otherwise as the function for a
  /// degree.
  static std::vector<Modulus> create(const RingSpec& ring, const std::vector<int>& bit_sizes,
                                     PrimePreference preference = PrimePreference::largest,
                                     std::uint64_t plain_modulus = 1);

  /// Returns max_modulus_bits(); this is its name in SEAL.
  static int max_bit_count(std::size_t degree, SecurityLevel level = SecurityLevel::tc128,
                           SecurityTable table = SecurityTable::classical_2024) noexcept {
    return max_modulus_bits(degree, level, table);
  }
};

/// The parameters of a scheme: the ring, the primes of the modulus and, for BFV and BGV, the
/// modulus of messages. A plain value: the setters check nothing that depends on another setting,
/// and Context validates all settings.
class RINGLET_API EncryptionParameters {
 public:
  explicit EncryptionParameters(SchemeType scheme = SchemeType::none) noexcept : scheme_(scheme) {}

  /// Sets N, for the ring Z[X]/(X^N + 1).
  void set_poly_modulus_degree(std::size_t degree) noexcept {
    degree_ = degree;
    general_ring_.reset();
  }
  /// Sets a cyclotomic ring, for BFV and BGV. For the ring of X^N + 1, this is
  /// set_poly_modulus_degree(N).
  void set_ring(const RingSpec& ring) noexcept {
    degree_ = ring.degree();
    general_ring_.reset();
    if (ring.kind() != RingKind::power_of_two_cyclotomic) general_ring_ = ring;
  }

  /// Sets the data primes, in the order in which levels keep them (the last data prime is dropped
  /// first), and the special primes. Ciphertexts use the data primes, key-switching keys use all
  /// primes. Key switching divides the noise of the keys by the product of the special primes.
  /// Without special primes there is no key switching.
  void set_coeff_modulus(std::vector<Modulus> data_primes, std::vector<Modulus> special_primes);
  /// Sets the primes as SEAL does: if there are several, the last one is the only special prime.
  void set_coeff_modulus(std::vector<Modulus> primes);

  /// Sets the number of data primes of one digit of key switching. 0, the default, means the number
  /// of special primes. Larger digits need more special primes, but make keys smaller and key
  /// switching faster.
  void set_digit_size(std::size_t primes_per_digit) noexcept { digit_size_ = primes_per_digit; }

  /// Sets t: messages of BFV and BGV are polynomials modulo t.
  void set_plain_modulus(const Modulus& plain_modulus) noexcept {
    plain_modulus_ = plain_modulus.value();
  }

  SchemeType scheme() const noexcept { return scheme_; }
  /// Returns the ring's degree.
  std::size_t poly_modulus_degree() const noexcept { return degree_; }
  /// Returns the ring of set_ring(), or X^N + 1 for the N of set_poly_modulus_degree().
  /// @throws InvalidArgument if that N is not a power of two in [2, 131072].
  RingSpec ring() const;
  /// Returns true if the ring is not that of X^N + 1.
  bool has_general_ring() const noexcept { return general_ring_.has_value(); }
  /// Returns the data primes followed by the special primes.
  const std::vector<Modulus>& coeff_modulus() const noexcept { return primes_; }
  std::span<const Modulus> data_primes() const noexcept {
    return std::span(primes_).first(primes_.size() - special_prime_count_);
  }
  std::span<const Modulus> special_primes() const noexcept {
    return std::span(primes_).last(special_prime_count_);
  }
  /// Returns the number of data primes per digit: the value of set_digit_size() or, by default, the
  /// number of special primes.
  std::size_t digit_size() const noexcept {
    return digit_size_ != 0 ? digit_size_ : special_prime_count_;
  }
  /// Returns the number of digits of key switching over all data primes; 0 without special primes.
  std::size_t digit_count() const noexcept;
  /// Returns t, or 0 if it was not set.
  std::uint64_t plain_modulus() const noexcept { return plain_modulus_; }

  /// Returns true if a and b give the same Context. A digit size that was set equals the same digit
  /// size by default.
  friend bool operator==(const EncryptionParameters& a, const EncryptionParameters& b) noexcept {
    return a.scheme_ == b.scheme_ && a.degree_ == b.degree_ && a.general_ring_ == b.general_ring_ &&
           a.primes_ == b.primes_ && a.special_prime_count_ == b.special_prime_count_ &&
           a.digit_size() == b.digit_size() && a.plain_modulus_ == b.plain_modulus_;
  }

 private:
  SchemeType scheme_;
  std::size_t degree_ = 0;
  std::optional<RingSpec> general_ring_;  // none for X^N + 1
  std::vector<Modulus> primes_;
  std::size_t special_prime_count_ = 0;
  std::size_t digit_size_ = 0;
  std::uint64_t plain_modulus_ = 0;
};

}  // namespace ringlet
