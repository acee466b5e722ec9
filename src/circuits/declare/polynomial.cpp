// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/polynomial.hpp"

#include <algorithm>
#include <cmath>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/chebyshev.hpp"

namespace ringlet {
namespace {

template <typename T>
std::size_t degree_of(const std::vector<T>& coefficients) {
  std::size_t degree = coefficients.size() - 1;
  while (degree > 0 && coefficients[degree] == T{}) --degree;
  return degree;
}

std::int64_t centred(std::uint64_t residue, std::uint64_t t) {
  return residue > t / 2 ? -static_cast<std::int64_t>(t - residue)
                         : static_cast<std::int64_t>(residue);
}

}  // namespace

Polynomial::Polynomial(const KnownVector& coefficients, PolynomialBasis basis, double lower,
                       double upper)
    : coefficients_(coefficients), basis_(basis), lower_(lower), upper_(upper) {
  public_entry("Polynomial", [&] {
    if (coefficients.size() > kMaxDegree + 1) {
      refuse(concat(coefficients.size(), " coefficients"),
             concat("a degree of at most ", kMaxDegree), "approximate by a lower degree");
    }
    check_interval(lower, upper);
    const bool is_mapped = lower != -1 || upper != 1;
    if (coefficients.is_integer() && basis == PolynomialBasis::chebyshev && is_mapped) {
      refuse(concat("integer coefficients for the interval [", lower, ", ", upper, "]"),
             "integer coefficients only for the interval [-1, 1]", "use real coefficients");
    }
  });
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

}  // namespace ringlet
