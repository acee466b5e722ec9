// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fv/products/product_method.hpp"
#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/fv/wide_poly.hpp"

// Karatsuba's recursions one by one, as Migliore et al. (2017), sections 2.4 and 3.2, split them
// between software and hardware: plain loops that define the sub-polynomials. The software
// half of the accelerator runs them; the kernels of src/kernels/karatsuba do not.
//
// A polynomial of `degree` coefficients (s * 2^r, s the size of a sub-polynomial) becomes 3^r
// sub-polynomials of s coefficients. One recursion turns A = A_L + A_H X^(degree/2) into
// A_L (digit 0), A_H (digit 1) and A_L + A_H (digit 2); the place of a sub-polynomial is
//   sum over the recursions j = 0 .. r - 1 of digit_j * 3^(r - 1 - j),
// the first recursion most significant. Everything is constant time in the coefficients.

namespace ringlet::wide {

/// Bits of a chunk; in 32-bit words this leaves five guard bits.
inline constexpr int kChunkBits = 27;
/// Chunks of a coefficient, least significant first.
inline constexpr std::size_t kChunks = 5;
/// Largest number of recursions of these functions: 3^12 sub-polynomials.
inline constexpr int kMaxRecursions = 12;
/// Bits of one of the four fields of a packed word, hence the recursions of binary coefficients
/// that fit: their sums are at most 2^r <= 128.
inline constexpr int kFieldBits = 8;
inline constexpr int kMaxPackedRecursions = 7;

/// Returns 3^recursions.
constexpr std::size_t sub_polynomial_count(int recursions) {
  std::size_t count = 1;
  for (int r = 0; r < recursions; ++r) count *= 3;
  return count;
}

/// Returns the smallest s * 2^recursions that is not below degree.
constexpr std::size_t padded_degree(std::size_t degree, int recursions) {
  const std::size_t step = std::size_t{1} << recursions;
  return (degree + step - 1) / step * step;
}

/// Splits p into chunks: chunks[c * degree + i] is chunk c of coefficient i, below 2^27, or 0 from
/// p.degree() on. chunks.size() = 5 * degree, degree >= p.degree(), p of at most 135 bits.
/// @throws InvalidArgument if sizes do not fit.
void split_chunks(std::span<std::uint32_t> chunks, const WidePoly& p, std::size_t degree);

/// Applies r recursions to a wide polynomial in chunks, from split_chunks or from a former call for
/// one sub-polynomial: result[(t * 5 + c) * s + i] is chunk c of coefficient i of sub-polynomial t.
/// Sums are carried: chunks 0 to 3 are below 2^27, and chunk 4, which holds what is above bit 108,
/// is below 2^32: values below 2^(108 + 32 - r) have room.
/// chunks.size() = 5 * s * 2^r, result.size() = 5 * s * 3^r; they do not overlap.
/// @throws InvalidArgument if sizes do not fit or r is not from 0 to 12.
void split_wide(std::span<std::uint32_t> result, std::span<const std::uint32_t> chunks,
                int recursions);

/// Packs up to four small polynomials in one array of words: coefficient i of u[k] in bits 8k to
/// 8k + 7 of words[i]; 0 from their degree on. Coefficients are in {0, 1}.
/// @throws InvalidArgument unless there are 1 to 4 of one degree <= words.size(), with such
///         coefficients.
void pack_small(std::span<std::uint32_t> words, SmallOperands u);

/// Applies r recursions to packed words, as plain 32-bit words: result[t * s + i]. The fields of
/// binary polynomials do not run over for r <= 7. words.size() = s * 2^r, result.size() = s * 3^r;
/// they do not overlap. @throws InvalidArgument if sizes do not fit or r is not from 0 to 12.
void split_small(std::span<std::uint32_t> result, std::span<const std::uint32_t> words,
                 int recursions);

/// Applies r post-recursions to integers modulo 2^64: products[t * (2s - 1) + i] is coefficient i
/// of the product of the sub-polynomials t, result gets the 2 * s * 2^r - 1 coefficients of the
/// product. One recursion turns L, H and M of 2s - 1 coefficients each (digits 0, 1, 2) into
/// L + (M - L - H) X^s + H X^(2s). Exact for signed integers whose final sums fit 63 bits, even if
/// intermediate sums do not. products.size() = 3^r * (2s - 1).
/// @throws InvalidArgument if sizes do not fit or r is not from 0 to 12.
void join_words(std::span<std::uint64_t> result, std::span<const std::uint64_t> products,
                int recursions);

/// Multiplies residues modulo q that are in [0, q) before and after: `products` has 3^r * (2s - 1)
/// coefficients, one product after the other. result gets 2 * s * 2^r - 1 coefficients and is
/// allocated again if it has another shape.
/// @throws InvalidArgument if sizes do not fit or r is not from 0 to 12.
void join_residues(WidePoly& result, const WidePoly& products, int recursions,
                   const WideModulus& q);

}  // namespace ringlet::wide
