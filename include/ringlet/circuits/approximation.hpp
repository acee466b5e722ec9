// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/polynomial.hpp"

namespace ringlet {

/// A real function of a real number. Ringlet calls it from one thread at a time, unless several
/// threads pass the function to Ringlet at once.
using RealFunction = std::function<double(double)>;

/// A polynomial that replaces a function on an interval.
struct Approximation {
  Polynomial polynomial;
  /// The largest |f(x) - p(x)| over the points
  ///   x = (lower + upper)/2 + (upper - lower)/2 cos(pi k/count) for k = 0, 1, ..., count,
  /// where count is the larger of 4096 and 16 (degree + 1). Between these points, |f(x) - p(x)| may
  /// be larger if f oscillates faster than p.
  double error = 0;
};

/// Returns the polynomial of the given degree that agrees with f at the degree + 1 Chebyshev nodes
/// of the interval, in the Chebyshev basis. For a smooth f, its error is at most 2 + (2/pi)
/// ln(degree + 1) times the error of the best polynomial of this degree (Trefethen, "Approximation
/// theory and approximation practice", theorem 15.2).
///
/// With n = degree + 1, coefficient j is 2/n sum_k f(x_k) cos(j pi (k + 1/2)/n), and half of that
/// for j = 0; sums are in long double. Coefficients of at most 2^-52 times the largest |f| on the
/// grid are rounding errors of f and become 0, so that even and odd functions give even and odd
/// polynomials. The time is quadratic in the degree.
/// @throws InvalidArgument if the degree is not in [1, 4095], the interval is empty or not finite,
///         or f is not finite at a node or a point of Approximation::error. An exception of f ends
///         the call.
RINGLET_API Approximation chebyshev_approximation(const RealFunction& f, double lower, double upper,
                                                  std::size_t degree);

/// Returns chebyshev_approximation of the least degree from 1 on whose error is at most `error`.
/// The error may grow with the degree, so the function tries all degrees in turn. The returned
/// error is taken on the grid for degree max_degree, see Approximation::error.
/// @throws InvalidArgument as chebyshev_approximation; if `error` is not positive and finite; or if
///         no degree up to max_degree reaches `error`, because doubles and f itself have limited
///         precision.
RINGLET_API Approximation least_chebyshev_approximation(const RealFunction& f, double lower,
                                                        double upper, double error,
                                                        std::size_t max_degree = 255);

}  // namespace ringlet
