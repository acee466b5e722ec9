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

/// Largest number of primes from which a conversion starts.
inline constexpr std::size_t kMaxConversionSize = 256;
/// Largest number of bits of a target modulus that is outside the basis.
inline constexpr int kMaxConversionModulusBits = 60;

/// Holds the constants of a conversion of RNS residues, from the primes q_0, ..., q_{k-1} with
/// product Q to other moduli p_j. Immutable; Backend::convert_basis and convert_to_modulus do the
/// work.
///
/// For a with residues a_i, and with the constants below,
///   y_i = a_i * (Q/q_i)^-1 mod q_i
///   u = floor((2^(s-1) + sum over i of floor(y_i * theta_i / 2^w)) / 2^s)
///   r = sum over i of y_i * (Q/q_i) - u * Q
/// the result is r mod p_j: one integer formula with the same bits on every backend. r is congruent
/// to a, and
///   -Q/2 <= r < Q/2 + Q * d  with  d = 5*k / 2^(s+2).
/// Thus r is the representative of a with the least absolute value, with one exception: if that
/// representative is below -Q/2 + Q*d, r may be that representative plus Q. For d > 1, which needs
/// a prime below 2.5*k, r may also be larger by 2*Q or more. For one prime r is always the
/// representative of least absolute value, a_0 or a_0 - q_0. Derivation:
/// docs/notes/basis_conversion.md. The fixed-point count replaces the floating-point count of
/// Halevi, Polyakov and Shoup, IACR ePrint 2018/117, section 2.2.
class RINGLET_API BasisConversion {
 public:
  /// Makes a conversion from the primes of indices `from` in `basis` to the primes of indices `to`.
  /// `to` may be empty and may contain primes of `from`.
  /// @throws InvalidArgument if `from` is empty, longer than 256 or repeats a prime; OutOfRange if
  ///         `basis` has no such prime.
  BasisConversion(const RnsBasis& basis, PrimeIndices from, PrimeIndices to);
  /// Makes a conversion to one modulus outside the basis, prime or not.
  /// @throws as the first constructor; InvalidArgument if `to` has more than 60 bits.
  BasisConversion(const RnsBasis& basis, PrimeIndices from, const Modulus& to);

  /// Returns the conversion of `before` * a, multiplied by `after`:
  /// y_i = a_i * before * (Q/q_i)^-1 mod q_i, and the result is r * after mod p_j. The returned
  /// conversion costs as much as this conversion and has the same product_inverse(j).
  BasisConversion scaled(std::uint64_t before, std::uint64_t after) const;

  /// Return the indices of the primes q_i, and of the p_j (empty if the target is one modulus
  /// outside the basis).
  PrimeIndices from() const noexcept { return from_; }
  PrimeIndices to() const noexcept { return to_; }
  /// Returns the target modulus if it is outside the basis.
  const std::optional<Modulus>& modulus() const noexcept { return modulus_; }

  /// Returns w: 52 if all q_i < 2^50, so that 52-bit words suffice, else 64.
  int word_bits() const noexcept { return word_bits_; }
  /// Returns s = min(floor(log2(min q_i)), 64 - bit count of k).
  int fraction_bits() const noexcept { return fraction_bits_; }
  /// Returns theta_i = floor(2^(w+s) / q_i), below 2^w, for each i.
  std::span<const std::uint64_t> reciprocals() const noexcept { return reciprocals_; }
  /// Return (Q/q_i)^-1 mod q_i, times `before` if the conversion is scaled, and Shoup's quotients
  /// of these factors, floor(factor * 2^64 / q_i).
  std::span<const std::uint64_t> punctured_inverses() const noexcept { return inverses_; }
  std::span<const std::uint64_t> punctured_inverse_quotients() const noexcept {
    return inverse_quotients_;
  }
  /// Returns Q/q_i mod p_j for all i, times `after`. A modulus outside the basis is p_0.
  /// @throws OutOfRange if there is no p_j.
  std::span<const std::uint64_t> punctured_products(std::size_t j) const;
  /// Returns the factors of y_0, ..., y_{k-1} and u in the result: punctured_products(j), then
  /// -product(j).
  /// @throws OutOfRange if there is no p_j.
  std::span<const std::uint64_t> factors(std::size_t j) const;
  /// Return Q mod p_j times `after`, and the inverse of Q modulo p_j, or 0 if there is none.
  /// @throws OutOfRange if there is no p_j.
  std::uint64_t product(std::size_t j) const;
  std::uint64_t product_inverse(std::size_t j) const;

 private:
  /// Holds the constants of one target modulus.
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

/// Holds the constants of round(t/Q * x) for polynomials x that are known modulo Q and modulo R,
/// the products of the primes q_i and of the primes r_j. Immutable; Backend::scale_and_round does
/// the work.
///
/// Let z be the result of a BasisConversion from Q to R of t*x; z is congruent to t*x modulo Q. The
/// result is a BasisConversion from R to Q of (t*x - z) / Q modulo R. This is the integer
/// (t*x - z) / Q modulo the q_i, if the absolute value of this integer is at most R/4.
class RINGLET_API RnsScaling {
 public:
  /// Makes the constants for the primes of indices `q` and `r` in `basis`.
  /// @throws as BasisConversion; InvalidArgument if `q` and `r` have a prime in common.
  RnsScaling(const RnsBasis& basis, PrimeIndices q, PrimeIndices r, std::uint64_t t);

  PrimeIndices q() const noexcept { return remainder_.from(); }
  PrimeIndices r() const noexcept { return quotient_.from(); }
  /// Return the conversion of t*x from Q to R, whose result is z, and the conversion from R to Q.
  const BasisConversion& remainder() const noexcept { return remainder_; }
  const BasisConversion& quotient() const noexcept { return quotient_; }

  /// Return t/Q and -1/Q modulo each r_j: (t*x - z)/Q = x * multipliers() + z * negated_inverses().
  std::span<const std::uint64_t> multipliers() const noexcept { return multipliers_; }
  std::span<const std::uint64_t> negated_inverses() const noexcept { return negated_inverses_; }
  /// Returns the factors of a sum whose value is y_j of quotient(). Its terms are y_0, ..., y_{k-1}
  /// and u of remainder(), and x modulo r_j.
  /// @throws OutOfRange if there is no r_j.
  std::span<const std::uint64_t> factors(std::size_t j) const;

 private:
  BasisConversion remainder_;
  BasisConversion quotient_;
  std::vector<std::uint64_t> multipliers_;
  std::vector<std::uint64_t> negated_inverses_;
  std::vector<std::uint64_t> factors_;  // a row for each r_j
};

}  // namespace ringlet
