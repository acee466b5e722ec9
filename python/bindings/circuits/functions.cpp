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

// Returns 0 also for objects that NumPy does not turn into an array.
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

// The caller holds the interpreter's lock; exceptions of f pass unchanged.
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
  nb::class_<PolynomialCost>(module, "PolynomialCost",
                             "The cost of evaluating a polynomial at an encrypted value.")
      .def_ro("depth", &PolynomialCost::depth, "Number of levels that the evaluation needs.")
      .def_ro("relinearizations", &PolynomialCost::relinearizations,
              "Number of relinearizations. Each is one key switch.")
      .def_ro("products", &PolynomialCost::products, "Number of products of two ciphertexts.")
      .def_ro("known_products", &PolynomialCost::known_products,
              "Number of products of a ciphertext by coefficients.")
      .def_ro("baby_powers", &PolynomialCost::baby_powers,
              "Number of baby powers: the polynomial is split into pieces of a degree below this\n"
              "number, and each piece is a sum of coefficients times powers of x.")
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
      "A polynomial in one variable, for `value.polynomial(p)`.\n"
      "\n"
      "- coefficients: coefficient i is the factor of x^i; with basis \"chebyshev\", of\n"
      "  T_i(u), where u maps x from the interval to [-1, 1]. Zeros at the end are dropped.\n"
      "  BFV and BGV take integers only.\n"
      "- basis: \"power\" or \"chebyshev\".\n"
      "- interval: (lower, upper), for the Chebyshev basis.")
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
      .def_prop_ro("degree", &Polynomial::degree,
                   "Degree: the index of the last coefficient that is not 0.")
      .def_prop_ro("coefficients", &coefficients,
                   nb::sig("def coefficients(self) -> list[int] | list[float] | list[complex]"),
                   "The coefficients: degree + 1 numbers.")
      .def_prop_ro(
          "basis",
          [](P p) { return p.basis() == PolynomialBasis::chebyshev ? "chebyshev" : "power"; },
          "Basis of the coefficients: \"power\" or \"chebyshev\".")
      .def_prop_ro(
          "interval", [](P p) { return std::tuple(p.lower(), p.upper()); },
          "Interval of the Chebyshev basis.")
      .def_prop_ro(
          "cost", [](P p) { return polynomial_cost(p); },
          "The cost of evaluating the polynomial at an encrypted value.")
      .def(
          "__call__", [](P p, std::complex<double> x) { return std::complex<double>(p(x)); }, "x"_a,
          "Returns the value of the polynomial at a number x, without encryption.")
      .def("__repr__", [](P p) { return describe(p); });
}

void bind_approximations(nb::module_& module) {
  using A = const Approximation&;
  nb::class_<Approximation>(module, "Approximation", "A polynomial that approximates a function.")
      .def_ro("polynomial", &Approximation::polynomial, "The polynomial, in the Chebyshev basis.")
      .def_ro("error", &Approximation::error,
              "Largest |f(x) - p(x)| that was measured: at 4096 points of the interval, or at 16\n"
              "points per degree if these are more.")
      .def("__repr__", [](A a) {
        const Polynomial& p = a.polynomial;
        return "<ringlet.Approximation degree=" + std::to_string(p.degree()) +
               " interval=" + interval_text(p.lower(), p.upper()) +
               " error=" + short_text(a.error) + ">";
      });
  using S = const SignApproximation&;
  nb::class_<SignApproximation>(
      module, "SignApproximation",
      "The sign function, approximated by compositions of odd polynomials.\n"
      "sign_approximation makes it.")
      .def_ro("n", &SignApproximation::n,
              "Number n: the polynomials g_n and f_n have degree 2n + 1.")
      .def_ro("g_count", &SignApproximation::g_count,
              "Number of compositions of g_n. They come first.")
      .def_ro("f_count", &SignApproximation::f_count,
              "Number of compositions of f_n. They come last.")
      .def_ro("gap", &SignApproximation::gap, "The bound `error` holds for gap <= |x| <= 1.")
      .def_ro("error", &SignApproximation::error,
              "Bound on the error in exact arithmetic, without the noise of encryption.")
      .def_ro("depth", &SignApproximation::depth, "Number of levels that the evaluation needs.")
      .def_ro("relinearizations", &SignApproximation::relinearizations,
              "Number of relinearizations. Each is one key switch.")
      .def("__repr__", [](S s) {
        return "<ringlet.SignApproximation n=" + std::to_string(s.n) + " gap=" + short_text(s.gap) +
               " error=" + short_text(s.error) + costs(s.depth, s.relinearizations);
      });
  using I = const InverseApproximation&;
  nb::class_<InverseApproximation>(
      module, "InverseApproximation",
      "The function 1/y on an interval, approximated. inverse_approximation makes it.")
      .def_prop_ro(
          "method", [](I i) { return name_of(i.method); }, "Method: \"goldschmidt\" or \"newton\".")
      .def_prop_ro(
          "interval", [](I i) { return std::tuple(i.lower, i.upper); },
          "Interval on which the approximation holds.")
      .def_ro("iterations", &InverseApproximation::iterations,
              "Number of factors of Goldschmidt's product, or number of Newton steps.")
      .def_ro("start", &InverseApproximation::start,
              "Newton: the polynomial that gives the first value. None for Goldschmidt.")
      .def_ro("error", &InverseApproximation::error,
              "Bound on the error in exact arithmetic, without the noise of encryption.")
      .def_ro("depth", &InverseApproximation::depth, "Number of levels that the evaluation needs.")
      .def_ro("relinearizations", &InverseApproximation::relinearizations,
              "Number of relinearizations. Each is one key switch.")
      .def("__repr__", [](I i) {
        return std::string("<ringlet.InverseApproximation ") + name_of(i.method) +
               " interval=" + interval_text(i.lower, i.upper) + " error=" + short_text(i.error) +
               costs(i.depth, i.relinearizations);
      });
}

