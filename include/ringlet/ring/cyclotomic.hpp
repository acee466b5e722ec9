// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"

namespace ringlet {

/// Largest index m of a cyclotomic polynomial: the index of the largest power-of-two ring.
inline constexpr std::uint64_t kMaxCyclotomicIndex = 262144;

/// The m-th cyclotomic polynomial Phi_m: the monic polynomial whose roots are the primitive m-th
/// roots of unity. Immutable; copies share the coefficients.
class RINGLET_API CyclotomicPolynomial {
 public:
  /// Computes the coefficients from Phi_m = product of (X^d - 1)^mu(m/d) over the divisors d of m.
  /// The time is linear in m for each prime divisor of m.
  /// @throws InvalidArgument unless index is from 1 to 262144.
  explicit CyclotomicPolynomial(std::uint64_t index);

  /// Returns m.
  std::uint64_t index() const noexcept { return index_; }
  /// Returns n = phi(m), Euler's function of m.
  std::size_t degree() const noexcept { return coefficients_->size() - 1; }
  /// Returns the n + 1 coefficients, the coefficient of X^0 first.
  std::span<const std::int32_t> coefficients() const noexcept { return *coefficients_; }
  /// Returns the number of coefficients that are not 0.
  std::size_t weight() const noexcept { return weight_; }
  /// Returns beta = m / rad(m), where rad(m) is the product of the primes in m: only multiples of
  /// beta occur as exponents.
  std::size_t stride() const noexcept { return stride_; }
  /// Returns the largest absolute value of a coefficient.
  std::int32_t max_coefficient() const noexcept { return max_coefficient_; }
  /// Return the divisors d of m with mu(m/d) = 1 (factors) and with mu(m/d) = -1 (divisors), both
  /// in descending order. Phi_m is the product of X^d - 1 over the former, divided by the product
  /// of X^d - 1 over the latter.
  std::span<const std::uint64_t> factors() const noexcept { return factors_; }
  std::span<const std::uint64_t> divisors() const noexcept { return divisors_; }

 private:
  std::uint64_t index_;
  std::shared_ptr<const std::vector<std::int32_t>> coefficients_;
  std::size_t weight_ = 0;
  std::size_t stride_ = 1;
  std::int32_t max_coefficient_ = 0;
  std::vector<std::uint64_t> factors_;
  std::vector<std::uint64_t> divisors_;
};

/// Methods to reduce a polynomial modulo Phi_m. All give the same result.
enum class ReductionMethod : std::uint8_t {
  /// Folds modulo X^m - 1, then divides by Phi_m as a product of sparse factors, by running sums
  /// and differences. Linear time for every m. The default.
  sparse_divisors,
  /// Applies the linear system of Migliore et al. (2017), equation 10, over blocks of `stride`
  /// coefficients, by additions and subtractions of blocks. The list of these operations is
  /// generated once from the coefficients of Phi_m.
  block_system,
  /// Computes two products of polynomials (Barrett). Quadratic time here; the reference method.
  barrett,
};

/// Reduces modulo Phi_m. Immutable, cheap to copy; threads may share it. Constant time in the data.
class RINGLET_API CyclotomicReduction {
 public:
  /// Prepares a reduction by `method`.
  /// @throws InvalidArgument if `method` is block_system and Phi_m has a coefficient outside
  ///         {-1, 0, 1}, or more than 4096 coefficients that are not 0.
  explicit CyclotomicReduction(const CyclotomicPolynomial& polynomial,
                               ReductionMethod method = ReductionMethod::sparse_divisors);

  /// Replaces the coefficients [0, n) of a by a modulo Phi_m, for words modulo 2^64. `a` has from n
  /// to 2m coefficients; the coefficients from n on are unspecified afterwards. The result is exact
  /// modulo 2^64. It is thus exact for signed integers whose result fits 63 bits, and for each
  /// plane of integers that are split into planes.
  /// @throws InvalidArgument if `a` has another number of coefficients.
  void reduce_words(std::span<std::uint64_t> a) const;
  /// Reduces as reduce_words, for residues modulo q that are in [0, q) before and after. If
  /// reduction_growth * q fits 64-bit integers, words are reduced modulo q only at the end,
  /// otherwise after each addition.
  void reduce_residues(std::span<std::uint64_t> a, const Modulus& q) const;

  ReductionMethod method() const noexcept;
  /// Returns the number of additions and subtractions of one reduction of 2n - 1 coefficients; for
  /// tables in documents.
  std::size_t operation_count() const noexcept;

 private:
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};

/// Returns how much coefficients can grow: the largest sum of absolute values of a row of the
/// matrix that maps `count` coefficients (n <= count <= 2m) to their remainder modulo Phi_m. For r
/// the product of the primes in m, the time is (r - phi(r)) * phi(r), and the memory is a few times
/// phi(r).
/// @throws InvalidArgument if count is outside [n, 2m].
RINGLET_API std::uint64_t reduction_growth(const CyclotomicPolynomial& polynomial,
                                           std::size_t count);

/// Returns the smallest known d with max|a*b mod Phi_m| <= d * max|a| * max|b| for all polynomials
/// a and b of degree below n. It is the maximum, over the coefficients of the result, of the sum of
/// the absolute values of the factors with which the products a_i * b_j enter this coefficient: n
/// for X^n + 1, 2n - 1 for a prime m. Time and memory are those of reduction_growth.
RINGLET_API std::uint64_t expansion_factor(const CyclotomicPolynomial& polynomial);

}  // namespace ringlet
