// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/complex.h>

#include "bindings/circuits/circuits.hpp"
#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/schemes/values.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/circuits/approximation.hpp"
#include "ringlet/circuits/inverse.hpp"
#include "ringlet/circuits/sign.hpp"

namespace ringlet::python {
namespace {

// 0 also for what NumPy makes no array of.
int dimension_count(nb::handle object) {
  try {
    return nb::cast<int>(nb::module_::import_("numpy").attr("ndim")(object));
  } catch (nb::python_error&) {
    return 0;
  }
}

PolynomialBasis parse_basis(const std::string& name) {
  if (name == "power") return PolynomialBasis::power;
  if (name == "chebyshev") return PolynomialBasis::chebyshev;
  throw_invalid_argument(
      {"Polynomial", "basis = '" + name + "'", "power, chebyshev", "pass one of these names"});
}

InverseMethod parse_method(const std::string& name) {
  if (name == "goldschmidt") return InverseMethod::goldschmidt;
  if (name == "newton") return InverseMethod::newton;
  throw_invalid_argument({"inverse_approximation", "method = '" + name + "'", "goldschmidt, newton",
                          "pass one of these names"});
}

const char* name_of(InverseMethod method) {
  return method == InverseMethod::newton ? "newton" : "goldschmidt";
}

std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string costs(std::size_t depth, std::size_t relinearizations) {
  return " depth=" + std::to_string(depth) +
         " relinearizations=" + std::to_string(relinearizations) + ">";
}

std::string interval_text(double lower, double upper) {
  return "[" + short_text(lower) + ", " + short_text(upper) + "]";
}

nb::object coefficients(const Polynomial& p) {
  if (p.is_integer()) return nb::cast(p.integer_coefficients());
  const std::vector<std::complex<double>> numbers = p.coefficients();
  std::vector<double> real;
  for (const std::complex<double> number : numbers) {
    if (number.imag() != 0) return nb::cast(numbers);
    real.push_back(number.real());
  }
  return nb::cast(real);
}

std::string describe(const Polynomial& p) {
  const bool is_chebyshev = p.basis() == PolynomialBasis::chebyshev;
  return "<ringlet.Polynomial degree=" + std::to_string(p.degree()) +
         (is_chebyshev ? " basis=chebyshev interval=" + interval_text(p.lower(), p.upper())
                       : std::string(" basis=power")) +
         ">";
}

// Called with the interpreter's lock; what f raises comes through.
RealFunction real_function(nb::handle f) {
  const char* operation = "chebyshev_approximation";
  if (PyCallable_Check(f.ptr()) == 0) {
    throw_invalid_argument({operation, "f = " + shown(f), "a function of one real number",
                            "pass a function, such as numpy.tanh"});
  }
  return [f, operation](double x) {
    const nb::object y = f(x);
    double value = 0;
    if (nb::try_cast(y, value)) return value;
    throw_invalid_argument({operation, "f(" + short_text(x) + ") = " + shown(y), "a real number",
                            "pass a function that gives real numbers"});
  };
}

Approximation approximate(nb::handle f, const std::tuple<double, double>& interval,
                          const std::optional<Integer>& degree, const std::optional<double>& error,
                          const Integer& max_degree) {
  const char* operation = "chebyshev_approximation";
  if (degree.has_value() == error.has_value()) {
    throw_invalid_argument({operation, degree ? "both degree and error" : "no degree",
                            "exactly one of degree and error", "pass for example error=1e-3"});
  }
  const auto [lower, upper] = interval;
  const RealFunction function = real_function(f);
  if (degree) {
    return chebyshev_approximation(function, lower, upper, degree->word(operation, "degree"));
  }
  return least_chebyshev_approximation(function, lower, upper, *error,
                                       max_degree.word(operation, "max_degree"));
}

std::vector<std::uint64_t> words(const std::vector<Integer>& integers, const char* name) {
  std::vector<std::uint64_t> result;
  for (const Integer& integer : integers) result.push_back(integer.word("interpolate", name));
  return result;
}

Polynomial table(const Integer& t, const std::vector<Integer>& values,
                 const std::optional<std::vector<Integer>>& points) {
  const Modulus modulus(t.word("interpolate", "plain_modulus"));
  const std::vector<std::uint64_t> given = words(values, "values");
  const std::vector<std::uint64_t> at =
      points ? words(*points, "points") : std::vector<std::uint64_t>();
  const nb::gil_scoped_release unlocked;
  return points ? interpolate(modulus, at, given) : interpolate(modulus, given);
}

void bind_polynomials(nb::module_& module) {
  using C = const PolynomialCost&;
  nb::class_<PolynomialCost>(module, "PolynomialCost", "What a polynomial of a value takes.")
      .def_ro("depth", &PolynomialCost::depth, "Levels.")
      .def_ro("relinearizations", &PolynomialCost::relinearizations, "Key switches.")
      .def_ro("products", &PolynomialCost::products, "Products of two ciphertexts.")
      .def_ro("known_products", &PolynomialCost::known_products, "Products by coefficients.")
      .def_ro("baby_powers", &PolynomialCost::baby_powers,
              "Pieces of a lower degree are sums of coefficients times powers.")
      .def("__repr__", [](C c) {
        return "PolynomialCost(depth=" + std::to_string(c.depth) +
               ", relinearizations=" + std::to_string(c.relinearizations) +
               ", products=" + std::to_string(c.products) +
               ", known_products=" + std::to_string(c.known_products) +
               ", baby_powers=" + std::to_string(c.baby_powers) + ")";
      });
  using P = const Polynomial&;
  nb::class_<Polynomial>(
      module, "Polynomial",
      "A polynomial in one variable, for `value.polynomial(p)`: coefficient i stands before x^i, "
      "or with\nbasis \"chebyshev\" before T_i of x mapped from the interval to [-1, 1]. Zeros at "
      "the end are dropped.\nBFV and BGV take integers alone.")
      .def(
          "__init__",
          [](Polynomial* self, nb::handle given, const std::string& basis,
             const std::tuple<double, double>& interval) {
            new (self) Polynomial(polynomial_of(given, basis, interval));
          },
          "coefficients"_a, nb::kw_only(), "basis"_a = "power",
          "interval"_a = std::tuple(-1.0, 1.0),
          nb::sig("def __init__(self, coefficients: CkksValues, *, basis: str = 'power', "
                  "interval: tuple[float, float] = (-1.0, 1.0)) -> None"))
      .def_prop_ro("degree", &Polynomial::degree, "Place of the last coefficient that is not 0.")
      .def_prop_ro("coefficients", &coefficients,
                   nb::sig("def coefficients(self) -> list[int] | list[float] | list[complex]"),
                   "degree + 1 numbers.")
      .def_prop_ro(
          "basis",
          [](P p) { return p.basis() == PolynomialBasis::chebyshev ? "chebyshev" : "power"; },
          "\"power\" or \"chebyshev\".")
      .def_prop_ro(
          "interval", [](P p) { return std::tuple(p.lower(), p.upper()); },
          "That of the Chebyshev basis.")
      .def_prop_ro(
          "cost", [](P p) { return polynomial_cost(p); }, "What it takes.")
      .def(
          "__call__", [](P p, std::complex<double> x) { return std::complex<double>(p(x)); }, "x"_a,
          "The value at x in the clear.")
      .def("__repr__", [](P p) { return describe(p); });
}

void bind_approximations(nb::module_& module) {
  using A = const Approximation&;
  nb::class_<Approximation>(module, "Approximation", "A polynomial in place of a function.")
      .def_ro("polynomial", &Approximation::polynomial, "In the Chebyshev basis.")
      .def_ro("error", &Approximation::error,
              "The largest |f(x) - p(x)| at 4096 points of the interval, or 16 per degree.")
      .def("__repr__", [](A a) {
        const Polynomial& p = a.polynomial;
        return "<ringlet.Approximation degree=" + std::to_string(p.degree()) +
               " interval=" + interval_text(p.lower(), p.upper()) +
               " error=" + short_text(a.error) + ">";
      });
  using S = const SignApproximation&;
  nb::class_<SignApproximation>(module, "SignApproximation",
                                "The sign of numbers by compositions of odd polynomials: made by "
                                "sign_approximation.")
      .def_ro("n", &SignApproximation::n, "Polynomials have degree 2n + 1.")
      .def_ro("g_count", &SignApproximation::g_count, "Compositions of g_n, which come first,")
      .def_ro("f_count", &SignApproximation::f_count, "and of f_n.")
      .def_ro("gap", &SignApproximation::gap, "The error holds for gap <= |x| <= 1.")
      .def_ro("error", &SignApproximation::error, "In exact arithmetic: noise comes on top.")
      .def_ro("depth", &SignApproximation::depth, "Levels.")
      .def_ro("relinearizations", &SignApproximation::relinearizations, "Key switches.")
      .def("__repr__", [](S s) {
        return "<ringlet.SignApproximation n=" + std::to_string(s.n) + " gap=" + short_text(s.gap) +
               " error=" + short_text(s.error) + costs(s.depth, s.relinearizations);
      });
  using I = const InverseApproximation&;
  nb::class_<InverseApproximation>(module, "InverseApproximation",
                                   "1/y on an interval: made by inverse_approximation.")
      .def_prop_ro(
          "method", [](I i) { return name_of(i.method); }, "\"goldschmidt\" or \"newton\".")
      .def_prop_ro(
          "interval", [](I i) { return std::tuple(i.lower, i.upper); }, "Where it holds.")
      .def_ro("iterations", &InverseApproximation::iterations,
              "Factors of Goldschmidt's product, or Newton's turns.")
      .def_ro("start", &InverseApproximation::start, "Newton: the polynomial to start with.")
      .def_ro("error", &InverseApproximation::error, "In exact arithmetic: noise comes on top.")
      .def_ro("depth", &InverseApproximation::depth, "Levels.")
      .def_ro("relinearizations", &InverseApproximation::relinearizations, "Key switches.")
      .def("__repr__", [](I i) {
        return std::string("<ringlet.InverseApproximation ") + name_of(i.method) +
               " interval=" + interval_text(i.lower, i.upper) + " error=" + short_text(i.error) +
               costs(i.depth, i.relinearizations);
      });
}

void bind_makers(nb::module_& module) {
  module.def(
      "chebyshev_approximation", &approximate, "f"_a, "interval"_a, nb::kw_only(),
      "degree"_a = nb::none(), "error"_a = nb::none(), "max_degree"_a = 255,
      nb::sig("def chebyshev_approximation(f: Callable[[float], float], "
              "interval: tuple[float, float], *, degree: int | None = None, "
              "error: float | None = None, max_degree: int = 255) -> Approximation"),
      "The polynomial of that degree that agrees with f at the Chebyshev nodes of the interval; or "
      "that of\nleast degree whose error is `error` at most. What f raises comes through.");
  module.def(
      "sign_approximation",
      [](double gap, double precision, const Integer& n) {
        return sign_approximation(gap, precision, n.number("sign_approximation", "n"));
      },
      "gap"_a, "precision"_a, "n"_a = 3,
      "The fewest compositions whose error is 2^-precision for gap <= |x| <= 1 (Cheon, Kim and "
      "Kim, IACR\nePrint 2019/1234). gap in [2^-40, 1), precision in (0, 48], n in [1, 4].");
  module.def(
      "inverse_approximation",
      [](const std::tuple<double, double>& interval, double error, const std::string& method) {
        return inverse_approximation(std::get<0>(interval), std::get<1>(interval), error,
                                     parse_method(method));
      },
      "interval"_a, "error"_a, "method"_a = "goldschmidt",
      "1/y for y in an interval of positive numbers at the least depth that brings the error down "
      "to\n`error`: by Goldschmidt's product, or \"newton\", which starts with a Chebyshev "
      "approximation.");
  module.def("interpolate", &table, "plain_modulus"_a, "values"_a, "points"_a = nb::none(),
             nb::sig("def interpolate(plain_modulus: int, values: Sequence[int], "
                     "points: Sequence[int] | None = None) -> Polynomial"),
             "The polynomial with these values at 0, 1, 2, ..., or at `points`, modulo a prime: a "
             "look-up table\nfor BFV and BGV. At most 65536 values. "
             "Other threads run meanwhile.");
}

}  // namespace

Polynomial polynomial_of(nb::handle given, const std::string& basis,
                         const std::tuple<double, double>& interval) {
  const char* operation = "Polynomial";
  const auto [lower, upper] = interval;
  if (!is_numeric(given) || dimension_count(given) != 1) {
    throw_invalid_argument({operation, "coefficients = " + shown(given), "a sequence of numbers",
                            "pass [c0, c1, ...]"});
  }
  const KnownVector known = known_vector(given, nb::len(given), operation);
  return Polynomial(known, parse_basis(basis), lower, upper);
}

void bind_circuit_functions(nb::module_& module) {
  bind_polynomials(module);
  bind_approximations(module);
  bind_makers(module);
}

}  // namespace ringlet::python
