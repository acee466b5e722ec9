// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// What CircuitPlan counts for this circuit, whatever the parameters of the scheme: by a plan with
/// as many levels as it takes, in the least ring.
/// @throws as CircuitPlan.
PlanCounts declared_counts(const Circuit& circuit, SchemeType scheme = SchemeType::ckks);

}  // namespace ringlet
