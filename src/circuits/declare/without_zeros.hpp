// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ringlet/circuits/circuit.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/plaintext.hpp"

namespace ringlet::circuits {

/// For which parameters known numbers are 0.
struct ZeroRule {
  std::uint64_t plain_modulus = 0;  ///< of BFV and BGV; 0 for CKKS
  double scale = 0;                 ///< of CKKS; 0: only what is declared as 0 counts
};

/// Returns the circuit without values that add nothing: products by known vectors that are 0, and
/// differences of a value and itself. For CKKS, also values below 2^-10 of the scale's last place.
/// Values and known vectors keep their indices; values left out are no longer live.
/// @throws InvalidArgument if a result is 0, or known numbers alone, or if known numbers alone are
///         rotated, negated or joined with others.
Circuit without_zeros(const Circuit& circuit, const ZeroRule& rule);

/// CKKS: a factor that is encoded as 0 becomes 1 in the last place of its scale. No key would
/// encrypt a product by 0. The change is within the rounding that NoiseEstimator::encode expects.
void avoid_zero_factor(const Context& context, Plaintext& plain);

}  // namespace ringlet::circuits
