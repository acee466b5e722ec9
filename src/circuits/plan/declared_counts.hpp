// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// Returns what CircuitPlan counts for this circuit, which does not depend on the parameters of the
/// scheme. The plan has as many levels as the circuit needs, in the smallest ring.
/// @throws as CircuitPlan.
PlanCounts declared_counts(const Circuit& circuit, SchemeType scheme = SchemeType::ckks);

}  // namespace ringlet
