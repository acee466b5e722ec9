// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/schemes/contexts.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/circuits/linear_transform.hpp"
#include "ringlet/circuits/polynomial.hpp"
#include "ringlet/estimates/noise_estimator.hpp"

namespace ringlet::python {

/// A value of a circuit, as Python holds it: keeps the circuit alive.
struct CircuitOperand {
  nb::object circuit;
  CircuitValue value;

  Circuit& graph() const { return nb::cast<Circuit&>(circuit); }
};

/// The expected noise of a result.
struct ResultEstimate {
  NoiseEstimate noise;
  /// For any inputs, as SharingDecryptor needs it.
  NoiseEstimate noise_of_any;
  bool is_ckks;

  std::optional<double> precision_bits() const {
    return is_ckks ? std::optional(noise.precision_bits()) : std::nullopt;
  }
  std::optional<double> budget_bits() const {
    return is_ckks ? std::nullopt : std::optional(noise.budget_bits());
  }
};

/// Converts known values of Python: a number, or numbers for the first slots, of shape (n,) or
/// (2, n) for the two rows of BFV and BGV. Integers stay integers, all else becomes complex numbers
/// of double precision.
/// @throws InvalidArgument if the object is none of these.
KnownVector known_vector(nb::handle object, std::size_t row_length, const char* operation);

/// Converts a two-dimensional array of numbers as known_vector does.
/// @throws InvalidArgument if the object is none.
KnownMatrix known_matrix(nb::handle object, const char* operation);

/// @throws InvalidArgument if the object is no Circuit.
const Circuit& circuit_of(nb::handle object, const char* operation);

/// CKKS: whether no slot is above `magnitude`, except for rounding.
inline bool fits_magnitude(const InputFacts& facts, double magnitude) {
  return facts.magnitude <= magnitude * (1 + 0x1p-40);
}

/// Returns the value of the circuit that the object stands for.
/// @throws InvalidArgument if it is no value, or a value of another circuit.
CircuitValue value_of(nb::handle circuit, nb::handle value, const char* operation);

/// Adds polynomials, functions, products of matrices and sums over slots to the class of values.
void bind_circuit_builders(nb::class_<CircuitOperand>& type);

/// Makes a polynomial from Python's coefficients, a sequence of numbers; integers stay integers.
/// `basis` is "power" or "chebyshev".
/// @throws InvalidArgument if an argument is none of these; as Polynomial.
Polynomial polynomial_of(nb::handle coefficients, const std::string& basis,
                         const std::tuple<double, double>& interval);

/// Returns `values`, as known_vector takes them, as an array for encryption. Each row of the ring
/// repeats its row of the circuit; if there is only one row, all rows repeat it.
/// @throws InvalidArgument if there are more values than a row of the circuit has, or the circuit's
///         rows are longer than those of the ring.
nb::object tiled(nb::handle values, std::size_t row_length, const Workshop& workshop);

/// The keys that circuits need besides the public key.
struct NeededKeys {
  bool relinearization = false;
  std::vector<std::uint64_t> galois_elements;
};

/// Returns the keys of one Circuit or of a sequence, for the parameters and scale of the workshop.
/// @throws InvalidArgument if an object is no circuit; as CircuitPlan and check_results_decrypt.
NeededKeys needed_keys(const Workshop& workshop, nb::handle circuits, const char* operation);

/// Returns a function for plans that tells whether the set has a key. The set must outlive it.
inline HasGaloisKey has_galois_key(const PublicKeys& keys) {
  return [&keys](std::uint64_t element) { return keys.galois.has_key(element); };
}

/// @throws InvalidArgument naming all keys of the plan that the workshop lacks, as arguments of
///         SecretContext.public; LogicError if it has no keys.
void check_circuit_keys(const Workshop& workshop, const Circuit& circuit, const CircuitPlan& plan,
                        const char* operation);

/// Implements PublicContext.runner; without `level`, inputs are at the highest level. Estimates are
/// those of inputs that the secret key encrypts if `has_symmetric_inputs`.
nb::object make_runner(const SharedWorkshop& workshop, nb::handle circuit,
                       const std::optional<Integer>& level, bool has_symmetric_inputs);

}  // namespace ringlet::python
