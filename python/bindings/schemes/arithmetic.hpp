// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/schemes/state.hpp"

// The operations on ciphertexts, as Python calls them. Each returns an object of the class of the
// scheme, releases the interpreter's lock while it computes, and throws LogicError if the
// ciphertext is detached or a key is missing.

namespace ringlet::python {

enum class Sum { add, subtract };

/// a + other and a - other; the higher of two ciphertexts comes down (scheme_levels.hpp).
/// NotImplemented for what is neither an encoded message nor numbers.
nb::object add_or_subtract(const BoundCiphertext& a, nb::handle other, Sum kind);
/// The same without bringing anything together. @throws InvalidArgument for other objects.
nb::object add_exactly(const BoundCiphertext& a, nb::handle other);
nb::object subtract_exactly(const BoundCiphertext& a, nb::handle other);
/// other - a.
nb::object subtract_from(const BoundCiphertext& a, nb::handle other);
/// -a.
nb::object negate(const BoundCiphertext& a);
/// The operator: brings operands together, multiplies, relinearizes, and goes one level down for
/// CKKS and, of two ciphertexts, BGV.
nb::object multiply_operator(const BoundCiphertext& a, nb::handle other);
/// The same for the product of `exponent` times a.
nb::object power(const BoundCiphertext& a, nb::handle exponent);

/// The product alone; `scale` is that of numbers, for CKKS.
nb::object multiply(const BoundCiphertext& a, nb::handle other, const std::optional<double>& scale);
nb::object square(const BoundCiphertext& a);
nb::object relinearize(const BoundCiphertext& a);
nb::object rescale(const BoundCiphertext& a);
nb::object mod_switch_to_next(const BoundCiphertext& a);
nb::object mod_switch_to(const BoundCiphertext& a, const Integer& level);

/// CKKS: rotates slots, conjugates them.
nb::object rotate(const BoundCiphertext& a, const Integer& steps);
nb::object conjugate(const BoundCiphertext& a);
/// BFV and BGV: rotates both rows, swaps them.
nb::object rotate_rows(const BoundCiphertext& a, const Integer& steps);
nb::object rotate_slots(const BoundCiphertext& a, const Integer& steps, const Integer& dimension);
nb::object swap_rows(const BoundCiphertext& a);

/// matrix @ ciphertext: the product by a matrix that everybody knows, by a circuit of
/// ringlet::matrix_vector from the level of the ciphertext.
/// @throws InvalidArgument if the matrix is none, or keys of rotations are missing: all are named.
nb::object multiply_matrix(const BoundCiphertext& a, nb::handle matrix);

/// The rotations that it takes: of a matrix, or of a shape all of whose diagonals are filled.
std::vector<int> rotations_for(const Workshop& workshop, nb::handle matrix_or_shape);

}  // namespace ringlet::python
