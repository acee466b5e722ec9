// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/eltwise.hpp"

#include "support/kernels/kernel_under_test.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"
#include "support/threads.hpp"

// The operations as users call them: what the choice among the kernels promises.

namespace ringlet::test {
namespace {

/// An exact name is refused with the modulus and the limit; the table alone falls to a lower kernel
/// where there is any, and is right.
void expect_outside(const KernelUnderTest& kernel, std::uint64_t q) {
  const auto call = [&] { Eltwise(q, KernelSelection(kernel.name())); };
  expect_error<InvalidArgument>(kernel.name(), call, [&](const InvalidArgument& error) {
    EXPECT_NE(error.offending().find(std::to_string(q)), std::string::npos) << error.what();
    EXPECT_NE(error.limit().find(std::to_string(kernel->modulus_limit - 1)), std::string::npos);
  });
  const std::string operation = kernel.operation();
  const Eltwise lower(q, KernelSelection(kernel->table));
  EXPECT_NE(lower.kernel_name(operation), kernel.name());
  if (lower.kernel_name(operation).empty()) return;
  auto rng = make_rng();
  const EltwiseSample sample(operation, 65, q, factors_of(operation, q).front(), rng);
  const EltwiseOperands x = sample.operands();
  EXPECT_EQ(run_eltwise(lower, operation, x), expected_words(operation, x, q));
}

TEST(Eltwise, LimitsOfKernelsHoldFromBothSides) {
  for (const KernelUnderTest& kernel : kernels_under_test()) {
    if (!kernel.is_available()) continue;
    SCOPED_TRACE(::testing::PrintToString(kernel));
    const std::uint64_t minimum = kernel->modulus_minimum;
    const std::uint64_t limit = kernel->modulus_limit;
    const KernelSelection exact(kernel.name());
    for (const std::uint64_t q : {minimum, limit - 1}) {
      EXPECT_EQ(Eltwise(q, exact).kernel_name(kernel.operation()), kernel.name());
    }
    if (minimum > 2) expect_outside(kernel, minimum - 1);
    if (limit == std::uint64_t{1} << kMaxModulusBits) {
      EXPECT_THROW(Eltwise(limit, exact), InvalidArgument) << "no modulus is that large";
    } else {
      expect_outside(kernel, limit);
    }
  }
}

TEST(Eltwise, VectorsOfNoWordsMayBeNullAndNoTermsGiveZeros) {
  const Eltwise eltwise{Modulus(97)};
  for (const char* operation : kEltwiseNames) {
    EXPECT_NO_THROW(run_eltwise(eltwise, operation, {}, {})) << operation;
  }
  for (const KernelUnderTest& kernel : kernels_under_test()) {
    if (kernel.operation() != "multiply_accumulate" || !kernel.is_available()) continue;
    for (const std::uint64_t q : {std::uint64_t{2}, kernel->modulus_limit - 1}) {
      Words result(21, 0x77);
      Eltwise(q, KernelSelection(kernel.name())).multiply_accumulate(result, {}, {});
      EXPECT_EQ(result, Words(21, 0)) << kernel.name();
    }
  }
}

TEST(Eltwise, OneTableMayHaveSeveralKernelsForAnOperation) {
  for (const KernelUnderTest& kernel : kernels_under_test()) {
    const bool needs_vbmi2 = (kernel->needs & feature_bit(CpuFeature::avx512vbmi2)) != 0;
    EXPECT_EQ(needs_vbmi2, kernel.name() == "avx512dq/barrett-vbmi2") << kernel.name();
    if (!needs_vbmi2 || !kernel.is_available()) continue;
    const Eltwise by_table(std::uint64_t{1} << 60, KernelSelection("avx512dq"));
    EXPECT_EQ(by_table.kernel_name(kernel.operation()), kernel.name());
    const Eltwise base(1 << 20, KernelSelection("avx512dq/barrett"));
    EXPECT_EQ(base.kernel_name(kernel.operation()), "avx512dq/barrett");
  }
}

TEST(Eltwise, EveryCallIsCountedForItsKernel) {
  if (!kernel_statistics_enabled()) GTEST_SKIP() << "this program counts no calls";
  const auto calls = [](const std::string& operation) {
    for (const KernelInfo& kernel : kernel_catalog()) {
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

/// In many threads at once, each with vectors of its own; ThreadSanitizer watches in the long run.
constexpr std::size_t kCalls = 200;

TEST(EltwiseThreads, ShareOnePlan) {
  for (const std::uint64_t q : {(std::uint64_t{1} << 49) - 69, (std::uint64_t{1} << 61) - 1}) {
    const Eltwise eltwise(q);
    for (const std::string operation : kEltwiseNames) {
      std::vector<EltwiseSample> samples;
      std::vector<Words> expected;
      auto rng = make_rng();
      for (std::size_t t = 0; t < kThreads; ++t) {
        const auto factors = factors_of(operation, q);
        samples.emplace_back(operation, 100 + t, q, factors[t % factors.size()], rng);
        expected.push_back(expected_words(operation, samples[t].operands(), q));
      }
      std::vector<std::size_t> right(kThreads);
      in_threads([&](std::size_t t) {
        const EltwiseOperands operands = samples[t].operands();
        for (std::size_t i = 0; i < kCalls; ++i) {
          right[t] += run_eltwise(eltwise, operation, operands) == expected[t] ? 1 : 0;
        }
      });
      EXPECT_EQ(right, std::vector<std::size_t>(kThreads, kCalls)) << operation << ", q = " << q;
    }
  }
}

TEST(EltwiseThreads, MakePlansAndReadTheCatalogAtTheSameTime) {
  const std::size_t kernels = kernel_catalog().size();
  std::vector<std::size_t> right(kThreads);
  in_threads([&](std::size_t t) {
    Words words(33, 5);
    for (std::size_t i = 0; i < kCalls; ++i) {
      const std::uint64_t q = 97 + t + i;
      const Eltwise eltwise{Modulus(q)};
      const Eltwise copy = eltwise;  // NOLINT(performance-unnecessary-copy-initialization)
      EXPECT_EQ(copy.kernel_name("multiply"), eltwise.kernel_name("multiply"));
      copy.multiply(words, words, words);
      const bool same = words == Words(33, 25 % q) && kernel_catalog().size() == kernels;
      right[t] += same ? 1 : 0;
      words.assign(33, 5);
    }
  });
  EXPECT_EQ(right, std::vector<std::size_t>(kThreads, kCalls));
}

}  // namespace
}  // namespace ringlet::test
