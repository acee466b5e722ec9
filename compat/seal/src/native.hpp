// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/context.hpp"
#include "seal/context.h"

// From SEAL's objects to Ringlet's own.

namespace ringlet::seal4 {

/// The context that computes for this one. Its data primes are those of the first data level.
/// @throws InvalidArgument if the parameters are not valid.
const ringlet::Context& native_context(const SEALContext& context);

/// The level of the native context with the same primes.
/// @throws as above.
const ringlet::ContextData& native_level(const SEALContext::ContextData& level);

}  // namespace ringlet::seal4