void bind_interpolate(nb::module_& module) {
  module.def(
      "interpolate", &table, "plain_modulus"_a, "values"_a, "points"_a = nb::none(),
      nb::sig("def interpolate(plain_modulus: int, values: Sequence[int], "
              "points: Sequence[int] | None = None) -> Polynomial"),
      "Returns the polynomial modulo a prime that has these values: a look-up table for BFV\n"
      "and BGV.\n"
      "\n"
      "- plain_modulus: the prime t.\n"
      "- values: at most 65536 integers.\n"
      "- points: the arguments for these values, different modulo t; by default 0, 1, 2,\n"
      "  ...\n"
      "\n"
      "Raises InvalidArgument for other arguments. Other Python threads run during the\n"
      "call.");
}

void bind_makers(nb::module_& module) {
  module.def("chebyshev_approximation", &approximate, "f"_a, "interval"_a, nb::kw_only(),
             "degree"_a = nb::none(), "error"_a = nb::none(), "max_degree"_a = 255,
             nb::sig("def chebyshev_approximation(f: Callable[[float], float], "
                     "interval: tuple[float, float], *, degree: int | None = None, "
                     "error: float | None = None, max_degree: int = 255) -> Approximation"),
             "Approximates a function by a polynomial in the Chebyshev basis and returns the\n"
             "Approximation.\n"
             "\n"
             "- f: a function of one float.\n"
             "- interval: (lower, upper), finite.\n"
             "- degree: degree of the polynomial that agrees with f at the Chebyshev nodes, 1 to\n"
             "  4095.\n"
             "- error: instead of `degree`. The call takes the least degree up to max_degree\n"
             "  whose error is at most `error`.\n"
             "\n"
             "Raises InvalidArgument if no degree up to max_degree reaches `error`, or for other\n"
             "arguments. Exceptions of f are passed on.");
  module.def(
      "sign_approximation",
      [](double gap, double precision, const Integer& n) {
        return sign_approximation(gap, precision, n.number("sign_approximation", "n"));
      },
      "gap"_a, "precision"_a, "n"_a = 3,
      "Returns the approximation of sign(x) with the fewest compositions whose error is at\n"
      "most 2^-precision for gap <= |x| <= 1.\n"
      "\n"
      "- gap: in [2^-40, 1).\n"
      "- precision: bits, in (0, 48].\n"
      "- n: in [1, 4]; the polynomials have degree 2n + 1.\n"
      "\n"
      "Raises InvalidArgument for other arguments. Source: Cheon, Kim and Kim, IACR ePrint\n"
      "2019/1234.");
  module.def(
      "inverse_approximation",
      [](const std::tuple<double, double>& interval, double error, const std::string& method) {
        return inverse_approximation(std::get<0>(interval), std::get<1>(interval), error,
                                     parse_method(method));
      },
      "interval"_a, "error"_a, "method"_a = "goldschmidt",
      "Returns the approximation of 1/y with the least depth whose error is at most\n"
      "`error`.\n"
      "\n"
      "- interval: (lower, upper) with 0 < lower < upper, both finite.\n"
      "- method: \"goldschmidt\" for Goldschmidt's product, \"newton\" for Newton steps after a\n"
      "  Chebyshev approximation.\n"
      "\n"
      "Raises InvalidArgument for other arguments.");
  bind_interpolate(module);
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
