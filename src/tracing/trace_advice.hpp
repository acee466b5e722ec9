// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ringlet/tracing/tracing_evaluator.hpp"
#include "tracing/traced_operations.hpp"

namespace ringlet::circuits {

/// What is wrong with a step that is all measured, and what to do; empty if nothing is. What was
/// wrong with an operand before is not explained again.
std::string advice_about(const TraceStep& step, const TracedResult& result);

}  // namespace ringlet::circuits
