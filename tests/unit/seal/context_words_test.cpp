// SPDX-License-Identifier: Apache-2.0
#include <gmp.h>

#include "compat/seal/src/multiword.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using namespace seal4::detail;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

/// An integer of GMP's with the value of the words.
class Number {
 public:
  explicit Number(const Words& words) {
    mpz_init(value);
    mpz_import(value, words.size(), -1, 8, 0, 0, words.data());
  }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { mpz_clear(value); }

  /// As `count` words.
  Words words(std::size_t count) const {
    Words result(count, 0);
    mpz_export(result.data(), nullptr, -1, 8, 0, 0, value);
    return result;
  }

  mpz_t value;
};

/// Integers with carries and borrows through several words, and random ones.
std::vector<Words> examples() {
  std::vector<Words> examples{{0},
                              {1},
                              {kAllOnes},
                              {0, 1},
                              {0, 0, 1},
                              {kAllOnes, 1},
                              {kAllOnes, kAllOnes, 0},
                              {kAllOnes, kAllOnes, kAllOnes},
                              {5, 0, 0}};
  auto rng = make_rng();
  for (std::size_t count = 1; count <= 6; ++count) {
    Words words(count);
    for (auto& word : words) word = rng();
    examples.push_back(words);
  }
  return examples;
}

TEST(SealContextWords, arithmetic_by_gmp) {
  for (const Words& words : examples()) {
    for (const std::uint64_t word : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000003},
                                     std::uint64_t{1} << 63, kAllOnes}) {
      SCOPED_TRACE(testing::Message() << words.size() << " words, " << word);
      const Number number(words);
      Number result(words);
      EXPECT_EQ(remainder_of(words, word), mpz_fdiv_q_ui(result.value, number.value, word));
      EXPECT_EQ(quotient_of(words, word), result.words(words.size()));
      EXPECT_EQ(is_above(words, word), mpz_cmp_ui(number.value, word) > 0);
      if (mpz_cmp_ui(number.value, word) >= 0) {
        mpz_sub_ui(result.value, number.value, word);
        EXPECT_EQ(minus(words, word), result.words(words.size()));
      }
      mpz_add_ui(result.value, number.value, 1);
      mpz_fdiv_q_2exp(result.value, result.value, 1);
      EXPECT_EQ(upper_half(words), result.words(words.size()));
      EXPECT_EQ(bit_count(words),
                mpz_sgn(number.value) == 0 ? 0 : static_cast<int>(mpz_sizeinbase(number.value, 2)));
    }
  }
}

TEST(SealContextWords, empty_integers_are_zero) {
  EXPECT_EQ(bit_count({}), 0);
  EXPECT_FALSE(is_above({}, 0));
  EXPECT_TRUE(product_of({}).empty());
  EXPECT_TRUE(upper_half({}).empty());
  EXPECT_EQ(remainder_of({}, 7), 0u);
}

TEST(SealContextWords, products_by_gmp) {
  const std::uint64_t largest = (std::uint64_t{1} << 61) - 1;
  for (const std::size_t count : {1u, 2u, 17u, 256u}) {
    Number expected({1});
    for (std::size_t i = 0; i < count; ++i) mpz_mul_ui(expected.value, expected.value, largest);
    EXPECT_EQ(product_of(std::vector<::seal::Modulus>(count, largest)), expected.words(count));
  }
}

}  // namespace
}  // namespace ringlet::test
