// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/schemes/state.hpp"
#include "ringlet/base/aligned.hpp"

// Conversions between Python's numbers and plaintexts.

namespace ringlet::python {

/// Numbers for one message, taken from a Python number, sequence or array: real or complex ones for
/// CKKS, residues modulo t for BFV and BGV.
struct SlotValues {
  bool is_scalar = false;
  bool is_complex = false;
  SecretVector<double> real;
  SecretVector<std::complex<double>> complex;
  SecretVector<std::uint64_t> residues;
};

/// Returns true if the object can stand for numbers: a number, a list, a tuple, an array.
bool is_numeric(nb::handle object);

/// Reads numbers. CKKS: a number or one-dimensional array that converts to float64 or complex128
/// without loss of kind. BFV and BGV: an integer, a one-dimensional array of integers or, with
/// batching, one of shape (2, N/2), all in [-floor(t/2), t). Constant time apart from the verdict.
/// @throws InvalidArgument if the object is none of these.
SlotValues slot_values(const Workshop& workshop, nb::handle object, const char* operation);

/// Returns period and magnitude of the slots; missing slots are 0. Without slots, the period is 1
/// for a constant, else N. Its time does not depend on values.
InputFacts facts_of(const Workshop& workshop, const SlotValues& values);

/// The level and scale of CKKS encoding; other schemes ignore it.
struct EncodingTarget {
  ParmsId level;
  double scale = 1.0;
};

/// Needs no interpreter.
Plaintext encode(const Workshop& workshop, const SlotValues& values, const EncodingTarget& target);

/// CKKS: returns all slots as a NumPy array of float64 or complex128.
nb::object decode_numbers(const Workshop& workshop, const Plaintext& plain, bool as_complex);

/// BFV and BGV: returns all slots (without batching: all coefficients) as a NumPy array of int64,
/// in [-floor(t/2), floor(t/2)] or in [0, t); slots of bits are 0 or 1.
nb::object decode_integers(const Workshop& workshop, const Plaintext& plain, bool is_signed);

}  // namespace ringlet::python
