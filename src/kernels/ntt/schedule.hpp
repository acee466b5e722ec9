// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/base/export.hpp"

// The order of passes and of twiddles. Portable: the builder of the tables and the kernels of every
// instruction set walk the same Schedule, so they cannot disagree.
//
// Stage s (0 <= s < n = log2 N) of the forward transform works on 2^s blocks of N/2^s words; block
// b of stage s uses the twiddle with index 2^s + b. A pass does several stages with the data in
// registers:
//   a row pass of k stages on a block sees it as 2^k rows and needs the 2^k - 1 twiddles of a
//   binary tree: 1 of its first stage, 2 of the next, ...;
//   the tail pass does the last stages on 2^k vectors of consecutive words: k stages between whole
//   vectors, then one stage per halving of the lanes inside pairs of vectors.
// The inverse transform runs the same passes backwards.

namespace ringlet::kernels {

inline constexpr int kMaxPasses = 20;
inline constexpr int kMaxLogLanes = 4;
inline constexpr int kMaxLanes = 1 << kMaxLogLanes;

/// Blocks of at most this many words are transformed pass by pass, larger ones block by block,
/// depth first. 16 KiB of data stay in the first-level cache while their twiddles pass through.
inline constexpr std::size_t kCacheBlockWords = 2048;

struct Pass {
  int first_stage = 0;
  int row_stages = 0;  ///< k: stages between whole vectors.
  bool is_tail = false;
};

/// The layout of the twiddles of the stages inside vectors. In lane stage v, a pair of vectors
/// spans 2^(v+1) blocks; word i of the table belongs to block `block_of_word[v][i]` of them.
struct LaneLayout {
  int log_lanes = 0;
  int words[kMaxLogLanes] = {};
  int block_of_word[kMaxLogLanes][kMaxLanes] = {};
};

struct Schedule {
  int log_degree = 0;
  int log_lanes = 0;
  int pass_count = 0;
  Pass passes[kMaxPasses] = {};
};

/// The most row stages of a pass before the last row pass. More than eight rows, 4 KiB or more
/// apart, exceed the ways of a first-level cache.
inline constexpr int kMaxFarStages = 3;

/// Returns the number of row passes for `row_stages` stages before the tail.
RINGLET_INLINE constexpr int count_row_passes(int row_stages, int max_row_stages,
                                              int max_far_stages) {
  if (row_stages <= max_row_stages) return row_stages > 0 ? 1 : 0;
  const int far = max_row_stages < max_far_stages ? max_row_stages : max_far_stages;
  return 1 + (row_stages - max_row_stages + far - 1) / far;
}

/// Splits log_degree >= log_lanes + 1 stages into as few passes as possible, of at most
/// `max_row_stages` row stages each, or max_far_stages before the last row pass. The tail gets as
/// many as it may, because a trip through the registers does most there. The passes before it get
/// about the same number each, the later ones the larger.
RINGLET_INLINE constexpr Schedule make_schedule(int log_degree, int log_lanes, int max_row_stages,
                                                int max_far_stages = kMaxFarStages) {
  Schedule schedule;
  schedule.log_degree = log_degree;
  schedule.log_lanes = log_lanes;
  const int row_stages = log_degree - log_lanes;
  const int tail_stages = row_stages < max_row_stages ? row_stages : max_row_stages;
  schedule.pass_count =
      1 + count_row_passes(row_stages - tail_stages, max_row_stages, max_far_stages);
  int stage = 0;
  for (int p = 0; p + 1 < schedule.pass_count; ++p) {
    const int left = schedule.pass_count - 1 - p;
    schedule.passes[p] = {stage, (row_stages - tail_stages - stage) / left, false};
    stage += schedule.passes[p].row_stages;
  }
  schedule.passes[schedule.pass_count - 1] = {stage, tail_stages, true};
  return schedule;
}

/// The fewest stages of a row pass that is not the first one.
RINGLET_INLINE constexpr int min_inner_stages(int max_row_stages) {
  return max_row_stages < 2 ? max_row_stages : 2;
}

/// Whether, at every degree, all row passes but the first have at least min_inner_stages, and a
/// tail after them has max_row_stages. Kernels are compiled only for such schedules.
RINGLET_INLINE constexpr bool has_long_passes(int log_lanes, int max_row_stages,
                                              int max_far_stages = kMaxFarStages) {
  for (int n = log_lanes + 1; n <= 20; ++n) {
    const Schedule schedule = make_schedule(n, log_lanes, max_row_stages, max_far_stages);
    for (int p = 1; p < schedule.pass_count; ++p) {
      const Pass& pass = schedule.passes[p];
      const int least = pass.is_tail ? max_row_stages : min_inner_stages(max_row_stages);
      if (pass.row_stages < least) return false;
    }
  }
  return true;
}

/// Words of one row of a row pass: the distance between butterfly partners of its last stage.
RINGLET_INLINE constexpr std::size_t row_words(const Schedule& schedule, const Pass& pass) {
  return std::size_t{1} << (schedule.log_degree - pass.first_stage - pass.row_stages);
}

/// Words of the block that a pass transforms in one go.
RINGLET_INLINE constexpr std::size_t block_words(const Schedule& schedule, const Pass& pass) {
  return std::size_t{1} << (schedule.log_degree - pass.first_stage);
}

/// Words of the tree of pairs (twiddle, quotient) of one block; a multiple of 4, and of 8 in row
/// passes, so that vector loads in the tail stay aligned.
RINGLET_INLINE constexpr std::size_t tree_words(const Pass& pass) {
  const std::size_t words = std::size_t{2} << pass.row_stages;
  return pass.is_tail || words > 8 ? words : 8;
}

/// Words of lane twiddles of stage v for one pair of vectors: twiddles, then quotients.
RINGLET_INLINE constexpr std::size_t lane_words(const LaneLayout& layout, int v) {
  return 2 * static_cast<std::size_t>(layout.words[v]);
}

/// Words of twiddles that a pass reads per block: the tree and, in the tail, for each lane stage
/// the words of all pairs one after the other.
RINGLET_INLINE constexpr std::size_t record_words(const Pass& pass, const LaneLayout& layout) {
  std::size_t words = tree_words(pass);
  if (pass.is_tail) {
    for (int v = 0; v < layout.log_lanes; ++v) {
      words += lane_words(layout, v) << (pass.row_stages - 1);
    }
  }
  return words;
}

/// Calls visitor(pass, first_block, block_count) in the order of the forward transform.
template <typename Visitor>
void walk_forward(const Schedule& schedule, Visitor& visitor, int p = 0, std::size_t block = 0) {
  const Pass& top = schedule.passes[p];
  if (block_words(schedule, top) <= kCacheBlockWords || top.is_tail) {
    for (int i = p; i < schedule.pass_count; ++i) {
      const int depth = schedule.passes[i].first_stage - top.first_stage;
      visitor(schedule.passes[i], block << depth, std::size_t{1} << depth);
    }
    return;
  }
  visitor(top, block, 1);
  const std::size_t children = std::size_t{1} << top.row_stages;
  for (std::size_t child = 0; child < children; ++child) {
    walk_forward(schedule, visitor, p + 1, block * children + child);
  }
}

/// Calls visitor likewise in the order of the inverse transform, the mirror image of walk_forward.
template <typename Visitor>
void walk_inverse(const Schedule& schedule, Visitor& visitor, int p = 0, std::size_t block = 0) {
  const Pass& top = schedule.passes[p];
  if (block_words(schedule, top) <= kCacheBlockWords || top.is_tail) {
    for (int i = schedule.pass_count - 1; i >= p; --i) {
      const int depth = schedule.passes[i].first_stage - top.first_stage;
      visitor(schedule.passes[i], block << depth, std::size_t{1} << depth);
    }
    return;
  }
  const std::size_t children = std::size_t{1} << top.row_stages;
  for (std::size_t child = 0; child < children; ++child) {
    walk_inverse(schedule, visitor, p + 1, block * children + child);
  }
  visitor(top, block, 1);
}

/// Fuses forward transforms, work on their results and an inverse transform, block by block. Calls
/// visitor.forward(pass, first_block, block_count) for row passes in the order of walk_forward,
/// visitor.tail likewise in place of the tail, and visitor.inverse for row passes in the order of
/// walk_inverse. A block passes through all of them before the next block comes to the cache.
template <typename Visitor>
void walk_fused(const Schedule& schedule, Visitor& visitor, int p = 0, std::size_t block = 0) {
  const Pass& top = schedule.passes[p];
  const int tail = schedule.pass_count - 1;
  if (block_words(schedule, top) > kCacheBlockWords && !top.is_tail) {
    visitor.forward(top, block, 1);
    const std::size_t children = std::size_t{1} << top.row_stages;
    for (std::size_t child = 0; child < children; ++child) {
      walk_fused(schedule, visitor, p + 1, block * children + child);
    }
    visitor.inverse(top, block, 1);
    return;
  }
  const auto visit = [&](int i, auto&& call) {
    const int depth = schedule.passes[i].first_stage - top.first_stage;
    call(schedule.passes[i], block << depth, std::size_t{1} << depth);
  };
  for (int i = p; i < tail; ++i) {
    visit(i, [&](const auto&... where) { visitor.forward(where...); });
  }
  visit(tail, [&](const auto&... where) { visitor.tail(where...); });
  for (int i = tail - 1; i >= p; --i) {
    visit(i, [&](const auto&... where) { visitor.inverse(where...); });
  }
}

}  // namespace ringlet::kernels
