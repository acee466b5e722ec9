// SPDX-License-Identifier: Apache-2.0
#include <cfenv>

#include "support/eltwise_reference.hpp"
#include "support/kernel_under_test.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Where estimated quotients are wrong first, in floating point and in integers: operands next to
// the modulus and to its multiples, products next to multiples of the modulus, moduli just above
// powers of two and at the limits of the kernels.

namespace ringlet::test {
namespace {

/// An operation and the largest input factor that it takes.
struct ProductOperation {
  const char* name;
  int largest_factor;
};
constexpr std::array<ProductOperation, 4> kProducts{
    {{"multiply", 4}, {"multiply_add", 1}, {"multiply_scalar", 8}, {"multiply_scalar_add", 8}}};

int largest_factor(const std::string& operation) {
  for (const auto& product : kProducts) {
    if (operation == product.name) return product.largest_factor;
  }
  return 0;
}

std::vector<KernelUnderTest> product_kernels() {
  std::vector<KernelUnderTest> kernels = kernels_under_test();
  std::erase_if(kernels,
                [](const auto& kernel) { return largest_factor(kernel.operation()) == 0; });
  return kernels;
}

std::vector<KernelUnderTest> reduction_kernels() {
  std::vector<KernelUnderTest> kernels = kernels_under_test();
  std::erase_if(kernels, [](const auto& kernel) {
    return kernel.operation() != "reduce" && kernel.operation() != "compare_subtract";
  });
  return kernels;
}

std::vector<KernelUnderTest> float_kernels() {
  std::vector<KernelUnderTest> kernels = kernels_under_test();
  std::erase_if(kernels, [](const auto& kernel) {
    return kernel.name().find("/float") == std::string::npos;
  });
  return kernels;
}

/// The smallest prime of that many bits.
std::uint64_t smallest_prime(int bits) { return n_nextprime(std::uint64_t{1} << (bits - 1), 1); }

/// A number in [1, 10^7] and below `bound`, of any magnitude with the same probability.
std::uint64_t distance(std::uint64_t bound, std::mt19937_64& rng) {
  constexpr std::array<std::uint64_t, 8> kSteps{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  const std::uint64_t step = kSteps.at(rng() % kSteps.size());
  return 1 + rng() % std::min(step, bound);
}

/// `count` values below factor*q and within 10^7 of it.
Words next_to_the_range(std::size_t count, std::uint64_t q, int factor, std::mt19937_64& rng) {
  const std::uint64_t range = q * static_cast<unsigned>(factor);
  Words values(count);
  for (auto& value : values) value = range - distance(range, rng);
  return values;
}

/// `count` pairs in [0, factor*q) whose products are multiples of q and at most 3 more or less.
void next_to_multiples(std::uint64_t q, int factor, Words& x, Words& y, std::mt19937_64& rng) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint64_t unit = 0;
    do {
      unit = 1 + rng() % (q - 1);
    } while (n_gcd(unit, q) != 1);
    const std::uint64_t small = rng() % 4 % q;
    const std::uint64_t residue = rng() % 2 != 0 ? small : (q - small) % q;
    const auto partner = static_cast<std::uint64_t>(uint128_t{n_invmod(unit, q)} * residue % q);
    x[i] = unit + rng() % static_cast<unsigned>(factor) * q;
    y[i] = partner + rng() % static_cast<unsigned>(factor) * q;
  }
}

void expect_exact(const KernelUnderTest& kernel, std::uint64_t q, const EltwiseOperands& x) {
  ASSERT_EQ(kernel.run(Modulus(q), x), expected_by_division(kernel.operation(), x, q))
      << "q = " << q << ", input factor " << x.factors.input;
}

class ProductTest : public ::testing::TestWithParam<KernelUnderTest> {
 protected:
  void SetUp() override {
    if (!GetParam().is_available()) GTEST_SKIP() << "this processor cannot run the kernel";
  }
  /// Both kinds of operands modulo q for every input factor of the operation.
  static void check(std::uint64_t q, std::size_t count, std::mt19937_64& rng) {
    const KernelUnderTest& kernel = GetParam();
    if (!kernel.takes(q)) return;
    for (int factor = 1; factor <= largest_factor(kernel.operation()); factor *= 2) {
      if (q > ~std::uint64_t{0} / static_cast<unsigned>(factor)) continue;
      Words a = next_to_the_range(count, q, factor, rng);
      Words b = next_to_the_range(count, q, factor, rng);
      const Words c =
          next_to_the_range(count, q, kernel.operation() == "multiply_add" ? 1 : factor, rng);
      expect_exact(kernel, q, {a, b, c, b[0] % q, {.input = factor}});
      next_to_multiples(q, factor, a, b, rng);
      expect_exact(kernel, q, {a, b, c, b[0] % q, {.input = factor}});
      if (kernel.operation().find("scalar") == std::string::npos) continue;
      a = next_to_the_range(count, q, factor, rng);
      for (const std::uint64_t scalar :
           {std::uint64_t{0}, std::uint64_t{1}, (q - 1) / 2, q / 2, (q + 1) / 2, q - 1}) {
        expect_exact(kernel, q, {a, b, c, scalar % q, {.input = factor}});
      }
    }
  }
};

TEST_P(ProductTest, ExactNextToTheSmallestPrimeOfEverySize) {
  auto rng = make_rng();
  for (int bits = 10; bits <= 62; ++bits) check(smallest_prime(bits), scaled(600), rng);
}

TEST_P(ProductTest, ExactNextToTheLimitAndEveryPowerOfTwo) {
  auto rng = make_rng();
  for (std::uint64_t d = 1; d <= 40; ++d) {
    check(GetParam().modulus_limit() - d, 70, rng);
    check(GetParam().modulus_minimum() + d - 1, 70, rng);
  }
  for (int bits = 3; bits <= 62; ++bits) {
    for (const std::uint64_t d : {1, 2, 3}) {
      check((std::uint64_t{1} << bits) - d, 70, rng);
      check((std::uint64_t{1} << bits) + d, 70, rng);
    }
    check(std::uint64_t{1} << bits, 70, rng);
  }
}

TEST_P(ProductTest, ExactWhereTheBarrettReductionOfThePaperIsNot) {
  constexpr std::uint64_t q = 562949953443841;
  if (!GetParam().takes(q)) GTEST_SKIP() << "the kernel does not take this modulus";
  const Words x(9, 562949953440977);
  const Words y(9, 562949953405001);
  const Words c(9, q - 1);
  expect_exact(GetParam(), q, {x, y, c, y[0]});
}

INSTANTIATE_TEST_SUITE_P(Kernels, ProductTest, ::testing::ValuesIn(product_kernels()),
                         under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ProductTest);

class ReductionTest : public ::testing::TestWithParam<KernelUnderTest> {
 protected:
  void SetUp() override {
    if (!GetParam().is_available()) GTEST_SKIP() << "this processor cannot run the kernel";
  }
  /// Words at most 3 from multiples of q, the largest ones among them.
  static void check(std::uint64_t q, std::size_t count, std::mt19937_64& rng) {
    if (!GetParam().takes(q)) return;
    const std::uint64_t last = ~std::uint64_t{0} / q;
    Words a(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t multiple =
          i % 2 != 0 ? last - rng() % std::min<std::uint64_t>(4, last) : rng() % (last + 1);
      a[i] = multiple * q + rng() % 7 - 3;
    }
    a[0] = ~std::uint64_t{0};
    for (const Comparison comparison : {Comparison::less, Comparison::always}) {
      expect_exact(GetParam(), q, {a, {}, {}, q - 1, {}, comparison, a[count / 2]});
    }
  }
};

TEST_P(ReductionTest, ExactNextToMultiplesOfModuliOfEverySize) {
  auto rng = make_rng();
  for (int bits = 2; bits <= 62; ++bits) {
    check(smallest_prime(bits), scaled(600), rng);
    check((std::uint64_t{1} << bits) - 1, scaled(600), rng);
  }
}

TEST_P(ReductionTest, ExactNextToTheLimits) {
  auto rng = make_rng();
  for (std::uint64_t d = 0; d <= 40; ++d) {
    check(GetParam().modulus_limit() - 1 - d, 500, rng);
    check(GetParam().modulus_minimum() + d, 500, rng);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ReductionTest, ::testing::ValuesIn(reduction_kernels()),
                         under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReductionTest);

/// Restores the rounding mode of the program.
class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;
  ~RoundingMode() { std::fesetround(before_); }

 private:
  int before_;
};

class FloatTest : public ::testing::TestWithParam<KernelUnderTest> {
 protected:
  void SetUp() override {
    if (!GetParam().is_available()) GTEST_SKIP() << "this processor cannot run the kernel";
  }
};

TEST_P(FloatTest, ExactInEveryRoundingModeAndLeavesItAsItWas) {
  auto rng = make_rng();
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (const std::uint64_t q :
         {smallest_prime(20), smallest_prime(34), smallest_prime(50), (std::uint64_t{1} << 51) - 1,
          (std::uint64_t{1} << 52) - 1, smallest_prime(56), (std::uint64_t{1} << 56) - 1}) {
      if (!GetParam().takes(q)) continue;
      const Words a = next_to_the_range(2000, q, 1, rng);
      const Words b = random_residues(2000, q, rng);
      EltwiseOperands x{a, b, b, q - 1};
      x.a_terms.assign(9, a);
      x.b_terms.assign(9, b);
      const Words expected = expected_by_division(GetParam().operation(), x, q);
      const RoundingMode scope(mode);
      const Words result = GetParam().run(Modulus(q), x);
      EXPECT_EQ(std::fegetround(), mode);
      EXPECT_EQ(result, expected) << "q = " << q << ", rounding mode " << mode;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, FloatTest, ::testing::ValuesIn(float_kernels()), under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FloatTest);

/// Algorithm 9 as it is printed: the quotient rounded down, one correction upward. `inverse` is 1/q
/// rounded up. Operands are exact doubles.
double printed_algorithm_9(double x, double y, double q, double inverse) {
  const double high = x * y;
  const double low = std::fma(x, y, -high);
  const double quotient = std::floor(high * inverse);
  const double remainder = std::fma(-quotient, q, high) + low;
  return remainder < 0 ? remainder + q : remainder;
}

/// Random pairs in [0, factor*q), of `count`, for which the printed algorithm is wrong.
std::size_t printed_failures(std::uint64_t q, int factor, std::size_t count, std::mt19937_64& rng) {
  const auto real_q = static_cast<double>(q);
  double inverse = 1 / real_q;
  if (std::fma(inverse, real_q, -1.0) < 0) inverse = std::nextafter(inverse, 2.0);
  const Words x = random_residues(count, q * static_cast<unsigned>(factor), rng);
  const Words y = random_residues(count, q * static_cast<unsigned>(factor), rng);
  const Words expected = expected_by_division("multiply", {x, y, {}}, q);
  const Eltwise ours{Modulus(q), KernelSelection()};
  Words result(count);
  ours.multiply(result, x, y, factor);
  EXPECT_EQ(result, expected) << "the kernel of this library, q = " << q;
  std::size_t failures = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double printed =
        printed_algorithm_9(static_cast<double>(x[i]), static_cast<double>(y[i]), real_q, inverse);
    if (printed != static_cast<double>(expected[i])) ++failures;
  }
  return failures;
}

TEST(PrintedAlgorithm9, FailsAtTheInputFactorsThatItIsStatedFor) {
  auto rng = make_rng();
  constexpr std::size_t kCount = 20000;
  const auto largest = [](int bits) {
    std::uint64_t q = (std::uint64_t{1} << bits) - 1;
    while (!n_is_prime(q)) q -= 2;
    return q;
  };
  EXPECT_GT(printed_failures(largest(50), 4, kCount, rng), kCount / 4);
  EXPECT_GT(printed_failures(largest(49), 4, kCount, rng), kCount / 20);
  EXPECT_GT(printed_failures(largest(48), 4, kCount, rng), 0U);
  EXPECT_GT(printed_failures(largest(50), 2, kCount, rng), 0U);
  EXPECT_EQ(printed_failures(largest(46), 4, kCount, rng), 0U) << "small enough to be right";
}

}  // namespace
}  // namespace ringlet::test
