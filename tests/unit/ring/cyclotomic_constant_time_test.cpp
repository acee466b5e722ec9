// SPDX-License-Identifier: Apache-2.0
// Coefficients decide no branch and no address of a reduction modulo Phi_m, by each method, for
// words and for residues that are summed as integers or one by one.

#include "ringlet/cyclotomic.hpp"
#include "support/memcheck.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

std::vector<std::uint64_t> secret_words(std::size_t count) {
  std::vector<std::uint64_t> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = i % 17;
  make_secret(words.data(), count * sizeof(std::uint64_t));
  return words;
}

// The bodies are disabled: outside of valgrind they test nothing.
TEST(DISABLED_CyclotomicReductionConstantTimeBody, ReducesWordsAndResidues) {
  ASSERT_TRUE(under_valgrind()) << "the tests of CyclotomicReductionConstantTime run this";
  for (const std::uint64_t m : {17u, 45u, 253u, 273u, 2783u}) {
    const CyclotomicPolynomial polynomial(m);
    for (const auto method : {ReductionMethod::sparse_divisors, ReductionMethod::block_system,
                              ReductionMethod::barrett}) {
      if (method == ReductionMethod::barrett && m == 2783) continue;
      if (method == ReductionMethod::block_system && polynomial.max_coefficient() > 1) continue;
      const CyclotomicReduction reduction(polynomial, method);
      std::vector<std::uint64_t> words = secret_words(2 * m);
      reduction.reduce_words(words);
      ASSERT_TRUE(is_secret(words.data(), sizeof(std::uint64_t))) << "words are not followed";
      for (const std::uint64_t q : {std::uint64_t{65537}, (std::uint64_t{1} << 63) - 25}) {
        std::vector<std::uint64_t> residues = secret_words(2 * polynomial.degree() - 1);
        reduction.reduce_residues(residues, q);
        ASSERT_TRUE(is_secret(residues.data(), sizeof(std::uint64_t)))
            << "residues are not followed";
      }
    }
  }
}

TEST(DISABLED_CyclotomicReductionConstantTimeControl, ABranchOnAResidueIsFound) {
  ASSERT_TRUE(under_valgrind()) << "the tests of CyclotomicReductionConstantTime run this";
  const CyclotomicReduction reduction(CyclotomicPolynomial(15));
  std::vector<std::uint64_t> residues = secret_words(15);
  reduction.reduce_residues(residues, 65537);
  volatile int count = 0;
  if (residues[0] != 0) count = count + 1;
}

TEST(CyclotomicReductionConstantTime, NoBranchOrAddressDependsOnCoefficients) {
  expect_nothing_found("DISABLED_CyclotomicReductionConstantTimeBody",
                       {"1 test from 1 test suite ran"});
  expect_found("DISABLED_CyclotomicReductionConstantTimeControl");
}

}  // namespace
}  // namespace ringlet::test
