// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/lazy/levels.hpp"

// The order of the lazy inverse transform, its twiddles and the ranges of its values. Portable: the
// builder of the tables and the kernels read it.
//
// The stages of the inverse transform go in levels of two or three. A level of k stages, the first
// of which in the order of the forward transform is s, sees block b of stage s as 2^k rows
// a_0, a_1, ... and leaves in row j
//
//     r^-j * sum over e of c_j,e * a_e,      r the root of the leftmost block of stage s + k - 1.
//
// The factors c are powers of the primitive 2^k-th root of unity and so the same for all blocks:
// they are applied inside, by k stages of additions, and only the outer factors r^-j come from the
// stream. A product leaves a centred residue for every operand, so that only row 0, which has no
// outer factor, needs a reduction. In the last level the outer factors, row 0 included, carry 1/N.
//
// The first level, three stages, works inside vectors: it transposes eight vectors, which makes
// them eight blocks side by side. The next level, in the tail pass, transposes them back.

namespace ringlet::kernels {

/// The centre of the values of row e of a level, in units of q, for e modulo 8. With these centres
/// no operand of a product inside the level is negative.
struct InverseBiases {
  int row[kLevelRows];
};

/// Returns the biases of a level of two or three stages. Unless q is tight, rows of a level of two
/// may be twice as wide as residues, which saves row 0 of the level before one of three operations.
RINGLET_INLINE constexpr InverseBiases inverse_biases(int stages, bool tight) {
  if (tight) return {{2, 0, 1, -1, 2, 0, 1, -1}};
  if (stages == 2) return {{4, 0, 1, -1, 4, 0, 1, -1}};
  return {{3, 1, 1, -1, 2, -1, 0, -1}};
}

/// Returns the multiples of q that are added to rows in [0, q) of the first level.
RINGLET_INLINE constexpr InverseBiases inverse_input_biases(bool tight) {
  if (tight) return {{1, 0, 0, -1, 1, 0, 0, -1}};
  return {{3, 0, 0, -1, 1, -1, 0, -2}};
}

/// Words of a chunk of the levels inside and next to vectors, which read most of the twiddles.
/// While the tail works on a chunk, the twiddles and operands of the next chunk come to the
/// first-level cache. A transform up to kMaxUnchunkedLogDegree is one chunk.
inline constexpr std::size_t kChunkWords = 512;
inline constexpr int kMaxUnchunkedLogDegree = 11;

/// Calls visitor(pass, first_block, block_count), depth first and from the tail up, for blocks
/// first_block, ... of pass p.
template <typename Visitor>
void walk_lazy_inverse(const Schedule& schedule, Visitor& visitor, int p = 0,
                       std::size_t first_block = 0, std::size_t blocks = 1) {
  const Pass& pass = schedule.passes[p];
  if (pass.is_tail) return visitor(pass, first_block, blocks);
  const std::size_t children = std::size_t{1} << pass.row_stages;
  const std::size_t words = block_words(schedule, pass);
  if (blocks * words <= kChunkWords || schedule.log_degree <= kMaxUnchunkedLogDegree) {
    walk_lazy_inverse(schedule, visitor, p + 1, first_block * children, blocks * children);
    return visitor(pass, first_block, blocks);
  }
  const std::size_t fitting = kChunkWords / (words / children);
  const std::size_t step = fitting > 1 ? fitting : 1;
  for (std::size_t block = first_block; block < first_block + blocks; ++block) {
    for (std::size_t child = 0; child < children; child += step) {
      walk_lazy_inverse(schedule, visitor, p + 1, block * children + child, step);
    }
    visitor(pass, block, std::size_t{1});
  }
}

}  // namespace ringlet::kernels
