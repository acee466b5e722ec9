// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/schemes/state.hpp"

namespace ringlet::python {

/// matrix @ ciphertext: the product by a matrix that everybody knows, by a circuit of
/// ringlet::matrix_vector from the level of the ciphertext.
/// @throws InvalidArgument if the matrix is none, or keys of rotations are missing: all are named.
nb::object multiply_matrix(const BoundCiphertext& a, nb::handle matrix);

/// The rotations that it takes: of a matrix, or of a shape all of whose diagonals are filled.
std::vector<int> rotations_for(const Workshop& workshop, nb::handle matrix_or_shape);

}  // namespace ringlet::python
