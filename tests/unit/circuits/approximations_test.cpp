// SPDX-License-Identifier: Apache-2.0
#include "support/reference/polynomial_model.hpp"

// Functions by polynomials: any by Chebyshev interpolation, inverses, and the sign.

namespace ringlet::test {
namespace {

struct Sample {
  const char* name;
  RealFunction f;
  double lower;
  double upper;
};

std::vector<Sample> samples() {
  return {{"exp", [](double x) { return std::exp(x); }, -1, 1},
          {"sine", [](double x) { return std::sin(4 * x); }, -2, 3},
          {"inverse", [](double x) { return 1 / x; }, 0.25, 8},
          {"logistic", [](double x) { return 1 / (1 + std::exp(-x)); }, -8, 8},
          {"absolute value", [](double x) { return std::abs(x); }, -1, 1}};
}

// The largest error at equidistant points, by the definition of the polynomial.
double error_between(const Sample& sample, const Polynomial& p) {
  constexpr int kPoints = 1001;
  double largest = 0;
  for (int i = 0; i <= kPoints; ++i) {
    const double x = sample.lower + (sample.upper - sample.lower) * i / kPoints;
    const auto value = static_cast<double>(definition(p, Number(x)).real());
    largest = std::max(largest, std::abs(sample.f(x) - value));
  }
  return largest;
}

TEST(ChebyshevApproximation, KnowsItsErrorOffTheGrid) {
  for (const Sample& sample : samples()) {
    for (const std::size_t degree : {1, 2, 7, 8, 31, 100}) {
      const auto [p, error] = chebyshev_approximation(sample.f, sample.lower, sample.upper, degree);
      const double between = error_between(sample, p);
      EXPECT_EQ(p.basis(), PolynomialBasis::chebyshev);
      EXPECT_LE(between, 1.02 * error + 1e-14) << sample.name << ' ' << degree;
      EXPECT_GE(between, 0.8 * error - 1e-14) << sample.name << ' ' << degree;
    }
  }
}

TEST(ChebyshevApproximation, GivesPolynomialsBack) {
  // 4 T_5(u) - T_2(u) + 3 for u = x - 2.
  const auto f = [](double x) {
    const double u = x - 2;
    return 4 * (16 * std::pow(u, 5) - 20 * std::pow(u, 3) + 5 * u) - (2 * u * u - 1) + 3;
  };
  const auto [p, error] = chebyshev_approximation(f, 1, 3, 9);
  const std::vector<double> expected{3, 0, -1, 0, 0, 4, 0, 0, 0, 0};
  const auto coefficients = p.coefficients();
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    EXPECT_LE(std::abs(coefficients[i] - expected[i]), 1e-13) << i;
  }
  EXPECT_LE(error, 1e-13);
}

TEST(ChebyshevApproximation, HasBesselCoefficientsForTheExponential) {
  const auto p = chebyshev_approximation([](double x) { return std::exp(x); }, -1, 1, 30);
  const auto coefficients = p.polynomial.coefficients();
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const double expected = (i == 0 ? 1 : 2) * std::cyl_bessel_i(static_cast<double>(i), 1.0);
    EXPECT_LE(std::abs(coefficients[i] - expected), 1e-15) << i;
  }
}

TEST(ChebyshevApproximation, KeepsParity) {
  // The coefficients of the function's parity, Bessel functions, are far above rounding errors.
  for (const bool is_odd : {true, false}) {
    const RealFunction f = [&](double x) { return is_odd ? std::sin(x) : std::cos(x); };
    const Polynomial p = chebyshev_approximation(f, -2, 2, 13).polynomial;
    const auto coefficients = p.coefficients();
    EXPECT_EQ(p.degree(), is_odd ? 13U : 12U);
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      const double expected = 2 * std::cyl_bessel_j(static_cast<double>(i), 2.0);
      const bool is_there = (i % 2 == 1) == is_odd;
      EXPECT_NEAR(std::abs(coefficients[i]), is_there ? expected / (i == 0 ? 2 : 1) : 0, 1e-11);
      EXPECT_EQ(coefficients[i] != 0.0, is_there) << i;
    }
  }
}

