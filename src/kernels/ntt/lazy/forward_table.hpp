// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/forward_order.hpp"
#include "kernels/ntt/radix2/table.hpp"

namespace ringlet::kernels {

/// Constants of the forward transform besides LazyConstants. LazyTable has its stream of twiddles.
struct alignas(64) LazyForward {
  /// Start values of the products that yield the rows of a level of two stages, of three stages,
  /// or of the last level: row e's bias times q, less (q - 1)/2.
  std::uint64_t pair_starts[kLevelRows] = {};
  std::uint64_t triple_starts[kLevelRows] = {};
  std::uint64_t last_starts[kLevelRows] = {};
  std::uint64_t shift = 0;          ///< What FirstRow::shifted adds.
  std::uint64_t centre = 0;         ///< What FirstRow::centred starts from.
  std::uint64_t negated_count = 0;  ///< What FirstRow::reduced starts from.
  std::uint64_t partner_start = 0;  ///< forward_partner_bias times q.
  ForwardRoundings roundings{};
  TwiddlePair i;  ///< i, zeta and i_zeta are those of ForwardRoots.
  TwiddlePair zeta;
  TwiddlePair i_zeta;
  TwiddlePair half_difference;  ///< (zeta - i*zeta)/2.
  TwiddlePair half_sum;
  ForwardLevels levels;
  Schedule schedule;
  std::uint64_t bound = 0;  ///< Unreduced results are below it.
};

/// Words of the stream, a multiple of 8.
std::size_t lazy_forward_stream_words(int log_degree);

/// Fills `forward` and the stream (64-byte aligned).
void build_lazy_forward(LazyForward& forward, std::uint64_t* stream, const NttRequest& request,
                        const Radix2Shape& shape);

}  // namespace ringlet::kernels
