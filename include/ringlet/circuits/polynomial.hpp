// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// The basis of the coefficients of a Polynomial.
enum class PolynomialBasis : std::uint8_t {
  power,      ///< 1, x, x^2, ...
  chebyshev,  ///< T_0(u), T_1(u), ..., where u maps the interval of the polynomial to [-1, 1]
};

/// A polynomial in one variable with known coefficients, for polynomial(). Integers serve every
/// scheme; real and complex numbers serve CKKS alone. Immutable; copies share the coefficients.
class RINGLET_API Polynomial {
 public:
  static constexpr std::size_t kMaxDegree = 65535;

  /// Makes the polynomial whose coefficient i is the factor of x^i, or of T_i(u) with
  /// u = (2x - upper - lower)/(upper - lower). Zeros at the end are dropped.
  /// @throws InvalidArgument if there are no coefficients or more than kMaxDegree + 1, one is not
  ///         finite, the interval is empty or not finite, or integers are given for the Chebyshev
  ///         basis with an interval other than [-1, 1].
  explicit Polynomial(const KnownVector& coefficients,
                      PolynomialBasis basis = PolynomialBasis::power, double lower = -1,
                      double upper = 1);
  /// Makes a polynomial from real coefficients of 1, x, x^2, ...
  static Polynomial power(const std::vector<double>& coefficients);
  /// Makes a polynomial from integer coefficients of 1, x, x^2, ..., which BFV and BGV take
  /// modulo t.
  static Polynomial integers(const std::vector<std::int64_t>& coefficients);
  /// Makes a polynomial from real coefficients in the Chebyshev basis of [lower, upper].
  static Polynomial chebyshev(const std::vector<double>& coefficients, double lower = -1,
                              double upper = 1);

  /// Returns the index of the last coefficient that is not 0; 0 for constants, also for the
  /// constant 0.
  std::size_t degree() const noexcept { return degree_; }
  PolynomialBasis basis() const noexcept { return basis_; }
  double lower() const noexcept { return lower_; }
  double upper() const noexcept { return upper_; }
  /// Returns whether the coefficients were given as integers.
  bool is_integer() const noexcept { return coefficients_.is_integer(); }
  /// Returns the degree() + 1 coefficients as integers.
  /// @throws LogicError unless is_integer().
  std::vector<std::int64_t> integer_coefficients() const;
  /// Returns, for BFV and BGV, the polynomial modulo t with coefficients in [-t/2, t/2].
  /// @throws LogicError unless is_integer().
  Polynomial modulo(const Modulus& t) const;
  /// Returns the degree() + 1 coefficients.
  std::vector<std::complex<double>> coefficients() const;

  /// Returns the value at x in the clear, by Horner's rule, or by Clenshaw's in the Chebyshev
  /// basis.
  std::complex<long double> operator()(std::complex<long double> x) const;

 private:
  KnownVector coefficients_;
  PolynomialBasis basis_;
  double lower_;
  double upper_;
  std::size_t degree_ = 0;
};

/// The form of the argument of polynomial().
enum class PolynomialArgument : std::uint8_t {
  plain,   ///< x
  scaled,  ///< u: x is already mapped to [-1, 1]; for the Chebyshev basis
};

/// The cost of polynomial(), which depends on the polynomial alone.
struct PolynomialCost {
  /// Levels, as Circuit::depth counts them.
  std::size_t depth = 0;
  /// Key switches.
  std::size_t relinearizations = 0;
  /// Products of two ciphertexts.
  std::size_t products = 0;
  /// Products by coefficients, those by small integers included.
  std::size_t known_products = 0;
  /// The number of baby powers, a power of two from 2 on: parts of a lower degree are sums of
  /// coefficients times powers.
  std::size_t baby_powers = 0;
};

/// Evaluates p(x), slot by slot.
///
/// Depth, for degree d: ceil(log2(d + 1)), the least possible for general coefficients; log2(d) if
/// d is a power of two and the last coefficient is a small integer (KnownVector::is_small_integer).
/// In the Chebyshev basis, the map of x to [-1, 1] uses one more level, unless its factor
/// 2/(upper - lower) is a small integer or the argument is scaled already.
///
/// Key switches: p is divided into p = q x^m + r with the largest power of two m <= degree.
/// Division goes on until the parts have a degree below `baby_powers` and fit their remaining
/// levels. Below that degree, only the branch of the leading coefficients, which has the fewest
/// levels left, is divided further (Bossuat, Mouchet, Troncoso-Pastoriza and Hubaux, IACR ePrint
/// 2020/1203, section 5). In the Chebyshev basis the divisor is T_m, as
/// T_(m+i) = 2 T_m T_i - T_|m-i|. All products of a sum are relinearized together. Powers x^i are
/// x^m x^(i-m) with the largest power of two m < i, and only those with a nonzero coefficient are
/// computed: for an odd polynomial, odd powers and powers of two. The number of baby powers is the
/// power of two with the fewest relinearizations, then the fewest products, then the fewest
/// products by coefficients; polynomial_cost() returns it. docs/circuits.md has a table.
///
/// BFV and BGV: the number of baby powers is that for CKKS, as a circuit does not depend on a
/// scheme. If coefficients are small integers, plans for BFV and BGV relinearize other sums
/// together than plans for CKKS. They may then have up to two relinearizations fewer or one more.
///
/// CKKS: in the Chebyshev basis, slots must be real numbers in [lower, upper]; estimates of noise
/// rely on this range.
/// @throws InvalidArgument if x is not of this circuit; the degree is 0 (the result would be a
///         constant that is not encrypted); or `argument` is `scaled` in the power basis.
RINGLET_API CircuitValue polynomial(Circuit& circuit, CircuitValue x, const Polynomial& p,
                                    PolynomialArgument argument = PolynomialArgument::plain);

/// Returns the cost of polynomial() without the computation of x: the counts of a CircuitPlan for
/// any parameters of this scheme.
/// @throws InvalidArgument as polynomial(); if there is no such scheme; for BFV and BGV if
///         coefficients are not integers.
RINGLET_API PolynomialCost polynomial_cost(const Polynomial& p,
                                           PolynomialArgument argument = PolynomialArgument::plain,
                                           SchemeType scheme = SchemeType::ckks);

/// Returns the polynomial of least degree with the value values[i] at points[i] modulo t: a look-up
/// table for BFV and BGV. Its coefficients are in (-t/2, t/2]. Lagrange's formula on trees of
/// products takes about n log(n)^2 steps for n points. Not constant time.
/// @throws InvalidArgument if there are no points or more than 65536; the numbers of points and
///         values differ; two points agree modulo t; or t is not a prime.
RINGLET_API Polynomial interpolate(const Modulus& t, std::span<const std::uint64_t> points,
                                   std::span<const std::uint64_t> values);

/// Returns interpolate() for the points 0, 1, 2, ...
RINGLET_API Polynomial interpolate(const Modulus& t, std::span<const std::uint64_t> values);

}  // namespace ringlet
