// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/polynomial.hpp"

namespace ringlet {

/// Declares p(x), or p of the scaled x, with pieces of a degree below `baby_powers`, a power of two
/// of 1 at least.
CircuitValue declare_polynomial(Circuit& circuit, CircuitValue x, const Polynomial& p,
                                PolynomialArgument argument, std::size_t baby_powers);

/// The cost with that many baby powers, by a plan for that scheme.
PolynomialCost polynomial_cost(const Polynomial& p, PolynomialArgument argument,
                               std::size_t baby_powers, SchemeType scheme = SchemeType::ckks);

}  // namespace ringlet