TEST(LeastChebyshevApproximation, HasNoLowerDegree) {
  for (const Sample& sample : samples()) {
    for (const double bound : {0.3, 1e-2}) {
      const auto least = least_chebyshev_approximation(sample.f, sample.lower, sample.upper, bound);
      EXPECT_LE(least.error, bound) << sample.name;
      EXPECT_LE(error_between(sample, least.polynomial), 1.02 * bound);
      // Coefficients that happen to be 0 are dropped: odd functions have no even ones.
      for (std::size_t degree = 1; degree < least.polynomial.degree(); ++degree) {
        const auto lower = chebyshev_approximation(sample.f, sample.lower, sample.upper, degree);
        EXPECT_GT(lower.error, bound) << sample.name << ' ' << degree;
      }
    }
  }
}

TEST(LeastChebyshevApproximation, ReachesWhatDoublesAllow) {
  const auto f = [](double x) { return std::cos(20 * x); };
  const auto least = least_chebyshev_approximation(f, -1, 1, 1e-14);
  EXPECT_LE(least.error, 1e-14);
  EXPECT_LE(least.polynomial.degree(), 60U);
}

TEST(ChebyshevApproximation, RefusesWhatItCannotReach) {
  const auto magnitude = [](double x) { return std::abs(x); };
  const auto root = [](double x) { return std::sqrt(x); };
  const auto least = [&](std::initializer_list<std::string> parts, double error,
                         std::size_t most_degree = 255) {
    expect_refusal_of("least_chebyshev_approximation", parts,
                      [&] { least_chebyshev_approximation(root, 1, 2, error, most_degree); });
  };
  expect_refusal_of("least_chebyshev_approximation",
                    {"error = 1e-06, a precision that no degree reaches", "degree 255 reaches"},
                    [&] { least_chebyshev_approximation(magnitude, -1, 1, 1e-6); });
  least({"error = 1e-18", "degree 40 reaches"}, 1e-18, 40);
  least({"error = 0"}, 0);
  least({"error = nan"}, std::numeric_limits<double>::quiet_NaN());
  least({"degree 0"}, 0.5, 0);
  const auto refused = [&](std::initializer_list<std::string> parts, double lower, double upper,
                           std::size_t degree) {
    expect_refusal_of("chebyshev_approximation", parts,
                      [&] { chebyshev_approximation(root, lower, upper, degree); });
  };
  refused({"f(", "nan", "finite values"}, -1, 1, 5);
  refused({"degree 4096"}, 0, 1, 4096);
  refused({"interval [2, 1]"}, 2, 1, 4);
  const auto thrown = [](double) -> double { throw std::domain_error("mine"); };
  EXPECT_THROW(chebyshev_approximation(thrown, 0, 1, 4), std::domain_error);
}

struct Interval {
  double lower;
  double upper;
};

Circuit inverse_circuit(const InverseApproximation& approximation, std::size_t row_length) {
  return circuit_of(
      row_length,
      [&](Circuit& circuit, CircuitValue y) { return inverse(circuit, y, approximation); },
      approximation.upper);
}

// Equidistant points, with both ends.
std::vector<Number> places_in(const Interval& interval, std::size_t count) {
  std::vector<Number> places;
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<long double>(i) / static_cast<long double>(count - 1);
    places.emplace_back(interval.lower * (1 - t) + interval.upper * t);
  }
  return places;
}

std::vector<Number> inverses_of(const std::vector<Number>& places) {
  std::vector<Number> inverses;
  for (const Number& y : places) inverses.push_back(1.0L / y);
  return inverses;
}

double clear_error(const InverseApproximation& approximation, const Interval& interval) {
  const auto places = places_in(interval, 4096);
  const Circuit circuit = inverse_circuit(approximation, 4096);
  return largest_difference(ClearCircuit(circuit, NumberSlots())({places})[0], inverses_of(places));
}

double encrypted_error(const CkksBench& bench, const InverseApproximation& approximation,
                       const Interval& interval) {
  const auto places = places_in(interval, 32);
  return largest_difference(bench(inverse_circuit(approximation, 32), {places})[0],
                            inverses_of(places));
}

constexpr Interval kIntervals[] = {{0.5, 1.5}, {0.01, 1.9}, {0.25, 0.75}, {1, 16}, {3, 3.25}};

