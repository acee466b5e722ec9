// SPDX-License-Identifier: Apache-2.0
#include "bindings/circuits/circuits.hpp"

#include "bindings/circuits/files.hpp"
#include "bindings/core/arguments.hpp"
#include "bindings/core/array_protocols.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/schemes/values.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

constexpr std::uint64_t kMaxExponent = std::uint64_t{1} << 32;

nb::object made(const CircuitOperand& source, CircuitValue value) {
  return nb::cast(CircuitOperand{source.circuit, value});
}

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

// Returns the other operand, which must be of the same circuit.
CircuitValue operand(const CircuitOperand& a, nb::handle other, const char* operation) {
  const auto& b = nb::cast<const CircuitOperand&>(other);
  if (a.circuit.is(b.circuit)) return b.value;
  throw_invalid_argument({operation, "values of two circuits", "values of the same circuit",
                          "declare both values in the same Circuit"});
}

KnownVector negated(const KnownVector& vector, const char* operation) {
  if (!vector.is_integer()) {
    KnownVector::Numbers numbers = vector.numbers();
    for (auto& number : numbers) number = -number;
    return vector.is_constant() ? KnownVector(numbers.front()) : KnownVector(std::move(numbers));
  }
  KnownVector::Integers integers = vector.integers();
  for (std::int64_t& integer : integers) {
    if (integer == INT64_MIN) {
      throw_invalid_argument({operation, "values = " + std::to_string(integer),
                              "integers above -2^63",
                              "reduce the integers modulo the plain modulus"});
    }
    integer = -integer;
  }
  return vector.is_constant() ? KnownVector(integers.front()) : KnownVector(std::move(integers));
}

KnownVector known(const CircuitOperand& a, nb::handle other, const char* operation) {
  return known_vector(other, a.graph().row_length(), operation);
}

nb::object add(const CircuitOperand& a, nb::handle other) {
  const char* operation = "CircuitValue.__add__";
  if (nb::isinstance<CircuitOperand>(other)) {
    return made(a, a.graph().add(a.value, operand(a, other, operation)));
  }
  if (!is_numeric(other)) return not_implemented();
  return made(a, a.graph().add(a.value, known(a, other, operation)));
}

nb::object subtract(const CircuitOperand& a, nb::handle other) {
  const char* operation = "CircuitValue.__sub__";
  if (nb::isinstance<CircuitOperand>(other)) {
    return made(a, a.graph().subtract(a.value, operand(a, other, operation)));
  }
  if (!is_numeric(other)) return not_implemented();
  return made(a, a.graph().add(a.value, negated(known(a, other, operation), operation)));
}

nb::object subtract_from(const CircuitOperand& a, nb::handle other) {
  if (!is_numeric(other)) return not_implemented();
  const KnownVector vector = known(a, other, "CircuitValue.__rsub__");
  return made(a, a.graph().add(a.graph().negate(a.value), vector));
}

nb::object multiply(const CircuitOperand& a, nb::handle other) {
  const char* operation = "CircuitValue.__mul__";
  if (nb::isinstance<CircuitOperand>(other)) {
    return made(a, a.graph().multiply(a.value, operand(a, other, operation)));
  }
  if (!is_numeric(other)) return not_implemented();
  return made(a, a.graph().multiply(a.value, known(a, other, operation)));
}

// x^e = x^m * x^(e - m), where m is the largest power of two below e. This has the least depth, and
// powers that occur again are made once.
CircuitValue power_of(Circuit& circuit, std::map<std::uint64_t, CircuitValue>& powers,
                      std::uint64_t exponent) {
  const auto found = powers.find(exponent);
  if (found != powers.end()) return found->second;
  const std::uint64_t high = std::bit_floor(exponent - 1);
  const CircuitValue a = power_of(circuit, powers, high);
  const CircuitValue b = power_of(circuit, powers, exponent - high);
  return powers.emplace(exponent, circuit.multiply(a, b)).first->second;
}

