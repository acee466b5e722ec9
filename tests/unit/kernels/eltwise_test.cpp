// SPDX-License-Identifier: Apache-2.0
#include "ringlet/eltwise.hpp"

#include <gtest/gtest.h>

#include "ringlet/error.hpp"
#include "support/eltwise_reference.hpp"
#include "support/values.hpp"

// Every element-wise kernel, selected by its exact name, against division and against FLINT.

namespace ringlet::test {
namespace {

class EltwiseKernelTest : public ::testing::TestWithParam<KernelInfo> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }

  static const std::string& operation() { return GetParam().operation; }
  static std::string kernel_name() { return GetParam().table + "/" + GetParam().algorithm; }
  static Eltwise exact(std::uint64_t q) { return Eltwise(q, KernelSelection(kernel_name())); }

  /// Operands in the range of the operation, edges included.
  static Words values(std::size_t count, std::uint64_t q, std::mt19937_64& rng) {
    if (operation() != "reduce") return mixed_values(count, q, 1, rng);
    Words words = mixed_values(count, ~std::uint64_t{0}, 1, rng);
    if (count != 0) words[rng() % count] = ~std::uint64_t{0};
    return words;
  }

  /// Runs the kernel on fresh operands and compares every element. n = 0 included.
  static void check(std::uint64_t q, std::size_t n, std::mt19937_64& rng) {
    const Eltwise eltwise = exact(q);
    ASSERT_EQ(eltwise.kernel_name(operation()), kernel_name());
    const Words a = values(n, q, rng);
    const Words b = mixed_values(n, q, 1, rng);
    const Words c = mixed_values(n, q, 1, rng);
    for (const std::uint64_t scalar : {std::uint64_t{0}, std::uint64_t{1}, q - 1, rng() % q}) {
      const EltwiseOperands operands{a, b, c, scalar};
      Words result(n, 0x77);
      run_eltwise(eltwise, operation(), result, operands);
      ASSERT_EQ(result, expected_by_division(operation(), operands, q)) << "q = " << q;
      ASSERT_EQ(result, expected_by_flint(operation(), operands, q)) << "q = " << q;
    }
  }
};

TEST_P(EltwiseKernelTest, AgreesForEveryKindOfModulus) {
  auto rng = make_rng();
  for (const std::uint64_t q : eltwise_moduli()) {
    if (q < GetParam().modulus_limit) check(q, 67, rng);
  }
}

TEST_P(EltwiseKernelTest, AgreesForEveryLength) {
  auto rng = make_rng();
  for (const std::size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 4101}) {
    check(GetParam().modulus_limit - 1, n, rng);
    check((std::uint64_t{1} << 49) - 69, n, rng);
  }
}

TEST_P(EltwiseKernelTest, TakesAnyAlignmentAndTouchesNothingElse) {
  auto rng = make_rng();
  const std::uint64_t q = GetParam().modulus_limit - 57;
  const Eltwise eltwise = exact(q);
  for (const std::size_t n : {1, 3, 7, 8, 9, 16, 21, 64, 65}) {
    for (std::size_t shift = 0; shift < 8; ++shift) {
      GuardedWords a(values(n, q, rng), shift);
      GuardedWords b(mixed_values(n, q, 1, rng), (shift + 3) % 8);
      GuardedWords c(mixed_values(n, q, 1, rng), (3 * shift + 1) % 8);
      GuardedWords result(Words(n), (5 * shift) % 8);
      const Words a_before = a.values();
      const Words b_before = b.values();
      const Words c_before = c.values();
      run_eltwise(eltwise, operation(), result.span(), {a.span(), b.span(), c.span(), q - 2});
      const EltwiseOperands before{a_before, b_before, c_before, q - 2};
      EXPECT_EQ(result.values(), expected_by_division(operation(), before, q))
          << n << ", " << shift;
      EXPECT_TRUE(result.guards_intact()) << n << ", " << shift;
      EXPECT_EQ(a.values(), a_before);
      EXPECT_EQ(b.values(), b_before);
      EXPECT_EQ(c.values(), c_before);
      EXPECT_TRUE(a.guards_intact() && b.guards_intact() && c.guards_intact());
    }
  }
}

TEST_P(EltwiseKernelTest, WorksInPlaceOnEveryOperand) {
  auto rng = make_rng();
  const std::uint64_t q = GetParam().modulus_limit - 1;
  const Eltwise eltwise = exact(q);
  for (const std::size_t n : {1, 5, 8, 13, 64, 1000}) {
    for (const char which : operand_names(operation())) {
      Words a = values(n, q, rng);
      Words b = mixed_values(n, q, 1, rng);
      Words c = mixed_values(n, q, 1, rng);
      const Words expected = expected_by_division(operation(), {a, b, c, q - 1}, q);
      Words& result = which == 'a' ? a : which == 'b' ? b : c;
      run_eltwise(eltwise, operation(), result, {a, b, c, q - 1});
      EXPECT_EQ(result, expected) << "in place on " << which << ", n = " << n;
    }
    Words a = values(n, q, rng);
    const Words expected = expected_by_division(operation(), {a, a, a, 1}, q);
    run_eltwise(eltwise, operation(), a, {a, a, a, 1});
    EXPECT_EQ(a, expected) << "all operands the same, n = " << n;
  }
}

TEST_P(EltwiseKernelTest, HoldsItsLimitFromBothSides) {
  auto rng = make_rng();
  const std::uint64_t limit = GetParam().modulus_limit;
  for (const std::uint64_t below : {1, 2, 3, 4}) check(limit - below, 1000, rng);
  if (limit == std::uint64_t{1} << kMaxModulusBits) {
    EXPECT_THROW(exact(limit), InvalidArgument) << "no modulus is that large";
    return;
  }
  try {
    exact(limit);
    FAIL() << kernel_name() << " took " << limit;
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.offending().find(std::to_string(limit)), std::string::npos) << error.what();
    EXPECT_NE(error.limit().find(std::to_string(limit)), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
  const Eltwise lower(limit, KernelSelection(GetParam().table));
  EXPECT_NE(lower.kernel_name(operation()), kernel_name());
  const Words a = values(65, limit, rng);
  const Words b = mixed_values(65, limit, 1, rng);
  Words result(65);
  run_eltwise(lower, operation(), result, {a, b, b, limit - 1});
  EXPECT_EQ(result, expected_by_division(operation(), {a, b, b, limit - 1}, limit));
}

INSTANTIATE_TEST_SUITE_P(Kernels, EltwiseKernelTest, ::testing::ValuesIn(eltwise_kernels()),
                         kernel_test_name);

TEST(Eltwise, TheDefaultSelectionAgreesWithDivision) {
  auto rng = make_rng();
  for (const std::uint64_t q : eltwise_moduli()) {
    const Eltwise eltwise{Modulus(q)};
    EXPECT_EQ(eltwise.modulus().value(), q);
    const Words a = mixed_values(37, q, 1, rng);
    const Words b = mixed_values(37, q, 1, rng);
    const EltwiseOperands operands{a, b, b, q / 2};
    for (const char* operation : kEltwiseNames) {
      Words result(37);
      run_eltwise(eltwise, operation, result, operands);
      EXPECT_EQ(result, expected_by_division(operation, operands, q)) << operation << ", " << q;
    }
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
  if (!kernel_statistics_enabled()) GTEST_SKIP() << "built without RINGLET_KERNEL_STATISTICS";
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
