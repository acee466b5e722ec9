// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/inverse_order.hpp"
#include "kernels/ntt/radix2/table.hpp"

namespace ringlet::kernels {

/// Constants of the inverse transform besides LazyConstants. LazyTable has its stream of twiddles.
struct alignas(64) LazyInverse {
  /// Start values of the products that yield the rows of a level of two or of three stages: row e's
  /// bias times q, less (q - 1)/2.
  std::uint64_t pair_starts[kLevelRows] = {};
  std::uint64_t triple_starts[kLevelRows] = {};
  /// Start values of the quotients of reductions: 1 minus the biases of a level of two stages.
  std::uint64_t pair_counts[kLevelRows] = {};
  std::uint64_t input_biases[kLevelRows] = {};  ///< inverse_input_biases times q.
  TwiddlePair i;                                ///< i, zeta and i_zeta are those of InverseRoots.
  TwiddlePair zeta;
  TwiddlePair i_zeta;
  TwiddlePair degree_inverse;  ///< 1/N.
  Schedule schedule;

  const std::uint64_t* starts(int stages) const {
    return stages == 2 ? pair_starts : triple_starts;
  }
};

/// Words of the stream, a multiple of 8.
std::size_t lazy_inverse_stream_words(int log_degree);

/// Fills `inverse` and the stream (64-byte aligned).
void build_lazy_inverse(LazyInverse& inverse, std::uint64_t* stream, const NttRequest& request,
                        const Radix2Shape& shape);

}  // namespace ringlet::kernels
