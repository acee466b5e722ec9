// SPDX-License-Identifier: Apache-2.0
#include "circuits/declare/polynomial_builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/plan/declared_counts.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {
namespace {

using Complex = std::complex<double>;

// A product by an integer of few bits takes no level.
KnownVector known(std::int64_t coefficient) { return {coefficient}; }
KnownVector known(Complex coefficient) {
  if (coefficient.imag() != 0) return {coefficient};
  const double real = coefficient.real();
  if (std::abs(real) <= 1024 && real == std::trunc(real)) return {static_cast<std::int64_t>(real)};
  return {real};
}

double size_of(std::int64_t coefficient) { return std::abs(static_cast<double>(coefficient)); }
double size_of(Complex coefficient) { return std::abs(coefficient); }

template <typename T>
std::size_t depth_of_term(std::size_t power, T coefficient) {
  const std::size_t depth = static_cast<std::size_t>(std::bit_width(power - 1));
  return depth + (known(coefficient).is_small_integer() ? 0 : 1);
}

template <typename T>
std::size_t least_depth(const std::vector<T>& coefficients) {
  const std::size_t degree = coefficients.size() - 1;
  // At a degree that is a power of two the last term decides. Else bit_width is ceil(log2(d + 1)).
  if (std::has_single_bit(degree)) return depth_of_term(degree, coefficients.back());
  return static_cast<std::size_t>(std::bit_width(degree));
}

/// Declares one polynomial with coefficients of type T in the least number of levels.
template <typename T>
class PolynomialBuilder {
 public:
  PolynomialBuilder(Circuit& circuit, CircuitValue x, bool is_chebyshev, std::size_t baby_powers)
      : circuit_(circuit), is_chebyshev_(is_chebyshev), baby_powers_(baby_powers) {
    powers_.emplace(1, x);
  }

  CircuitValue operator()(const std::vector<T>& coefficients) {
    return finished(sum(coefficients, least_depth(coefficients)));
  }

 private:
  /// `value` plus a constant that has not been added yet; its slots are at most `bound` in the
  /// Chebyshev basis.
  struct Sum {
    std::optional<CircuitValue> value;
    T constant{};
    double bound = 0;
  };

  Sum sum(std::vector<T> p, std::size_t depth) {
    while (p.size() > 1 && p.back() == T{}) p.pop_back();
    const std::size_t degree = p.size() - 1;
    Sum result;
    result.constant = p[0];
    for (const T& coefficient : p) result.bound += size_of(coefficient);
    if (degree == 0) return result;
    if (degree < baby_powers_ && fits(p, depth)) {
      for (std::size_t i = 1; i <= degree; ++i) add_term(result, p[i], i);
      return result;
    }
    const std::size_t m = std::bit_floor(degree);
    auto [quotient, rest] = divided(p, m);
    const double bound = result.bound;
    result = sum(std::move(rest), depth);
    result.bound = bound;
    const Sum factor = sum(std::move(quotient), depth - 1);
    if (!factor.value) {
      add_term(result, factor.constant, m);
    } else {
      const CircuitValue left = finished(factor);
      add(result, circuit_.multiply(left, power(m)));
    }
    return result;
  }

  static bool fits(const std::vector<T>& p, std::size_t depth) {
    for (std::size_t i = 1; i < p.size(); ++i) {
      if (p[i] != T{} && depth_of_term(i, p[i]) > depth) return false;
    }
    return true;
  }

  // p = quotient * x^m + rest, or with T_m: T_(m+i) = 2 T_m T_i - T_(m-i) for i <= m.
  std::pair<std::vector<T>, std::vector<T>> divided(const std::vector<T>& p, std::size_t m) const {
    const auto middle = p.begin() + static_cast<std::ptrdiff_t>(m);
    std::vector<T> quotient(middle, p.end());
    std::vector<T> rest(p.begin(), middle);
    for (std::size_t i = 1; is_chebyshev_ && i < quotient.size(); ++i) {
      rest[m - i] -= quotient[i];
      quotient[i] += quotient[i];
    }
    return {std::move(quotient), std::move(rest)};
  }

  void add(Sum& sum, CircuitValue value) {
    sum.value = sum.value ? circuit_.add(*sum.value, value) : value;
  }

  void add_term(Sum& sum, T coefficient, std::size_t i) {
    if (coefficient == T{}) return;
    const CircuitValue value = power(i);
    if (coefficient == T{1}) return add(sum, value);
    if (coefficient == -T{1} && sum.value) {
      sum.value = circuit_.subtract(*sum.value, value);
    } else if (coefficient == -T{1}) {
      sum.value = circuit_.negate(value);
    } else {
      add(sum, circuit_.multiply(value, known(coefficient)));
    }
  }

