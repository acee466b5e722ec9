// SPDX-License-Identifier: Apache-2.0
#include "ringlet/eltwise.hpp"

#include "ringlet/error.hpp"
#include "support/eltwise_sample.hpp"
#include "support/kernel_under_test.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Every element-wise kernel by itself against division and against FLINT, with every range factor;
// and what the choice among them promises.

namespace ringlet::test {
namespace {

class EltwiseKernelTest : public ::testing::TestWithParam<KernelUnderTest> {
 protected:
  void SetUp() override {
    if (!kernel().is_available()) GTEST_SKIP() << "this processor cannot run " << kernel().name();
  }

  static const KernelUnderTest& kernel() { return GetParam(); }
  static std::string operation() { return GetParam().operation(); }
  static Words moduli() {
    Words all = eltwise_moduli();
    std::erase_if(all, [](std::uint64_t q) { return !kernel().takes(q); });
    return all;
  }
  static std::vector<RangeFactors> factors(std::uint64_t q) { return factors_of(operation(), q); }

  static void expect_exact(const EltwiseOperands& x, std::uint64_t q) {
    const Words result = kernel().run(q, x);
    ASSERT_EQ(result, expected_by_division(operation(), x, q))
        << "q = " << q << ", factor " << x.factors.input << ", scalar " << x.scalar;
    ASSERT_EQ(result, expected_by_flint(operation(), x, q))
        << "q = " << q << ", factor " << x.factors.input << ", scalar " << x.scalar;
  }

  /// Runs the kernel with every range factor on fresh operands.
  static void check(std::uint64_t q, std::size_t n, std::mt19937_64& rng) {
    for (const RangeFactors& range : factors(q)) {
      const EltwiseSample sample(operation(), n, q, range, rng);
      EltwiseOperands x = sample.operands();
      for (const std::uint64_t scalar : {std::uint64_t{0}, std::uint64_t{1}, q - 1, rng() % q}) {
        x.scalar = scalar;
        expect_exact(x, q);
      }
    }
  }

