// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/polynomial.hpp"

namespace ringlet {

/// The method that computes 1/y.
enum class InverseMethod : std::uint8_t {
  /// Computes 1/y = s (1 + z)(1 + z^2)(1 + z^4) ... for z = 1 - s y. Uses one level for each factor
  /// and allows any interval (Goldschmidt; Cheon, Kim, Kim, Lee and Lee, IACR ePrint 2019/417,
  /// algorithm 1).
  goldschmidt,
  /// Starts with a Chebyshev approximation x of 1/y and replaces it by x (2 - y x) repeatedly. Uses
  /// two levels for each iteration, but also reduces the errors of x itself.
  newton,
};

/// An approximation of 1/y on an interval, with its cost. CKKS.
struct InverseApproximation {
  InverseMethod method = InverseMethod::goldschmidt;
  double lower = 0;
  double upper = 0;
  /// Goldschmidt: s. It is 1 if the interval lies in (0, 2) and the depth with s = 1 is not larger,
  /// else 2/(lower + upper).
  double factor = 1;
  /// Newton: the first approximation of 1/y.
  std::optional<Polynomial> start;
  /// The number of factors (Goldschmidt) or of iterations (Newton).
  std::size_t iterations = 0;
  /// The largest |1/y - p(y)| for y in [lower, upper] in exact arithmetic. Noise adds to it.
  double error = 0;
  std::size_t depth = 0;
  std::size_t relinearizations = 0;
};

/// Finds an approximation whose error is at most `error`, with the least depth and, at this depth,
/// the fewest relinearizations.
///
/// Goldschmidt's method with k factors leaves the error (1 - s y)^(2^k)/y, which is largest at an
/// end of the interval. Its depth is k if s is a small integer, such as 1, and k + 1 for other s;
/// for k = 1 these depths are 0 and 1. It has 2(k - 1) relinearizations.
///
/// Newton's method with k iterations leaves the error (1 - y x)^(2^k)/y for a start x of degree 1
/// to 127; the largest value is taken at the points of Approximation::error for count = 1024. Its
/// depth is that of the start plus 2k, and its relinearizations are those of the start plus 2k.
/// @throws InvalidArgument unless 0 < lower < upper < infinity; or if the error is not positive, is
///         below 2^-46/lower, which is the limit of doubles, or is not reached with 40 factors or 8
///         iterations.
RINGLET_API InverseApproximation inverse_approximation(
    double lower, double upper, double error, InverseMethod method = InverseMethod::goldschmidt);

/// Computes an approximation of 1/y, for y in the interval [lower, upper] of `approximation`.
/// @throws InvalidArgument if y is not of this circuit, or inverse_approximation did not make
///         `approximation`.
RINGLET_API CircuitValue inverse(Circuit& circuit, CircuitValue y,
                                 const InverseApproximation& approximation);

}  // namespace ringlet
