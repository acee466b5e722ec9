// SPDX-License-Identifier: Apache-2.0
#include "ringlet/approximation.hpp"

#include "support/polynomial_model.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

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
  // All other coefficients of sin(2u) and cos(2u) are Bessel functions far above rounding.
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
  const char* least = "least_chebyshev_approximation";
  const auto magnitude = [](double x) { return std::abs(x); };
  const auto root = [](double x) { return std::sqrt(x); };
  expect_refusal_of(least,
                    {"error = 1e-06, a precision that no degree gives", "degree 255 reaches"},
                    [&] { least_chebyshev_approximation(magnitude, -1, 1, 1e-6); });
  expect_refusal_of(least, {"error = 1e-18", "degree 40 reaches"},
                    [&] { least_chebyshev_approximation(root, 1, 2, 1e-18, 40); });
  expect_refusal_of(least, {"error = 0"}, [&] { least_chebyshev_approximation(root, 1, 2, 0); });
  expect_refusal_of(least, {"error = nan"}, [&] {
    least_chebyshev_approximation(root, 1, 2, std::numeric_limits<double>::quiet_NaN());
  });
  expect_refusal_of(least, {"degree 0"},
                    [&] { least_chebyshev_approximation(root, 1, 2, 0.5, 0); });
  const char* given = "chebyshev_approximation";
  expect_refusal_of(given, {"f(", "nan", "finite values"},
                    [&] { chebyshev_approximation(root, -1, 1, 5); });
  expect_refusal_of(given, {"degree 4096"}, [&] { chebyshev_approximation(root, 0, 1, 4096); });
  expect_refusal_of(given, {"interval [2, 1]"}, [&] { chebyshev_approximation(root, 2, 1, 4); });
  const auto thrown = [](double) -> double { throw std::domain_error("mine"); };
  EXPECT_THROW(chebyshev_approximation(thrown, 0, 1, 4), std::domain_error);
}

}  // namespace
}  // namespace ringlet::test
