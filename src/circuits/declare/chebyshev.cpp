// SPDX-License-Identifier: Apache-2.0
#include "circuits/declare/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace ringlet {

void check_interval(double lower, double upper) {
  if (lower < upper && std::isfinite(upper - lower)) return;
  refuse(concat("interval [", lower, ", ", upper, "]"), "finite bounds, the lower one first",
         "swap or correct the bounds");
}

void check_error(double error) {
  if (error > 0 && std::isfinite(error)) return;
  refuse(concat("error = ", error), "a positive, finite number",
         "pass the largest error that is allowed");
}

double chebyshev_place(double lower, double upper, long double u) {
  const long double middle = (static_cast<long double>(lower) + upper) / 2;
  const long double half = (static_cast<long double>(upper) - lower) / 2;
  return std::clamp(static_cast<double>(middle + half * u), lower, upper);
}

std::vector<double> chebyshev_coefficients(const RealFunction& f, double lower, double upper,
                                           std::size_t degree) {
  const std::size_t n = degree + 1;
  const long double step = std::numbers::pi_v<long double> / static_cast<long double>(2 * n);
  std::vector<long double> cosines(4 * n);
  for (std::size_t i = 0; i < 4 * n; ++i) {
    cosines[i] = std::cos(step * static_cast<long double>(i));
  }
  std::vector<long double> values(n);
  for (std::size_t k = 0; k < n; ++k) {
    values[k] = f(chebyshev_place(lower, upper, cosines[2 * k + 1]));
  }
  std::vector<double> coefficients(n);
  for (std::size_t j = 0; j < n; ++j) {
    long double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += values[k] * cosines[j * (2 * k + 1) % (4 * n)];
    coefficients[j] = static_cast<double>(sum * (j == 0 ? 1 : 2) / static_cast<long double>(n));
  }
  return coefficients;
}

long double clenshaw(std::span<const double> coefficients, long double u) {
  long double next = 0;
  long double after = 0;
  for (std::size_t i = coefficients.size(); i-- > 1;) {
    const long double value = coefficients[i] + 2 * u * next - after;
    after = next;
    next = value;
  }
  return coefficients[0] + u * next - after;
}

}  // namespace ringlet
