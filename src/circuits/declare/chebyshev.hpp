// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ringlet/circuits/approximation.hpp"

namespace ringlet {

/// @throws InvalidArgument unless the bounds are finite and the lower one comes first.
void check_interval(double lower, double upper);
/// @throws InvalidArgument unless the allowed error is a positive, finite number.
void check_error(double error);

/// lower + (u + 1)(upper - lower)/2, rounded, and never outside of the interval.
double chebyshev_place(double lower, double upper, long double u);

/// The coefficients of chebyshev_approximation.
std::vector<double> chebyshev_coefficients(const RealFunction& f, double lower, double upper,
                                           std::size_t degree);

/// sum_i c_i T_i(u) by Clenshaw's rule; at least one coefficient.
long double clenshaw(std::span<const double> coefficients, long double u);

}  // namespace ringlet
