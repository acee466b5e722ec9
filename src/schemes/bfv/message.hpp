// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/context.hpp"
#include "ringlet/plaintext.hpp"
#include "ringlet/rns_poly.hpp"

namespace ringlet::bfv {

/// floor((q*m + floor((t+1)/2)) / t) for every coefficient m of a checked message, modulo the
/// primes of `level`, whose product is q. Constant time.
CoeffPoly scale_message(const Context& context, const ContextData& level, const Plaintext& plain);

}  // namespace ringlet::bfv
