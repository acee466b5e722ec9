// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/accumulate.hpp"
#include "kernels/eltwise/loops.hpp"
#include "kernels/policy/float/float_rounding.hpp"

namespace ringlet::kernels {

/// Returns the descriptor of one operation over a policy whose arithmetic is in doubles. Reductions
/// of words have other limits than products. They have their own name, so that a selection by name
/// does not refuse moduli that only the other operation cannot take.
template <ElementwisePolicy A, EltwiseOperation kOperation>
consteval EltwiseKernel float_kernel(const char* table, CpuFeatureMask needs,
                                     const char* product_algorithm = "float") {
  EltwiseKernel kernel = eltwise_kernel<A, kOperation>(table, needs);
  kernel.algorithm = product_algorithm;
  if constexpr (kOperation == EltwiseOperation::reduce ||
                kOperation == EltwiseOperation::compare_subtract) {
    kernel.algorithm = "float-word";
    kernel.modulus_limit = A::kWordModulusLimit;
  }
  kernel.run = &RoundingToNearest<eltwise_kernel<A, kOperation>(nullptr, 0).run>::run;
  if constexpr (kOperation == EltwiseOperation::multiply) {
    kernel.run_pairs = &RoundingToNearest<&Products<A>::multiply_pairs>::run;
  }
  return kernel;
}

/// The descriptor of multiply_accumulate over sums in doubles.
template <AccumulatorPolicy S>
consteval EltwiseKernel float_sum_kernel(const char* table, CpuFeatureMask needs) {
  EltwiseKernel kernel = accumulate_kernel<S, EltwiseOperation::multiply_accumulate>(table, needs);
  kernel.algorithm = "float-sum";
  kernel.run = &RoundingToNearest<&AccumulateLoops<S>::multiply_accumulate>::run;
  return kernel;
}

}  // namespace ringlet::kernels