nb::object power(const CircuitOperand& a, nb::handle exponent) {
  const char* operation = "CircuitValue.__pow__";
  if (!PyLong_Check(exponent.ptr()) && !nb::hasattr(exponent, "__index__")) {
    return not_implemented();
  }
  const std::uint64_t value = Integer{nb::borrow(exponent)}.word(operation, "exponent");
  if (value == 0 || value > kMaxExponent) {
    throw_invalid_argument({operation, "exponent = " + std::to_string(value),
                            "an integer in [1, 2^32]", "use the number 1, which is the power 0"});
  }
  std::map<std::uint64_t, CircuitValue> powers{{1, a.value}};
  return made(a, power_of(a.graph(), powers, value));
}

nb::object multiply_by_matrix(const CircuitOperand& a, nb::handle matrix) {
  if (!is_numeric(matrix)) return not_implemented();
  const KnownMatrix known = known_matrix(matrix, "CircuitValue.__rmatmul__");
  return made(a, matrix_vector(a.graph(), a.value, known));
}

nb::object rotate(const CircuitOperand& a, const Integer& steps) {
  return made(a, a.graph().rotate(a.value, steps.number("CircuitValue.rotate", "steps")));
}

nb::object conjugate(const CircuitOperand& a) { return made(a, a.graph().conjugate(a.value)); }

std::string describe(const CircuitOperand& a) {
  const CircuitNode& node = a.graph().nodes()[a.value.index];
  const std::string first = " #" + std::to_string(node.a);
  const std::string both = first + ", #" + std::to_string(node.b);
  std::string text;
  switch (node.operation) {
    case CircuitOperation::input:
      text = "input " + std::to_string(node.a);
      break;
    case CircuitOperation::negate:
      text = "minus" + first;
      break;
    case CircuitOperation::add:
      text = "sum of" + both;
      break;
    case CircuitOperation::subtract:
      text = "difference of" + both;
      break;
    case CircuitOperation::multiply:
      text = "product of" + both;
      break;
    case CircuitOperation::add_known:
      text = "sum of" + first + " and known numbers";
      break;
    case CircuitOperation::multiply_known:
      text = "product of" + first + " and known numbers";
      break;
    case CircuitOperation::rotate:
      text = "rotation of" + first + " by " + std::to_string(node.steps);
      break;
    case CircuitOperation::conjugate:
      text = "conjugate of" + first;
      break;
  }
  return "<ringlet.CircuitValue #" + std::to_string(a.value.index) + ": " + text + ">";
}

std::string describe(const Circuit& circuit) {
  std::string rotations;
  for (const int step : circuit.rotations()) {
    rotations += (rotations.empty() ? "" : ", ") + std::to_string(step);
  }
  return "<ringlet.Circuit row_length=" + std::to_string(circuit.row_length()) +
         " inputs=" + std::to_string(circuit.inputs().size()) +
         " outputs=" + std::to_string(circuit.outputs().size()) +
         " depth=" + std::to_string(circuit.depth()) + " rotations=[" + rotations + "]>";
}

