// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "fv/products/product_length.hpp"
#include "kernels/kernel.hpp"

// Estimates of the time of one product, in microseconds on a Zen 4 processor at 3.7 GHz; other
// processors are assumed to have the same ratios. Each formula is a sum over the steps of a way.
// Its coefficients, one set for each table of kernels, are not negative and minimise relative
// errors over 228 pairs of rings (n from 2 to 8190) and moduli (20 to 135 bits).
// docs/notes/wide_product.md says how far off the choice is.

namespace ringlet::wide {

/// The properties of a ring that all ways need.
struct RingWork {
  std::size_t degree = 0;
  std::size_t reduction = 0;  ///< Operations of a reduction modulo Phi_m.
};

/// Estimates way ntt: transforms of `length` modulo `primes` primes, by kernels of `table`.
double ntt_microseconds(std::string_view table, const ProductLength& length, std::size_t primes,
                        const RingWork& ring);

/// Estimates way karatsuba, with a recursion by kernels of `table`.
double karatsuba_microseconds(std::string_view table, const kernels::KaratsubaShape& shape,
                              const RingWork& ring);

/// Estimates way additions, with `planes` planes of limbs.
double additions_microseconds(std::string_view table, std::size_t planes, const RingWork& ring);

}  // namespace ringlet::wide