  /// A modulus next to the limit for which the operation has a range.
  static std::uint64_t largest_modulus() {
    const std::uint64_t q = kernel().modulus_limit() - 1;
    return factors(q).empty() ? (std::uint64_t{1} << 62) - 1 : q;
  }
};

TEST_P(EltwiseKernelTest, AgreesForEveryKindOfModulus) {
  auto rng = make_rng();
  for (const std::uint64_t q : moduli()) check(q, 67, rng);
}

// Where other constants, another quotient or another number of reductions begin.
TEST_P(EltwiseKernelTest, AgreesForEveryPairOfEdgesAtEveryChangeOfMethod) {
  for (const std::uint64_t q : moduli()) {
    const int bits = 64 - __builtin_clzll(q);
    if (bits > 3 && bits < 15) continue;
    if (bits > 15 && bits < 34) continue;
    if (bits > 35 && bits < 44) continue;
    if (bits > 51 && bits < 57) continue;
    for (const RangeFactors& range : factors(q)) {
      const Words edges = edge_values(q, static_cast<unsigned>(range.input));
      Words a;
      Words b;
      for (const std::uint64_t x : edges) {
        a.insert(a.end(), edges.size(), x);
        b.insert(b.end(), edges.begin(), edges.end());
      }
      for (const std::uint64_t scalar : {std::uint64_t{1}, q / 2, q - 1}) {
        const EltwiseOperands x{a, b, b, scalar, range};
        ASSERT_EQ(kernel().run(q, x), expected_by_division(operation(), x, q))
            << "q = " << q << ", factor " << range.input << ", scalar " << scalar;
      }
    }
  }
}

TEST_P(EltwiseKernelTest, AgreesForEveryLength) {
  auto rng = make_rng();
  Words lengths{63, 64, 65, 127, 1000, 4101};
  for (std::size_t n = 0; n <= 40; ++n) lengths.push_back(n);
  for (const std::size_t n : lengths) {
    check(largest_modulus(), n, rng);
    check((std::uint64_t{1} << 49) - 69, n, rng);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EltwiseKernelTest, ::testing::ValuesIn(kernels_under_test()),
                         under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EltwiseKernelTest);

/// The kernels under test whose operation is `wanted`.
template <typename Wanted>
std::vector<KernelUnderTest> kernels_where(Wanted wanted) {
  std::vector<KernelUnderTest> kernels = kernels_under_test();
  std::erase_if(kernels,
                [&](const KernelUnderTest& kernel) { return !wanted(kernel.operation()); });
  return kernels;
}

class EltwiseComparisons : public EltwiseKernelTest {};
/// Operations with vectors of one length.
class EltwisePlacement : public EltwiseKernelTest {};

TEST_P(EltwiseComparisons, EveryComparisonHoldsForUnsignedWords) {
  const Words around{0, 1, 1U << 31, std::uint64_t{1} << 52, std::uint64_t{1} << 63};
  for (const std::uint64_t q :
       {kernel().modulus_minimum(), (std::uint64_t{1} << 49) - 69, kernel().modulus_limit() - 1}) {
    Words words;
    for (std::uint64_t word : around) words.insert(words.end(), {word - 1, word, word + 1});
    words.insert(words.end(), {q - 1, q, q + 1, 2 * q - 1, 2 * q, ~std::uint64_t{0} / q * q});
    for (int comparison = 0; comparison < kComparisonCount; ++comparison) {
      for (const std::uint64_t bound : words) {
        for (const std::uint64_t scalar : {std::uint64_t{0}, std::uint64_t{1}, q - 1}) {
          const EltwiseOperands x{words, {}, {}, scalar, {}, static_cast<Comparison>(comparison),
                                  bound};
          ASSERT_EQ(kernel().run(q, x), expected_by_division(operation(), x, q))
              << "q = " << q << ", comparison " << comparison << " with " << bound;
        }
      }
    }
  }
}

TEST_P(EltwisePlacement, TakesAnyAlignmentAndTouchesNothingElse) {
  auto rng = make_rng();
  const std::uint64_t q = largest_modulus();
  for (const std::size_t n : {1, 3, 7, 8, 9, 16, 21, 33, 64, 65}) {
    for (std::size_t shift = 0; shift < 8; ++shift) {
      const EltwiseSample sample(operation(), n, q, factors(q).back(), rng);
      EltwiseOperands x = sample.operands();
      const Words expected = expected_by_division(operation(), x, q);
      GuardedWords a({x.a.begin(), x.a.end()}, shift);
      GuardedWords b({x.b.begin(), x.b.end()}, (shift + 3) % 8);
      GuardedWords c({x.c.begin(), x.c.end()}, (3 * shift + 1) % 8);
      GuardedWords result(Words(n), (5 * shift) % 8);
      const std::array before{a.values(), b.values(), c.values()};
      x.a = a.span();
      x.b = b.span();
      x.c = c.span();
      kernel().run(q, result.span(), x);
      EXPECT_EQ(result.values(), expected) << n << ", " << shift;
      EXPECT_TRUE(result.guards_intact()) << n << ", " << shift;
      EXPECT_EQ((std::array{a.values(), b.values(), c.values()}), before);
      EXPECT_TRUE(a.guards_intact() && b.guards_intact() && c.guards_intact());
    }
  }
}

TEST_P(EltwisePlacement, WorksInPlaceOnEveryOperand) {
  auto rng = make_rng();
  const std::uint64_t q = largest_modulus();
  for (const std::size_t n : {1, 5, 8, 13, 32, 35, 64, 1000}) {
    for (const RangeFactors& range : factors(q)) {
      const EltwiseSample sample(operation(), n, q, range, rng);
      for (const char which : operand_names(operation())) {
        EltwiseOperands x = sample.operands();
        const Words expected = expected_by_division(operation(), x, q);
        auto& operand = which == 'a' ? x.a : which == 'b' ? x.b : x.c;
        Words result(operand.begin(), operand.end());
        operand = result;
        kernel().run(q, result, x);
        EXPECT_EQ(result, expected) << "in place on " << which << ", n = " << n;
      }
      EltwiseOperands x = sample.operands();
      Words all(x.a.begin(), x.a.end());
      x.b = x.c = x.a;
      const Words expected = expected_by_division(operation(), x, q);
      x.a = x.b = x.c = all;
      kernel().run(q, all, x);
      EXPECT_EQ(all, expected) << "all operands the same, n = " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EltwiseComparisons,
                         ::testing::ValuesIn(kernels_where([](const std::string& operation) {
                           return operation.starts_with("compare_");
                         })),
                         under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EltwiseComparisons);
INSTANTIATE_TEST_SUITE_P(Kernels, EltwisePlacement,
                         ::testing::ValuesIn(kernels_where([](const std::string& operation) {
                           return operation != "dot" && operation != "multiply_accumulate";
                         })),
                         under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EltwisePlacement);

/// The kernels as the choice sees them: by name.
class EltwiseLimits : public ::testing::TestWithParam<KernelInfo> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }

  static std::string kernel_name() { return GetParam().table + "/" + GetParam().algorithm; }
  static Eltwise exact(std::uint64_t q) { return Eltwise(q, KernelSelection(kernel_name())); }

  /// An exact name is refused with the modulus and the limit; the table alone falls to a lower one
  /// where there is any, and is right.
  static void expect_outside(std::uint64_t q) {
    try {
      exact(q);
      FAIL() << kernel_name() << " took " << q;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(error.offending().find(std::to_string(q)), std::string::npos) << error.what();
      EXPECT_NE(error.limit().find(std::to_string(GetParam().modulus_limit - 1)), std::string::npos)
          << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
    const std::string& operation = GetParam().operation;
    const Eltwise lower(q, KernelSelection(GetParam().table));
    EXPECT_NE(lower.kernel_name(operation), kernel_name());
    if (lower.kernel_name(operation).empty()) return;
    auto rng = make_rng();
    const EltwiseSample sample(operation, 65, q, factors_of(operation, q).front(), rng);
    const EltwiseOperands x = sample.operands();
    EXPECT_EQ(run_eltwise(lower, operation, x), expected_by_division(operation, x, q));
  }
};

TEST_P(EltwiseLimits, HoldFromBothSides) {
  const std::uint64_t minimum = GetParam().modulus_minimum;
  const std::uint64_t limit = GetParam().modulus_limit;
  EXPECT_EQ(exact(minimum).kernel_name(GetParam().operation), kernel_name());
  EXPECT_EQ(exact(limit - 1).kernel_name(GetParam().operation), kernel_name());
  if (minimum > 2) expect_outside(minimum - 1);
  if (limit == std::uint64_t{1} << kMaxModulusBits) {
    EXPECT_THROW(exact(limit), InvalidArgument) << "no modulus is that large";
  } else {
    expect_outside(limit);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EltwiseLimits, ::testing::ValuesIn(eltwise_kernels()),
                         kernel_test_name);

TEST(Eltwise, TheDefaultSelectionAgreesWithDivision) {
  auto rng = make_rng();
  for (const std::uint64_t q : eltwise_moduli()) {
    const Eltwise eltwise{Modulus(q)};
    EXPECT_EQ(eltwise.modulus().value(), q);
    for (const char* operation : kEltwiseNames) {
      if (eltwise.kernel_name(operation).empty()) {
        EXPECT_GE(q, std::uint64_t{1} << kMaxProductModulusBits) << operation;
        continue;
      }
      for (const RangeFactors& range : factors_of(operation, q)) {
        const EltwiseSample sample(operation, 37, q, range, rng);
        const EltwiseOperands x = sample.operands();
        EXPECT_EQ(run_eltwise(eltwise, operation, x), expected_by_division(operation, x, q))
            << operation << ", " << q;
      }
    }
  }
}

// A pair for which one subtraction of q after Algorithm 8 of Boemer et al. is not enough.
TEST(Eltwise, ProductsWherePrintedBarrettIsNotEnough) {
  constexpr std::uint64_t q = 562949953443841;
  const Words x(9, 562949953440977);
  const Words y(9, 562949953405001);
  const EltwiseOperands operands{x, y, x, y[0]};
  for (const KernelUnderTest& kernel : kernels_under_test()) {
    if (!kernel.operation().starts_with("multiply") || !kernel.is_available()) continue;
    if (!kernel.takes(q)) continue;
    EXPECT_EQ(kernel.run(q, operands), expected_by_division(kernel.operation(), operands, q))
        << kernel.name();
  }
}

TEST(Eltwise, VectorsOfNoWordsMayBeNull) {
  const Eltwise eltwise{Modulus(97)};
  for (const char* operation : kEltwiseNames) {
    EXPECT_NO_THROW(run_eltwise(eltwise, operation, {}, {})) << operation;
  }
}

TEST(Eltwise, OneTableMayHaveSeveralKernelsForAnOperation) {
  for (const KernelInfo& kernel : eltwise_kernels()) {
    if (!kernel.available || kernel.algorithm != "barrett-vbmi2") continue;
    EXPECT_EQ(kernel.table, "avx512dq");
    const Eltwise by_table(std::uint64_t{1} << 60, KernelSelection("avx512dq"));
    EXPECT_EQ(by_table.kernel_name(kernel.operation), "avx512dq/barrett-vbmi2");
    const Eltwise base(1 << 20, KernelSelection("avx512dq/barrett"));
    EXPECT_EQ(base.kernel_name(kernel.operation), "avx512dq/barrett");
  }
  for (const KernelInfo& kernel : eltwise_kernels()) {
    const bool needs_vbmi2 =
        std::count(kernel.features.begin(), kernel.features.end(), "avx512vbmi2") != 0;
    EXPECT_EQ(needs_vbmi2, kernel.algorithm == "barrett-vbmi2") << kernel.name;
  }
}

TEST(Eltwise, EveryCallIsCountedForItsKernel) {
  if (!kernel_statistics_enabled()) GTEST_SKIP() << "this program counts no calls";
  const auto calls = [](const std::string& operation) {
    for (const KernelInfo& kernel : eltwise_kernels()) {
      if (kernel.table == "scalar64" && kernel.operation == operation) return kernel.calls;
    }
    return std::uint64_t{0};
  };
  const Eltwise eltwise(97, KernelSelection("scalar64"));
  const Words words(9, 5);
  Words result(9);
  for (const char* operation : kEltwiseNames) {
    const std::uint64_t before = calls(operation);
    run_eltwise(eltwise, operation, result, {words, words, words, 3});
    EXPECT_EQ(calls(operation), before + 1) << operation;
  }
}

TEST(Eltwise, CopiesShareTheirKernels) {
  const Eltwise eltwise{Modulus(97)};
  const Eltwise copy = eltwise;  // NOLINT(performance-unnecessary-copy-initialization)
  for (const char* operation : kEltwiseNames) {
    EXPECT_EQ(copy.kernel_name(operation), eltwise.kernel_name(operation));
  }
}

}  // namespace
}  // namespace ringlet::test
