// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <nanobind/nanobind.h>

#include "scheme_state.hpp"

// The operations on ciphertexts, as Python calls them. Each returns an object of the class of the
// scheme, releases the interpreter's lock while it computes, and throws LogicError if the
// ciphertext is detached or a key is missing.

namespace ringlet::python {

enum class Sum { add, subtract };

/// a + other and a - other; the higher of two ciphertexts comes down (scheme_levels.hpp).
/// NotImplemented for what is neither an encoded message nor numbers.
nanobind::object add_or_subtract(const BoundCiphertext& a, nanobind::handle other, Sum kind);
/// The same without bringing anything together. @throws InvalidArgument for other objects.
nanobind::object add_exactly(const BoundCiphertext& a, nanobind::handle other);
nanobind::object subtract_exactly(const BoundCiphertext& a, nanobind::handle other);
/// other - a.
nanobind::object subtract_from(const BoundCiphertext& a, nanobind::handle other);
/// -a.
nanobind::object negate(const BoundCiphertext& a);
/// The operator: brings operands together, multiplies, relinearizes, and goes one level down for
/// CKKS and, of two ciphertexts, BGV.
nanobind::object multiply_operator(const BoundCiphertext& a, nanobind::handle other);
/// The same for the product of `exponent` times a.
nanobind::object power(const BoundCiphertext& a, nanobind::handle exponent);

/// The product alone; `scale` is that of numbers, for CKKS.
nanobind::object multiply(const BoundCiphertext& a, nanobind::handle other,
                          const std::optional<double>& scale);
nanobind::object square(const BoundCiphertext& a);
nanobind::object relinearize(const BoundCiphertext& a);
nanobind::object rescale(const BoundCiphertext& a);
nanobind::object mod_switch_to_next(const BoundCiphertext& a);
nanobind::object mod_switch_to(const BoundCiphertext& a, const Integer& level);

/// CKKS: rotates slots, conjugates them.
nanobind::object rotate(const BoundCiphertext& a, const Integer& steps);
nanobind::object conjugate(const BoundCiphertext& a);
/// BFV and BGV: rotates both rows, swaps them.
nanobind::object rotate_rows(const BoundCiphertext& a, const Integer& steps);
nanobind::object rotate_slots(const BoundCiphertext& a, const Integer& steps,
                              const Integer& dimension);
nanobind::object swap_rows(const BoundCiphertext& a);

}  // namespace ringlet::python
