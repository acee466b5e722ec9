// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/ring/rns_basis.hpp"

namespace ringlet {

/// Largest number of primes that a conversion starts from.
inline constexpr std::size_t kMaxConversionSize = 256;
/// Largest bit count of a modulus outside the basis that a conversion leads to.
inline constexpr int kMaxConversionModulusBits = 60;

/// The constants of a conversion of RNS residues, from the primes q_0, ..., q_{k-1} with product Q
/// to other moduli p_j. Immutable; Backend::convert_basis and convert_to_modulus do the work.
///
/// Of a with residues a_i, and with the constants below,
///   y_i = a_i * (Q/q_i)^-1 mod q_i
///   u = floor((2^(s-1) + sum over i of floor(y_i * theta_i / 2^w)) / 2^s)
///   r = sum over i of y_i * (Q/q_i) - u * Q
/// and the result is r mod p_j: one integer formula, the same everywhere. r is congruent to a, and
///   -Q/2 <= r < Q/2 + Q * d  with  d = 5*k / 2^(s+2),
/// so r is the representative of least absolute value, unless that one is below -Q/2 + Q*d: then it
/// may be this one plus Q (or plus 2*Q and more if d > 1, which needs a prime below 2.5*k). For one
/// prime it is always the one of least absolute value, a_0 or a_0 - q_0. Derivation:
/// docs/notes/basis_conversion.md; the fixed-point count follows Halevi, Polyakov and Shoup, IACR
/// ePrint 2018/117, section 2.2, who take floating point for it.
class RINGLET_API BasisConversion {
 public:
  /// From the primes of indices `from` in `basis` to those of indices `to`, which may have primes
  /// of `from` among them and may be empty.
  /// @throws InvalidArgument if `from` is empty, longer than 256 or repeats a prime; OutOfRange if
  ///         `basis` has no such prime.
  BasisConversion(const RnsBasis& basis, PrimeIndices from, PrimeIndices to);
  /// To one modulus outside the basis, prime or not.
  /// @throws as above; InvalidArgument if `to` has more than 60 bits.
  BasisConversion(const RnsBasis& basis, PrimeIndices from, const Modulus& to);

  /// The conversion of before * a, multiplied by `after`: y_i = a_i * before * (Q/q_i)^-1 mod q_i,
  /// and the result is r * after mod p_j. It takes no longer; product_inverse(j) stays as it is.
  BasisConversion scaled(std::uint64_t before, std::uint64_t after) const;

  /// Indices of the primes q_i, and of the p_j (none if it leads to one modulus).
  PrimeIndices from() const noexcept { return from_; }
  PrimeIndices to() const noexcept { return to_; }
  /// The modulus outside the basis, if it leads to one.
  const std::optional<Modulus>& modulus() const noexcept { return modulus_; }

  /// w: 52 if all q_i < 2^50, so that 52-bit words do, else 64.
  int word_bits() const noexcept { return word_bits_; }
  /// s = min(floor(log2(min q_i)), 64 - bit count of k).
  int fraction_bits() const noexcept { return fraction_bits_; }
  /// theta_i = floor(2^(w+s) / q_i), below 2^w.
  std::span<const std::uint64_t> reciprocals() const noexcept { return reciprocals_; }
  /// (Q/q_i)^-1 mod q_i, times `before` if the conversion is scaled; and floor(this * 2^64 / q_i).
  std::span<const std::uint64_t> punctured_inverses() const noexcept { return inverses_; }
  std::span<const std::uint64_t> punctured_inverse_quotients() const noexcept {
    return inverse_quotients_;
  }
  /// Q/q_i mod p_j for all i, times `after`. With a modulus outside the basis, that is p_0.
  /// @throws OutOfRange if there is no p_j.
  std::span<const std::uint64_t> punctured_products(std::size_t j) const;
  /// What y_0, ..., y_{k-1} and u are multiplied by: punctured_products(j), and -product(j).
  /// @throws OutOfRange.
  std::span<const std::uint64_t> factors(std::size_t j) const;
  /// Q mod p_j, times `after`, and the inverse of Q, or 0 where there is none. @throws OutOfRange.
  std::uint64_t product(std::size_t j) const;
  std::uint64_t product_inverse(std::size_t j) const;

 private:
  /// What a target modulus needs.
  struct Target {
    Modulus modulus;
    std::vector<std::uint64_t> factors;
    std::uint64_t product;
    std::uint64_t product_inverse;
  };

  BasisConversion(const RnsBasis& basis, PrimeIndices from);
  Target make_target(const Modulus& p) const;
  const Target& target(std::size_t j) const;

  std::vector<Modulus> moduli_;  // the q_i
  std::vector<std::size_t> from_;
  std::vector<std::size_t> to_;
  std::optional<Modulus> modulus_;
  int word_bits_ = 0;
  int fraction_bits_ = 0;
  std::vector<std::uint64_t> reciprocals_;
  std::vector<std::uint64_t> inverses_;
  std::vector<std::uint64_t> inverse_quotients_;
  std::vector<Target> targets_;
};

/// The constants of round(t/Q * x) for polynomials x that are known modulo Q and modulo R, the
/// products of the primes q_i and of the primes r_j. Immutable; Backend::scale_and_round does the
/// work.
///
/// With z = what a BasisConversion from Q to R makes of t*x, so that z is t*x modulo Q,
///   the result is what a BasisConversion from R to Q makes of (t*x - z) / Q modulo R.
/// That is the integer (t*x - z) / Q modulo the q_i, if its absolute value is at most R/4.
class RINGLET_API RnsScaling {
 public:
  /// @throws as BasisConversion; InvalidArgument if the bases have a prime in common.
  RnsScaling(const RnsBasis& basis, PrimeIndices q, PrimeIndices r, std::uint64_t t);

  PrimeIndices q() const noexcept { return remainder_.from(); }
  PrimeIndices r() const noexcept { return quotient_.from(); }
  /// From Q to R, scaled by t before: z. And from R to Q.
  const BasisConversion& remainder() const noexcept { return remainder_; }
  const BasisConversion& quotient() const noexcept { return quotient_; }

  /// t/Q and -1/Q modulo each r_j: (t*x - z)/Q = x * multipliers() + z * negated_inverses().
  std::span<const std::uint64_t> multipliers() const noexcept { return multipliers_; }
  std::span<const std::uint64_t> negated_inverses() const noexcept { return negated_inverses_; }
  /// The same as one sum: what y_j of quotient() is made of, from y_0, ..., y_{k-1}, u of
  /// remainder() and x modulo r_j. @throws OutOfRange.
  std::span<const std::uint64_t> factors(std::size_t j) const;

 private:
  BasisConversion remainder_;
  BasisConversion quotient_;
  std::vector<std::uint64_t> multipliers_;
  std::vector<std::uint64_t> negated_inverses_;
  std::vector<std::uint64_t> factors_;  // a row for each r_j
};

}  // namespace ringlet
