// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "ringlet/circuits/circuit.hpp"
#include "ringlet/estimates/noise_estimator.hpp"

namespace ringlet::circuits {

/// BFV and BGV: estimates the size of a known vector as a plaintext. A constant is a constant
/// polynomial, lifted to the residue of least absolute value; other slots look uniform.
inline PlainEstimate known_estimate(const NoiseEstimator& estimator, const KnownVector& vector,
                                    std::uint64_t plain_modulus) {
  if (!vector.is_constant()) return estimator.uniform_plain();
  const double lifted =
      std::abs(std::remainder(vector.magnitude(), static_cast<double>(plain_modulus)));
  return estimator.bounded_plain({lifted, lifted});
}

}  // namespace ringlet::circuits
