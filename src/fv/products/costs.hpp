// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "fv/products/product_length.hpp"
#include "kernels/kernel.hpp"

// What one product takes, as the estimate has it: microseconds on a Zen 4 processor at
// 3.7 GHz, whose ratios other processors are taken to share. Each formula is a sum over the steps
// of a way; its coefficients, one set for each table of kernels, are non-negative ones that
// minimise relative errors over 228 pairs of rings (n from 2 to 8190) and moduli (20 to 135 bits).
// docs/notes/wide_product.md says how far off the choice is.

namespace ringlet::wide {

/// What all ways need to know of a ring.
struct RingWork {
  std::size_t degree = 0;
  std::size_t reduction = 0;  ///< Operations of a reduction modulo Phi_m.
};

/// Way ntt: transforms of `length` modulo so many primes; `table` is that of the transforms.
double ntt_microseconds(std::string_view table, const ProductLength& length, std::size_t primes,
                        const RingWork& ring);

/// Way karatsuba; `table` is that of the recursion.
double karatsuba_microseconds(std::string_view table, const kernels::KaratsubaShape& shape,
                              const RingWork& ring);

/// Way additions, with so many planes of limbs.
double additions_microseconds(std::string_view table, std::size_t planes, const RingWork& ring);

}  // namespace ringlet::wide
