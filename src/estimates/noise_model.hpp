// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "estimates/noise_terms.hpp"
#include "estimates/tail_table.hpp"
#include "ringlet/estimates/noise_estimator.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet::estimates {

/// The noise that operations add, and the bounds of noises, from parameters alone:
/// docs/notes/noise_estimate.md. Noises are those of the phase c_0 + c_1*s + ... of CKKS; for BFV
/// and BGV, multiply them by t. Immutable except for the numbers of messages.
class NoiseModel {
 public:
  /// Takes parameters that last_level_primes accepts.
  NoiseModel(const EncryptionParameters& parms, double failure_bits);

  const EncryptionParameters& parms() const noexcept { return parms_; }
  SchemeType scheme() const noexcept { return parms_.scheme(); }
  long double degree() const noexcept { return degree_; }
  /// t; 1 for CKKS.
  long double plain_modulus() const noexcept { return plain_modulus_; }
  std::uint64_t prime(std::size_t index) const { return parms_.coeff_modulus()[index].value(); }
  /// Returns the number of primes of the last level.
  std::size_t last_level() const noexcept { return last_level_; }
  /// Returns log2 of the modulus of the level of so many primes.
  double log2_modulus(std::size_t prime_count) const;
  long double modulus(std::size_t prime_count) const;
  /// Returns a number that no other encryption has.
  std::uint64_t next_message() const { return messages_.fetch_add(1); }

  /// Returns the variance at a root of a polynomial with coefficients uniform in an interval of
  /// length 1.
  long double rounding() const noexcept { return degree_ / 12; }
  /// Returns the size at the roots of factor * m, lifted to (-t/2, t/2].
  PolynomialSize lifted_size(std::span<const std::uint64_t> message, std::uint64_t factor) const;
  /// Returns the size at the roots of t*round(q/t*m) - q*m, for q of the level of so many primes.
  PolynomialSize scaling_error(std::span<const std::uint64_t> message,
                               std::size_t prime_count) const;
  /// Returns a known polynomial as part of a noise, or as a factor. It counts as random if its
  /// values at the roots have the moments of random values.
  static NoiseTerms known(const PolynomialSize& size);
  /// Returns a size that no polynomial with coefficients in (-t/2, t/2] exceeds.
  PolynomialSize largest_message() const;
  /// Returns the noise of rounding all polynomials of a ciphertext: the sum of r_k * s^k.
  NoiseTerms rounding(std::size_t size) const;
  NoiseTerms fresh_symmetric() const;
  /// Returns e*u + e_0 + e_1*s over the prime behind those of the level, if there is one, rounded.
  NoiseTerms fresh_public(std::size_t prime_count) const;
  /// Returns the sum of d_j * e_j over the product of the special primes, plus rounding.
  NoiseTerms key_switch(std::size_t prime_count) const;

  /// Returns E|w|^2, the mean over all roots.
  static long double mean_square(const NoiseTerms& noise);
  /// Returns the number of roots over which a noise is spread.
  long double spread(const NoiseTerms& noise) const;
  /// Returns what no slot exceeds, except with probability 2^-failure_bits.
  long double slot_bound(const NoiseTerms& noise, Dependence dependence) const;
  /// Returns what no coefficient exceeds, except with probability 2^-failure_bits.
  long double coefficient_bound(const NoiseTerms& noise, Dependence dependence) const;

 private:
  EncryptionParameters parms_;
  std::size_t last_level_;
  long double degree_;
  long double error_;   ///< E|e|^2 at a root
  long double secret_;  ///< E|s|^2 at a root
  long double plain_modulus_;
  TailTable slot_tails_;
  TailTable coefficient_tails_;
  long double coefficient_factor_ = 1;
  mutable std::atomic<std::uint64_t> messages_{0};
};

}  // namespace ringlet::estimates
