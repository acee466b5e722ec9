// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <tuple>

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arguments.hpp"
#include "circuits.hpp"
#include "ringlet/error.hpp"
#include "ringlet/polynomial.hpp"
#include "ringlet/slot_sums.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

CircuitOperand made(const CircuitOperand& source, CircuitValue value) {
  return {source.circuit, value};
}

PolynomialBasis parse_basis(const std::string& name) {
  if (name == "power") return PolynomialBasis::power;
  if (name == "chebyshev") return PolynomialBasis::chebyshev;
  throw_invalid_argument({"CircuitValue.polynomial", "basis = '" + name + "'", "power, chebyshev",
                          "pass one of these names"});
}

CircuitOperand apply_polynomial(const CircuitOperand& x, nb::handle coefficients,
                                const std::string& basis,
                                const std::tuple<double, double>& interval) {
  const auto [lower, upper] = interval;
  const KnownVector known =
      known_vector(coefficients, x.graph().row_length(), "CircuitValue.polynomial");
  return made(x,
              polynomial(x.graph(), x.value, Polynomial(known, parse_basis(basis), lower, upper)));
}

}  // namespace

void bind_circuit_builders(nb::class_<CircuitOperand>& type) {
  type.def("polynomial", &apply_polynomial, "coefficients"_a, nb::kw_only(), "basis"_a = "power",
           "interval"_a = std::tuple(-1.0, 1.0),
           nb::sig("def polynomial(self, coefficients: CkksValues, *, basis: str = 'power', "
                   "interval: tuple[float, float] = (-1.0, 1.0)) -> CircuitValue"),
           "p(x) slot by slot, of the least depth and with few products. Coefficient i stands "
           "before x^i, or\nwith basis \"chebyshev\" before T_i of x mapped from the interval to "
           "[-1, 1]. Integers alone for BFV and\nBGV. The degree is at least 1.")
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
