// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/inverse.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <tuple>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/chebyshev.hpp"
#include "circuits/plan/declared_counts.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kMostFactors = 40;
constexpr std::size_t kMostTurns = 8;
constexpr std::size_t kMostDegree = 127;

KnownVector known(double number) {
  const bool is_small = std::abs(number) <= 1024 && number == std::trunc(number);
  return is_small ? KnownVector(static_cast<std::int64_t>(number)) : KnownVector(number);
}

CircuitValue scaled(Circuit& circuit, CircuitValue y, double factor) {
  if (factor == 1) return y;
  return factor == -1 ? circuit.negate(y) : circuit.multiply(y, known(factor));
}

CircuitValue goldschmidt(Circuit& circuit, CircuitValue y, const InverseApproximation& inverse) {
  const double s = inverse.factor;
  const double reach = std::max(1 - s * inverse.lower, s * inverse.upper - 1);
  // s (1 + z) = 2s - s^2 y, so that s takes no level of its own.
  CircuitValue product = circuit.add(scaled(circuit, y, -s * s), known(2 * s));
  if (inverse.iterations == 1) return product;
  CircuitValue z = circuit.add(scaled(circuit, y, -s), KnownVector(1));
  circuit.bound(z, reach);
  for (std::size_t i = 1; i < inverse.iterations; ++i) {
    z = circuit.multiply(z, z);
    product = circuit.multiply(product, circuit.add(z, KnownVector(1)));
    circuit.bound(product, 1 / inverse.lower);
  }
  return product;
}

CircuitValue newton(Circuit& circuit, CircuitValue y, const InverseApproximation& inverse) {
  CircuitValue x = polynomial(circuit, y, *inverse.start);
  for (std::size_t i = 0; i < inverse.iterations; ++i) {
    const CircuitValue rest = circuit.add(circuit.negate(circuit.multiply(y, x)), KnownVector(2));
    circuit.bound(rest, 2);
    x = circuit.multiply(x, rest);
    circuit.bound(x, 1 / inverse.lower + inverse.error);
  }
  return x;
}

void set_cost(InverseApproximation& inverse) {
  Circuit circuit(1);
  circuit.output(ringlet::inverse(circuit, circuit.input(inverse.upper), inverse));
  inverse.depth = circuit.depth();
  inverse.relinearizations = declared_counts(circuit).relinearizations;
}

bool is_better(const InverseApproximation& a, const InverseApproximation& b) {
  return std::tuple(a.depth, a.relinearizations) < std::tuple(b.depth, b.relinearizations);
}

[[noreturn]] void refuse_error(double error, const char* limit) {
  refuse(concat("error = ", error, ", a precision that cannot be reached"), limit,
         "allow a larger error, or use a shorter interval away from 0");
}

InverseApproximation best_goldschmidt(const InverseApproximation& asked, double error) {
  InverseApproximation best;
  best.depth = std::numeric_limits<std::size_t>::max();
  for (const double s : {1.0, 2 / (asked.lower + asked.upper)}) {
    if (s * asked.upper >= 2) continue;
    InverseApproximation one = asked;
    one.factor = s;
    double low = std::abs(1 - s * asked.lower);
    double high = std::abs(1 - s * asked.upper);
    do {
      ++one.iterations;
      low *= low;
      high *= high;
      one.error = std::max(low / asked.lower, high / asked.upper);
    } while (one.error > error && one.iterations < kMostFactors);
    if (one.error > error) continue;
    set_cost(one);
    if (is_better(one, best)) best = one;
  }
  if (best.iterations == 0) refuse_error(error, "at most 40 factors of Goldschmidt's product");
  return best;
}

/// |1 - y x| at the points y of a grid, first for the start x, then after every iteration.
class NewtonErrors {
 public:
  NewtonErrors(std::span<const double> start, double lower, double upper) {
    constexpr std::size_t kPoints = 1024;
    for (std::size_t k = 0; k <= kPoints; ++k) {
      const double u = std::cos(std::numbers::pi * static_cast<double>(k) / kPoints);
      const double y = chebyshev_place(lower, upper, u);
      points_.push_back({y, std::abs(static_cast<double>(1 - y * clenshaw(start, u)))});
    }
  }

  void turn() {
    for (Point& point : points_) point.rest *= point.rest;
  }

  /// The largest |1/y - x|.
  double largest() const {
    double result = 0;
    for (const Point& point : points_) result = std::max(result, point.rest / point.y);
    return result;
  }

 private:
  struct Point {
    double y;
    double rest;
  };
  std::vector<Point> points_;
};

InverseApproximation best_newton(const InverseApproximation& asked, double error) {
  InverseApproximation best;
  best.depth = std::numeric_limits<std::size_t>::max();
  const auto f = [](double y) { return 1 / y; };
  for (std::size_t degree = 1; degree <= kMostDegree; ++degree) {
    InverseApproximation one = asked;
    const auto start = chebyshev_coefficients(f, asked.lower, asked.upper, degree);
    NewtonErrors errors(start, asked.lower, asked.upper);
    one.error = errors.largest();
    for (; one.error > error && one.iterations < kMostTurns; ++one.iterations) {
      errors.turn();
      one.error = errors.largest();
    }
    // The depth leaves out the map to the interval: all degrees need it.
    const std::size_t depth = static_cast<std::size_t>(std::bit_width(degree)) + 2 * one.iterations;
    if (one.error > error || depth > best.depth) continue;
    one.start = Polynomial::chebyshev(start, asked.lower, asked.upper);
    set_cost(one);
    if (is_better(one, best)) best = one;
  }
  if (!best.start) refuse_error(error, "at most 8 iterations from a polynomial of degree 127");
  return best;
}

}  // namespace

InverseApproximation inverse_approximation(double lower, double upper, double error,
                                           InverseMethod method) {
  return public_entry("inverse_approximation", [&] {
    if (!(lower > 0) || !(lower < upper) || !std::isfinite(lower + upper)) {
      refuse(concat("interval [", lower, ", ", upper, "]"), "0 < lower < upper, both finite",
             "use an interval without 0; for negative numbers multiply by the sign first");
    }
    check_error(error);
    if (error < 0x1p-46 / lower) refuse_error(error, "at least 2^-46/lower: slots are doubles");
    InverseApproximation asked;
    asked.method = method;
    asked.lower = lower;
    asked.upper = upper;
    return method == InverseMethod::goldschmidt ? best_goldschmidt(asked, error)
                                                : best_newton(asked, error);
  });
}

CircuitValue inverse(Circuit& circuit, CircuitValue y, const InverseApproximation& approximation) {
  const bool is_newton = approximation.method == InverseMethod::newton;
  if (!(approximation.lower > 0) ||
      (is_newton ? !approximation.start : approximation.iterations == 0)) {
    throw_invalid_argument({"inverse", "an approximation without iterations or a start",
                            "an approximation that inverse_approximation made",
                            "make it with inverse_approximation"});
  }
  return is_newton ? newton(circuit, y, approximation) : goldschmidt(circuit, y, approximation);
}

}  // namespace ringlet
