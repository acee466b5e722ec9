// SPDX-License-Identifier: Apache-2.0
#include "bindings/circuits/circuits.hpp"
#include "bindings/core/interrupts.hpp"
#include "bindings/schemes/levels.hpp"
#include "bindings/schemes/values.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/circuits/circuit_runner.hpp"
#include "ringlet/circuits/linear_transform.hpp"

namespace ringlet::python {
namespace {

constexpr const char* kOperation = "Ciphertext.__rmatmul__";
// A matrix as large as the most slots in a row, squared, would take 32 GB.
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 28;

std::size_t row_length_of(const Workshop& workshop, const char* operation) {
  const std::size_t length = workshop.context().ring().rotation_count();
  if (length != 0) return length;
  throw_invalid_argument(
      {operation, "a ring Z[X]/Phi_m", "rings X^N + 1", "use rotate_slots and products by arrays"});
}

Circuit matrix_circuit(std::size_t row_length, const KnownMatrix& matrix,
                       SplitFor split = SplitFor::matrix) {
  Circuit circuit(row_length);
  circuit.output(matrix_vector(circuit, circuit.input(), matrix, SlotLayout::padded, split));
  return circuit;
}

// Returns the circuit with the fewest key switches, or that of the shape if only it has all keys.
Circuit circuit_for_keys(const Workshop& workshop, const KnownMatrix& matrix) {
  const GaloisKeys& keys = workshop.keys(kOperation).galois;
  const RingSpec ring = workshop.context().ring();
  const std::size_t length = row_length_of(workshop, kOperation);
  const auto has_keys = [&](const Circuit& circuit) {
    return std::ranges::all_of(circuit.rotations(), [&](int step) {
      return keys.has_key(ring.galois_element_from_step(step));
    });
  };
  Circuit circuit = matrix_circuit(length, matrix);
  if (has_keys(circuit)) return circuit;
  Circuit of_shape = matrix_circuit(length, matrix, SplitFor::shape);
  return has_keys(of_shape) ? of_shape : circuit;
}

// Returns a matrix of ones: rotations depend only on which diagonals are zero.
KnownMatrix filled(nb::handle shape, const char* operation) {
  std::vector<std::uint64_t> sides;
  for (const nb::handle side : shape) {
    sides.push_back(Integer{nb::borrow(side)}.word(operation, "shape"));
  }
  const bool fits =
      sides.size() == 2 && sides[0] != 0 && sides[1] != 0 && sides[0] <= kMostEntries / sides[1];
  if (!fits) {
    throw_invalid_argument({operation, "shape = " + shown(shape),
                            "two positive numbers, with at most 2^28 entries",
                            "pass (rows, columns) or the matrix"});
  }
  return KnownMatrix(sides[0], sides[1], KnownMatrix::Integers(sides[0] * sides[1], 1));
}

bool is_matrix(nb::handle object) {
  return is_numeric(object) &&
         nb::cast<int>(nb::module_::import_("numpy").attr("ndim")(object)) == 2;
}

// Returns `a` with size 2, as operators need it.
Ciphertext small(const Workshop& workshop, const Ciphertext& a) {
  if (a.size() == 2) return a;
  Ciphertext result;
  workshop.evaluator().relinearize(a, workshop.keys(kOperation).relinearization, result);
  return result;
}

}  // namespace

nb::object multiply_matrix(const BoundCiphertext& a, nb::handle object) {
  if (!is_numeric(object)) return nb::borrow(Py_NotImplemented);
  const KnownMatrix matrix = known_matrix(object, kOperation);
  const SharedWorkshop& workshop = a.workshop(kOperation);
  const PublicKeys& keys = workshop->keys(kOperation);
  const Ciphertext& value = a.value(kOperation);
  std::optional<BoundCiphertext> product;
  {
    const nb::gil_scoped_release unlocked;
    const Circuit circuit = circuit_for_keys(*workshop, matrix);
    check_levels(*workshop, value, circuit.depth(), kOperation);
    const Ciphertext input = small(*workshop, value);
    Interrupts interrupts;
    const CircuitProgress progress = [&](std::size_t, std::size_t) { interrupts.check(); };
    const CircuitRunner runner(circuit, workshop->context(), input.scale(),
                               prime_count(*workshop, input), progress, has_galois_key(keys));
    check_circuit_keys(*workshop, circuit, runner.plan(), kOperation);
    std::vector<Ciphertext> results = runner.run(workshop->evaluator(), std::span(&input, 1),
                                                 {keys.relinearization, keys.galois}, progress);
    settle_scale(*workshop, results.front());
    product =
        BoundCiphertext(workshop, std::make_shared<const Ciphertext>(std::move(results.front())));
  }
  return to_python(std::move(*product));
}

std::vector<int> rotations_for(const Workshop& workshop, nb::handle matrix_or_shape) {
  const char* operation = "rotations_for";
  const std::size_t length = row_length_of(workshop, operation);
  const bool is_shape = !is_matrix(matrix_or_shape) && nb::isinstance<nb::tuple>(matrix_or_shape);
  const KnownMatrix matrix =
      is_shape ? filled(matrix_or_shape, operation) : known_matrix(matrix_or_shape, operation);
  const nb::gil_scoped_release unlocked;
  return matrix_circuit(length, matrix).rotations();
}

}  // namespace ringlet::python
