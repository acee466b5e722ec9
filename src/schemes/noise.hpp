// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/context.hpp"
#include "ringlet/storage.hpp"

namespace ringlet::schemes {

/// Significant bits of the largest coefficient in absolute value, centred modulo the product of the
/// level's primes; exact. `poly` holds coefficients. Variable time: the size of the noise is
/// declassified.
int centred_bit_count(const ContextData& level, ConstResidueView poly);

}  // namespace ringlet::schemes
