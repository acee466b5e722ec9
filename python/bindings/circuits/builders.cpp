// SPDX-License-Identifier: Apache-2.0
#include "bindings/circuits/circuits.hpp"
#include "bindings/core/arguments.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/circuits/inverse.hpp"
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
           "CKKS, x in [-1, 1]: about 1, or -1 where x is negative; of `sign_approximation`.");
  bind_one(type, "absolute_value", &absolute_value,
           "x sign(x), one level more: off by at most max(gap, error).");
  bind_two(type, "compare", &compare,
           "About 1 where self > other, 0 where it is less and 1/2 where they are equal, for "
           "differences in\n[-1, 1]; at the depth of sign.");
  bind_two(type, "maximum", &maximum,
           "The larger one, for differences in [-1, 1]; one level more than sign. Off by at most\n"
           "max(gap, error)/2.");
  bind_two(type, "minimum", &minimum, "The smaller one in the same way.");
  type.def(
          "inverse",
          [](const CircuitOperand& y, const InverseApproximation& approximation) {
            return made(y, inverse(y.graph(), y.value, approximation));
          },
          "approximation"_a,
          "CKKS: about 1/self on the interval of the approximation; of `inverse_approximation`.")
      .def(
          "matrix_product", &multiply_matrices, "other"_a, "dimension"_a, nb::kw_only(),
          "rows"_a = nb::none(), "method"_a = "fewer_known_products",
          nb::sig("def matrix_product(self, other: CircuitValue, dimension: int, *, "
                  "rows: int | None = None, method: str = 'fewer_known_products') -> CircuitValue"),
          "self times other, encrypted matrices of rows x d and d x d, d = dimension, both powers "
          "of two. With\nh = row_length / d^2, entry (i, j) is slot (i d + j) h; fewer rows stand "
          "d / rows times one below the\nother, in the result too. The h - 1 slots behind an entry "
          "hold further pairs. Depth 3, or 2 with\nmethod \"fewer_levels\", which takes more "
          "products by known vectors.");
}

}  // namespace

void bind_circuit_builders(nb::class_<CircuitOperand>& type) {
  bind_functions(type);
  type.def("polynomial", &apply_polynomial, "coefficients"_a, nb::kw_only(), "basis"_a = "power",
           "interval"_a = std::tuple(-1.0, 1.0),
           nb::sig("def polynomial(self, coefficients: Polynomial | CkksValues, *, "
                   "basis: str = 'power', interval: tuple[float, float] = (-1.0, 1.0)) -> "
                   "CircuitValue"),
           "p(x) slot by slot, of the least depth and with few products. Coefficient i stands "
           "before x^i, or\nwith basis \"chebyshev\" before T_i of x mapped from the interval to "
           "[-1, 1]. Integers alone for BFV and\nBGV. The degree is at least 1. A Polynomial says "
           "all that itself.")
      .def(
          "sum_slots",
          [](const CircuitOperand& x, const Integer& count, const Integer& stride) {
            const char* operation = "CircuitValue.sum_slots";
            return made(x, sum_slots(x.graph(), x.value, count.word(operation, "count"),
                                     stride.number(operation, "stride")));
          },
          "count"_a, "stride"_a = 1,
          nb::sig("def sum_slots(self, count: int, stride: int = 1) -> CircuitValue"),
          "Slot i becomes x[i] + x[i + stride] + ... of `count` slots, in each row, cyclically.")
      .def(
          "mean_slots",
          [](const CircuitOperand& x, const Integer& count, const Integer& stride) {
            const char* operation = "CircuitValue.mean_slots";
            return made(x, mean_slots(x.graph(), x.value, count.word(operation, "count"),
                                      stride.number(operation, "stride")));
          },
          "count"_a, "stride"_a = 1,
          nb::sig("def mean_slots(self, count: int, stride: int = 1) -> CircuitValue"),
          "CKKS: the same divided by `count`; takes a level.")
      .def(
          "replicate",
          [](const CircuitOperand& x, const Integer& block) {
            return made(
                x, replicate(x.graph(), x.value, block.word("CircuitValue.replicate", "block")));
          },
          "block"_a = 1, nb::sig("def replicate(self, block: int = 1) -> CircuitValue"),
          "The first `block` slots, a power of two, again and again until the row is full, if all "
          "others are 0.")
      .def(
          "spread_slot",
          [](const CircuitOperand& x, const Integer& slot) {
            return made(
                x, spread_slot(x.graph(), x.value, slot.word("CircuitValue.spread_slot", "slot")));
          },
          "slot"_a, nb::sig("def spread_slot(self, slot: int) -> CircuitValue"),
          "x[slot] in all slots of the row; takes a level.");
}

}  // namespace ringlet::python
