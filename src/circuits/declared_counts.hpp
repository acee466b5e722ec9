// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/circuit.hpp"
#include "ringlet/circuit_plan.hpp"

namespace ringlet {

/// What CircuitPlan counts for this circuit, whatever the parameters: by a plan for CKKS with as
/// many levels as it takes, in the least ring.
PlanCounts declared_counts(const Circuit& circuit);

}  // namespace ringlet
