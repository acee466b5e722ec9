// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/circuits/polynomial.hpp"

namespace ringlet::python {

/// A polynomial from coefficients as Python has them, a sequence of numbers; integers stay
/// integers. `basis` is "power" or "chebyshev".
/// @throws InvalidArgument if an argument is none of these; as Polynomial.
Polynomial polynomial_of(nb::handle coefficients, const std::string& basis,
                         const std::tuple<double, double>& interval);

}  // namespace ringlet::python
