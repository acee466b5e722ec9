// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/export.hpp"

// What the passes of signed transforms may reduce. Passes are compiled for the ways listed here:
// one that asks at every stage whether to reduce keeps all its vectors across branches, and is
// slower by a sixth.

namespace ringlet::kernels {

/// One way: bit i of `stages` is the i-th stage of the pass to be executed.
struct PassReductions {
  /// Forward: these stages reduce the upper inputs of their butterflies; inverse: their sums.
  unsigned stages = 0;
  /// Inverse, after the last stage: so many first rows, which are sums of more values than others.
  int rows = 0;

  RINGLET_INLINE constexpr bool at(int executed) const { return (stages >> executed & 1) != 0; }
};

/// Every stage of so many.
RINGLET_INLINE constexpr PassReductions every_stage(int stages) { return {(1U << stages) - 1, 0}; }

/// How many ways there are for a forward pass of so many stages between vectors, four at most,
/// before so many inside them.
RINGLET_INLINE constexpr int forward_way_count(int row_stages, int lane_stages) {
  if (lane_stages > 0) return 6;
  return row_stages == 1 ? 2 : row_stages + 2;
}

/// The ways of such a pass, the first of which reduces nothing and the last at every stage.
RINGLET_INLINE constexpr PassReductions forward_way(int way, int row_stages, int lane_stages) {
  const int stages = row_stages + lane_stages;
  if (way + 1 == forward_way_count(row_stages, lane_stages)) return every_stage(stages);
  const PassReductions tails[] = {
      {}, {1}, {8}, {0x55 & every_stage(stages).stages}, {0xaa & every_stage(stages).stages}};
  const PassReductions rows[] = {{}, {1}, {2}, {5}, {10}};
  return lane_stages > 0 ? tails[way] : rows[way];
}

inline constexpr int kMaxReducedRows = 2;

/// The same for an inverse pass, after so many stages inside vectors. The last pass, whose last
/// stage divides by N, need not reduce after it.
RINGLET_INLINE constexpr int inverse_way_count(int row_stages, int lane_stages, bool is_last) {
  if (lane_stages > 0) return 7;
  if (is_last) return row_stages < 3 ? row_stages : 3;
  return row_stages < 3 ? row_stages + 1 : row_stages + 2;
}

/// The ways of such a pass, the first of which reduces nothing and the last everything.
RINGLET_INLINE constexpr PassReductions inverse_way(int way, int row_stages, int lane_stages,
                                                    bool is_last) {
  if (way + 1 == inverse_way_count(row_stages, lane_stages, is_last)) {
    return every_stage(row_stages + lane_stages - (is_last ? 1 : 0));
  }
  if (lane_stages > 0) {
    const unsigned last_lane = 1U << (lane_stages - 1);
    const PassReductions tails[] = {{},
                                    {2 * last_lane, 0},
                                    {last_lane, 0},
                                    {last_lane, kMaxReducedRows},
                                    {last_lane | 4 * last_lane, 0},
                                    {last_lane / 2 | 2 * last_lane, kMaxReducedRows}};
    return tails[way];
  }
  const PassReductions rows[] = {
      {}, {1, 0}, {1, kMaxReducedRows}, {3, kMaxReducedRows}, {5, kMaxReducedRows}};
  return rows[way];
}

}  // namespace ringlet::kernels
