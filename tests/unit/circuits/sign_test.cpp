// SPDX-License-Identifier: Apache-2.0
#include "ringlet/sign.hpp"

#include "support/circuit_documentation.hpp"
#include "support/declared_circuit.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

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
  Circuit circuit(std::bit_ceil(points.size()));
  circuit.output(function(circuit, circuit.input(), approximation));
  std::vector<Number> slots(points.begin(), points.end());
  slots.resize(circuit.row_length());
  const auto values = ClearCircuit<NumberSlots>(circuit, 1)({slots})[0];
  std::vector<long double> result;
  for (std::size_t i = 0; i < points.size(); ++i) result.push_back(values[i].real());
  return result;
}

// From `lower` to `upper`, more of them near the lower end.
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
    // Near 0, g_n grows faster than f_n: as 2.08, 3.26, 4.48 and 5.71.
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

class SignUnderEncryption : public testing::Test {
 protected:
  // a in [0, 1] and b in [0, 1] with |a - b| >= gap, or equal.
  SignUnderEncryption() {
    std::mt19937_64 rng(test_seed());
    std::uniform_real_distribution<double> part(0, 1);
    while (a_.size() < 32) {
      const double a = part(rng);
      const double b = a_.size() == 31 ? a : part(rng);
      if (a != b && std::abs(a - b) < found_.gap) continue;
      a_.emplace_back(a);
      b_.emplace_back(b);
    }
  }

  void expect(Function2 function, long double (*meaning)(long double, long double),
              std::size_t more_depth, double error) {
    Circuit circuit(32);
    const CircuitValue a = circuit.input();
    circuit.output(function(circuit, a, circuit.input(), found_));
    EXPECT_EQ(circuit.depth(), found_.depth + more_depth);
    const CircuitPlan plan(circuit, bench_.context().parms(), bench_.scale());
    EXPECT_EQ(plan.counts().relinearizations, found_.relinearizations + more_depth);
    std::vector<Number> expected;
    for (std::size_t i = 0; i < 32; ++i) {
      expected.emplace_back(meaning(a_[i].real(), b_[i].real()));
    }
    EXPECT_LE(largest_difference(bench_(circuit, {a_, b_})[0], expected), error + 1e-6);
  }

  SignApproximation found_ = sign_approximation(0.125, 8);
  CkksBench bench_{64, found_.depth + 1, 45};
  std::vector<Number> a_;
  std::vector<Number> b_;
};

TEST_F(SignUnderEncryption, Compares) {
  const auto meaning = [](long double a, long double b) { return a > b ? 1 : a < b ? 0 : 0.5L; };
  expect(compare, meaning, 0, found_.error / 2);
}

TEST_F(SignUnderEncryption, FindsTheMaximumAndTheMinimum) {
  const auto largest = [](long double a, long double b) { return std::max(a, b); };
  const auto least = [](long double a, long double b) { return std::min(a, b); };
  expect(maximum, largest, 1, found_.error / 2);
  expect(minimum, least, 1, found_.error / 2);
}

TEST(SignApproximation, RefusesWhatNoCompositionGives) {
  const char* name = "sign_approximation";
  expect_refusal_of(name, {"gap = 0"}, [] { sign_approximation(0, 8); });
  expect_refusal_of(name, {"gap = 1"}, [] { sign_approximation(1, 8); });
  expect_refusal_of(name, {"gap = nan"}, [] { sign_approximation(std::nan(""), 8); });
  expect_refusal_of(name, {"precision_bits = 60, a precision that no composition gives"},
                    [] { sign_approximation(0.5, 60); });
  expect_refusal_of(name, {"precision_bits = 0"}, [] { sign_approximation(0.5, 0); });
  expect_refusal_of(name, {"n = 5"}, [] { sign_approximation(0.5, 8, 5); });
  Circuit circuit(4);
  const CircuitValue x = circuit.input();
  expect_refusal_of("sign", {"0 compositions"}, [&] { sign(circuit, x, {}); });
  expect_refusal_of("sign", {"n = 0"}, [&] { sign(circuit, x, {.n = 0, .f_count = 1}); });
  EXPECT_EQ(circuit.nodes().size(), 1U);
}

}  // namespace
}  // namespace ringlet::test
