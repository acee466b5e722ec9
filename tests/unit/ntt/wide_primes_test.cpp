// SPDX-License-Identifier: Apache-2.0
#include "support/reference/double_words.hpp"
#include "support/refusal.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kLargestCount = 1000;

/// The `count` largest primes of `bits` bits that are 1 mod `step`, by GMP; fewer if there are.
std::vector<DoubleWord> gmp_primes(int bits, const mpz_class& step, std::size_t count) {
  std::vector<DoubleWord> primes;
  mpz_class candidate = power_of_two(bits) - step + 1;
  for (; primes.size() < count && candidate > power_of_two(bits - 1); candidate -= step) {
    if (mpz_probab_prime_p(candidate.get_mpz_t(), 30) != 0) {
      primes.push_back(to_words<2>(candidate));
    }
  }
  return primes;
}

std::vector<DoubleWord> words_of(const std::vector<WideModulus>& moduli) {
  std::vector<DoubleWord> words;
  for (const WideModulus& q : moduli) {
    EXPECT_EQ(q.value()[2], 0U);
    words.push_back({q.value()[0], q.value()[1]});
  }
  return words;
}

TEST(WidePrimes, AreTheLargestOnesOfTheirSize) {
  for (const int bits : {100, 101, 112, 123, 124}) {
    for (const std::size_t degree : {std::size_t{2}, std::size_t{16}, std::size_t{1} << 20}) {
      EXPECT_EQ(words_of(generate_wide_ntt_primes(bits, degree, 4)),
                gmp_primes(bits, 2 * degree, 4))
          << bits << " bits, degree " << degree;
    }
  }
  EXPECT_TRUE(generate_wide_ntt_primes(124, 16, 0).empty());
}

TEST(WidePrimes, SpecialOnesAreAllThatExist) {
  std::size_t exhausted = 0;
  for (int bits = 106; bits <= 124; ++bits) {
    const std::vector<DoubleWord> expected = gmp_primes(bits, power_of_two(104), 6);
    EXPECT_EQ(words_of(generate_special_wide_primes(bits, expected.size())), expected) << bits;
    EXPECT_TRUE(generate_special_wide_primes(bits, 0).empty());
    for (const DoubleWord& q : expected) {
      const WideModulus modulus({q[0], q[1], 0});
      EXPECT_EQ(modulus.bit_count(), bits);
      EXPECT_GE(longest_transform_log2(modulus, WideRing::negacyclic), 103);
    }
    if (expected.size() == 6) continue;
    ++exhausted;
    for (const std::size_t count : {expected.size() + 1, kLargestCount}) {
      expect_refusal_of("generate_special_wide_primes",
                        {"count = " + std::to_string(count), "of " + std::to_string(bits) + " bits",
                         "only " + std::to_string(expected.size()) + " such primes exist"},
                        [&] { (void)generate_special_wide_primes(bits, count); });
    }
  }
  EXPECT_GE(exhausted, 1U) << "no size has fewer than six";
}

TEST(WidePrimes, TheLargestCountIsThereAndTheNextIsRefused) {
  for (const auto& primes : {generate_wide_ntt_primes(124, std::size_t{1} << 20, kLargestCount),
                             generate_special_wide_primes(124, kLargestCount)}) {
    ASSERT_EQ(primes.size(), kLargestCount);
    for (std::size_t i = 1; i < primes.size(); ++i) {
      const WideInteger& larger = primes[i - 1].value();
      const WideInteger& smaller = primes[i].value();
      ASSERT_LT(std::pair(smaller[1], smaller[0]), std::pair(larger[1], larger[0]));
    }
  }
  for (const std::size_t count : {kLargestCount + 1, std::size_t{1} << 40, ~std::size_t{0}}) {
    const auto texts = {"count = " + std::to_string(count), std::string("at most 1000 primes"),
                        std::string("ask for fewer primes")};
    expect_refusal_of("generate_wide_ntt_primes", texts,
                      [&] { (void)generate_wide_ntt_primes(124, 16, count); });
    expect_refusal_of("generate_special_wide_primes", texts,
                      [&] { (void)generate_special_wide_primes(124, count); });
  }
}

TEST(WidePrimes, RefuseOtherSizesAndDegrees) {
  for (const int bits :
       {std::numeric_limits<int>::min(), -1, 0, 99, 125, 135, std::numeric_limits<int>::max()}) {
    expect_refusal_of("generate_wide_ntt_primes",
                      {"bits = " + std::to_string(bits), "100 to 124 bits"},
                      [&] { (void)generate_wide_ntt_primes(bits, 16, 1); });
  }
  for (const int bits :
       {std::numeric_limits<int>::min(), -1, 0, 100, 105, 125, std::numeric_limits<int>::max()}) {
    expect_refusal_of("generate_special_wide_primes",
                      {"bits = " + std::to_string(bits), "106 to 124 bits"},
                      [&] { (void)generate_special_wide_primes(bits, 1); });
  }
  for (const std::size_t degree : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{24},
                                   std::size_t{1} << 21, std::size_t{1} << 63, ~std::size_t{0}}) {
    expect_refusal_of("generate_wide_ntt_primes",
                      {"degree = " + std::to_string(degree), "powers of two from 2 to 2^20"},
                      [&] { (void)generate_wide_ntt_primes(124, degree, 1); });
  }
}

TEST(WidePrimes, LongestTransforms) {
  const auto expect_log2 = [](const WideModulus& q, int cyclic) {
    EXPECT_EQ(longest_transform_log2(q, WideRing::cyclic), cyclic) << q.to_string();
    EXPECT_EQ(longest_transform_log2(q, WideRing::negacyclic), cyclic - 1) << q.to_string();
  };
  // The moduli of the paper's code and slides.
  expect_log2(WideModulus::parse("21267647932558653966460912964485513157"), 2);
  expect_log2(WideModulus::parse("21267647932558653966460912964485512497"), 4);
  expect_log2(WideModulus::parse("15107846090143992465023504163010990279"), 1);
  expect_log2(WideModulus({3, 0, 0}), 1);
  expect_log2(WideModulus({97, 0, 0}), 5);
  expect_log2(WideModulus({0xffffffff00000001, 0, 0}), 32);
  expect_log2(WideModulus::parse("9223372036854775837"), 2);
  for (const WideRing ring : {WideRing::cyclic, WideRing::negacyclic}) {
    const std::string operation = "longest_transform_log2";
    expect_refusal_of(operation, {"modulus = 2, ", "even"},
                      [&] { (void)longest_transform_log2(WideModulus({2, 0, 0}), ring); });
    expect_refusal_of(operation, {"modulus = 15, composite", "primes"},
                      [&] { (void)longest_transform_log2(WideModulus({15, 0, 0}), ring); });
    expect_refusal_of(operation, {"of 125 bits", "at most 124 bits"},
                      [&] { (void)longest_transform_log2(WideModulus::largest_prime(125), ring); });
  }
}

}  // namespace
}  // namespace ringlet::test
