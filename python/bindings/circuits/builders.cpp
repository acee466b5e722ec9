// SPDX-License-Identifier: Apache-2.0
#include "bindings/circuits/circuits.hpp"
#include "bindings/core/arguments.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/circuits/inverse.hpp"
#include "ringlet/circuits/linear_transform.hpp"
#include "ringlet/circuits/matrix_product.hpp"
#include "ringlet/circuits/polynomial.hpp"
#include "ringlet/circuits/sign.hpp"
#include "ringlet/circuits/slot_sums.hpp"

namespace ringlet::python {
namespace {

CircuitOperand made(const CircuitOperand& source, CircuitValue value) {
  return {source.circuit, value};
}

CircuitOperand apply_polynomial(const CircuitOperand& x, nb::handle coefficients,
                                const std::string& basis,
                                const std::tuple<double, double>& interval) {
  const Polynomial p = nb::isinstance<Polynomial>(coefficients)
                           ? nb::cast<const Polynomial&>(coefficients)
                           : polynomial_of(coefficients, basis, interval);
  return made(x, polynomial(x.graph(), x.value, p));
}

CircuitOperand transform_linearly(const CircuitOperand& x, const nb::dict& diagonals) {
  const char* operation = "CircuitValue.linear_transform";
  std::map<int, KnownVector> vectors;
  for (const auto& [steps, values] : diagonals) {
    const Integer key{nb::borrow(steps)};
    vectors.emplace(key.number(operation, "steps"),
                    known_vector(values, x.graph().row_length(), operation));
  }
  return made(x, linear_transform(x.graph(), x.value, vectors));
}

MatrixProductMethod parse_method(const std::string& name) {
  if (name == "fewer_known_products") return MatrixProductMethod::fewer_known_products;
  if (name == "fewer_levels") return MatrixProductMethod::fewer_levels;
  throw_invalid_argument({"CircuitValue.matrix_product", "method = '" + name + "'",
                          "fewer_known_products, fewer_levels", "pass one of these names"});
}

CircuitOperand multiply_matrices(const CircuitOperand& a, nb::handle other,
                                 const Integer& dimension, const std::optional<Integer>& rows,
                                 const std::string& method) {
  const char* operation = "CircuitValue.matrix_product";
  const CircuitValue b = value_of(a.circuit, other, operation);
  MatrixProductShape shape{dimension.word(operation, "dimension"), 0, parse_method(method)};
  shape.rows = rows ? rows->word(operation, "rows") : shape.dimension;
  return made(a, matrix_product(a.graph(), a.value, b, shape));
}

using OfOne = CircuitValue (*)(Circuit&, CircuitValue, const SignApproximation&);
using OfTwo = CircuitValue (*)(Circuit&, CircuitValue, CircuitValue, const SignApproximation&);

void bind_one(nb::class_<CircuitOperand>& type, const char* name, OfOne function,
              const char* text) {
  const std::string signature =
      std::string("def ") + name + "(self, approximation: SignApproximation) -> CircuitValue";
  type.def(
      name,
      [function](const CircuitOperand& x, const SignApproximation& approximation) {
        return made(x, function(x.graph(), x.value, approximation));
      },
      "approximation"_a, nb::sig(signature.c_str()), text);
}

void bind_two(nb::class_<CircuitOperand>& type, const char* name, OfTwo function,
              const char* text) {
  const std::string signature =
      std::string("def ") + name +
      "(self, other: CircuitValue, approximation: SignApproximation) -> CircuitValue";
  type.def(
      name,
      [function, operation = std::string("CircuitValue.") + name](
          const CircuitOperand& a, nb::handle other, const SignApproximation& approximation) {
        const CircuitValue b = value_of(a.circuit, other, operation.c_str());
        return made(a, function(a.graph(), a.value, b, approximation));
      },
      "other"_a, "approximation"_a, nb::sig(signature.c_str()), text);
}

void bind_functions(nb::class_<CircuitOperand>& type) {
  bind_one(type, "sign", &sign,
           "Returns about 1 in positive slots and about -1 in negative slots. CKKS only; slots\n"
           "must be in [-1, 1].\n"
           "\n"
           "- approximation: a SignApproximation, which `sign_approximation` makes.");
  bind_one(type, "absolute_value", &absolute_value,
           "Returns about |x| = x sign(x), with an error of at most max(gap, error). The\n"
           "operation needs one level more than `sign`.");
  bind_two(type, "compare", &compare,
           "Returns about 1 where self > other, 0 where self < other, and 1/2 where both are\n"
           "equal.\n"
           "\n"
           "All differences self - other must be in [-1, 1]. The depth is that of `sign`.");
  bind_two(type, "maximum", &maximum,
           "Returns about the larger of self and other in each slot, with an error of at most\n"
           "max(gap, error)/2.\n"
           "\n"
           "All differences self - other must be in [-1, 1]. The operation needs one level more\n"
           "than `sign`.");
  bind_two(type, "minimum", &minimum,
           "Returns about the smaller of self and other in each slot. Limits and depth are those\n"
           "of `maximum`.");
  type.def(
          "inverse",
          [](const CircuitOperand& y, const InverseApproximation& approximation) {
            return made(y, inverse(y.graph(), y.value, approximation));
          },
          "approximation"_a,
          "Returns about 1/self in each slot. CKKS only; slots must be in the interval of the\n"
          "approximation. `inverse_approximation` makes approximations.")
      .def("linear_transform", &transform_linearly, "diagonals"_a,
           nb::sig("def linear_transform(self, diagonals: dict[int, CircuitOperand]) -> "
                   "CircuitValue"),
           "Returns the sum of v * self.rotate(s) over the items s: v of `diagonals`, with few\n"
           "rotations (baby steps and giant steps).\n"
           "\n"
           "- diagonals: a number or numbers for the slots of a row for each number of steps,\n"
           "  cyclically; different steps modulo row_length. Not all are zero.\n"
           "\n"
           "The operation needs no level if each v is one integer of at most 1024 in all slots,\n"
           "else one level.")
      .def(
          "matrix_product", &multiply_matrices, "other"_a, "dimension"_a, nb::kw_only(),
          "rows"_a = nb::none(), "method"_a = "fewer_known_products",
          nb::sig("def matrix_product(self, other: CircuitValue, dimension: int, *, "
                  "rows: int | None = None, method: str = 'fewer_known_products') -> CircuitValue"),
          "Returns the product of two encrypted matrices: self, rows x d, times other, d x d,\n"
          "where d = dimension.\n"
          "\n"
          "- dimension, rows: powers of two, rows <= dimension, dimension^2 <= row_length.\n"
          "- method: \"fewer_known_products\" has depth 3. \"fewer_levels\" has depth 2 and needs\n"
          "  more products by known vectors.\n"
          "\n"
          "With h = row_length / d^2, entry (i, j) is in slot (i d + j) h. The h - 1 slots\n"
          "behind an entry hold further pairs of matrices. If rows < d, both self and the\n"
          "result hold their rows d / rows times, one copy below the other.");
}

}  // namespace

void bind_circuit_builders(nb::class_<CircuitOperand>& type) {
  bind_functions(type);
  type.def("polynomial", &apply_polynomial, "coefficients"_a, nb::kw_only(), "basis"_a = "power",
           "interval"_a = std::tuple(-1.0, 1.0),
           nb::sig("def polynomial(self, coefficients: Polynomial | CkksValues, *, "
                   "basis: str = 'power', interval: tuple[float, float] = (-1.0, 1.0)) -> "
                   "CircuitValue"),
           "Returns p(x) for every slot x, with the least depth and few products.\n"
           "\n"
           "- coefficients: a Polynomial, or numbers for a polynomial of degree 1 or more;\n"
           "  coefficient i is the factor of x^i. BFV and BGV take integers only.\n"
           "- basis: \"power\" or \"chebyshev\". With \"chebyshev\", coefficient i is the factor\n"
           "  of T_i(u), where u maps x from the interval to [-1, 1].\n"
           "- interval: (lower, upper), for the Chebyshev basis.\n"
           "\n"
           "For a Polynomial, its own basis and interval apply, and the arguments `basis` and\n"
           "`interval` have no effect.")
      .def(
          "sum_slots",
          [](const CircuitOperand& x, const Integer& count, const Integer& stride) {
            const char* operation = "CircuitValue.sum_slots";
            return made(x, sum_slots(x.graph(), x.value, count.word(operation, "count"),
                                     stride.number(operation, "stride")));
          },
          "count"_a, "stride"_a = 1,
          nb::sig("def sum_slots(self, count: int, stride: int = 1) -> CircuitValue"),
          "Returns sums of slots: slot i becomes x[i] + x[i + stride] + ... with `count` terms,\n"
          "in each row, cyclically.")
      .def(
          "mean_slots",
          [](const CircuitOperand& x, const Integer& count, const Integer& stride) {
            const char* operation = "CircuitValue.mean_slots";
            return made(x, mean_slots(x.graph(), x.value, count.word(operation, "count"),
                                      stride.number(operation, "stride")));
          },
          "count"_a, "stride"_a = 1,
          nb::sig("def mean_slots(self, count: int, stride: int = 1) -> CircuitValue"),
          "Returns means of slots: the sums of sum_slots divided by `count`. CKKS only. The\n"
          "operation needs one level.")
      .def(
          "replicate",
          [](const CircuitOperand& x, const Integer& block) {
            return made(
                x, replicate(x.graph(), x.value, block.word("CircuitValue.replicate", "block")));
          },
          "block"_a = 1, nb::sig("def replicate(self, block: int = 1) -> CircuitValue"),
          "Returns the first `block` slots, repeated until the row is full. `block` is a power\n"
          "of two, and all other slots must be 0.")
      .def(
          "spread_slot",
          [](const CircuitOperand& x, const Integer& slot) {
            return made(
                x, spread_slot(x.graph(), x.value, slot.word("CircuitValue.spread_slot", "slot")));
          },
          "slot"_a, nb::sig("def spread_slot(self, slot: int) -> CircuitValue"),
          "Returns x[slot] in all slots of the row. The operation needs one level.");
}

}  // namespace ringlet::python
