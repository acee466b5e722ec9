// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/wide/double_word.hpp"
#include "kernels/wide/wide.hpp"

namespace ringlet::kernels {

/// The kernel of WideDoubleWord over words W.
template <typename W, WordProduct kProduct>
constexpr WideKernel double_word_kernel(const char* table, const char* algorithm,
                                        CpuFeatureMask needs) {
  using Policy = WideDoubleWord<W, kProduct>;
  WideKernel kernel = Wide<Policy>::descriptor(table, algorithm, needs);
  kernel.min_modulus_bits = Policy::kMinModulusBits;
  return kernel;
}

}  // namespace ringlet::kernels
