// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/wide_kernel.hpp"

// The constants of a modulus and of a factor in the format of a policy. Public values.

namespace ringlet::kernels {

void build_wide_constants(WideConstants& constants, const std::uint64_t q[2],
                          const LimbFormat& format);

/// Writes the words of the factor w < q.
void write_wide_factor(std::uint64_t* words, const std::uint64_t w[2],
                       const WideConstants& constants, const LimbFormat& format);

}  // namespace ringlet::kernels
