// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"

namespace ringlet {

/// What a product of encrypted matrices saves.
enum class MatrixProductMethod : std::uint8_t {
  /// Depth 3, about 5d products by known vectors: the paper's.
  fewer_known_products,
  /// Depth 2, about 3 * rows * d products by known vectors, each of which takes a plaintext of
  /// CircuitRunner. For rows = d key switches are fewer too. For small d.
  fewer_levels,
};

/// A times B, encrypted both: A of `rows` x d, B of d x d, d = dimension.
struct MatrixProductShape {
  /// d, a power of two with d * d <= row_length. Other matrices are filled up with zeros, which
  /// gives the product filled up with zeros.
  std::size_t dimension = 1;
  /// A power of two up to d; 0 for d.
  std::size_t rows = 0;
  MatrixProductMethod method = MatrixProductMethod::fewer_known_products;
};

/// A times B. With h = row_length / d^2, entry (i, j) of B is slot (i * d + j) * h; so is entry
/// (i modulo rows, j) of A and of the result for all i < d: A stands there d / rows times. Each is
/// followed by those of h - 1 other pairs of matrices, which are multiplied along; for BFV and BGV
/// the second row holds h more pairs.
///
/// B need not be at the level of A. With r = rows and d > 1:
/// fewer_known_products: depth 3, or 2 for r = 1; 3 * d - 1 + 2 * (r - 1) products by known
/// vectors, 2 * d for r = 1. Key switches: those of the two linear transforms
/// (sigma over the diagonals h * (1 - d), ..., h * (d - 1), tau over h * d * (0, ..., d - 1)),
/// 3 * (r - 1), one relinearization, log2(d / r).
/// fewer_levels: depth 2; r * (3 * d - 1) products by known vectors, 2 * d for r = 1. Key switches:
/// 3 * (d - 1), 2 * (d - 1) for r = 1, one relinearization, log2(d / r): rotations of A and of B
/// themselves serve all steps of the sum. matrix_product_key_switches() is that number. d = 1: the
/// product slot by slot.
///
/// Source: Jiang, Kim, Lauter and Song, "Secure outsourced matrix computation and application to
/// neural networks", IACR ePrint 2018/1209: products, rectangular ones, and several at once.
/// @throws InvalidArgument if the shape is not as described; if a or b is not a value of the
///         circuit.
RINGLET_API CircuitValue matrix_product(Circuit& circuit, CircuitValue a, CircuitValue b,
                                        const MatrixProductShape& shape);

/// @throws InvalidArgument if the shape is not as described for that row_length.
RINGLET_API std::size_t matrix_product_key_switches(std::size_t row_length,
                                                    const MatrixProductShape& shape);

}  // namespace ringlet
