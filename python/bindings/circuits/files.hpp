// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/circuits/circuit.hpp"

// Bytes of declared circuits: the magic number 89 52 47 43 0d 0a 1a 0a ("RGC"), format version 1
// and the length of a row; the numbers of known vectors, nodes and results; these in turn; SHA-256
// of all bytes before. Every number takes eight bytes, little-endian.
//   known vector  1 for the same number in all slots, else 0; 1 for integers, else 0; their count;
//                 the integers, or real and imaginary parts as IEEE 754 doubles
//   node          operation, a, b, steps, magnitude, as CircuitNode has them
//   result        the node
// Nothing in them is secret unless the known vectors are.

namespace ringlet::python {

nb::bytes circuit_to_bytes(const Circuit& circuit);

/// Declares the circuit again, value by value, with the checks of every declaration.
/// @throws InvalidArgument if the bytes are no circuit, are damaged, or declare an invalid value;
///         RuntimeError if they end too early.
Circuit circuit_from_bytes(const nb::bytes& bytes, const char* operation);

/// Adds to_bytes, from_bytes and pickles.
void bind_circuit_files(nb::class_<Circuit>& type);

}  // namespace ringlet::python
