// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/float/float_rounding.hpp"
#include "kernels/policy/wide/float.hpp"
#include "kernels/wide/wide.hpp"

namespace ringlet::kernels {

/// Returns the kernel of double words of a policy that computes in doubles. It rounds to nearest in
/// every rounding mode of the caller.
template <WidePolicy A>
consteval WideKernel float_wide_kernel(const char* table, const char* algorithm,
                                       CpuFeatureMask needs) {
  WideKernel kernel = Wide<A>::descriptor(table, algorithm, needs);
  kernel.min_modulus_bits = A::kMinModulusBits;
  using E = WideEltwise<A>;
  using enum WideOperation;
  const auto run = [&kernel](WideOperation operation) -> auto& {
    return kernel.run[static_cast<unsigned>(operation)];
  };
  run(multiply) = &RoundingToNearest<&E::multiply>::run;
  run(multiply_scalar_add) = &RoundingToNearest<&E::multiply_scalar_add>::run;
  run(dot) = &RoundingToNearest<&E::dot>::run;
  run(reduce) = &RoundingToNearest<&E::reduce>::run;
  kernel.forward = &RoundingToNearest<&Wide<A>::forward>::run;
  kernel.inverse = &RoundingToNearest<&Wide<A>::inverse>::run;
  return kernel;
}

}  // namespace ringlet::kernels
