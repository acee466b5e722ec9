// SPDX-License-Identifier: Apache-2.0
#include "ringlet/inverse.hpp"

#include "support/circuit_documentation.hpp"
#include "support/declared_circuit.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

struct Interval {
  double lower;
  double upper;
};

Circuit inverse_circuit(const InverseApproximation& approximation, std::size_t row_length) {
  Circuit circuit(row_length);
  circuit.output(inverse(circuit, circuit.input(approximation.upper), approximation));
  return circuit;
}

// Equidistant from end to end.
std::vector<Number> places_in(const Interval& interval, std::size_t count) {
  std::vector<Number> places;
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<long double>(i) / static_cast<long double>(count - 1);
    places.emplace_back(interval.lower * (1 - t) + interval.upper * t);
  }
  return places;
}

double clear_error(const InverseApproximation& approximation, const Interval& interval) {
  const auto places = places_in(interval, 4096);
  const auto values =
      ClearCircuit<NumberSlots>(inverse_circuit(approximation, 4096), 1)({places})[0];
  long double largest = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    largest = std::max(largest, std::abs(values[i] - 1.0L / places[i]));
  }
  return static_cast<double>(largest);
}

constexpr Interval kIntervals[] = {{0.5, 1.5}, {0.01, 1.9}, {0.25, 0.75}, {1, 16}, {3, 3.25}};

TEST(Goldschmidt, KnowsItsErrorDepthAndKeySwitches) {
  for (const Interval& interval : kIntervals) {
    for (const double error : {0.1, 1e-4, 1e-9}) {
      const auto found = inverse_approximation(interval.lower, interval.upper, error);
      SCOPED_TRACE(testing::Message() << interval.lower << ' ' << interval.upper << ' ' << error);
      EXPECT_LE(found.error, error);
      const double actual = clear_error(found, interval);
      EXPECT_LE(actual, found.error * (1 + 1e-6) + 1e-14);
      EXPECT_GE(actual, found.error * (1 - 1e-6) - 1e-14);
      const double s = found.factor;
      const bool is_free = s == std::trunc(s);
      const std::size_t products = 2 * (found.iterations - 1);
      EXPECT_EQ(found.relinearizations, products);
      const std::size_t factors = found.iterations == 1 ? 0 : found.iterations;
      EXPECT_EQ(found.depth, factors + (is_free ? 0 : 1));
      // One factor less is not enough.
      const double half = std::exp2(static_cast<double>(found.iterations) - 1);
      const double fewer =
          std::max(std::pow(std::abs(1 - s * interval.lower), half) / interval.lower,
                   std::pow(std::abs(1 - s * interval.upper), half) / interval.upper);
      if (found.iterations > 1) {
        EXPECT_GT(fewer, error);
      }
    }
  }
}

TEST(Newton, KnowsItsErrorDepthAndKeySwitches) {
  std::size_t turns = 0;
  for (const Interval& interval : kIntervals) {
    for (const double error : {0.1, 1e-4, 1e-9}) {
      const auto found =
          inverse_approximation(interval.lower, interval.upper, error, InverseMethod::newton);
      SCOPED_TRACE(testing::Message() << interval.lower << ' ' << interval.upper << ' ' << error);
      ASSERT_TRUE(found.start);
      EXPECT_LE(found.error, error);
      const double actual = clear_error(found, interval);
      EXPECT_LE(actual, found.error * 1.02 + 1e-14);
      EXPECT_GE(actual, found.error * 0.9 - 1e-14);
      const PolynomialCost start = polynomial_cost(*found.start);
      EXPECT_EQ(found.depth, start.depth + 2 * found.iterations);
      EXPECT_EQ(found.relinearizations, start.relinearizations + 2 * found.iterations);
      turns += found.iterations;
    }
  }
  EXPECT_GT(turns, 0U);  // the widest interval takes some
}

TEST(Inverse, IsThatOfTheTableInTheDocumentation) {
  for (const Interval& interval : {Interval{0.5, 1.5}, Interval{0.1, 1}, Interval{0.001, 1}}) {
    for (const int bits : {10, 20}) {
      std::ostringstream line;
      line << "| [" << interval.lower << ", " << interval.upper << "] | 2^-" << bits;
      for (const InverseMethod method : {InverseMethod::goldschmidt, InverseMethod::newton}) {
        const auto found =
            inverse_approximation(interval.lower, interval.upper, std::exp2(-bits), method);
        if (found.start) line << " | " << found.start->degree();
        line << " | " << found.iterations << " | " << found.depth << " | "
             << found.relinearizations;
      }
      expect_documented(line.str() + " |");
    }
  }
}

