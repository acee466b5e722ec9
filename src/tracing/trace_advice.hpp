// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ringlet/tracing/tracing_evaluator.hpp"
#include "tracing/traced_operations.hpp"

namespace ringlet::circuits {

/// Explains what is wrong with a fully measured step and what to do, or returns an empty string.
/// Does not explain again what was wrong with an operand already.
std::string advice_about(const TraceStep& step, const TracedResult& result);

}  // namespace ringlet::circuits
