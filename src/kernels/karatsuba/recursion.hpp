// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernel.hpp"
#include "ringlet/base/export.hpp"

// Karatsuba's recursion over a base B, which multiplies two sub-polynomials and says how it reads
// them:
//   Chunk            a signed integer that holds a chunk after all recursions
//   kBlock           divides the size of a sub-polynomial
//   kMaxChunkBits, kWordBits  chunks have at most kMaxChunkBits bits, and at most kWordBits - r
//                    before r recursions
//   kSubtracts       the third part is A_L - A_H of the wide and U_H - U_L of the small polynomial,
//                    whose product is added to those of A_L U_L and A_H U_H; else A_L + A_H and
//                    U_L + U_H, from whose product the others are subtracted
//   kPadding         32-bit words of a small sub-polynomial beyond its size
//   wide_words(shape)                        32-bit words of a wide sub-polynomial
//   write_wide(to, chunks, stride, shape)    these words
//   write_small(to, u, s)                    s + kPadding 32-bit words
//   product(out, wide, small, shape)         2s words of each plane
// Ranges: docs/notes/karatsuba.md.

namespace ringlet::kernels {

RINGLET_INLINE std::size_t third_power(int exponent) {
  std::size_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 3;
  return power;
}

/// N: the coefficients of the whole polynomials, padding included.
RINGLET_INLINE std::size_t full_degree(const KaratsubaShape& shape) {
  return shape.base_size << shape.recursions;
}

/// Rounds up to whole cache lines.
RINGLET_INLINE std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// In builds with RINGLET_CHECK_RANGES: stops the process unless |value| < 2^bits.
RINGLET_INLINE void expect_bits([[maybe_unused]] std::int64_t value, [[maybe_unused]] int bits) {
#ifdef RINGLET_CHECK_RANGES
  const std::int64_t bound = std::int64_t{1} << bits;
  if (value >= bound || value <= -bound) __builtin_trap();
#endif
}

/// Planes of words: word i of plane k at words[k * stride + i].
struct WordPlanes {
  std::uint64_t* words;
  std::size_t stride;
};

template <typename B>
struct Karatsuba {
  static consteval KaratsubaKernel descriptor(const char* table, CpuFeatureMask needs,
                                              const char* algorithm = B::kAlgorithm) {
    return {.table = table,
            .algorithm = algorithm,
            .needs = needs,
            .max_chunk_bits = B::kMaxChunkBits,
            .word_bits = B::kWordBits,
            .base_multiple = B::kBlock,
            .wide_bytes = &wide_bytes,
            .small_bytes = &small_bytes,
            .scratch_bytes = &scratch_bytes,
            .split_wide = &split_wide,
            .split_small = &split_small,
            .multiply = &multiply,
            .multiply_base = &multiply_base};
  }

 private:
  using Shape = KaratsubaShape;
  using Chunk = typename B::Chunk;

  RINGLET_INLINE static std::size_t small_words(const Shape& shape) {
    return shape.base_size + B::kPadding;
  }
  static std::size_t wide_bytes(const Shape& shape) {
    return whole_lines(third_power(shape.recursions) * B::wide_words(shape) *
                       sizeof(std::uint32_t));
  }
  static std::size_t small_bytes(const Shape& shape) {
    return whole_lines(third_power(shape.recursions) * small_words(shape) * sizeof(std::uint32_t));
  }
  /// The largest use is for the third parts of all recursions: together 2N words of each plane.
  static std::size_t scratch_bytes(const Shape& shape) {
    return whole_lines(2 * full_degree(shape) * shape.plane_count * sizeof(std::uint64_t));
  }

  /// Bits of a chunk, without its sign, after `level` recursions.
  RINGLET_INLINE static int chunk_bits(const Shape& shape, int level) {
    return shape.chunk_bits + level - (B::kSubtracts && level > 0 ? 1 : 0);
  }

