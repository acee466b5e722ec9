// SPDX-License-Identifier: Apache-2.0
#include "ringlet/modular.hpp"

#include "ringlet/modulus.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet {
namespace {

constexpr std::uint64_t kMaxWord = ~std::uint64_t{0};

// Every kind of modulus: the smallest, powers of two, primes on both sides of the limits of 32, 50,
// 52, 60, 61 and 62 bits, and the largest of a Modulus.
const std::vector<std::uint64_t> kModuli = {
    2,
    3,
    4,
    5,
    17,
    97,
    65537,
    (1ull << 31) - 1,
    1ull << 32,
    (1ull << 32) + 15,
    (1ull << 50) - 27,
    (1ull << 50) + 55,
    (1ull << 52) - 47,
    (1ull << 52) + 21,
    (1ull << 60) - 93,
    (1ull << 61) - 1,
    (1ull << 62) - 57,
    (1ull << 62) - 1,
    1ull << 62,
    (1ull << 63) - 25,
    (1ull << 63) - 1,
};

std::uint64_t product_mod(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>(static_cast<uint128_t>(a) * b % q);
}

// Edges of [0, q), then uniform residues.
std::vector<std::uint64_t> residues(std::uint64_t q, std::size_t count) {
  auto rng = test::make_rng(q);
  std::vector<std::uint64_t> values = test::edge_values(q);
  const std::vector<std::uint64_t> uniform = test::random_residues(count, q, rng);
  values.insert(values.end(), uniform.begin(), uniform.end());
  return values;
}

// Edges and uniform values of the whole word.
std::vector<std::uint64_t> any_words(std::uint64_t q, std::size_t count) {
  auto rng = test::make_rng(q + 1);
  std::vector<std::uint64_t> values = {0,
                                       1,
                                       q - 1,
                                       q,
                                       q + 1,
                                       2 * q - 1,
                                       2 * q,
                                       kMaxWord - 1,
                                       kMaxWord,
                                       kMaxWord / q * q,
                                       kMaxWord / q * q - 1};
  for (std::size_t i = 0; i < count; ++i) values.push_back(rng());
  return values;
}

TEST(Modular, AddSubtractNegateAgreeWithWideArithmetic) {
  for (const std::uint64_t q : kModuli) {
    const std::vector<std::uint64_t> values = residues(q, 30);
    for (const std::uint64_t a : values) {
      EXPECT_EQ(negate_mod(a, q), (q - a) % q);
      for (const std::uint64_t b : values) {
        const uint128_t wide_a = a;
        EXPECT_EQ(add_mod(a, b, q), static_cast<std::uint64_t>((wide_a + b) % q));
        EXPECT_EQ(sub_mod(a, b, q), static_cast<std::uint64_t>((wide_a + q - b) % q));
      }
    }
  }
}

TEST(Modular, TheLargestModulusOfTheScalarFunctionsIsBelow63Bits) {
  constexpr std::uint64_t kLargest = (1ull << 63) - 1;
  EXPECT_EQ(add_mod(kLargest - 1, kLargest - 1, kLargest), kLargest - 2);
  EXPECT_EQ(sub_mod(0, kLargest - 1, kLargest), 1u);
  EXPECT_EQ(negate_mod(1, kLargest), kLargest - 1);
  const std::uint64_t quotient = shoup_quotient(kLargest - 1, kLargest);
  EXPECT_EQ(mul_mod_shoup(kMaxWord, kLargest - 1, quotient, kLargest),
            product_mod(kMaxWord, kLargest - 1, kLargest));
}

TEST(Modular, SubtractIfAtLeastAtItsBorders) {
  for (const std::uint64_t bound : kModuli) {
    EXPECT_EQ(subtract_if_at_least(0, bound), 0u);
    EXPECT_EQ(subtract_if_at_least(bound - 1, bound), bound - 1);
    EXPECT_EQ(subtract_if_at_least(bound, bound), 0u);
    EXPECT_EQ(subtract_if_at_least(2 * bound - 1, bound), bound - 1);
  }
}

TEST(Modular, MulHighIsTheUpperHalf) {
  EXPECT_EQ(mul_high(kMaxWord, kMaxWord), kMaxWord - 1);
  EXPECT_EQ(mul_high(1ull << 63, 2), 1u);
  EXPECT_EQ(mul_high(kMaxWord, 1), 0u);
}

TEST(Modular, ShoupProductIsExactAndItsLazyFormBelowTwiceTheModulus) {
  for (const std::uint64_t q : kModuli) {
    for (const std::uint64_t w : residues(q, 20)) {
      const std::uint64_t quotient = shoup_quotient(w, q);
      for (const std::uint64_t x : any_words(q, 20)) {
        const std::uint64_t expected = product_mod(x, w, q);
        EXPECT_EQ(mul_mod_shoup(x, w, quotient, q), expected) << x << " * " << w << " mod " << q;
        const std::uint64_t lazy = mul_mod_lazy(x, w, quotient, q);
        EXPECT_TRUE(lazy == expected || lazy == expected + q) << x << " * " << w << " mod " << q;
      }
    }
  }
}

TEST(Modular, BarrettReducesEveryWord) {
  for (const std::uint64_t q : kModuli) {
    const BarrettRatio ratio = Modulus(q).ratio();
    for (const std::uint64_t x : any_words(q, 200)) {
      EXPECT_EQ(barrett_reduce(x, q, ratio), x % q) << x << " mod " << q;
    }
  }
}

TEST(Modular, BarrettReducesEveryProductBelowItsLimit) {
  for (const std::uint64_t q : kModuli) {
    const BarrettRatio ratio = Modulus(q).ratio();
    for (const std::uint64_t high : residues(q, 20)) {
      for (const std::uint64_t low : any_words(q, 20)) {
        const uint128_t x = (static_cast<uint128_t>(high) << 64) | low;
        EXPECT_EQ(barrett_reduce_wide(x, q, ratio), static_cast<std::uint64_t>(x % q));
        EXPECT_EQ(mul_mod(low, high, q, ratio), product_mod(low, high, q));
      }
    }
  }
}

TEST(Modular, EverythingIsUsableInConstantExpressions) {
  constexpr std::uint64_t kPrime = 97;
  static_assert(add_mod(96, 96, kPrime) == 95);
  static_assert(mul_mod_shoup(1000, 5, shoup_quotient(5, kPrime), kPrime) == 5000 % kPrime);
  constexpr std::uint64_t kProduct = mul_mod_shoup(96, 96, shoup_quotient(96, kPrime), kPrime);
  EXPECT_EQ(kProduct, 1u);
}

}  // namespace
}  // namespace ringlet
