// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/schedule.hpp"
#include "kernels/wide/wide_kernel.hpp"

namespace ringlet::kernels {

/// What distinguishes the transform tables of two policies.
struct WideNttShape {
  LimbFormat format;
  LaneLayout layout;
  int max_row_stages = 1;
};

/// Words of the tree of factors of one block of a pass, a multiple of 8.
RINGLET_INLINE constexpr std::size_t wide_tree_words(const Pass& pass, int factor_words) {
  const std::size_t words =
      ((std::size_t{1} << pass.row_stages) - 1) * static_cast<std::size_t>(factor_words);
  return (words + 7) / 8 * 8;
}

/// Words of the factors of lane stage v for one pair of vectors: word by word, each as
/// LaneLayout::block_of_word orders its blocks.
RINGLET_INLINE constexpr std::size_t wide_lane_words(const LaneLayout& layout, int v,
                                                     int factor_words) {
  return static_cast<std::size_t>(layout.words[v]) * static_cast<std::size_t>(factor_words);
}

/// Head of a table; the two streams of factors follow it in memory, each in the order in which its
/// transform reads them. In the inverse stream the factor of stage 0 carries 1/N, which
/// `degree_inverse` holds for the other half.
struct alignas(64) WideNttTable {
  Schedule schedule;
  WideConstants constants;
  std::uint64_t degree_inverse[kMaxWideFactorWords] = {};
  std::uint64_t forward_offset[kMaxWideLimbs] = {};
  std::uint64_t inverse_offset[kMaxWideLimbs] = {};
  std::size_t stream_words = 0;

  const std::uint64_t* forward_stream() const {
    return reinterpret_cast<const std::uint64_t*>(this + 1);
  }
  const std::uint64_t* inverse_stream() const { return forward_stream() + stream_words; }
};

std::size_t wide_ntt_table_bytes(int log_degree, const WideNttShape& shape);

/// Fills `memory` (64-byte aligned, wide_ntt_table_bytes long).
void build_wide_ntt_table(void* memory, const WideNttRequest& request, const WideNttShape& shape);

}  // namespace ringlet::kernels
