// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"

namespace ringlet {

/// An approximation of the sign of numbers in [-1, 1]. It composes odd polynomials of degree
/// 2n + 1: first g_n, which enlarges small numbers fastest, then f_n, which converges to 1 or -1
/// (Cheon, Kim and Kim, "Efficient homomorphic comparison methods with optimal complexity", IACR
/// ePrint 2019/1234; f_n in section 3.1, g_n in section 4.1). CKKS.
struct SignApproximation {
  int n = 3;                ///< 1, 2, 3 or 4
  std::size_t g_count = 0;  ///< compositions of g_n, which come first
  std::size_t f_count = 0;  ///< compositions of f_n
  double gap = 0;
  /// The bound, for the composition p, of |p(x) - 1| for x in [gap, 1] and of |p(x) + 1| for x in
  /// [-1, -gap], in exact arithmetic. Noise adds to it. Between -gap and gap, p(x) has the sign of
  /// x and is at most 1 in absolute value.
  double error = 0;
  std::size_t depth = 0;
  std::size_t relinearizations = 0;
};

/// Finds the fewest compositions whose error is at most 2^-precision_bits. Among equally few it
/// takes those with the most f_n, because f_n reduces errors. It follows the image of [gap, 1] from
/// polynomial to polynomial, by the values at the ends and at the extrema inside, in long double.
/// All g_n and f_n have the same depth, 3 for n = 3. The total depth is (g_count + f_count)
/// ceil(log2(2n + 2)).
/// @throws InvalidArgument if the gap is not in [2^-40, 1), precision_bits is not in (0, 48], the
///         range that slots of doubles hold, or n is not in [1, 4].
RINGLET_API SignApproximation sign_approximation(double gap, double precision_bits, int n = 3);

/// Computes an approximation of the sign of x, for x in [-1, 1].
/// @throws InvalidArgument if x is not of this circuit, or the approximation has no composition of
///         f_n.
RINGLET_API CircuitValue sign(Circuit& circuit, CircuitValue x,
                              const SignApproximation& approximation);

/// Compares a and b for |a - b| <= 1: the result is about 1 where a > b, 0 where a < b and 1/2
/// where they are equal. Computes (1 + sign(a - b))/2 at the depth of sign(). Where |a - b| >= gap,
/// the error is at most `approximation.error`/2.
/// @throws as sign.
RINGLET_API CircuitValue compare(Circuit& circuit, CircuitValue a, CircuitValue b,
                                 const SignApproximation& approximation);

/// Computes x sign(x), about |x|, for |x| <= 1. Uses one level more than sign(). The error is at
/// most the larger of `approximation.gap` and `approximation.error`.
/// @throws as sign.
RINGLET_API CircuitValue absolute_value(Circuit& circuit, CircuitValue x,
                                        const SignApproximation& approximation);

/// Computes (a + b)/2 + (a - b) sign(a - b)/2, about max(a, b), for |a - b| <= 1. Uses one level
/// more than sign(). The error is at most half of the larger of `approximation.gap` and
/// `approximation.error`.
/// @throws as sign.
RINGLET_API CircuitValue maximum(Circuit& circuit, CircuitValue a, CircuitValue b,
                                 const SignApproximation& approximation);
/// Computes (a + b)/2 - (a - b) sign(a - b)/2, about min(a, b), with the conditions, depth and
/// error of maximum().
RINGLET_API CircuitValue minimum(Circuit& circuit, CircuitValue a, CircuitValue b,
                                 const SignApproximation& approximation);

}  // namespace ringlet