TEST(Inverse, KnowsItsErrorDepthAndKeySwitches) {
  std::size_t turns = 0;
  for (const Interval& interval : kIntervals) {
    for (const double error : {0.1, 1e-4, 1e-9}) {
      SCOPED_TRACE(testing::Message() << interval.lower << ' ' << interval.upper << ' ' << error);
      const auto found = inverse_approximation(interval.lower, interval.upper, error);
      EXPECT_LE(found.error, error);
      const double actual = clear_error(found, interval);
      EXPECT_LE(actual, found.error * (1 + 1e-6) + 1e-14);
      EXPECT_GE(actual, found.error * (1 - 1e-6) - 1e-14);
      const double s = found.factor;
      const bool is_free = s == std::trunc(s);
      EXPECT_EQ(found.relinearizations, 2 * (found.iterations - 1));
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

      const auto newton =
          inverse_approximation(interval.lower, interval.upper, error, InverseMethod::newton);
      ASSERT_TRUE(newton.start);
      EXPECT_LE(newton.error, error);
      const double newton_error = clear_error(newton, interval);
      EXPECT_LE(newton_error, newton.error * 1.02 + 1e-14);
      EXPECT_GE(newton_error, newton.error * 0.9 - 1e-14);
      const PolynomialCost start = polynomial_cost(*newton.start);
      EXPECT_EQ(newton.depth, start.depth + 2 * newton.iterations);
      EXPECT_EQ(newton.relinearizations, start.relinearizations + 2 * newton.iterations);
      turns += newton.iterations;
    }
  }
  EXPECT_GT(turns, 0U);  // the widest interval needs iterations
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
      EXPECT_LE(encrypted_error(bench, found, interval), found.error + 1e-6);
      EXPECT_EQ(bench.plan(inverse_circuit(found, 32)).counts().relinearizations,
                found.relinearizations);
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
  EXPECT_LE(encrypted_error(CkksBench(64, 9, 45), turned, interval),
            std::pow(rest, 8) / interval.lower + 1e-7);
}

TEST(Inverse, TakesSmallFactorsWithoutALevel) {
  // s = 2, for which 1 - 2y needs no level: depth 3 with three factors.
  const auto found = inverse_approximation(0.25, 0.75, 0.02);
  EXPECT_EQ(found.factor, 2);
  EXPECT_EQ(found.iterations, 3U);
  EXPECT_EQ(found.depth, 3U);
  // The inverse is 2 - y alone.
  const auto line = inverse_approximation(0.875, 1.125, 0.02);
  EXPECT_EQ(line.iterations, 1U);
  EXPECT_EQ(line.depth, 0U);
}

TEST(Inverse, RefusesWhatCannotBeReached) {
  const auto refused = [](std::initializer_list<std::string> parts, double lower, double upper,
                          double error, InverseMethod method = InverseMethod::goldschmidt) {
    expect_refusal_of("inverse_approximation", parts,
                      [&] { inverse_approximation(lower, upper, error, method); });
  };
  refused({"interval [0, 1]"}, 0, 1, 0.1);
  refused({"interval [-1, 1]"}, -1, 1, 0.1);
  refused({"interval [2, 1]"}, 2, 1, 0.1);
  refused({"interval [1, inf]"}, 1, std::numeric_limits<double>::infinity(), 0.1);
  refused({"error = 0"}, 1, 2, 0);
  refused({"error = 1e-16, a precision that cannot be reached", "doubles"}, 0.5, 1.5, 1e-16);
  refused({"40 factors"}, 1e-13, 1, 1);
  refused({"8 iterations"}, 1e-6, 1, 1e-6, InverseMethod::newton);
  Circuit circuit(4);
  const CircuitValue y = circuit.input();
  expect_refusal_of("inverse", {"without iterations"}, [&] { inverse(circuit, y, {}); });
  EXPECT_EQ(circuit.nodes().size(), 1U);
}

// f_n(x) = sum_i 4^-i binomial(2i, i) x (1 - x^2)^i.
long double smooth(int n, long double x) {
  long double sum = 0;
  long double term = x;
  for (int i = 0; i <= n; ++i) {
    sum += term;
    term *= (1 - x * x) * static_cast<long double>(2 * i + 1) / static_cast<long double>(2 * i + 2);
  }
  return sum;
}

using Function = CircuitValue (*)(Circuit&, CircuitValue, const SignApproximation&);
using Function2 = CircuitValue (*)(Circuit&, CircuitValue, CircuitValue, const SignApproximation&);

