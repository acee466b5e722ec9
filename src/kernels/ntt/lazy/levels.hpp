// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/schedule.hpp"

// The levels that both lazy transforms are made of, and the sizes of their twiddles. Portable: the
// builder of the tables and the kernels read it.
//
// A level is two or three stages of a transform: it works on the 4 or 8 rows of a block at once,
// with one outer factor for each row but the first and the same few constants inside for all
// blocks. The forward transform does the levels in the order of the schedule and multiplies rows
// before their level, the inverse one does them backwards and multiplies rows after it
// (forward_order.hpp, inverse_order.hpp). The three stages inside vectors are a level too,
// on eight vectors that are transposed for it; it belongs to the tail pass.

// This file also decides how far values may grow between reductions, in words of 52 bits: the
// builder chooses the stages that reduce, and the test of the ranges propagates intervals through
// them. docs/notes/lazy52.md has the proof.

namespace ringlet::kernels {

inline constexpr int kLazyWordBits = 52;
inline constexpr std::uint64_t kLazyWord = std::uint64_t{1} << kLazyWordBits;
inline constexpr std::uint64_t kLazyModulusLimit = std::uint64_t{1} << 50;
/// The term added to a product by a fraction, in units of 2^-52: more than its error, and so little
/// that q times it stays below 2^51.
inline constexpr std::uint64_t kFractionRounding = 2;

/// Values in [lower, upper) modulo 2^52.
struct LazyInterval {
  std::uint64_t lower = 0;
  std::uint64_t upper = 0;
};

inline constexpr int kLevelLogLanes = 3;
/// Words that are transposed together: 2^kLevelLogLanes vectors.
inline constexpr std::size_t kGroupWords = std::size_t{1} << (2 * kLevelLogLanes);
inline constexpr int kMinLazyLogDegree = 2 * kLevelLogLanes;
inline constexpr int kLevelRows = 8;

/// Whether a level of three stages has to reduce inside: the sum of its eight rows, each q wide,
/// exceeds a 52-bit word. The sum of four always fits.
RINGLET_INLINE constexpr bool is_tight(std::uint64_t q) { return q > kLazyWord / kLevelRows; }

/// Splits the stages into levels of three, and of two next to the tail for the rest; a pass is a
/// level. The tail's row_stages do not count the stages inside vectors.
RINGLET_INLINE constexpr Schedule make_level_schedule(int log_degree) {
  Schedule schedule;
  schedule.log_degree = log_degree;
  schedule.log_lanes = kLevelLogLanes;
  const int row_stages = log_degree - kLevelLogLanes;
  int pairs = (3 - row_stages % 3) % 3;
  int stage = 0;
  const int tail = row_stages == 4 ? 2 : 3;
  int threes = (row_stages - 2 * pairs - (tail == 3 ? 3 : 0)) / 3;
  if (tail == 2) --pairs;
  for (; threes > 0; --threes, stage += 3) schedule.passes[schedule.pass_count++] = {stage, 3};
  for (; pairs > 0; --pairs, stage += 2) schedule.passes[schedule.pass_count++] = {stage, 2};
  schedule.passes[schedule.pass_count++] = {stage, tail, true};
  return schedule;
}

/// Words of the outer factors of one block: pairs for rows 1, 2, ..., rounded up to a multiple of
/// 8 words.
RINGLET_INLINE constexpr std::size_t level_words(int stages) { return std::size_t{2} << stages; }

/// Words of the outer factors of a group in the level inside vectors: for rows 1 to 7 eight
/// operands, one per block, and eight quotients.
inline constexpr std::size_t kLaneFactorWords = 7 * 16;

/// Groups that a call of the tail pass covers.
RINGLET_INLINE constexpr std::size_t groups_of(const Pass& tail, std::size_t blocks) {
  return (blocks << (tail.row_stages + kLevelLogLanes)) / kGroupWords;
}

/// Words of the stream that a pass reads for `blocks` of its blocks. In the tail they include the
/// words of the level inside vectors.
RINGLET_INLINE constexpr std::size_t level_stream_words(const Pass& pass, std::size_t blocks) {
  const std::size_t words = blocks * level_words(pass.row_stages);
  return pass.is_tail ? words + groups_of(pass, blocks) * kLaneFactorWords : words;
}

}  // namespace ringlet::kernels