void bind_values(nb::module_& module) {
  nb::class_<CircuitOperand> type(
      module, "CircuitValue",
      "A vector of a Circuit: an input, or the result of an operation.\n"
      "\n"
      "`+`, `-` and `*` take values of the same circuit, numbers and arrays. An array has\n"
      "one number for each slot: shape (n,), or (2, n) for the two rows of BFV and BGV.\n"
      "`**` takes an integer from 1 on.\n"
      "`matrix @ x` multiplies an m x n array by the first n slots of each row; the result\n"
      "has m slots, then zeros.\n"
      "A product by an integer of at most 1024 in all slots needs no level. A product by a\n"
      "real number, such as 2.0, or by an array needs one level.");
  type.def("__add__", &add, "other"_a,
           nb::sig("def __add__(self, other: CircuitOperand) -> CircuitValue"))
      .def("__radd__", &add, "other"_a,
           nb::sig("def __radd__(self, other: CircuitOperand) -> CircuitValue"))
      .def("__sub__", &subtract, "other"_a,
           nb::sig("def __sub__(self, other: CircuitOperand) -> CircuitValue"))
      .def("__rsub__", &subtract_from, "other"_a,
           nb::sig("def __rsub__(self, other: CircuitOperand) -> CircuitValue"))
      .def("__mul__", &multiply, "other"_a,
           nb::sig("def __mul__(self, other: CircuitOperand) -> CircuitValue"))
      .def("__rmul__", &multiply, "other"_a,
           nb::sig("def __rmul__(self, other: CircuitOperand) -> CircuitValue"))
      .def("__rmatmul__", &multiply_by_matrix, "matrix"_a,
           nb::sig("def __rmatmul__(self, matrix: numpy.typing.NDArray[Any]) -> CircuitValue"))
      .def("__pow__", &power, "exponent"_a,
           nb::sig("def __pow__(self, exponent: SupportsIndex) -> CircuitValue"))
      .def(
          "__neg__", [](const CircuitOperand& a) { return made(a, a.graph().negate(a.value)); },
          nb::sig("def __neg__(self) -> CircuitValue"))
      .def(
          "__pos__", [](const CircuitOperand& a) { return made(a, a.value); },
          nb::sig("def __pos__(self) -> CircuitValue"))
      .def("rotate", &rotate, "steps"_a, nb::sig("def rotate(self, steps: int) -> CircuitValue"),
           "Rotates the slots of each row by `steps`, cyclically: slot i takes the value of slot\n"
           "i + steps, as numpy.roll(x, -steps). `steps` is any integer.")
      .def("conjugate", &conjugate, nb::sig("def conjugate(self) -> CircuitValue"),
           "Returns, for CKKS, the complex conjugate of every slot; for BFV and BGV, the value\n"
           "with its two rows exchanged.")
      .def("swap_rows", &conjugate, nb::sig("def swap_rows(self) -> CircuitValue"),
           "Returns the value with its two rows exchanged, for BFV and BGV. `conjugate` does the\n"
           "same.")
      .def_prop_ro(
          "circuit", [](const CircuitOperand& a) { return a.circuit; },
          nb::sig("def circuit(self) -> Circuit"), "The circuit to which the value belongs.")
      .def("__repr__", [](const CircuitOperand& a) { return describe(a); });
  bind_circuit_builders(type);
  close_to_arrays(type, "a CircuitValue");
}

const Workshop& workshop_of(nb::handle context) {
  if (nb::isinstance<SecretContext>(context)) {
    return *nb::cast<const SecretContext&>(context).workshop();
  }
  if (nb::isinstance<PublicContext>(context)) {
    return *nb::cast<const PublicContext&>(context).workshop();
  }
  throw_invalid_argument({"Circuit.tiled", "context = " + shown(context),
                          "a SecretContext or a PublicContext",
                          "pass the context that will encrypt the values"});
}

void bind_circuit_facts(nb::class_<Circuit>& type) {
  type.def_prop_ro("row_length", &Circuit::row_length, "Number of slots of a row.")
      .def_prop_ro(
          "depth", &Circuit::depth,
          "Number of levels that CKKS and BGV need: the number of products on the longest way\n"
          "from an input to a result. Products by integers of at most 1024 do not count.")
      .def_prop_ro(
          "multiplicative_depth", &Circuit::multiplicative_depth,
          "Number of products of two encrypted values on the longest way from an input to a\n"
          "result.")
      .def_prop_ro("rotations", &Circuit::rotations,
                   "Steps of all rotations, ascending, in [1, row_length).")
      .def_prop_ro("uses_conjugation", &Circuit::uses_conjugation,
                   "True if the circuit conjugates slots or swaps rows.")
      .def_prop_ro(
          "input_count", [](const Circuit& c) { return c.inputs().size(); }, "Number of inputs.")
      .def_prop_ro(
          "output_count", [](const Circuit& c) { return c.outputs().size(); }, "Number of results.")
      .def("__repr__", [](const Circuit& circuit) { return describe(circuit); });
}