  CircuitValue finished(const Sum& sum) {
    const CircuitValue value =
        sum.constant == T{} ? *sum.value : circuit_.add(*sum.value, known(sum.constant));
    // A coefficient of 1 gives a power itself, which has a bound already.
    if (is_chebyshev_ && value != powers_.at(1)) circuit_.bound(value, sum.bound);
    return value;
  }

  CircuitValue power(std::size_t i) {
    if (const auto made = powers_.find(i); made != powers_.end()) return made->second;
    const std::size_t m = std::bit_floor(i - 1);
    const CircuitValue a = power(m);
    const CircuitValue b = power(i - m);
    CircuitValue result = circuit_.multiply(a, b);
    if (is_chebyshev_) {
      result = circuit_.add(result, result);
      result = i == 2 * m ? circuit_.add(result, KnownVector(-1))
                          : circuit_.subtract(result, power(2 * m - i));
      circuit_.bound(result, 1);
    }
    powers_.emplace(i, result);
    return result;
  }

  Circuit& circuit_;
  bool is_chebyshev_;
  std::size_t baby_powers_;
  std::map<std::size_t, CircuitValue> powers_;
};

void check(const Polynomial& p, PolynomialArgument argument) {
  public_entry("polynomial", [&] {
    if (p.degree() == 0) {
      refuse("a constant", "a degree of at least 1", "use the constant itself");
    }
    if (argument == PolynomialArgument::scaled && p.basis() == PolynomialBasis::power) {
      refuse("a scaled argument for the power basis", "a scaled argument for the Chebyshev basis",
             "pass an argument that is not scaled");
    }
  });
}

// u = (2x - upper - lower)/(upper - lower).
CircuitValue mapped(Circuit& circuit, CircuitValue x, const Polynomial& p) {
  const double width = p.upper() - p.lower();
  const double factor = 2 / width;
  const double offset = -(p.upper() + p.lower()) / width;
  CircuitValue u = x;
  if (factor != 1) u = circuit.multiply(u, known(Complex(factor)));
  if (offset != 0) u = circuit.add(u, known(Complex(offset)));
  if (u != x) circuit.bound(u, 1);
  return u;
}

std::size_t best_baby_powers(const Polynomial& p, PolynomialArgument argument) {
  const auto order = [](const PolynomialCost& cost) {
    return std::tuple(cost.relinearizations, cost.products, cost.known_products);
  };
  PolynomialCost best = polynomial_cost(p, argument, 2);
  for (std::size_t babies = 4; babies < 2 * p.degree(); babies *= 2) {
    const PolynomialCost cost = polynomial_cost(p, argument, babies);
    if (order(cost) < order(best)) best = cost;
  }
  return best.baby_powers;
}

}  // namespace

CircuitValue declare_polynomial(Circuit& circuit, CircuitValue x, const Polynomial& p,
                                PolynomialArgument argument, std::size_t baby_powers) {
  const bool is_chebyshev = p.basis() == PolynomialBasis::chebyshev;
  const bool is_mapped = is_chebyshev && argument == PolynomialArgument::plain;
  const CircuitValue u = is_mapped ? mapped(circuit, x, p) : x;
  if (p.is_integer()) {
    return PolynomialBuilder<std::int64_t>(circuit, u, is_chebyshev,
                                           baby_powers)(p.integer_coefficients());
  }
  return PolynomialBuilder<Complex>(circuit, u, is_chebyshev, baby_powers)(p.coefficients());
}

PolynomialCost polynomial_cost(const Polynomial& p, PolynomialArgument argument,
                               std::size_t baby_powers, SchemeType scheme) {
  Circuit circuit(1);
  circuit.output(declare_polynomial(circuit, circuit.input(), p, argument, baby_powers));
  const PlanCounts counts = declared_counts(circuit, scheme);
  return {.depth = circuit.depth(),
          .relinearizations = counts.relinearizations,
          .products = counts.multiplications,
          .known_products = counts.known_multiplications,
          .baby_powers = baby_powers};
}

CircuitValue polynomial(Circuit& circuit, CircuitValue x, const Polynomial& p,
                        PolynomialArgument argument) {
  check(p, argument);
  return declare_polynomial(circuit, x, p, argument, best_baby_powers(p, argument));
}

PolynomialCost polynomial_cost(const Polynomial& p, PolynomialArgument argument,
                               SchemeType scheme) {
  check(p, argument);
  public_entry("polynomial_cost",
               [&] { rlwe::checked_traits(scheme, "pass the scheme of the plans"); });
  return polynomial_cost(p, argument, best_baby_powers(p, argument), scheme);
}

}  // namespace ringlet
