// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/karatsuba/recursion.hpp"
#include "kernels/policy/unroll.hpp"

// Base products of Karatsuba's recursion by whole chunks, as Migliore et al. keep them: one chunk
// in a 32-bit word, products in 64 bits.

namespace ringlet::kernels {

/// A chunk is below 2^31, |u| <= 2^r, and a sum of s products is below 2^(31 + r) s < 2^63.
/// Policy V:
///   kWords                  32-bit words of a vector, of which the even ones are multiplied
///   kTileRows               chunks whose sums are kept at once, two vectors of sums each
///   load(p)                 words from p on, any alignment
///   broadcast(p)            one word in all even lanes
///   add_product(sum, x, y)  sum + x * y in 64-bit lanes, of the even words, signed
///   store_alternating(to, even, odd)  even[0], odd[0], even[1], ...: kWords 64-bit words
template <typename V>
struct ChunkBase {
  using Vec = typename V::Vec;
  using Shape = KaratsubaShape;
  using Chunk = std::int32_t;

  static constexpr const char* kAlgorithm = "chunk27";
  static constexpr bool kSubtracts = false;
  static constexpr int kMaxChunkBits = 27;
  static constexpr int kWordBits = 31;
  static constexpr std::size_t kBlock = V::kWords;
  static constexpr std::size_t kPadding = 4 * kBlock;

  RINGLET_INLINE static std::size_t wide_words(const Shape& shape) {
    return shape.base_size * shape.plane_count;
  }

  /// Writes chunk k of coefficient j of block b of p to to[(b * plane_count + k) * kBlock + j].
  RINGLET_INLINE static void write_wide(std::uint32_t* to, const Chunk* chunks, std::size_t stride,
                                        const Shape& shape) {
    for (std::size_t j = 0; j < shape.base_size; j += kBlock) {
      for (std::size_t k = 0; k < shape.plane_count; ++k, to += kBlock) {
        for (std::size_t i = 0; i < kBlock; ++i) {
          to[i] = static_cast<std::uint32_t>(chunks[k * stride + j + i]);
        }
      }
    }
  }

  /// Writes u_i to word i + kBlock, with zeros around.
  RINGLET_INLINE static void write_small(std::uint32_t* to, const std::int16_t* u,
                                         std::size_t size) {
    for (std::size_t i = 0; i < kBlock; ++i) to[i] = 0;
    to += kBlock;
    for (std::size_t i = 0; i < size; ++i) {
      to[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(u[i]));
    }
    for (std::size_t i = size; i < size + 3 * kBlock; ++i) to[i] = 0;
  }

  RINGLET_INLINE static void product(const WordPlanes& out, const std::uint32_t* wide,
                                     const std::uint32_t* small, const Shape& shape) {
    const std::size_t rows = shape.plane_count;
    const std::size_t groups = (rows + V::kTileRows - 1) / V::kTileRows;
    for (std::size_t group = 0, row = 0; group < groups; ++group) {
      const std::size_t count = (rows - row) / (groups - group);
      const Rows part{wide, small, out, row, rows, shape.base_size};
      with_count<V::kTileRows>(count, [&](auto rows_at_once) __attribute__((always_inline)) {
        run<rows_at_once>(part);
      });
      row += count;
    }
  }

 private:
  struct Rows {
    const std::uint32_t* wide;
    const std::uint32_t* small;
    WordPlanes out;
    std::size_t first;
    std::size_t row_count;
    std::size_t size;
  };

  /// Computes sums of kBlock coefficients at a time, those of even places in one vector and those
  /// of odd places in another. The odd window is the even window of the coefficient of p before.
  template <int kRows>
  static void run(const Rows& rows) {
    const std::size_t blocks = rows.size / kBlock;
    for (std::size_t v = 0; v < 2 * blocks; ++v) {
      Vec even[kRows] = {};
      Vec odd[kRows] = {};
      const std::size_t last = v < blocks ? v : blocks - 1;
      for (std::size_t b = v < blocks ? 0 : v - blocks; b <= last; ++b) {
        const std::uint32_t* const p = rows.wide + (b * rows.row_count + rows.first) * kBlock;
        const std::uint32_t* const window = rows.small + (v + 1 - b) * kBlock;
        Vec next = V::load(window + 1);
#pragma GCC unroll 8
        for (std::size_t j = 0; j < kBlock; ++j) {
          const Vec u = V::load(window - j);
#pragma GCC unroll 8
          for (int l = 0; l < kRows; ++l) {
            const Vec chunk = V::broadcast(p + static_cast<std::size_t>(l) * kBlock + j);
            even[l] = V::add_product(even[l], u, chunk);
            odd[l] = V::add_product(odd[l], next, chunk);
          }
          next = u;
        }
      }
      for (int l = 0; l < kRows; ++l) {
        const std::size_t row = rows.first + static_cast<std::size_t>(l);
        V::store_alternating(rows.out.words + row * rows.out.stride + v * kBlock, even[l], odd[l]);
      }
    }
  }
};

}  // namespace ringlet::kernels
