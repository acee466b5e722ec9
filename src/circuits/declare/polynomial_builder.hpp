// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/polynomial.hpp"

namespace ringlet {

/// Declares p(x), or p of the scaled x, from pieces of a degree below `baby_powers`, which is a
/// power of two (1 included).
CircuitValue declare_polynomial(Circuit& circuit, CircuitValue x, const Polynomial& p,
                                PolynomialArgument argument, std::size_t baby_powers);

/// Returns the cost with that many baby powers, counted in a plan for that scheme.
PolynomialCost polynomial_cost(const Polynomial& p, PolynomialArgument argument,
                               std::size_t baby_powers, SchemeType scheme = SchemeType::ckks);

}  // namespace ringlet
