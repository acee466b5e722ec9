// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/karatsuba/recursion.hpp"

// Base products of Karatsuba's recursion by digits of 16 bits: pairs of products, added.

namespace ringlet::kernels {

/// A limb c with its sign, |c| < 2^46, is d_0 + 2^16 d_1 + 2^32 d_2 with digits in [-2^15, 2^15). A
/// digit of a product is a sum of pairs d_j u_(i-j) + d_(j+1) u_(i-j-1) of 16-bit factors in 32-bit
/// lanes: with |u| <= 2^r and s terms at most 2^15 N <= 2^30.
/// Policy V:
///   kWords                  32-bit lanes of a vector
///   kTilePlanes             planes whose sums are kept at once, three for each of two blocks
///   load(p)                 lanes from p on, any alignment
///   broadcast_pair(p)       two 16-bit integers in all lanes
///   add_pairs(sum, x, y)    sum + x_0 y_0 + x_1 y_1 in each lane, x and y pairs
///   store_digits(to, d0, d1, d2)  d0 + 2^16 d1 + 2^32 d2 as kWords 64-bit words
template <typename V>
struct LimbBase {
  using Vec = typename V::Vec;
  using Shape = KaratsubaShape;
  using Chunk = std::int64_t;

  static constexpr const char* kAlgorithm = "limb48";
  static constexpr bool kSubtracts = true;
  static constexpr int kMaxChunkBits = 47;
  static constexpr int kWordBits = 47;
  static constexpr int kDigits = 3;
  /// A block of p has as many coefficients as a vector has sums, and at least two, a pair.
  static constexpr std::size_t kVectors = V::kWords < 2 ? 2 : 1;
  static constexpr std::size_t kBlock = kVectors * V::kWords;
  static constexpr std::size_t kPairs = kBlock / 2;
  static constexpr std::size_t kPadding = 2 * kBlock;

  RINGLET_INLINE static std::size_t wide_words(const Shape& shape) {
    return shape.base_size * shape.plane_count * kDigits / 2;
  }

  /// Writes digit d in plane k of coefficient j of block b of p, as a 16-bit integer, to
  /// to[((b * plane_count + k) * 3 + d) * kBlock + j].
  RINGLET_INLINE static void write_wide(std::uint32_t* to, const Chunk* chunks, std::size_t stride,
                                        const Shape& shape) {
    auto* digits = reinterpret_cast<std::uint16_t*>(to);
    for (std::size_t j = 0; j < shape.base_size; j += kBlock) {
      for (std::size_t k = 0; k < shape.plane_count; ++k, digits += kDigits * kBlock) {
        const Chunk* const from = chunks + k * stride + j;
        for (std::size_t i = 0; i < kBlock; ++i) {
          // The lower digits are signed: 2^15, added to each of them, makes the carry.
          const auto limb = static_cast<std::uint64_t>(from[i]);
          expect_bits(from[i], kWordBits - 1);
          digits[i] = static_cast<std::uint16_t>(limb);
          digits[kBlock + i] = static_cast<std::uint16_t>((limb + 0x8000) >> 16);
          digits[2 * kBlock + i] = static_cast<std::uint16_t>((limb + 0x80008000) >> 32);
        }
      }
    }
  }

  /// Writes the pair (u_i, u_(i-1)) to word i + kBlock, for i from -kBlock to s + kBlock - 1.
  RINGLET_INLINE static void write_small(std::uint32_t* to, const std::int16_t* u,
                                         std::size_t size) {
    auto* const pairs = reinterpret_cast<std::int16_t*>(to);
    for (std::size_t i = 0; i < 2 * kBlock; ++i) pairs[i] = 0;
    std::int16_t* const inner = pairs + 2 * kBlock;
    inner[0] = u[0];
    inner[1] = 0;
    for (std::size_t i = 1; i < size; ++i) {
      inner[2 * i] = u[i];
      inner[2 * i + 1] = u[i - 1];
    }
    inner[2 * size] = 0;
    inner[2 * size + 1] = u[size - 1];
    for (std::size_t i = 2 * size + 2; i < 2 * (size + kBlock); ++i) inner[i] = 0;
  }

  RINGLET_INLINE static void product(const WordPlanes& out, const std::uint32_t* wide,
                                     const std::uint32_t* small, const Shape& shape) {
    const Operands of{wide, small, out, shape.plane_count, shape.base_size};
    std::size_t plane = 0;
    for (; plane + V::kTilePlanes <= shape.plane_count; plane += V::kTilePlanes) {
      multiply_planes<V::kTilePlanes>(of, plane);
    }
    if constexpr (V::kTilePlanes > 1) {
      for (; plane < shape.plane_count; ++plane) multiply_planes<1>(of, plane);
    }
  }

 private:
  struct Operands {
    const std::uint32_t* wide;
    const std::uint32_t* small;
    WordPlanes out;
    std::size_t plane_count;
    std::size_t size;
  };

  /// Sums of two blocks of coefficients.
  template <std::size_t kPlanes>
  struct Tile {
    static constexpr std::size_t kRows = kPlanes * kDigits;
    Vec sums[kRows][2 * kVectors] = {};
  };

  /// Computes two blocks of sums at a time. Block b of p meets block v of the sums where
  /// 0 <= v - b <= S, S the number of blocks of p.
  template <std::size_t kPlanes>
  static void multiply_planes(const Operands& of, std::size_t plane) {
    const std::size_t blocks = of.size / kBlock;
    for (std::size_t v = 0; v < 2 * blocks; v += 2) {
      Tile<kPlanes> tile;
      std::size_t b = 0;
      if (v >= blocks) {
        b = v - blocks + 1;
        add_block<0, kVectors>(tile, of, plane, v, b - 1);
      }
      const std::size_t end = v < blocks ? v + 1 : blocks;
      for (; b < end; ++b) add_block<0, 2 * kVectors>(tile, of, plane, v, b);
      if (v + 1 < blocks) add_block<kVectors, 2 * kVectors>(tile, of, plane, v, b);
      for (std::size_t k = 0; k < kPlanes; ++k) {
        std::uint64_t* const to = of.out.words + (plane + k) * of.out.stride + v * kBlock;
        for (std::size_t x = 0; x < 2 * kVectors; ++x) {
          V::store_digits(to + x * V::kWords, tile.sums[k * kDigits][x],
                          tile.sums[k * kDigits + 1][x], tile.sums[k * kDigits + 2][x]);
        }
      }
    }
  }

  /// Adds block b of p times the windows of u that meet it to the vectors from kFirst to kEnd - 1
  /// of the tile that begins with block v.
  template <std::size_t kFirst, std::size_t kEnd, typename T>
  RINGLET_INLINE static void add_block(T& tile, const Operands& of, std::size_t plane,
                                       std::size_t v, std::size_t b) {
    const std::uint32_t* const p = of.wide + (b * of.plane_count + plane) * (kDigits * kPairs);
    const std::uint32_t* const window = of.small + (v + 1 - b) * kBlock;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kPairs; ++j) {
      Vec u[kEnd];
#pragma GCC unroll 4
      for (std::size_t x = kFirst; x < kEnd; ++x) u[x] = V::load(window + x * V::kWords - 2 * j);
#pragma GCC unroll 16
      for (std::size_t l = 0; l < T::kRows; ++l) {
        const Vec pair = V::broadcast_pair(p + l * kPairs + j);
#pragma GCC unroll 4
        for (std::size_t x = kFirst; x < kEnd; ++x) {
          tile.sums[l][x] = V::add_pairs(tile.sums[l][x], u[x], pair);
        }
      }
    }
  }
};

}  // namespace ringlet::kernels
