// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/context.hpp"

namespace ringlet::schemes {

/// Returns the significant bits of the largest coefficient in absolute value, centred modulo the
/// product of the level's primes; exact. `poly` holds coefficients. Variable time: the size of the
/// noise is declassified.
int centred_bit_count(const ContextData& level, ConstResidueView poly);

}  // namespace ringlet::schemes
