// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cpu_features.hpp"

// Plain data and function pointers, as in kernels/kernel.hpp.

namespace ringlet::kernels {

/// A kernel of basis conversions: neighbouring coefficients at a time, all of their limbs.
struct ConversionKernel {
  const char* table = nullptr;
  const char* algorithm = nullptr;
  CpuFeatureMask needs = 0;
};

}  // namespace ringlet::kernels
