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

/// What the coefficients of a Polynomial stand before.
enum class PolynomialBasis : std::uint8_t {
  power,      ///< 1, x, x^2, ...
  chebyshev,  ///< T_0(u), T_1(u), ..., where u maps the interval of the polynomial to [-1, 1]
};

/// A polynomial in one variable with known coefficients, for polynomial(). Integers serve every
/// scheme, real and complex numbers CKKS alone. Immutable; copies share the coefficients.
class RINGLET_API Polynomial {
 public:
  static constexpr std::size_t kMaxDegree = 65535;

  /// Coefficient i stands before x^i, or before T_i(u) with u = (2x - upper - lower)/(upper -
  /// lower). Zeros at the end are dropped.
  /// @throws InvalidArgument if coefficients are missing or not finite, there are more than
  ///         kMaxDegree + 1, the interval is empty or not finite, or integers are given for the
  ///         Chebyshev basis with another interval than [-1, 1].
  explicit Polynomial(const KnownVector& coefficients,
                      PolynomialBasis basis = PolynomialBasis::power, double lower = -1,
                      double upper = 1);
  /// The same with real coefficients before 1, x, x^2, ...
  static Polynomial power(const std::vector<double>& coefficients);
  /// The same with integers, which BFV and BGV take modulo t.
  static Polynomial integers(const std::vector<std::int64_t>& coefficients);
  /// The same with real coefficients in the Chebyshev basis of [lower, upper].
  static Polynomial chebyshev(const std::vector<double>& coefficients, double lower = -1,
                              double upper = 1);

  /// The place of the last coefficient that is not 0; 0 for constants, 0 among them.
  std::size_t degree() const noexcept { return degree_; }
  PolynomialBasis basis() const noexcept { return basis_; }
  double lower() const noexcept { return lower_; }
  double upper() const noexcept { return upper_; }
  /// Whether the coefficients were given as integers.
  bool is_integer() const noexcept { return coefficients_.is_integer(); }
  /// @throws LogicError unless is_integer().
  std::vector<std::int64_t> integer_coefficients() const;
  /// The same polynomial modulo t, with coefficients in [-t/2, t/2]: for BFV and BGV.
  /// @throws LogicError unless is_integer().
  Polynomial modulo(const Modulus& t) const;
  /// degree() + 1 numbers.
  std::vector<std::complex<double>> coefficients() const;

  /// The value at x in the clear: by Horner's rule, or by Clenshaw's in the Chebyshev basis.
  std::complex<long double> operator()(std::complex<long double> x) const;

 private:
  KnownVector coefficients_;
  PolynomialBasis basis_;
  double lower_;
  double upper_;
  std::size_t degree_ = 0;
};

/// What polynomial() is given.
enum class PolynomialArgument : std::uint8_t {
  plain,   ///< x
  scaled,  ///< u: x has been mapped to [-1, 1] already; for the Chebyshev basis
};

/// What polynomial() takes, known from the polynomial alone.
struct PolynomialCost {
  /// Levels, as Circuit::depth counts them.
  std::size_t depth = 0;
  /// Key switches.
  std::size_t relinearizations = 0;
  /// Products of two ciphertexts.
  std::size_t products = 0;
  /// Products by coefficients, those by small integers included.
  std::size_t known_products = 0;
  /// Pieces of a lower degree are sums of coefficients times powers: 2, 4, 8, ...
  std::size_t baby_powers = 0;
};

/// p(x), slot by slot.
///
/// Depth: with d the degree, ceil(log2(d + 1)), which is the least there is for general
/// coefficients; log2(d) where d is a power of two and the last coefficient is a small integer
/// (KnownVector::is_small_integer). In the Chebyshev basis one more for the map of x to [-1, 1],
/// unless its factor 2/(upper - lower) is a small integer or the argument is scaled already.
///
/// Key switches: p = q x^m + r with the largest power of two m <= degree is divided until pieces
/// have a degree below `baby_powers` and fit the levels left to them; only the branch of leading
/// coefficients, where levels are short, is divided further (Bossuat, Mouchet, Troncoso-Pastoriza
/// and Hubaux, IACR ePrint 2020/1203, section 5). Chebyshev polynomials are divided by T_m, as
/// T_(m+i) = 2 T_m T_i - T_|m-i|. All products of a sum are relinearized together; powers x^i are
/// x^m x^(i-m) with the largest power of two m < i, made where a coefficient asks for them: those
/// of an odd polynomial are odd or powers of two. The number of baby powers, a power of two, is
/// that with the fewest relinearizations, then products, then products by coefficients:
/// polynomial_cost says how many. docs/circuits.md has a table.
///
/// BFV and BGV: the number of baby powers is that for CKKS, as a circuit knows no scheme. Where
/// coefficients are small integers, other sums are relinearized together and plans for BFV and BGV
/// may count up to two relinearizations fewer or one more.
///
/// CKKS: in the Chebyshev basis slots are real numbers of [lower, upper] and estimates of noise
/// rely on that.
/// @throws InvalidArgument if x is not of this circuit; the degree is 0, as a constant needs no
///         encryption and would not be hidden by it; or `scaled` is said of the power basis.
RINGLET_API CircuitValue polynomial(Circuit& circuit, CircuitValue x, const Polynomial& p,
                                    PolynomialArgument argument = PolynomialArgument::plain);

/// The cost of polynomial(), without x itself: what a CircuitPlan counts for any parameters of this
/// scheme.
/// @throws InvalidArgument as polynomial(); also for a scheme that is none, and for BFV and BGV if
///         coefficients are not integers.
RINGLET_API PolynomialCost polynomial_cost(const Polynomial& p,
                                           PolynomialArgument argument = PolynomialArgument::plain,
                                           SchemeType scheme = SchemeType::ckks);

/// The polynomial of least degree with the value values[i] at points[i] modulo t, coefficients in
/// (-t/2, t/2): a look-up table for BFV and BGV. Lagrange's formula on trees of products: about
/// n log(n)^2 steps for n points. Not constant time.
/// @throws InvalidArgument if there are no points, more than 65536, or not as many values; two
///         points agree modulo t; or t is no prime.
RINGLET_API Polynomial interpolate(const Modulus& t, std::span<const std::uint64_t> points,
                                   std::span<const std::uint64_t> values);

/// The same for the points 0, 1, 2, ...
RINGLET_API Polynomial interpolate(const Modulus& t, std::span<const std::uint64_t> values);

}  // namespace ringlet
