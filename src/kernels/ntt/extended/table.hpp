// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/ntt/radix2/table.hpp"

namespace ringlet::kernels {

/// How the tail does the last stages, which are inside vectors.
enum class ExtendedTail {
  quads,  ///< As radix-4 butterflies, and one of radix 2 where the number of stages is odd.
  pairs,  ///< As radix-2 butterflies on pairs of vectors, with the stage between the two if that
          ///< makes the number of stages before even.
};

/// The order of factors in memory: Section 4.1 of Bradbury et al.
enum class TwiddleOrder {
  compressed,        ///< The factors in the order in which they are consumed.
  extended_reverse,  ///< At twice their bit-reversed index, the products between them.
};

/// A variant of the radix-4 transform.
struct ExtendedVariant {
  int pass_stages = 2;  ///< Stages of a pass: 2, or 4 for two radix-4 butterflies in a row.
  ExtendedTail tail = ExtendedTail::quads;
  TwiddleOrder order = TwiddleOrder::compressed;
};

/// What distinguishes the tables of two kernels.
struct ExtendedShape {
  LaneLayout layout;
  int quotient_bits = 64;
  ExtendedVariant variant = {};
  bool word_quads = false;  ///< Tails of two stages have the factors of a WordQuadPolicy.

  constexpr Radix2Shape pairs() const { return {layout, quotient_bits}; }
};

/// Returns the stages of the last pass, including those inside vectors. The number of stages before
/// it is even. Without lanes it is a pass like the others.
RINGLET_INLINE constexpr int extended_tail_stages(int log_degree, const ExtendedShape& shape) {
  const int lanes = shape.layout.log_lanes;
  const int odd = log_degree % 2;
  if (shape.variant.tail == ExtendedTail::pairs) return lanes + (lanes + odd) % 2;
  if (lanes > 0) return lanes + (lanes + odd) % 2;
  if (odd != 0) return 3;
  return log_degree < shape.variant.pass_stages ? log_degree : shape.variant.pass_stages;
}

/// Returns the passes of radix-4 butterflies and the tail, whose `row_stages` are all of its
/// stages. Of passes of four stages, the first one has two if their number requires it.
RINGLET_INLINE constexpr Schedule make_extended_schedule(int log_degree,
                                                         const ExtendedShape& shape) {
  Schedule schedule;
  schedule.log_degree = log_degree;
  schedule.log_lanes = shape.layout.log_lanes;
  const int tail = extended_tail_stages(log_degree, shape);
  for (int stage = 0; stage < log_degree - tail;) {
    const int rest = (log_degree - tail - stage) % shape.variant.pass_stages;
    const int stages = rest == 0 ? shape.variant.pass_stages : rest;
    schedule.passes[schedule.pass_count++] = {stage, stages, false};
    stage += stages;
  }
  schedule.passes[schedule.pass_count++] = {log_degree - tail, tail, true};
  return schedule;
}

/// Radix-4 butterflies with different factors in a block of `stages` stages: 1 + 4 + 16 + ...
RINGLET_INLINE constexpr std::size_t quads_of_block(int stages) {
  return ((std::size_t{1} << (stages & ~1)) - 1) / 3;
}
/// Words of the factors of a block: five pairs for each radix-4 butterfly, and one for each radix-2
/// butterfly behind them if the number of stages is odd.
RINGLET_INLINE constexpr std::size_t extended_block_words(int stages) {
  const std::size_t last = stages % 2 == 0 ? 0 : std::size_t{1} << (stages - 1);
  return 2 * (5 * quads_of_block(stages) + last);
}

/// Vectors that a tail of quads works on at once.
inline constexpr std::size_t kQuadTailVectors = 4;

/// Whether a radix-4 butterfly follows exchange e (0 <= e < log_lanes) of a tail of quads. The tail
/// works on four vectors r0..r3 at once. Exchange e swaps the next lower bit of the lanes' word
/// index with bit 1 (e even) or bit 0 (e odd) of the vectors' index. Partners `distance` =
/// 2^(log_lanes - 1 - e) and 2 * distance words apart are then in the same lane of the four.
RINGLET_INLINE constexpr bool has_quad_after(int e, int log_lanes, int tail_stages) {
  const int first = log_lanes + 1 - tail_stages;
  return e >= first && (e - first) % 2 == 0 && e + tail_stages % 2 < log_lanes;
}
/// Words of the factors of that butterfly, except where a policy has word quads: five times the
/// lane words and their quotients, in whole vectors.
RINGLET_INLINE constexpr std::size_t quad_lane_words(const LaneLayout& layout, int e) {
  return (10 * static_cast<std::size_t>(layout.words[e]) + 7) / 8 * 8;
}
/// Words of the factors of four vectors, in the order of the exchanges. Radix-2 butterflies of the
/// last stage have the factors of two pairs of vectors.
RINGLET_INLINE constexpr std::size_t quad_tail_words(const LaneLayout& layout, int tail_stages) {
  std::size_t words = 0;
  for (int e = 0; e < layout.log_lanes; ++e) {
    if (has_quad_after(e, layout.log_lanes, tail_stages)) words += quad_lane_words(layout, e);
  }
  return words + (tail_stages % 2 == 0 ? 0 : 2 * lane_words(layout, layout.log_lanes - 1));
}

/// Head of a table. Four streams of factors follow it in memory: of the row passes of the forward
/// and the inverse transform, and of their tails. Each is read from start to end, in the order of
/// walk_forward or walk_inverse. With extended_reverse, rows and tails find factors by index. In
/// the inverse streams the factors of stage 0 carry 1/N.
struct alignas(64) ExtendedTable {
  Schedule schedule;
  std::uint64_t q = 0;
  TwiddlePair degree_inverse;
  std::size_t row_words = 0;  ///< A multiple of 8, as is the next.
  std::size_t tail_words = 0;

  const std::uint64_t* forward_rows() const {
    return reinterpret_cast<const std::uint64_t*>(this + 1);
  }
  const std::uint64_t* inverse_rows() const { return forward_rows() + row_words; }
  const std::uint64_t* forward_tail() const { return inverse_rows() + row_words; }
  const std::uint64_t* inverse_tail() const { return forward_tail() + tail_words; }
};

/// Size of a table in bytes, a multiple of 64.
std::size_t extended_table_bytes(int log_degree, const ExtendedShape& shape);

/// Fills `memory` (64-byte aligned, extended_table_bytes long).
void build_extended_table(void* memory, const NttRequest& request, const ExtendedShape& shape);

}  // namespace ringlet::kernels