std::vector<long double> in_the_clear(const SignApproximation& approximation,
                                      const std::vector<long double>& points,
                                      Function function = sign) {
  const Circuit circuit =
      circuit_of(std::bit_ceil(points.size()),
                 [&](Circuit& one, CircuitValue x) { return function(one, x, approximation); });
  std::vector<Number> slots(points.begin(), points.end());
  slots.resize(circuit.row_length());
  const auto values = ClearCircuit(circuit, NumberSlots())({slots})[0];
  std::vector<long double> result;
  for (std::size_t i = 0; i < points.size(); ++i) result.push_back(values[i].real());
  return result;
}

// Points from `lower` to `upper`, denser near the lower end.
std::vector<long double> grid(long double lower, long double upper, int count) {
  std::vector<long double> points;
  for (int i = 0; i <= count; ++i) {
    const long double t = static_cast<long double>(i) / static_cast<long double>(count);
    points.push_back(lower + (upper - lower) * t * t);
  }
  return points;
}

long double largest_error(const SignApproximation& approximation, int count) {
  long double largest = 0;
  for (const long double y : in_the_clear(approximation, grid(approximation.gap, 1, count))) {
    largest = std::max(largest, std::abs(1 - y));
  }
  return largest;
}

TEST(Sign, ComposesThePolynomialsOfThePaper) {
  const auto points = grid(-1, 1, 200);
  for (int n = 1; n <= 4; ++n) {
    const auto values = in_the_clear({.n = n, .f_count = 2}, points);
    const auto steep = in_the_clear({.n = n, .g_count = 1, .f_count = 1}, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_LE(std::abs(values[i] - smooth(n, smooth(n, points[i]))), 1e-15L) << n;
      EXPECT_LE(std::abs(steep[i]), 1 + 1e-15L) << n;
    }
    // Near 0, g_n grows faster than f_n: its slopes are 2.08, 3.26, 4.48 and 5.71.
    const long double slopes[] = {2126.0L / 1024, 3334.0L / 1024, 4589.0L / 1024, 5850.0L / 1024};
    const auto tiny = in_the_clear({.n = n, .g_count = 1, .f_count = 1}, {1e-9L})[0];
    EXPECT_NEAR(static_cast<double>(tiny / smooth(n, slopes[n - 1] * 1e-9L)), 1, 1e-12);
  }
}

TEST(SignApproximation, KeepsItsErrorOutsideOfTheGap) {
  for (const double gap : {0.5, 0x1p-4, 1e-3, 0x1p-20}) {
    for (const double bits : {1.0, 20.0, 40.0}) {
      for (int n = 1; n <= 4; ++n) {
        const SignApproximation found = sign_approximation(gap, bits, n);
        SCOPED_TRACE(testing::Message() << "gap " << gap << " bits " << bits << " n " << n);
        EXPECT_LE(found.error, std::exp2(-bits));
        const auto error = static_cast<double>(largest_error(found, 1023));
        EXPECT_LE(error, found.error * (1 + 1e-12) + 1e-18);
        EXPECT_GE(error, 0.5 * found.error);
        const std::size_t depth_of_one = n == 1 ? 2 : n == 4 ? 4 : 3;
        EXPECT_EQ(found.depth, depth_of_one * (found.g_count + found.f_count));
        const std::size_t relinearizations_of_one[] = {2, 3, 4, 5};
        EXPECT_EQ(found.relinearizations,
                  relinearizations_of_one[n - 1] * (found.g_count + found.f_count));
      }
    }
  }
}

TEST(SignApproximation, HasNoCompositionMoreThanItNeeds) {
  for (const double gap : {0.3, 0x1p-6, 0x1p-12}) {
    for (const double bits : {4.0, 16.0, 32.0}) {
      for (int n = 1; n <= 4; ++n) {
        SignApproximation fewer = sign_approximation(gap, bits, n);
        const std::size_t total = fewer.g_count + fewer.f_count - 1;
        for (std::size_t g_count = 0; g_count < total; ++g_count) {
          fewer.g_count = g_count;
          fewer.f_count = total - g_count;
          EXPECT_GT(largest_error(fewer, 1023), std::exp2(-bits)) << n << ' ' << g_count;
        }
      }
    }
  }
}

