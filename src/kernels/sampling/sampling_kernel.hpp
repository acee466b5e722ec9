// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cpu_features.hpp"

// Plain data and function pointers, as in kernels/kernel.hpp.

namespace ringlet::kernels {

/// A kernel that makes samples of random bytes, and residues of small integers.
struct SamplingKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  CpuFeatureMask needs = 0;
};

}  // namespace ringlet::kernels
