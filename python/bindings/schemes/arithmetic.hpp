// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/schemes/state.hpp"

// The operations on ciphertexts, as Python calls them. Each returns an object of the class of the
// scheme, releases the interpreter's lock while it computes, and throws LogicError if the
// ciphertext is detached or a key is missing.

namespace ringlet::python {

enum class Sum { add, subtract };

/// Returns a + other or a - other. The higher of two ciphertexts comes down (levels.hpp). Returns
/// NotImplemented for an object that is no ciphertext, no encoded message and no numbers.
nb::object add_or_subtract(const BoundCiphertext& a, nb::handle other, Sum kind);
/// Add and subtract without bringing levels together. @throws InvalidArgument for other objects.
nb::object add_exactly(const BoundCiphertext& a, nb::handle other);
nb::object subtract_exactly(const BoundCiphertext& a, nb::handle other);
/// Returns other - a.
nb::object subtract_from(const BoundCiphertext& a, nb::handle other);
/// Returns -a.
nb::object negate(const BoundCiphertext& a);
/// Implements the operator: brings operands together, multiplies, relinearizes, and goes one level
/// down for CKKS and, with two ciphertexts, for BGV.
nb::object multiply_operator(const BoundCiphertext& a, nb::handle other);
/// Implements the operator `**`: the product of `exponent` factors a, with the same steps.
nb::object power(const BoundCiphertext& a, nb::handle exponent);

/// Only multiplies. For CKKS, numbers are encoded with `scale`.
nb::object multiply(const BoundCiphertext& a, nb::handle other, const std::optional<double>& scale);
nb::object square(const BoundCiphertext& a);
nb::object relinearize(const BoundCiphertext& a);
nb::object rescale(const BoundCiphertext& a);
nb::object mod_switch_to_next(const BoundCiphertext& a);
nb::object mod_switch_to(const BoundCiphertext& a, const Integer& level);

/// CKKS: rotate and conjugate slots.
nb::object rotate(const BoundCiphertext& a, const Integer& steps);
nb::object conjugate(const BoundCiphertext& a);
/// BFV and BGV: rotate both rows, or swap them.
nb::object rotate_rows(const BoundCiphertext& a, const Integer& steps);
nb::object rotate_slots(const BoundCiphertext& a, const Integer& steps, const Integer& dimension);
nb::object swap_rows(const BoundCiphertext& a);

/// Implements matrix @ ciphertext, the product by a known matrix, with a circuit of
/// ringlet::matrix_vector from the level of the ciphertext.
/// @throws InvalidArgument if the matrix is none, or keys of rotations are missing: all are named.
nb::object multiply_matrix(const BoundCiphertext& a, nb::handle matrix);

/// Returns the rotations of multiply_matrix for a matrix, or for a shape with all diagonals filled.
std::vector<int> rotations_for(const Workshop& workshop, nb::handle matrix_or_shape);

}  // namespace ringlet::python
