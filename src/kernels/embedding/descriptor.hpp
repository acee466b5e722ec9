// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/embedding/embedding_kernel.hpp"
#include "kernels/embedding/integers.hpp"
#include "kernels/embedding/slots.hpp"
#include "kernels/embedding/transform.hpp"

// The descriptor of a kernel of the embedding of CKKS.

namespace ringlet::kernels {

/// Returns the kernel of the embedding by the policy A. `combine` computes reals from residues.
template <typename A>
constexpr EmbeddingKernel embedding_kernel(const char* table, CpuFeatureMask needs,
                                           int min_log_degree,
                                           decltype(EmbeddingKernel::combine) combine) {
  return {.table = table,
          .algorithm = "special-fft",
          .needs = needs,
          .min_log_degree = min_log_degree,
          .lanes = A::kLanes,
          .forward = &EmbeddingTransform<A>::forward,
          .inverse = &EmbeddingTransform<A>::inverse,
          .scatter = &EmbeddingSlots<A>::scatter,
          .gather = &EmbeddingSlots<A>::gather,
          .largest = &EmbeddingIntegers<A>::largest,
          .round = &EmbeddingIntegers<A>::round,
          .reduce = &EmbeddingIntegers<A>::reduce,
          .combine = combine};
}

}  // namespace ringlet::kernels
