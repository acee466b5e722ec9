// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/polynomial.hpp"

namespace ringlet {

/// How 1/y is computed.
enum class InverseMethod : std::uint8_t {
  /// 1/y = s (1 + z)(1 + z^2)(1 + z^4) ... for z = 1 - s y: one level for each factor, for any
  /// interval (Goldschmidt; Cheon, Kim, Kim, Lee and Lee, IACR ePrint 2019/417, algorithm 1).
  goldschmidt,
  /// A Chebyshev approximation x of 1/y, then x (2 - y x) again and again: two levels for each
  /// turn, but errors of x itself shrink.
  newton,
};

/// 1/y on an interval, with what it takes. CKKS.
struct InverseApproximation {
  InverseMethod method = InverseMethod::goldschmidt;
  double lower = 0;
  double upper = 0;
  /// Goldschmidt: s, 1 where the interval lies in (0, 2) and that is no deeper, else 2/(lower +
  /// upper).
  double factor = 1;
  /// Newton: the approximation of 1/y to start with.
  std::optional<Polynomial> start;
  /// Factors of Goldschmidt's product, or Newton's turns.
  std::size_t iterations = 0;
  /// The largest |1/y - p(y)| for y in [lower, upper], in exact arithmetic: noise comes on top.
  double error = 0;
  std::size_t depth = 0;
  std::size_t relinearizations = 0;
};

/// The least depth that brings the error down to `error`, and there the fewest relinearizations.
///
/// Goldschmidt with k factors leaves (1 - s y)^(2^k)/y, largest at an end of the interval; its
/// depth is k for s = 1, and k + 1 otherwise unless s is a small integer (k = 1: none and one);
/// relinearizations 2(k - 1).
///
/// Newton with k turns leaves (1 - y x)^(2^k)/y, for a start x of degree 1 to 127; the largest
/// value is taken on the grid of chebyshev_approximation. Its depth is that of the start and 2k,
/// its relinearizations those of the start and 2k.
/// @throws InvalidArgument unless 0 < lower < upper < infinity; or if the error is not positive, is
///         below 2^-46/lower, a precision that doubles do not give, or is not reached in 40 factors
///         or 8 turns.
RINGLET_API InverseApproximation inverse_approximation(
    double lower, double upper, double error, InverseMethod method = InverseMethod::goldschmidt);

/// About 1/y for y in [lower, upper] of the approximation.
/// @throws InvalidArgument if y is not of this circuit, or the approximation is not one of
///         inverse_approximation.
RINGLET_API CircuitValue inverse(Circuit& circuit, CircuitValue y,
                                 const InverseApproximation& approximation);

}  // namespace ringlet