void bind_declarations(nb::class_<Circuit>& type) {
  type.def(
          "input",
          [](nb::object self, double magnitude) {
            const CircuitValue value = nb::cast<Circuit&>(self).input(magnitude);
            return CircuitOperand{std::move(self), value};
          },
          "magnitude"_a = 1.0, nb::sig("def input(self, magnitude: float = 1.0) -> CircuitValue"),
          "Declares an encrypted input and returns its value. Runners take ciphertexts in the\n"
          "order of these calls.\n"
          "\n"
          "- magnitude: CKKS: bound on the absolute value of a slot, positive and finite; the\n"
          "  estimates of errors depend on it.")
      .def(
          "output",
          [](nb::object self, nb::handle value) {
            nb::cast<Circuit&>(self).output(value_of(self, value, "Circuit.output"));
          },
          "value"_a, nb::sig("def output(self, value: CircuitValue) -> None"),
          "Declares a result. Runners return results in the order of these calls.")
      .def(
          "tiled",
          [](const Circuit& self, nb::handle values, nb::handle context) {
            return tiled(values, self.row_length(), workshop_of(context));
          },
          "values"_a, "context"_a,
          nb::sig("def tiled(self, values: CkksValues | BfvValues, "
                  "context: SecretContext | PublicContext) -> numpy.typing.NDArray[Any]"),
          "Returns the numbers of one input as the context encrypts them: padded with zeros to\n"
          "row_length and repeated until each row of the ring is full.\n"
          "\n"
          "- values: numbers of shape (n,), for all rows, or (2, n), with n up to row_length.")
      .def(
          "bound",
          [](nb::object self, nb::handle value, double magnitude) {
            nb::cast<Circuit&>(self).bound(value_of(self, value, "Circuit.bound"), magnitude);
          },
          "value"_a, "magnitude"_a,
          nb::sig("def bound(self, value: CircuitValue, magnitude: float) -> None"),
          "Declares a bound on the absolute values of the slots of a value, for CKKS.\n"
          "\n"
          "- magnitude: positive and finite; useful if it is smaller than the bound that\n"
          "  follows from the operands. If a slot is larger, estimates are too small, and the\n"
          "  message may not fit the modulus.");
}

void bind_circuit(nb::module_& module) {
  nb::class_<Circuit> type(
      module, "Circuit",
      "A computation on encrypted vectors, declared before anything is encrypted.\n"
      "\n"
      "    circuit = Circuit(row_length=4)\n"
      "    x, y = circuit.input(), circuit.input()\n"
      "    circuit.output((x * y + 1).rotate(1))\n"
      "\n"
      "- row_length: number of slots of a row, a power of two in [1, 65536]. CKKS has one\n"
      "  row; BFV and BGV have two, which rotate together.\n"
      "\n"
      "A circuit does not depend on levels, scales or keys.\n"
      "`suggest_parameters(circuit=circuit)` finds parameters,\n"
      "`secret.public(circuit=circuit)` makes exactly the keys that it needs, and\n"
      "`public.runner(circuit)` computes it.\n"
      "A ring may have longer rows than the circuit. Each row then repeats the vector.\n"
      "Encrypt inputs with `secret.encrypt(values, circuit=circuit)`.\n"
      "Only one thread at a time may add to a circuit. Raises InvalidArgument for an\n"
      "operation that cannot be declared.");
  type.def(
      "__init__",
      [](Circuit* self, const Integer& row_length) {
        new (self) Circuit(row_length.word("Circuit", "row_length"));
      },
      "row_length"_a);
  bind_declarations(type);
  bind_circuit_facts(type);
  bind_circuit_files(type);
}

}  // namespace

CircuitValue value_of(nb::handle circuit, nb::handle value, const char* operation) {
  if (!nb::isinstance<CircuitOperand>(value)) {
    throw_invalid_argument({operation, "value = " + shown(value), "a value of this circuit",
                            "pass a value that this circuit returned, such as circuit.input()"});
  }
  const auto& given = nb::cast<const CircuitOperand&>(value);
  if (given.circuit.is(circuit)) return given.value;
  throw_invalid_argument({operation, "a value of another circuit", "a value of this circuit",
                          "declare all values in one Circuit"});
}

void bind_circuits(nb::module_& module) {
  bind_values(module);
  bind_circuit(module);
}

}  // namespace ringlet::python