TEST(Inverse, UnderEncryption) {
  for (const InverseMethod method : {InverseMethod::goldschmidt, InverseMethod::newton}) {
    for (const Interval& interval : {Interval{0.5, 1.5}, Interval{0.25, 0.75}, Interval{1, 4}}) {
      const auto found = inverse_approximation(interval.lower, interval.upper, 1e-5, method);
      const CkksBench bench(64, found.depth, 45);
      const auto places = places_in(interval, 32);
      std::vector<Number> expected;
      for (const Number& y : places) expected.push_back(1.0L / y);
      const Circuit circuit = inverse_circuit(found, 32);
      EXPECT_LE(largest_difference(bench(circuit, {places})[0], expected), found.error + 1e-6);
      const CircuitPlan plan(circuit, bench.context().parms(), bench.scale());
      EXPECT_EQ(plan.counts().relinearizations, found.relinearizations);
    }
  }
}

TEST(Newton, SquaresTheErrorWithEveryTurn) {
  InverseApproximation turned = inverse_approximation(0.5, 1.5, 0.3, InverseMethod::newton);
  const Interval interval{0.5, 1.5};
  double rest = 0;
  for (const Number& y : places_in(interval, 4096)) {
    rest = std::max(rest, static_cast<double>(std::abs(1.0L - y * (*turned.start)(y))));
  }
  for (std::size_t turns = 0; turns < 4; ++turns) {
    turned.iterations = turns;
    const double error = clear_error(turned, interval);
    const double power = std::pow(rest, std::exp2(static_cast<double>(turns)));
    EXPECT_LE(error, power / interval.lower * (1 + 1e-9)) << turns;
    EXPECT_GE(error, power / interval.upper * (1 - 1e-9)) << turns;
  }
  const CkksBench bench(64, 9, 45);
  const auto places = places_in(interval, 32);
  std::vector<Number> expected;
  for (const Number& y : places) expected.push_back(1.0L / y);
  const double error = std::pow(rest, 8) / interval.lower;
  const Circuit circuit = inverse_circuit(turned, 32);
  EXPECT_LE(largest_difference(bench(circuit, {places})[0], expected), error + 1e-7);
}

TEST(Inverse, TakesSmallFactorsWithoutALevel) {
  // s = 2, for which 1 - 2y needs no level: depth 3 with three factors.
  const auto found = inverse_approximation(0.25, 0.75, 0.02);
  EXPECT_EQ(found.factor, 2);
  EXPECT_EQ(found.iterations, 3U);
  EXPECT_EQ(found.depth, 3U);
  // 2 - y alone.
  const auto line = inverse_approximation(0.875, 1.125, 0.02);
  EXPECT_EQ(line.iterations, 1U);
  EXPECT_EQ(line.depth, 0U);
}

TEST(Inverse, RefusesWhatCannotBeReached) {
  const char* name = "inverse_approximation";
  expect_refusal_of(name, {"interval [0, 1]"}, [] { inverse_approximation(0, 1, 0.1); });
  expect_refusal_of(name, {"interval [-1, 1]"}, [] { inverse_approximation(-1, 1, 0.1); });
  expect_refusal_of(name, {"interval [2, 1]"}, [] { inverse_approximation(2, 1, 0.1); });
  expect_refusal_of(name, {"interval [1, inf]"},
                    [] { inverse_approximation(1, std::numeric_limits<double>::infinity(), 0.1); });
  expect_refusal_of(name, {"error = 0"}, [] { inverse_approximation(1, 2, 0); });
  expect_refusal_of(name, {"error = 1e-16, a precision that cannot be reached", "doubles"},
                    [] { inverse_approximation(0.5, 1.5, 1e-16); });
  expect_refusal_of(name, {"40 factors"}, [] { inverse_approximation(1e-13, 1, 1); });
  expect_refusal_of(name, {"8 turns"},
                    [] { inverse_approximation(1e-6, 1, 1e-6, InverseMethod::newton); });
  Circuit circuit(4);
  const CircuitValue y = circuit.input();
  expect_refusal_of("inverse", {"without iterations"}, [&] { inverse(circuit, y, {}); });
  EXPECT_EQ(circuit.nodes().size(), 1U);
}

}  // namespace
}  // namespace ringlet::test
