// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/polynomial.hpp"

namespace ringlet {

/// A real function of a real number. May be called by several threads at once if the caller does.
using RealFunction = std::function<double(double)>;

/// A polynomial in place of a function on an interval.
struct Approximation {
  Polynomial polynomial;
  /// The largest |f(x) - p(x)| at 4096 points x, or 16 per degree if that is more: (lower +
  /// upper)/2 + (upper - lower)/2 cos(pi k/count) for k = 0, 1, ..., count. Between them a function
  /// that oscillates faster than p may be further away.
  double error = 0;
};

/// The polynomial of that degree that agrees with f at the degree + 1 Chebyshev nodes of the
/// interval, in the Chebyshev basis: for a smooth f at most a factor of 2 + (2/pi) ln(degree + 1)
/// worse than the best polynomial (Trefethen, "Approximation theory and approximation practice",
/// theorem 15.2). Coefficients are sums in long double: 2/n sum_k f(x_k) cos(j pi (k + 1/2)/n) for
/// n = degree + 1, half of that for j = 0; those of at most 2^-52 of the largest |f| on the grid
/// are what rounding of f leaves and become 0, so that even and odd functions have such
/// polynomials. A number of steps quadratic in the degree.
/// @throws InvalidArgument if the degree is not in [1, 4095], the interval is empty or not finite,
///         or f is not finite at one of the points; what f throws.
RINGLET_API Approximation chebyshev_approximation(const RealFunction& f, double lower, double upper,
                                                  std::size_t degree);

/// The same for the least degree of at least 1 whose error is `error` at most. Errors do not fall
/// with every degree, so all are tried in turn.
/// @throws InvalidArgument as chebyshev_approximation; if the error is not positive and finite; or
///         if no degree up to max_degree reaches it, as doubles or f itself set a limit.
RINGLET_API Approximation least_chebyshev_approximation(const RealFunction& f, double lower,
                                                        double upper, double error,
                                                        std::size_t max_degree = 255);

}  // namespace ringlet