  /// Reads chunk k of all coefficients, and appends 0 up to the full degree.
  RINGLET_INLINE static void read_chunks(Chunk* chunks, const KaratsubaOperand& p,
                                         const Shape& shape, std::size_t k) {
    const std::size_t bit = k * static_cast<std::size_t>(shape.chunk_bits);
    const std::size_t word = bit / 64;
    const std::size_t shift = bit % 64;
    const std::uint64_t mask = (std::uint64_t{1} << shape.chunk_bits) - 1;
    const std::size_t degree = word < p.word_count ? p.degree : 0;
    const std::uint64_t* const low = p.words + word * p.degree;
    if (shift + static_cast<std::size_t>(shape.chunk_bits) > 64 && word + 1 < p.word_count) {
      const std::uint64_t* const high = low + p.degree;
      for (std::size_t i = 0; i < degree; ++i) {
        chunks[i] = static_cast<Chunk>((low[i] >> shift | high[i] << (64 - shift)) & mask);
      }
    } else {
      for (std::size_t i = 0; i < degree; ++i) {
        chunks[i] = static_cast<Chunk>(low[i] >> shift & mask);
      }
    }
    for (std::size_t i = degree; i < full_degree(shape); ++i) chunks[i] = 0;
  }

  static void split_wide(void* wide, const KaratsubaOperand& p, const Shape& shape, void* scratch) {
    const std::size_t degree = full_degree(shape);
    auto* const chunks = static_cast<Chunk*>(scratch);
    for (std::size_t k = 0; k < shape.plane_count; ++k) {
      read_chunks(chunks + k * degree, p, shape, k);
    }
    split_wide_at(static_cast<std::uint32_t*>(wide), chunks, degree, shape, 0,
                  chunks + shape.plane_count * degree);
  }

  /// Writes the sub-polynomials of the polynomial at `chunks`, whose planes are `stride` apart,
  /// after `level` recursions. Returns the place behind them. `room` is for third parts.
  static std::uint32_t* split_wide_at(std::uint32_t* to, const Chunk* chunks, std::size_t stride,
                                      const Shape& shape, int level, Chunk* room) {
    if (level == shape.recursions) {
      B::write_wide(to, chunks, stride, shape);
      return to + B::wide_words(shape);
    }
    const std::size_t half = full_degree(shape) >> (level + 1);
    Chunk* const below = room + shape.plane_count * half;
    to = split_wide_at(to, chunks, stride, shape, level + 1, below);
    to = split_wide_at(to, chunks + half, stride, shape, level + 1, below);
    for (std::size_t k = 0; k < shape.plane_count; ++k) {
      const Chunk* __restrict low = chunks + k * stride;
      const Chunk* __restrict high = low + half;
      Chunk* __restrict third = room + k * half;
      for (std::size_t i = 0; i < half; ++i) {
        third[i] = B::kSubtracts ? low[i] - high[i] : low[i] + high[i];
        expect_bits(third[i], chunk_bits(shape, level + 1));
      }
    }
    return split_wide_at(to, room, half, shape, level + 1, below);
  }

  static void split_small(void* small, const std::int8_t* u, std::size_t degree, const Shape& shape,
                          void* scratch) {
    const std::size_t padded = full_degree(shape);
    auto* const values = static_cast<std::int16_t*>(scratch);
    for (std::size_t i = 0; i < degree; ++i) values[i] = u[i];
    for (std::size_t i = degree; i < padded; ++i) values[i] = 0;
    split_small_at(static_cast<std::uint32_t*>(small), values, shape, 0, values + padded);
  }

