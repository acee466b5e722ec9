// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"

namespace ringlet {

/// The sign of numbers in [-1, 1] by compositions of two odd polynomials of degree 2n + 1: first
/// g_n, which brings small numbers up fastest, then f_n, which converges (Cheon, Kim and Kim,
/// "Efficient homomorphic comparison methods with optimal complexity", IACR ePrint 2019/1234;
/// f_n in section 3.1, g_n in section 4.1). CKKS.
struct SignApproximation {
  int n = 3;                ///< 1, 2, 3 or 4
  std::size_t g_count = 0;  ///< compositions of g_n, which come first
  std::size_t f_count = 0;  ///< compositions of f_n
  double gap = 0;
  /// |p(x) - 1| is at most this for x in [gap, 1], and |p(x) + 1| for x in [-1, -gap]; in exact
  /// arithmetic: noise comes on top. Between -gap and gap, p(x) has the sign of x and is at most 1
  /// in absolute value.
  double error = 0;
  std::size_t depth = 0;
  std::size_t relinearizations = 0;
};

/// The fewest compositions that bring the error to 2^-precision_bits; among them those with most of
/// f_n, where errors shrink. The image of [gap, 1] is followed from polynomial to polynomial: its
/// ends and the extrema inside, in long double. All of g_n and f_n have the same depth, 3 for n =
/// 3, and so the total is (g_count + f_count) ceil(log2(2n + 2)).
/// @throws InvalidArgument if the gap is not in [2^-40, 1), precision_bits is not in (0, 48], which
///         is what slots of doubles hold, or n is not in [1, 4].
RINGLET_API SignApproximation sign_approximation(double gap, double precision_bits, int n = 3);

/// About the sign of x in [-1, 1].
/// @throws InvalidArgument if x is not of this circuit, or the approximation has no composition of
///         f_n.
RINGLET_API CircuitValue sign(Circuit& circuit, CircuitValue x,
                              const SignApproximation& approximation);

/// About 1 where a > b, 0 where a < b and 1/2 where they are equal, for |a - b| <= 1: (1 + sign(a -
/// b))/2 at the depth of sign(). The error is half of that of the approximation if |a - b| >= gap.
/// @throws as sign.
RINGLET_API CircuitValue compare(Circuit& circuit, CircuitValue a, CircuitValue b,
                                 const SignApproximation& approximation);

/// x sign(x), one level more, for |x| <= 1: the error is at most max(gap, error).
/// @throws as sign.
RINGLET_API CircuitValue absolute_value(Circuit& circuit, CircuitValue x,
                                        const SignApproximation& approximation);

/// (a + b)/2 + (a - b) sign(a - b)/2, one level more, for |a - b| <= 1: the error is at most
/// max(gap, error)/2.
/// @throws as sign.
RINGLET_API CircuitValue maximum(Circuit& circuit, CircuitValue a, CircuitValue b,
                                 const SignApproximation& approximation);
/// (a + b)/2 - (a - b) sign(a - b)/2 in the same way.
RINGLET_API CircuitValue minimum(Circuit& circuit, CircuitValue a, CircuitValue b,
                                 const SignApproximation& approximation);

}  // namespace ringlet
