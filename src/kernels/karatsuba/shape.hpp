// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/kernel.hpp"
#include "ringlet/base/export.hpp"

namespace ringlet::kernels {

/// Largest number of coefficients that a kernel of Karatsuba's recursion takes, padding included.
inline constexpr std::size_t kMaxKaratsubaDegree = 32768;

/// What is to be multiplied: wide coefficients below 2^bits, `degree` of them.
struct KaratsubaProblem {
  std::size_t degree = 0;
  int bits = 0;
  /// The sums of one chunk's products have room in a word up to this many bits of a chunk.
  int max_chunk_bits = 64;
};

/// The shape with this many recursions, whose chunks are as even as can be; none (base_size 0)
/// where the kernel does not take it or a recursion would multiply nothing but padding.
KaratsubaShape karatsuba_shape(const KaratsubaKernel& kernel, const KaratsubaProblem& problem,
                               int recursions);

/// The shape that is fastest by an estimate from the sizes alone.
RINGLET_API KaratsubaShape best_karatsuba_shape(const KaratsubaKernel& kernel,
                                                const KaratsubaProblem& problem);

}  // namespace ringlet::kernels
