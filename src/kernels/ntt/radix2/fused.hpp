// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/radix2/product.hpp"
#include "kernels/ntt/radix2/radix2.hpp"
#include "kernels/ntt/radix2/sum.hpp"

// Several transforms and the products between them, in the blocks of walk_fused: a step finds the
// results of the step before in the cache. A unit adds to its descriptor the operations that are
// faster there than separate calls: docs/notes/fused.md.

namespace ringlet::kernels {

/// Returns `kernel`, which is Radix2<A>, with its product.
template <ArithmeticPolicy A>
constexpr NttKernel with_fused_product(NttKernel kernel) {
  kernel.product = &FusedProduct<A>::run;
  return kernel;
}

/// Returns `kernel`, which is Radix2<A>, with sums of products by the accumulators S of the same
/// arithmetic.
template <ArithmeticPolicy A, AccumulatorPolicy S>
constexpr NttKernel with_fused_sum(NttKernel kernel) {
  kernel.sum = &FusedSum<A, S>::run;
  return kernel;
}

}  // namespace ringlet::kernels
