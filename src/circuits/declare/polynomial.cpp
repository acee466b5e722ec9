// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"

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

using Words = std::vector<std::uint64_t>;
using WordSpan = std::span<const std::uint64_t>;

void add_shifted(const Modulus& t, WordSpan a, std::size_t shift, Words& sum) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum[shift + i] = add_mod(sum[shift + i], a[i], t.value());
  }
}

// a * b modulo t, both of one coefficient at least: Karatsuba's way, for tables of many values.
Words product(const Modulus& t, WordSpan a, WordSpan b) {
  constexpr std::size_t kSchoolbook = 32;
  if (a.size() < b.size()) std::swap(a, b);
  Words result(a.size() + b.size() - 1);
  if (b.size() <= kSchoolbook) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t k = 0; k < b.size(); ++k) {
        result[i + k] = add_mod(result[i + k], t.multiply(a[i], b[k]), t.value());
      }
    }
    return result;
  }
  const std::size_t half = (a.size() + 1) / 2;
  if (b.size() <= half) {
    add_shifted(t, product(t, a.first(half), b), 0, result);
    add_shifted(t, product(t, a.subspan(half), b), half, result);
    return result;
  }
  const Words low = product(t, a.first(half), b.first(half));
  const Words high = product(t, a.subspan(half), b.subspan(half));
  Words sum_of_a(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(half));
  Words sum_of_b(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(half));
  add_shifted(t, a.subspan(half), 0, sum_of_a);
  add_shifted(t, b.subspan(half), 0, sum_of_b);
  Words middle = product(t, sum_of_a, sum_of_b);
  for (const Words* part : {&low, &high}) {
    for (std::size_t i = 0; i < part->size(); ++i) {
      middle[i] = sub_mod(middle[i], (*part)[i], t.value());
    }
  }
  middle.resize(std::min(middle.size(), result.size() - half));
  add_shifted(t, low, 0, result);
  add_shifted(t, middle, half, result);
  add_shifted(t, high, 2 * half, result);
  return result;
}

// The product over j != i of x_i - x_j for each i. At 0, 1, 2, ... these are factorials.
Words derivatives_at(const Modulus& t, const Words& x) {
  const std::size_t n = x.size();
  Words result(n, 1);
  bool counts = true;
  for (std::size_t i = 0; i < n; ++i) counts = counts && x[i] == i;
  for (std::size_t i = 0; i < n && !counts; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) result[i] = t.multiply(result[i], sub_mod(x[i], x[j], t.value()));
    }
  }
  if (!counts) return result;
  Words factorials(n, 1);
  for (std::size_t i = 1; i < n; ++i) factorials[i] = t.multiply(factorials[i - 1], i);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t size = t.multiply(factorials[i], factorials[n - 1 - i]);
    result[i] = (n - 1 - i) % 2 == 0 ? size : negate_mod(size, t.value());
  }
  return result;
}

// The sum of w_i M / (X - x_i), and M, the product of all X - x_i.
std::pair<Words, Words> weighted_sum(const Modulus& t, WordSpan x, WordSpan w) {
  if (x.size() == 1) return {{w[0]}, {negate_mod(x[0], t.value()), 1}};
  const std::size_t half = x.size() / 2;
  const auto [sum, all] = weighted_sum(t, x.first(half), w.first(half));
  const auto [other_sum, others] = weighted_sum(t, x.subspan(half), w.subspan(half));
  Words result(x.size());
  add_shifted(t, product(t, sum, others), 0, result);
  add_shifted(t, product(t, other_sum, all), 0, result);
  return {std::move(result), product(t, all, others)};
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
  const Words x = checked_points(t, points, values.size());
  Words weights = derivatives_at(t, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    weights[i] = t.multiply(t.reduce(values[i]), inverse_modulo(weights[i], t));
  }
  std::vector<std::int64_t> coefficients;
  for (const std::uint64_t residue : weighted_sum(t, x, weights).first) {
    coefficients.push_back(centred(residue, t.value()));
  }
  return Polynomial::integers(coefficients);
}

Polynomial interpolate(const Modulus& t, std::span<const std::uint64_t> values) {
  std::vector<std::uint64_t> points(values.size());
  std::iota(points.begin(), points.end(), std::uint64_t{0});
  return interpolate(t, points, values);
}

}  // namespace ringlet
