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

/// Largest index m of a cyclotomic polynomial: that of the largest power-of-two ring.
inline constexpr std::uint64_t kMaxCyclotomicIndex = 262144;

/// Phi_m, the m-th cyclotomic polynomial: the monic polynomial whose roots are the primitive m-th
/// roots of unity. Immutable; copies share the coefficients.
class RINGLET_API CyclotomicPolynomial {
 public:
  /// In time linear in m for each prime divisor of m: Phi_m is the product of (X^d - 1)^mu(m/d)
  /// over the divisors d of m.
  /// @throws InvalidArgument unless index is from 1 to 262144.
  explicit CyclotomicPolynomial(std::uint64_t index);

  /// m.
  std::uint64_t index() const noexcept { return index_; }
  /// n = phi(m), Euler's function.
  std::size_t degree() const noexcept { return coefficients_->size() - 1; }
  /// n + 1 coefficients, that of X^0 first.
  std::span<const std::int32_t> coefficients() const noexcept { return *coefficients_; }
  /// Coefficients that are not 0.
  std::size_t weight() const noexcept { return weight_; }
  /// beta = m / rad(m): only multiples of beta occur as exponents.
  std::size_t stride() const noexcept { return stride_; }
  /// The largest coefficient in absolute value.
  std::int32_t max_coefficient() const noexcept { return max_coefficient_; }
  /// The divisors d of m with mu(m/d) = 1, and those with mu(m/d) = -1, both descending: Phi_m is
  /// the product of X^d - 1 over the first, divided by that over the second.
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

/// Ways to reduce a polynomial modulo Phi_m; all give the same result.
enum class ReductionMethod : std::uint8_t {
  /// Fold modulo X^m - 1, then divide by Phi_m as a product of sparse factors: running sums and
  /// differences. Linear time for every m. The default.
  sparse_divisors,
  /// The linear system of Migliore et al. (2017), equation 10, over blocks of `stride`
  /// coefficients:
  /// additions and subtractions of blocks, generated once from the coefficients of Phi_m.
  block_system,
  /// Two products of polynomials (Barrett); quadratic here. The reference.
  barrett,
};

/// Reduction modulo Phi_m. Immutable, cheap to copy, shared by threads. Constant time in the data.
class RINGLET_API CyclotomicReduction {
 public:
  /// @throws InvalidArgument if `method` is block_system and Phi_m has a coefficient outside of
  ///         {-1, 0, 1}, or more than 4096 that are not 0.
  explicit CyclotomicReduction(const CyclotomicPolynomial& polynomial,
                               ReductionMethod method = ReductionMethod::sparse_divisors);

  /// a modulo Phi_m in [0, n), for words modulo 2^64: `a` has from n to 2m coefficients, those from
  /// n on are used up and unspecified afterwards. Exact modulo 2^64, hence for signed integers
  /// whose result fits 63 bits, and for each plane of integers that are split into planes.
  /// @throws InvalidArgument if `a` has another number of coefficients.
  void reduce_words(std::span<std::uint64_t> a) const;
  /// The same for residues modulo q, reduced in and out. Integers of 64 bits that are reduced
  /// modulo q at the end, where reduction_growth * q allows it, else sums modulo q.
  void reduce_residues(std::span<std::uint64_t> a, const Modulus& q) const;

  ReductionMethod method() const noexcept;
  /// Additions and subtractions of one reduction of 2n - 1 coefficients; for tables.
  std::size_t operation_count() const noexcept;

 private:
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};

/// The largest sum of absolute values of a row of the matrix that takes `count` coefficients
/// (n <= count <= 2m) to their remainder modulo Phi_m: how much coefficients can grow. For r the
/// product of the primes in m, in time (r - phi(r)) * phi(r) and memory of a few times phi(r).
/// @throws InvalidArgument if count is out of this range.
RINGLET_API std::uint64_t reduction_growth(const CyclotomicPolynomial& polynomial,
                                           std::size_t count);

/// The smallest d that is known to satisfy max|a*b mod Phi_m| <= d * max|a| * max|b| for all
/// polynomials of degree below n: over each coefficient of the result, the sum of the absolute
/// values with which the products a_i * b_j enter. n for X^n + 1, 2n - 1 for a prime m. Time and
/// memory as above.
RINGLET_API std::uint64_t expansion_factor(const CyclotomicPolynomial& polynomial);

}  // namespace ringlet
