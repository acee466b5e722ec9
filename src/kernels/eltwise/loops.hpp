// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/eltwise/comparisons.hpp"
#include "kernels/eltwise/products.hpp"
#include "kernels/eltwise/sums.hpp"

// The element-wise operations over a policy, as descriptors.

namespace ringlet::kernels {

/// Returns the descriptor of one operation. `product_algorithm` is the algorithm name of products
/// of two vectors and of reductions.
template <VectorPolicy A, EltwiseOperation kOperation>
consteval EltwiseKernel eltwise_kernel(const char* table, CpuFeatureMask needs,
                                       const char* product_algorithm = "barrett") {
  using enum EltwiseOperation;
  EltwiseKernel kernel{.table = table,
                       .algorithm = "direct",
                       .operation = kOperation,
                       .needs = needs,
                       .modulus_limit = kAddModulusLimit};
  if constexpr (kOperation == add) {
    kernel.run = &Sums<A>::add;
  } else if constexpr (kOperation == add_scalar) {
    kernel.run = &Sums<A>::add_scalar;
  } else if constexpr (kOperation == subtract) {
    kernel.run = &Sums<A>::subtract;
  } else if constexpr (kOperation == subtract_scalar) {
    kernel.run = &Sums<A>::subtract_scalar;
  } else if constexpr (kOperation == negate) {
    kernel.run = &Sums<A>::negate;
  } else if constexpr (kOperation == reduce_range) {
    kernel.run = &Sums<A>::reduce_range;
  } else if constexpr (kOperation == compare_add) {
    kernel.run = &Comparisons<A>::compare_add;
  } else {
    kernel.modulus_limit = A::kMultiplyModulusLimit;
    kernel.algorithm = product_algorithm;
    if constexpr (kOperation == multiply) {
      kernel.run = &Products<A>::multiply;
      kernel.run_pairs = &Products<A>::multiply_pairs;
    } else if constexpr (kOperation == multiply_add) {
      kernel.run = &Products<A>::multiply_add;
    } else if constexpr (kOperation == reduce) {
      kernel.run = &Sums<A>::reduce;
    } else if constexpr (kOperation == compare_subtract) {
      kernel.run = &Comparisons<A>::compare_subtract;
    } else {
      static_assert(kOperation == multiply_scalar || kOperation == multiply_scalar_add);
      kernel.algorithm = "shoup";
      kernel.run = kOperation == multiply_scalar ? &Products<A>::multiply_scalar
                                                 : &Products<A>::multiply_scalar_add;
    }
  }
  if constexpr ((kOperation == reduce || kOperation == compare_subtract) &&
                requires { A::kWordModulusMinimum; }) {
    kernel.modulus_minimum = A::kWordModulusMinimum;
  }
  return kernel;
}

/// Returns `kernel`, changed so that the estimate passes over it on processors with a trait.
consteval EltwiseKernel avoiding(CpuTrait trait, EltwiseKernel kernel) {
  kernel.avoids |= trait_bit(trait);
  return kernel;
}

}  // namespace ringlet::kernels
