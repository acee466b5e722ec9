// SPDX-License-Identifier: Apache-2.0
#include "ringlet/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "ringlet/error.hpp"
#include "ringlet/primes.hpp"

namespace ringlet {
namespace {

template <typename T>
std::size_t degree_of(const std::vector<T>& coefficients) {
  std::size_t degree = coefficients.size() - 1;
  while (degree > 0 && coefficients[degree] == T{}) --degree;
  return degree;
}

std::uint64_t inverse_modulo(std::uint64_t a, const Modulus& t) {
  // Fermat: t is a prime.
  std::uint64_t result = 1;
  std::uint64_t square = a;
  for (std::uint64_t exponent = t.value() - 2; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = t.multiply(result, square);
    square = t.multiply(square, square);
  }
  return result;
}

std::int64_t centred(std::uint64_t residue, std::uint64_t t) {
  return residue > t / 2 ? -static_cast<std::int64_t>(t - residue)
                         : static_cast<std::int64_t>(residue);
}

std::vector<std::uint64_t> checked_points(const Modulus& t, std::span<const std::uint64_t> points,
                                          std::size_t value_count) {
  constexpr const char* kOperation = "interpolate";
  if (!is_prime(t.value())) {
    throw_invalid_argument({kOperation, concat("t = ", t.value()), "a prime",
                            "take the plain modulus from PlainModulus::batching"});
  }
  const bool fits = !points.empty() && points.size() <= Polynomial::kMaxDegree + 1;
  if (!fits || points.size() != value_count) {
    throw_invalid_argument(
        {kOperation, concat(points.size(), " points and ", value_count, " values"),
         concat("1 to ", Polynomial::kMaxDegree + 1, " points, a value for each"),
         "pass as many values as points"});
  }
  std::vector<std::uint64_t> residues;
  for (const std::uint64_t point : points) residues.push_back(t.reduce(point));
  std::vector<std::uint64_t> sorted = residues;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return residues;
  throw_invalid_argument({kOperation, concat("point ", *twice, " modulo ", t.value(), " twice"),
                          "points that differ modulo t", "remove one, or use a larger t"});
}

}  // namespace

Polynomial::Polynomial(const KnownVector& coefficients, PolynomialBasis basis, double lower,
                       double upper)
    : coefficients_(coefficients), basis_(basis), lower_(lower), upper_(upper) {
  constexpr const char* kOperation = "Polynomial";
  if (coefficients.size() > kMaxDegree + 1) {
    throw_invalid_argument({kOperation, concat(coefficients.size(), " coefficients"),
                            concat("a degree of at most ", kMaxDegree),
                            "approximate by a lower degree"});
  }
  if (!(lower < upper) || !std::isfinite(upper - lower)) {
    throw_invalid_argument({kOperation, concat("interval [", lower, ", ", upper, "]"),
                            "finite bounds, the lower one first", "swap or correct the bounds"});
  }
  const bool is_mapped = lower != -1 || upper != 1;
  if (coefficients.is_integer() && basis == PolynomialBasis::chebyshev && is_mapped) {
    throw_invalid_argument({kOperation, concat("integers for [", lower, ", ", upper, "]"),
                            "integers before Chebyshev polynomials of [-1, 1]",
                            "use Polynomial::chebyshev with real coefficients"});
  }
  degree_ = coefficients.is_integer() ? degree_of(coefficients.integers())
                                      : degree_of(coefficients.numbers());
}

Polynomial Polynomial::power(const std::vector<double>& coefficients) {
  return Polynomial(KnownVector(std::span<const double>(coefficients)));
}

Polynomial Polynomial::integers(const std::vector<std::int64_t>& coefficients) {
  return Polynomial(KnownVector(coefficients));
}

Polynomial Polynomial::chebyshev(const std::vector<double>& coefficients, double lower,
                                 double upper) {
  return Polynomial(KnownVector(std::span<const double>(coefficients)), PolynomialBasis::chebyshev,
                    lower, upper);
}

std::vector<std::int64_t> Polynomial::integer_coefficients() const {
  std::vector<std::int64_t> result = coefficients_.integers();
  result.resize(degree_ + 1);
  return result;
}

Polynomial Polynomial::modulo(const Modulus& t) const {
  std::vector<std::int64_t> result;
  for (const std::int64_t coefficient : integer_coefficients()) {
    const auto size = static_cast<std::uint64_t>(coefficient);
    const std::uint64_t residue = t.reduce(coefficient < 0 ? std::uint64_t{0} - size : size);
    result.push_back(coefficient < 0 ? -centred(residue, t.value()) : centred(residue, t.value()));
  }
  return Polynomial(KnownVector(result), basis_, lower_, upper_);
}

std::vector<std::complex<double>> Polynomial::coefficients() const {
  std::vector<std::complex<double>> result = coefficients_.numbers();
  result.resize(degree_ + 1);
  return result;
}

std::complex<long double> Polynomial::operator()(std::complex<long double> x) const {
  const std::vector<std::complex<double>> terms = coefficients();
  const bool is_power = basis_ == PolynomialBasis::power;
  const long double width = static_cast<long double>(upper_) - lower_;
  const long double middle = static_cast<long double>(upper_) + lower_;
  const auto u = is_power ? x : (2.0L * x - middle) / width;
  // b_k = c_k + 2 u b_(k+1) - b_(k+2), and p = c_0 + u b_1 - b_2.
  std::complex<long double> next = 0;
  std::complex<long double> after = 0;
  for (std::size_t i = terms.size(); i-- > 1;) {
    const std::complex<long double> term(terms[i].real(), terms[i].imag());
    const auto value = is_power ? term + u * next : term + 2.0L * u * next - after;
    after = next;
    next = value;
  }
  const std::complex<long double> first(terms[0].real(), terms[0].imag());
  return is_power ? first + u * next : first + u * next - after;
}

Polynomial interpolate(const Modulus& t, std::span<const std::uint64_t> points,
                       std::span<const std::uint64_t> values) {
  const std::vector<std::uint64_t> x = checked_points(t, points, values.size());
  const std::uint64_t q = t.value();
  const std::size_t n = x.size();
  // The product of all X - x_i, from which each factor is divided again.
  std::vector<std::uint64_t> all{1};
  for (const std::uint64_t root : x) {
    all.push_back(all.back());
    for (std::size_t k = all.size() - 2; k > 0; --k) {
      all[k] = sub_mod(all[k - 1], t.multiply(root, all[k]), q);
    }
    all[0] = t.multiply(negate_mod(root, q), all[0]);
  }
  std::vector<std::uint64_t> sum(n);
  std::vector<std::uint64_t> basis(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t carry = 0;
    std::uint64_t at_point = 0;
    for (std::size_t k = n; k-- > 0;) {
      carry = add_mod(all[k + 1], t.multiply(x[i], carry), q);
      basis[k] = carry;
      at_point = add_mod(t.multiply(at_point, x[i]), carry, q);
    }
    const std::uint64_t factor = t.multiply(t.reduce(values[i]), inverse_modulo(at_point, t));
    for (std::size_t k = 0; k < n; ++k) {
      sum[k] = add_mod(sum[k], t.multiply(factor, basis[k]), q);
    }
  }
  std::vector<std::int64_t> coefficients;
  for (const std::uint64_t residue : sum) coefficients.push_back(centred(residue, q));
  return Polynomial::integers(coefficients);
}

Polynomial interpolate(const Modulus& t, std::span<const std::uint64_t> values) {
  std::vector<std::uint64_t> points(values.size());
  std::iota(points.begin(), points.end(), std::uint64_t{0});
  return interpolate(t, points, values);
}

}  // namespace ringlet
