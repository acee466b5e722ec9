// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cpu_features.hpp"

// Plain data and function pointers, as in kernels/kernel.hpp.

namespace ringlet::kernels {

/// A kernel of the canonical embedding of CKKS: its transforms, and what lies between real numbers
/// and residues.
struct EmbeddingKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  CpuFeatureMask needs = 0;
};

}  // namespace ringlet::kernels
