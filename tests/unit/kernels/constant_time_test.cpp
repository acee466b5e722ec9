// SPDX-License-Identifier: Apache-2.0
#include "support/eltwise_sample.hpp"
#include "support/kernel_under_test.hpp"
#include "support/memcheck.hpp"
#include "support/test.hpp"

// The data of element-wise operations decides no branch and no address; moduli, scalars, factors,
// comparisons and bounds are public. Valgrind runs scalar64 and avx2.

namespace ringlet::test {
namespace {

/// The operands, with their elements secret.
const EltwiseOperands& with_secrets(const EltwiseOperands& x) {
  for (const auto& vector : {x.a, x.b, x.c}) make_secret(vector.data(), vector.size_bytes());
  for (const auto& term : x.a_terms) make_secret(term.data(), term.size_bytes());
  for (const auto& term : x.b_terms) make_secret(term.data(), term.size_bytes());
  return x;
}

TEST(DISABLED_EltwiseConstantTimeBody, EveryKernel) {
  ASSERT_TRUE(under_valgrind()) << "the tests of EltwiseConstantTime run this";
  auto rng = make_rng();
  std::size_t runs = 0;
  for (const KernelUnderTest& kernel : kernels_under_test()) {
    if (!kernel.is_available()) continue;
    const std::string operation = kernel.operation();
    for (const std::uint64_t q :
         {std::uint64_t{97}, (std::uint64_t{1} << 49) - 69, (std::uint64_t{1} << 61) - 1}) {
      if (!kernel.takes(q)) continue;
      for (const RangeFactors factors : factors_of(operation, q)) {
        const EltwiseSample sample(operation, 21, q, factors, rng);
        EltwiseOperands x = sample.operands();
        for (int i = 0; i < (operation.starts_with("compare_") ? kComparisonCount : 1); ++i) {
          x.comparison = static_cast<Comparison>(i);
          kernel.run(q, with_secrets(x));
          ++runs;
        }
      }
    }
  }
  EXPECT_GT(runs, 3 * kEltwiseNames.size());
  std::printf("%zu calls with secret data\n", runs);
}

TEST(DISABLED_EltwiseConstantTimeControl, ABranchOnAResultIsFound) {
  ASSERT_TRUE(under_valgrind()) << "the tests of EltwiseConstantTime run this";
  const Words words(5, 3);
  make_secret(words.data(), sizeof(words[0]) * words.size());
  const Words result = run_eltwise(Eltwise(97), "multiply", {words, words});
  EXPECT_EQ(result, Words(5, 9));
}

TEST(EltwiseConstantTime, NoBranchOrAddressDependsOnTheData) {
  expect_nothing_found("DISABLED_EltwiseConstantTimeBody", {"calls with secret data"});
}

TEST(EltwiseConstantTime, TheCheckSeesABranch) {
  expect_found("DISABLED_EltwiseConstantTimeControl");
}

}  // namespace
}  // namespace ringlet::test
