// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "ringlet/estimates/noise_estimator.hpp"
#include "ringlet/ring/ring_spec.hpp"

namespace ringlet::estimates {

/// Returns the size of a polynomial at the roots of the ring. X^N + 1: by a transform in doubles.
/// Phi_m: at most the sum of its coefficients' absolute values, and the mean over all m-th roots of
/// unity times m/n, which bounds both. Values computed from a message are wiped.
PolynomialSize size_at_roots(const RingSpec& ring, std::span<const double> coefficients);

}  // namespace ringlet::estimates
