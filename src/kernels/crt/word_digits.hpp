// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/crt/residue_kernel.hpp"

namespace ringlet::kernels {

/// ResidueKernel::reconstruct and finish in words of 64 bits, one integer at a time; defined in a
/// unit without special instructions.
void reconstruct_words(const ReconstructArguments& arguments);
void finish_words(const FinishArguments& arguments);

}  // namespace ringlet::kernels
