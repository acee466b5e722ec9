// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"

namespace ringlet {

/// Which cost a product of encrypted matrices reduces.
enum class MatrixProductMethod : std::uint8_t {
  /// Depth 3, about 5d products by known vectors: the method of the paper that matrix_product()
  /// cites.
  fewer_known_products,
  /// Depth 2, about 3 * rows * d products by known vectors, each with its own plaintext in
  /// CircuitRunner. If rows = d, it also has fewer key switches. Use it for small d.
  fewer_levels,
};

/// The shape of a product A times B of encrypted matrices: A is `rows` x d, B is d x d,
/// d = dimension.
struct MatrixProductShape {
  /// d, a power of two with d * d <= row_length. Fill other matrices up with zeros: the result is
  /// then the product, filled up with zeros.
  std::size_t dimension = 1;
  /// The rows of A: a power of two up to d; 0 means d.
  std::size_t rows = 0;
  MatrixProductMethod method = MatrixProductMethod::fewer_known_products;
};

/// Multiplies encrypted matrices A and B. Let h = row_length / d^2. B has entry (i, j) in slot
/// (i * d + j) * h. A and the result are stored d / rows times: for all i < d, slot (i * d + j) * h
/// holds entry (i modulo rows, j). The h - 1 slots after each entry hold the entries of h - 1 other
/// pairs of matrices, which the same operations multiply. For BFV and BGV the second row holds h
/// more pairs.
///
/// A and B may have different levels. Cost, with r = rows and d > 1:
/// - fewer_known_products: depth 3, or 2 for r = 1. Products by known vectors:
///   3 * d - 1 + 2 * (r - 1), or 2 * d for r = 1. Key switches: those of the two linear transforms
///   (sigma over the diagonals h * (1 - d), ..., h * (d - 1), tau over h * d * (0, ..., d - 1)),
///   3 * (r - 1), one relinearization, log2(d / r).
/// - fewer_levels: depth 2. Products by known vectors: r * (3 * d - 1), or 2 * d for r = 1. Key
///   switches: 3 * (d - 1), or 2 * (d - 1) for r = 1, one relinearization, log2(d / r). A and B
///   themselves are rotated, and all steps of the sum share these rotations.
///
/// matrix_product_key_switches() returns the number of key switches. For d = 1, matrix_product() is
/// the product slot by slot.
///
/// Source: Jiang, Kim, Lauter and Song, "Secure outsourced matrix computation and application to
/// neural networks", IACR ePrint 2018/1209. Ringlet extends it to rectangular A and to several
/// products at once.
/// @throws InvalidArgument if the shape is not as described; if a or b is not a value of the
///         circuit.
RINGLET_API CircuitValue matrix_product(Circuit& circuit, CircuitValue a, CircuitValue b,
                                        const MatrixProductShape& shape);

/// Returns the number of key switches of matrix_product().
/// @throws InvalidArgument if the shape is not as described for that row_length.
RINGLET_API std::size_t matrix_product_key_switches(std::size_t row_length,
                                                    const MatrixProductShape& shape);

}  // namespace ringlet