TEST(SignApproximation, IsThatOfTheTableInTheDocumentation) {
  for (const int n : {3, 4}) {
    for (const int gap_bits : {4, 8, 16}) {
      for (const int bits : {8, 20}) {
        const auto found = sign_approximation(std::exp2(-gap_bits), bits, n);
        std::ostringstream line;
        line << "| " << n << " | 2^-" << gap_bits << " | 2^-" << bits << " | " << found.g_count
             << " | " << found.f_count << " | " << found.depth << " | " << found.relinearizations
             << " |";
        expect_documented(line.str());
      }
    }
  }
}

TEST(Sign, IsBoundedAndHasTheSignInsideOfTheGap) {
  for (int n = 1; n <= 4; ++n) {
    const SignApproximation found = sign_approximation(0x1p-6, 20, n);
    const auto points = grid(0x1p-30L, 0x1p-6L, 1000);
    const auto values = in_the_clear(found, points);
    auto negative = points;
    for (long double& x : negative) x = -x;
    const auto mirrored = in_the_clear(found, negative);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_GT(values[i], 0);
      EXPECT_LE(values[i], 1 + 1e-15L);
      EXPECT_LE(std::abs(values[i] + mirrored[i]), 1e-15L);
    }
  }
  EXPECT_EQ(in_the_clear(sign_approximation(0.5, 4), {0})[0], 0);
}

TEST(AbsoluteValue, ErrsByTheGapOrTheErrorAtMost) {
  const SignApproximation found = sign_approximation(0x1p-5, 12);
  const auto points = grid(-1, 1, 4000);
  const auto values = in_the_clear(found, points, absolute_value);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_LE(std::abs(values[i] - std::abs(points[i])), std::max(found.gap, found.error));
  }
}

TEST(Sign, ComparesUnderEncryption) {
  const SignApproximation found = sign_approximation(0.125, 8);
  const CkksBench bench(64, found.depth + 1, 45);
  // Pairs in [0, 1], equal or with |a - b| >= gap.
  std::mt19937_64 rng(test_seed());
  std::uniform_real_distribution<double> part(0, 1);
  std::vector<Number> a;
  std::vector<Number> b;
  while (a.size() < 32) {
    const double x = part(rng);
    const double y = a.size() == 31 ? x : part(rng);
    if (x != y && std::abs(x - y) < found.gap) continue;
    a.emplace_back(x);
    b.emplace_back(y);
  }
  const auto expect = [&](Function2 function, const auto& meaning, std::size_t more_depth) {
    Circuit circuit(32);
    const CircuitValue x = circuit.input();
    circuit.output(function(circuit, x, circuit.input(), found));
    EXPECT_EQ(circuit.depth(), found.depth + more_depth);
    EXPECT_EQ(bench.plan(circuit).counts().relinearizations, found.relinearizations + more_depth);
    std::vector<Number> expected;
    for (std::size_t i = 0; i < 32; ++i) expected.emplace_back(meaning(a[i].real(), b[i].real()));
    EXPECT_LE(largest_difference(bench(circuit, {a, b})[0], expected), found.error / 2 + 1e-6);
  };
  expect(compare, [](auto x, auto y) { return x > y ? 1 : x < y ? 0 : 0.5L; }, 0);
  expect(maximum, [](auto x, auto y) { return std::max(x, y); }, 1);
  expect(minimum, [](auto x, auto y) { return std::min(x, y); }, 1);
}

TEST(SignApproximation, RefusesWhatNoCompositionGives) {
  const auto refused = [](std::initializer_list<std::string> parts, double gap, double bits,
                          int n = 3) {
    expect_refusal_of("sign_approximation", parts, [&] { sign_approximation(gap, bits, n); });
  };
  refused({"gap = 0"}, 0, 8);
  refused({"gap = 1"}, 1, 8);
  refused({"gap = nan"}, std::nan(""), 8);
  refused({"precision_bits = 60, a precision that no composition reaches"}, 0.5, 60);
  refused({"precision_bits = 0"}, 0.5, 0);
  refused({"n = 5"}, 0.5, 8, 5);
  Circuit circuit(4);
  const CircuitValue x = circuit.input();
  expect_refusal_of("sign", {"0 compositions"}, [&] { sign(circuit, x, {}); });
  expect_refusal_of("sign", {"n = 0"}, [&] { sign(circuit, x, {.n = 0, .f_count = 1}); });
  EXPECT_EQ(circuit.nodes().size(), 1U);
}

}  // namespace
}  // namespace ringlet::test
