// SPDX-License-Identifier: Apache-2.0
#include "support/memcheck.hpp"
#include "support/reference/double_words.hpp"

// The elements of double words decide no branch and no address; moduli, scalars and roots are
// public. Valgrind runs the tables up to avx2.

namespace ringlet::test {
namespace {

using Words = AlignedVector<std::uint64_t>;

/// Words of reduced elements, secret.
Words secret_words(std::size_t count) {
  Words words(count, 3);
  make_secret(words.data(), words.size() * sizeof(words[0]));
  return words;
}

WideResult vector_of(Words& words, bool pairs) {
  const std::span<std::uint64_t> all(words);
  const std::size_t half = all.size() / 2;
  return pairs ? WideResult(all) : WideResult(all.first(half), all.last(half));
}

/// All operations on secret operands; the number of calls.
std::size_t run_eltwise(const WideModulus& q, const std::string& kernel, std::size_t count) {
  const WideEltwise eltwise(q, KernelSelection(kernel));
  std::size_t calls = 0;
  for (const bool pairs : {false, true}) {
    Words words_a = secret_words(2 * count);
    Words words_b = secret_words(2 * count);
    Words words(2 * count);
    const WideOperand a = vector_of(words_a, pairs);
    const WideOperand b = vector_of(words_b, !pairs);
    const WideResult result = vector_of(words, pairs);
    const auto expect_secret = [&] {
      EXPECT_TRUE(is_secret(words.data(), sizeof(words[0]))) << kernel << ": nothing was followed";
      ++calls;
    };
    eltwise.add(result, a, b);
    expect_secret();
    eltwise.subtract(result, a, b);
    expect_secret();
    eltwise.multiply(result, a, b);
    expect_secret();
    eltwise.multiply_scalar_add(result, {5, 0}, a, b);
    expect_secret();
    eltwise.reduce(result, a);
    expect_secret();
    const DoubleWord sum = eltwise.dot(a, b);
    EXPECT_TRUE(is_secret(sum.data(), sizeof(sum[0]))) << kernel << ": nothing was followed";
    ++calls;
  }
  return calls;
}

std::size_t run_transforms(const WideModulus& q, const std::string& kernel, std::size_t degree,
                           WideRing ring) {
  const WideNtt ntt(degree, q, ring, KernelSelection(kernel));
  for (const bool pairs : {false, true}) {
    Words words = secret_words(2 * degree);
    ntt.forward(vector_of(words, pairs), vector_of(words, pairs));
    EXPECT_TRUE(is_secret(words.data(), sizeof(words[0]))) << kernel;
    words = secret_words(2 * degree);
    Words result(2 * degree);
    ntt.inverse(vector_of(result, pairs), vector_of(words, !pairs));
    EXPECT_TRUE(is_secret(result.data(), sizeof(words[0]))) << kernel;
  }
  return 4;
}

TEST(DISABLED_WideConstantTimeBody, EveryKernel) {
  ASSERT_TRUE(under_valgrind()) << "the tests of WideConstantTime run this";
  std::size_t runs = 0;
  const std::vector<WideModulus> primes = {generate_special_wide_primes(124, 1).front(),
                                           generate_wide_ntt_primes(124, 1024, 1).front(),
                                           generate_wide_ntt_primes(100, 1024, 1).front()};
  for (const WideModulus& q : primes) {
    for (const std::string& kernel : wide_kernel_names(q)) {
      runs += run_eltwise(q, kernel, 21);
      for (const std::size_t degree : {16, 256}) {
        runs += run_transforms(q, kernel, degree, WideRing::negacyclic);
        runs += run_transforms(q, kernel, degree, WideRing::cyclic);
      }
      std::printf("%s\n", kernel.c_str());
    }
  }
  for (const WideModulus& q : {WideModulus::largest_prime(63), WideModulus::largest_prime(65)}) {
    for (const std::string& kernel : wide_kernel_names(q)) runs += run_eltwise(q, kernel, 21);
  }
  EXPECT_GE(runs, 100U);
  std::printf("%zu calls with secret data\n", runs);
}

TEST(DISABLED_WideConstantTimeControl, ABranchOnAResultIsFound) {
  ASSERT_TRUE(under_valgrind()) << "the tests of WideConstantTime run this";
  const WideModulus q = WideModulus::largest_prime(124);
  Words words = secret_words(10);
  const WideResult view = vector_of(words, true);
  WideEltwise(q).multiply(view, view, view);
  // The check of elements stops at the first one that is not reduced: it is for public data.
  EXPECT_NO_THROW(WideEltwise(q).check(view));
}

TEST(WideConstantTime, NoBranchOrAddressDependsOnTheData) {
  expect_nothing_found("DISABLED_WideConstantTimeBody", {"calls with secret data", "scalar64/"});
}

TEST(WideConstantTime, TheCheckSeesABranch) { expect_found("DISABLED_WideConstantTimeControl"); }

}  // namespace
}  // namespace ringlet::test
