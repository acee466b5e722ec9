// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/double_residues.hpp"

// Roots of unity modulo a prime of double words. Public values.

namespace ringlet {

/// The smallest element of order 2^log_order modulo the prime q, where 2^log_order divides q - 1
/// and log_order >= 1. It takes 2^(log_order - 1) products.
uint128_t minimal_double_root(int log_order, const kernels::DoubleResidues& residues);

}  // namespace ringlet
