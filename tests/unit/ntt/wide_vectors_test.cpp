// SPDX-License-Identifier: Apache-2.0
#include "support/wide_vectors.hpp"

#include "support/double_words.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

TEST(WideVectors, EveryKernelGivesTheKnownAnswers) {
  std::set<std::string> operations;
  for (const WideCase& x :
       read_wide_cases(RINGLET_SOURCE_DIR "/tests/vectors/wide/known_answers.txt")) {
    operations.insert(x.operation);
    for (const std::string& kernel : wide_kernel_names(x.modulus())) {
      for (const bool pairs : {false, true}) {
        const auto result = run_wide_case(x, pairs, KernelSelection(kernel));
        ASSERT_TRUE(result.has_value()) << x.operation << " by " << kernel;
        EXPECT_EQ(*result, x.field("result")) << x.operation << " by " << kernel;
      }
    }
  }
  EXPECT_EQ(operations,
            (std::set<std::string>{"forward_negacyclic", "forward_cyclic", "add", "subtract",
                                   "multiply", "multiply_scalar_add", "dot", "reduce"}));
}

}  // namespace
}  // namespace ringlet::test
