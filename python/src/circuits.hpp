// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <nanobind/nanobind.h>

#include "ringlet/circuit.hpp"

namespace ringlet::python {

/// A value of a circuit, as Python holds it: keeps the circuit alive.
struct CircuitOperand {
  nanobind::object circuit;
  CircuitValue value;

  Circuit& graph() const { return nanobind::cast<Circuit&>(circuit); }
};

/// What everybody knows, from Python: a number, or numbers for the first slots, of shape (n,) or
/// (2, n) for the two rows of BFV and BGV. Integers stay integers, all else becomes complex numbers
/// of double precision.
/// @throws InvalidArgument if the object is none of these.
KnownVector known_vector(nanobind::handle object, std::size_t row_length, const char* operation);

}  // namespace ringlet::python
