// SPDX-License-Identifier: Apache-2.0
#include "arith/double_word.hpp"

#include <gmp.h>

#include "support/double_words.hpp"
#include "support/environment.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Arithmetic on double words against GMP, and how far the lazy functions are off.

namespace ringlet::test {
namespace {

constexpr std::size_t kSamples = 100000;
constexpr std::size_t kSamplesPerModulus = 20000;

DoubleWord to_words(uint128_t x) { return {low_word(x), high_word(x)}; }

void set(Mpz& integer, uint128_t x) { integer.set(to_words(x)); }

void set(Mpz& integer, const QuadWord& x) {
  const std::array<std::uint64_t, 4> words = {low_word(x.low), high_word(x.low), low_word(x.high),
                                              high_word(x.high)};
  mpz_import(integer.get(), words.size(), -1, sizeof words[0], 0, 0, words.data());
}

/// A value in [0, 2^128).
uint128_t to_double(const Mpz& integer) {
  const DoubleWord words = integer.words();
  return join_words(words[0], words[1]);
}

QuadWord to_quad(const Mpz& integer) {
  std::array<std::uint64_t, 4> words{};
  mpz_export(words.data(), nullptr, -1, sizeof words[0], 0, 0, integer.get());
  return {join_words(words[0], words[1]), join_words(words[2], words[3])};
}

/// Neighbours of all powers of two that are ends of words and halves of them.
std::vector<uint128_t> edges() {
  std::vector<uint128_t> values = {0, 1, 2, 3, ~uint128_t{0}, ~uint128_t{0} - 1};
  for (const int bit : {31, 32, 63, 64, 65, 95, 96, 123, 124, 126, 127}) {
    const uint128_t power = uint128_t{1} << bit;
    values.insert(values.end(), {power - 1, power, power + 1, ~power});
  }
  values.push_back(join_words(~std::uint64_t{0}, 1));
  values.push_back(join_words(0, ~std::uint64_t{0}));
  return values;
}

uint128_t random_double(std::mt19937_64& rng) {
  const std::uint64_t low = rng();
  return join_words(low, rng()) >> (rng() % 4 == 0 ? rng() % 128 : 0);
}

/// Calls body(x, y) on all pairs of edges and on random values.
template <typename Body>
void for_each_pair(const Body& body) {
  const std::vector<uint128_t> values = edges();
  for (const uint128_t x : values) {
    for (const uint128_t y : values) body(x, y);
  }
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(kSamples); ++i) {
    const uint128_t x = random_double(rng);
    body(x, random_double(rng));
  }
}

TEST(DoubleWord, WordsAreTakenApartAndJoined) {
  Mpz expected;
  for_each_pair([&](uint128_t x, uint128_t y) {
    set(expected, x);
    mpz_fdiv_q_2exp(expected.get(), expected.get(), 64);
    ASSERT_EQ(high_word(x), mpz_get_ui(expected.get()));
    ASSERT_EQ(join_words(low_word(x), high_word(y)), (y >> 64 << 64) + (x & ~std::uint64_t{0}));
    set(expected, join_words(low_word(x), 0));
    mpz_mul(expected.get(), expected.get(), Mpz(DoubleWord{low_word(y), 0}).get());
    ASSERT_EQ(to_words(mul_words(low_word(x), low_word(y))), expected.words());
  });
}

TEST(DoubleWord, ProductsAreThoseOfGmp) {
  Mpz a;
  Mpz b;
  Mpz product;
  for_each_pair([&](uint128_t x, uint128_t y) {
    set(a, x);
    set(b, y);
    mpz_mul(product.get(), a.get(), b.get());
    const QuadWord expected = to_quad(product);
    const QuadWord result = mul_double(x, y);
    ASSERT_EQ(to_words(result.low), to_words(expected.low));
    ASSERT_EQ(to_words(result.high), to_words(expected.high));
    ASSERT_EQ(to_words(mul_double_low(x, y)), to_words(expected.low));
    ASSERT_EQ(to_words(mul_double_high(x, y)), to_words(expected.high));
  });
}

TEST(DoubleWord, TheLazyHighProductIsAtMostOneLess) {
  std::size_t less = 0;
  std::size_t exact = 0;
  Mpz a;
  Mpz b;
  for_each_pair([&](uint128_t x, uint128_t y) {
    set(a, x);
    set(b, y);
    mpz_mul(a.get(), a.get(), b.get());
    mpz_fdiv_q_2exp(a.get(), a.get(), 128);
    const uint128_t difference = to_double(a) - mul_double_high_lazy(x, y);
    ASSERT_LE(to_words(difference), (DoubleWord{1, 0}));
    (difference == 0 ? exact : less) += 1;
  });
  EXPECT_GT(less, kSamples / 20) << "the bound is reached by many";
  EXPECT_GT(exact, kSamples / 20);
}

TEST(DoubleWord, SubtractsIfAtLeast) {
  auto rng = make_rng();
  std::vector<uint128_t> bounds = {1,
                                   2,
                                   3,
                                   uint128_t{1} << 127,
                                   (uint128_t{1} << 127) - 1,
                                   (uint128_t{1} << 64) - 1,
                                   uint128_t{1} << 64,
                                   (uint128_t{1} << 64) + 1};
  for (std::size_t i = 0; i < scaled(kSamples) / 10; ++i) {
    bounds.push_back((random_double(rng) >> 1) + 1);
  }
  for (const uint128_t bound : bounds) {
    const uint128_t last = 2 * bound - 1;  // 2^128 - 1 for the largest bound
    std::vector<uint128_t> values = {0, bound - 1, bound, last};
    for (int i = 0; i < 8; ++i) {
      const uint128_t x = random_double(rng);
      values.push_back(last == ~uint128_t{0} ? x : x % (last + 1));
    }
    for (const uint128_t x : values) {
      ASSERT_EQ(to_words(subtract_double_if_at_least(x, bound)),
                to_words(x >= bound ? x - bound : x));
    }
  }
}

/// Moduli q, odd, from the smallest to 124 bits; of each size the least, the largest and others.
std::vector<uint128_t> moduli() {
  std::vector<uint128_t> values = {3, 5};
  for (const int bits : {15, 63, 64, 65, 123, 124}) {
    const uint128_t top = uint128_t{1} << (bits - 1);
    values.insert(values.end(), {top + 1, 2 * top - 1, top + top / 2 + 1});
  }
  values.push_back((uint128_t{1} << 124) - 719);
  return values;
}

/// What Barrett's reduction wants to know, by GMP.
DoubleBarrett barrett_of(uint128_t q) {
  Mpz value(to_words(q));
  const int shift = 124 - static_cast<int>(mpz_sizeinbase(value.get(), 2));
  mpz_mul_2exp(value.get(), value.get(), static_cast<mp_bitcnt_t>(shift));
  const uint128_t shifted = to_double(value);
  Mpz power;
  mpz_ui_pow_ui(power.get(), 2, 250);
  mpz_fdiv_q(power.get(), power.get(), value.get());
  return {shifted, to_double(power), shift};
}

/// A modulus for which the estimate of the quotient errs the most: close to 2^123, and with
/// 2^250/q just below a multiple of 2^64, so that what is cut off from it is almost 1 and products
/// of low words carry.
uint128_t hardest_modulus(std::mt19937_64& rng) {
  Mpz power;
  mpz_ui_pow_ui(power.get(), 2, 250);
  Mpz q;
  Mpz excess;
  for (;;) {
    const std::uint64_t high = (std::uint64_t{1} << 63) - 1 - (rng() >> 7);
    const Mpz multiple(DoubleWord{0, high});
    mpz_cdiv_q(q.get(), power.get(), multiple.get());
    mpz_mul(excess.get(), q.get(), multiple.get());
    mpz_sub(excess.get(), excess.get(), power.get());
    mpz_mul_ui(excess.get(), excess.get(), 100);
    if (mpz_odd_p(q.get()) != 0 && mpz_cmp(excess.get(), q.get()) < 0) return to_double(q);
  }
}

/// Calls body(t) on t < 2^250: edges, random values, and values around multiples of q', of which
/// the ones just below make the quotient's estimate too small by the most.
template <typename Body>
void for_each_dividend(const DoubleBarrett& barrett, std::mt19937_64& rng, const Body& body) {
  Mpz q(to_words(barrett.shifted_q));
  Mpz limit;
  mpz_ui_pow_ui(limit.get(), 2, 250);
  Mpz t;
  for (const int bit : {0, 1, 64, 122, 123, 124, 128, 186, 192, 249, 250}) {
    for (const int offset : {-1, 0, 1}) {
      mpz_ui_pow_ui(t.get(), 2, static_cast<unsigned long>(bit));
      if (offset < 0) mpz_sub_ui(t.get(), t.get(), 1);
      if (offset > 0) mpz_add_ui(t.get(), t.get(), 1);
      if (mpz_cmp(t.get(), limit.get()) < 0) body(t);
    }
  }
  Mpz top;
  mpz_fdiv_q(top.get(), limit.get(), q.get());
  const uint128_t most = to_double(top);
  for (std::size_t i = 0; i < scaled(kSamplesPerModulus) / 2; ++i) {
    const QuadWord words = {random_double(rng), random_double(rng) >> 6};
    set(t, words);
    body(t);
    // k*q' - 1 for a k among all and among the largest.
    const uint128_t k = i % 2 == 0 ? 1 + random_double(rng) % most : most - rng() % 1000;
    set(t, k);
    mpz_mul(t.get(), t.get(), q.get());
    mpz_sub_ui(t.get(), t.get(), 1);
    body(t);
  }
}

TEST(DoubleWord, BarrettsReductionIsThatOfGmpAndLessThanFourModuliOff) {
  auto rng = make_rng();
  std::array<std::size_t, 4> seen{};  // results in [k*q', (k + 1)*q')
  std::vector<uint128_t> list = moduli();
  for (int i = 0; i < 5; ++i) list.push_back(hardest_modulus(rng));
  for (const uint128_t q : list) {
    const DoubleBarrett barrett = barrett_of(q);
    const Mpz shifted(to_words(barrett.shifted_q));
    Mpz remainder;
    for_each_dividend(barrett, rng, [&](const Mpz& t) {
      mpz_fdiv_r(remainder.get(), t.get(), shifted.get());
      const QuadWord words = to_quad(t);
      const uint128_t lazy = barrett_reduce_lazy(words, barrett);
      const uint128_t excess = (lazy - to_double(remainder)) / barrett.shifted_q;
      ASSERT_LT(to_words(excess)[0], seen.size()) << mpz_get_str(nullptr, 10, t.get());
      ASSERT_EQ(to_words(excess * barrett.shifted_q + to_double(remainder)), to_words(lazy));
      ++seen[static_cast<std::size_t>(excess)];
      ASSERT_EQ(to_words(barrett_reduce(words, barrett)), remainder.words());
    });
    if (HasFatalFailure()) return;
  }
  std::printf("remainders in [k q', (k + 1) q'), k = 0 to 3: %zu %zu %zu %zu\n", seen[0], seen[1],
              seen[2], seen[3]);
  EXPECT_GT(seen[0], 0U);
  EXPECT_GT(seen[1], 0U);
  EXPECT_GT(seen[2], 0U) << "both subtractions are needed";
  EXPECT_GT(seen[3], 0U) << "the derivation allows less than 3.5 q'";
}

TEST(DoubleWord, ModularOperationsAreThoseOfGmp) {
  auto rng = make_rng();
  Mpz a;
  Mpz b;
  Mpz expected;
  for (const uint128_t q : moduli()) {
    const DoubleBarrett barrett = barrett_of(q);
    const Mpz modulus(to_words(q));
    const auto check = [&](uint128_t x, uint128_t y) {
      set(a, x);
      set(b, y);
      mpz_mul(expected.get(), a.get(), b.get());
      mpz_mod(expected.get(), expected.get(), modulus.get());
      ASSERT_EQ(to_words(mul_mod_double(x, y, barrett)), expected.words());
      mpz_add(expected.get(), a.get(), b.get());
      mpz_mod(expected.get(), expected.get(), modulus.get());
      ASSERT_EQ(to_words(add_mod_double(x, y, q)), expected.words());
      mpz_sub(expected.get(), a.get(), b.get());
      mpz_mod(expected.get(), expected.get(), modulus.get());
      ASSERT_EQ(to_words(sub_mod_double(x, y, q)), expected.words());
    };
    const auto check_reduce = [&](uint128_t x) {
      set(a, x);
      mpz_mod(expected.get(), a.get(), modulus.get());
      ASSERT_EQ(to_words(reduce_double(x, barrett)), expected.words());
    };
    std::vector<uint128_t> values = edges();
    values.insert(values.end(), {q - 1, q - 2, q / 2, q / 2 + 1});
    for (const uint128_t x : values) check_reduce(x);
    std::erase_if(values, [&](uint128_t x) { return x >= q; });
    for (const uint128_t x : values) {
      for (const uint128_t y : values) check(x, y);
    }
    for (std::size_t i = 0; i < scaled(kSamplesPerModulus); ++i) {
      const uint128_t x = random_double(rng);
      check_reduce(x);
      check(x % q, random_double(rng) % q);
    }
    if (HasFatalFailure()) return;
  }
}

// Sums and differences take moduli of up to 127 bits.
TEST(DoubleWord, SumsTakeLongModuli) {
  auto rng = make_rng();
  for (const uint128_t q : {(uint128_t{1} << 127) - 1, (uint128_t{1} << 126) + 1}) {
    for (std::size_t i = 0; i < scaled(kSamplesPerModulus); ++i) {
      const uint128_t x = i < 2 ? q - 1 : random_double(rng) % q;
      const uint128_t y = i % 2 == 0 ? q - 1 - i / 2 % 3 : random_double(rng) % q;
      const uint128_t sum = x + y;  // below 2^128
      ASSERT_EQ(to_words(add_mod_double(x, y, q)), to_words(sum % q));
      ASSERT_EQ(to_words(sub_mod_double(x, y, q)), to_words((x + (q - y)) % q));
    }
  }
}

}  // namespace
}  // namespace ringlet::test
