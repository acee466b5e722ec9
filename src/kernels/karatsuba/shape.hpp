// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/kernel.hpp"
#include "ringlet/base/export.hpp"

namespace ringlet::kernels {

/// Largest number of coefficients that a kernel of Karatsuba's recursion takes, padding included.
inline constexpr std::size_t kMaxKaratsubaDegree = 32768;

/// The wide polynomial of a product: `degree` coefficients below 2^bits.
struct KaratsubaProblem {
  std::size_t degree = 0;
  int bits = 0;
  /// The most bits of a chunk for which the sums of its products fit a word.
  int max_chunk_bits = 64;
};

/// Returns the shape with this many recursions, with chunks as even as possible. Returns none
/// (base_size 0) if the kernel does not take it or a recursion would multiply only padding.
KaratsubaShape karatsuba_shape(const KaratsubaKernel& kernel, const KaratsubaProblem& problem,
                               int recursions);

/// Returns the shape that is fastest by an estimate from the sizes alone.
RINGLET_API KaratsubaShape best_karatsuba_shape(const KaratsubaKernel& kernel,
                                                const KaratsubaProblem& problem);

}  // namespace ringlet::kernels
