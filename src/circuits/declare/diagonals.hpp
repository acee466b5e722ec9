// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "ringlet/circuits/circuit.hpp"

namespace ringlet::circuits {

/// Diagonals by steps below a period.
using DiagonalMap = std::map<std::size_t, KnownVector>;

/// Slot i of the result is the sum of v[i] * x[i + s] over all (s, v). x has the period `period`,
/// which divides row_length; steps count modulo it. The split is best_split of the steps
/// `split_for`, which include those of the diagonals; if it is empty, of the diagonals' steps.
/// @throws InvalidArgument if all vectors are zero; as Circuit::multiply.
CircuitValue sum_of_diagonals(Circuit& circuit, CircuitValue x, const DiagonalMap& diagonals,
                              std::size_t period, std::span<const std::size_t> split_for = {});

/// Bounds of the slots of the first `count` values, from declared bounds; may be infinite.
std::vector<double> magnitudes_of(const Circuit& circuit, std::size_t count);
/// The bound of the slots of one value.
double magnitude_of(const Circuit& circuit, CircuitValue x);

/// Circuit::bound where `magnitude` is a positive and finite number.
void bound_if_finite(Circuit& circuit, CircuitValue x, double magnitude);

/// @throws InvalidArgument unless x is a value of the circuit.
void check_value(const Circuit& circuit, CircuitValue x);

}  // namespace ringlet::circuits
