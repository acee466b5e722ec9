// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/levels.hpp"

// The order of the lazy forward transform and the ranges of its values. Portable: the builder of
// the tables and the kernels read it.
//
// A level of k stages multiplies rows 1, 2, ... of a block by r, r^2, ... The rest of the level is
// a cyclic transform of 2^k rows with the same factors for all blocks. The products leave centred
// residues for all operands, so that only row 0 ever needs a reduction. A value inside a level is a
// multiple of q that the table chooses plus a sum of a few residues. docs/notes/lazy52.md has the
// ranges.
//
// The last level works inside vectors. The tail, the level between the vectors of a group, leaves
// the group transposed, as eight blocks side by side; the last level transposes it back.

namespace ringlet::kernels {

/// What a level does with row 0.
enum class FirstRow : std::uint8_t {
  same,     ///< Nothing: there is room for more.
  shifted,  ///< Operands in [0, q): adds the bias.
  reduced,  ///< Barrett's reduction: within q of the bias.
  centred,  ///< The product by 1: within (q - 1)/2 of the bias.
};

inline constexpr int kMaxForwardLevels = kMaxPasses + 1;
/// A larger bias would only raise the bound of unreduced output.
inline constexpr int kMaxForwardBias = 8;
/// The bias of levels of three stages that reduce inside. Moduli up to 2^50 have no room for more.
inline constexpr int kTightForwardBias = 2;

/// The levels of a transform: those of its passes, then the last one, inside vectors.
struct ForwardLevels {
  int bias = 0;  ///< Row 0 and all results of levels are centred at that many q.
  FirstRow first_row[kMaxForwardLevels] = {};  ///< For operands in [0, q).
  int width[kMaxForwardLevels] = {};           ///< Results are within width*q/2 of bias*q.
};

/// The centres of the rows of a level, in units of q, except of row 0. With them no operand of a
/// product inside the level is negative.
struct ForwardBiases {
  int row[kLevelRows];
};

/// Returns the biases of a level. `tight` is is_tight(q): a level of three stages reduces inside.
RINGLET_INLINE constexpr ForwardBiases forward_biases(int stages, bool tight) {
  if (stages == 2) return {{0, 1, 0, -1}};
  if (tight) return {{0, 2, 1, 1, 0, 0, -1, -1}};
  return {{0, 2, 1, 0, 0, -1, -1, -1}};
}

/// The biases of the last level with reduced output, unless q is tight.
inline constexpr ForwardBiases kForwardLastBiases{{0, 3, 1, 1, 0, 1, 0, 0}};

/// Returns how many q are added to row 4, a residue in [0, q), of a level of three stages whose row
/// 0 is `shifted` and so half a q off its centre. Their sum is centred, if tight their difference.
RINGLET_INLINE constexpr int forward_partner_bias(bool tight) { return tight ? 0 : -1; }

/// The roundings of the fractions of a last level. Sums of fractions, in units of 2^-52, exceed the
/// exact sums by more than 0 and at most 8, with kTight 4, which is less than 2^52/q.
struct ForwardRoundings {
  std::uint64_t first;
  std::uint64_t other = 1;
};
RINGLET_INLINE constexpr ForwardRoundings forward_roundings(bool tight) {
  return {tight ? std::uint64_t{3} : std::uint64_t{5}};
}

/// Stages of level p of a schedule.
RINGLET_INLINE constexpr int level_stages(const Schedule& schedule, int p) {
  return p == schedule.pass_count ? kLevelLogLanes : schedule.passes[p].row_stages;
}

/// Decides where row 0 is reduced: as late and as little as room for bias*q on both sides of the
/// centre allows.
RINGLET_INLINE constexpr ForwardLevels forward_levels(const Schedule& schedule, std::uint64_t q) {
  const bool tight = is_tight(q);
  const std::uint64_t room = tight ? kTightForwardBias : kLazyWord / q / 2;
  ForwardLevels levels;
  levels.bias = room < kMaxForwardBias ? static_cast<int>(room) : kMaxForwardBias;
  const int limit = 2 * levels.bias;
  int width = 0;
  for (int p = 0; p <= schedule.pass_count; ++p) {
    const int stages = level_stages(schedule, p);
    const bool reduces_inside = tight && stages == 3;
    const int others = (1 << stages) - 1;
    FirstRow& row = levels.first_row[p];
    if (p == 0 && stages == 3) {
      row = FirstRow::shifted;
      width = 1;
    } else if (p == 0 && 2 + others <= limit) {
      row = FirstRow::shifted;
      width = 2;
    } else if (p > 0 && !reduces_inside && width + others <= limit) {
      row = FirstRow::same;
    } else if (p > 0 && !reduces_inside && 2 + others <= limit) {
      row = FirstRow::reduced;
      width = 2;
    } else {
      row = FirstRow::centred;
      width = 1;
    }
    width = reduces_inside ? 4 : width + others;
    levels.width[p] = width;
  }
  return levels;
}

/// Returns the interval of the results of level p.
RINGLET_INLINE constexpr LazyInterval forward_interval(const ForwardLevels& levels, int p,
                                                       std::uint64_t q) {
  const std::uint64_t centre = static_cast<std::uint64_t>(levels.bias) * q;
  const std::uint64_t width = static_cast<std::uint64_t>(levels.width[p]) * q;
  return {centre - width / 2, centre + (width + 1) / 2};
}

}  // namespace ringlet::kernels