  static std::uint32_t* split_small_at(std::uint32_t* to, const std::int16_t* values,
                                       const Shape& shape, int level, std::int16_t* room) {
    if (level == shape.recursions) {
      B::write_small(to, values, shape.base_size);
      return to + small_words(shape);
    }
    const std::size_t half = full_degree(shape) >> (level + 1);
    to = split_small_at(to, values, shape, level + 1, room + half);
    to = split_small_at(to, values + half, shape, level + 1, room + half);
    const std::int16_t* __restrict low = values;
    const std::int16_t* __restrict high = values + half;
    std::int16_t* __restrict third = room;
    for (std::size_t i = 0; i < half; ++i) {
      third[i] = static_cast<std::int16_t>(B::kSubtracts ? high[i] - low[i] : high[i] + low[i]);
      expect_bits(third[i], level + 2);
    }
    return split_small_at(to, room, shape, level + 1, room + half);
  }

  /// What the recursion of products reads.
  struct Operands {
    const std::uint32_t* wide;
    const std::uint32_t* small;
    const Shape& shape;
  };

  RINGLET_INLINE static Operands operands(const void* wide, const void* small, const Shape& shape) {
    return {static_cast<const std::uint32_t*>(wide), static_cast<const std::uint32_t*>(small),
            shape};
  }

  static void multiply(std::uint64_t* planes, const void* wide, const void* small,
                       const Shape& shape, void* scratch) {
    multiply_at({planes, 2 * full_degree(shape)}, operands(wide, small, shape), 0, 0,
                static_cast<std::uint64_t*>(scratch));
  }

  RINGLET_INLINE static void base_product(const WordPlanes& out, const Operands& of,
                                          std::size_t index) {
    B::product(out, of.wide + index * B::wide_words(of.shape),
               of.small + index * small_words(of.shape), of.shape);
  }

  static void multiply_base(std::uint64_t* planes, const void* wide, const void* small,
                            const Shape& shape, void*) {
    const Operands of = operands(wide, small, shape);
    const std::size_t count = third_power(shape.recursions);
    for (std::size_t index = 0; index < count; ++index) {
      base_product({planes, 2 * shape.base_size}, of, index);
    }
  }

  /// Computes the product of the polynomials whose sub-polynomials begin at `index`, after `level`
  /// recursions. The parts of digits 0 and 1 go straight to `out`; `room` is for the third part.
  static void multiply_at(const WordPlanes& out, const Operands& of, int level, std::size_t index,
                          std::uint64_t* room) {
    if (level == of.shape.recursions) {
      base_product(out, of, index);
      return;
    }
    const std::size_t half = full_degree(of.shape) >> (level + 1);
    const std::size_t third = third_power(of.shape.recursions - level - 1);
    const WordPlanes middle{room, 2 * half};
    std::uint64_t* const below = room + 2 * half * of.shape.plane_count;
    multiply_at(out, of, level + 1, index, below);
    multiply_at({out.words + 2 * half, out.stride}, of, level + 1, index + third, below);
    multiply_at(middle, of, level + 1, index + 2 * third, below);
    for (std::size_t k = 0; k < of.shape.plane_count; ++k) {
      join(out.words + k * out.stride, middle.words + k * middle.stride, half);
    }
  }

  /// Sets out = L + M X^half + H X^(2 half), where out holds L and H. M is `middle` plus L and H
  /// with kSubtracts, else minus L and H. Words are modulo 2^64.
  RINGLET_INLINE static void join(std::uint64_t* out, const std::uint64_t* middle,
                                  std::size_t half) {
    const std::uint64_t* __restrict first = out;
    std::uint64_t* __restrict second = out + half;
    std::uint64_t* __restrict third = out + 2 * half;
    const std::uint64_t* __restrict fourth = out + 3 * half;
    const std::uint64_t* __restrict low = middle;
    const std::uint64_t* __restrict high = middle + half;
    for (std::size_t i = 0; i < half; ++i) {
      if constexpr (B::kSubtracts) {
        const std::uint64_t both = second[i] + third[i];
        second[i] = both + first[i] + low[i];
        third[i] = both + fourth[i] + high[i];
      } else {
        const std::uint64_t both = second[i] - third[i];
        second[i] = both - first[i] + low[i];
        third[i] = high[i] - fourth[i] - both;
      }
    }
  }
};

}  // namespace ringlet::kernels
