// SPDX-License-Identifier: Apache-2.0
#include "arith/double_word.hpp"
#include "arith/wide_integer.hpp"
#include "ringlet/fv/wide_poly.hpp"
#include "support/reference/gmp.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

constexpr std::uint64_t kOnes = ~std::uint64_t{0};

bool is_prime_by_gmp(const mpz_class& value) {
  return mpz_probab_prime_p(value.get_mpz_t(), 30) != 0;
}

mpz_class next_prime(mpz_class value) {
  mpz_nextprime(value.get_mpz_t(), value.get_mpz_t());
  return value;
}

/// A random number of exactly `bits` bits.
WideInteger random_integer(int bits, std::mt19937_64& rng) {
  WideInteger value = wide::shift_right({rng(), rng(), rng()}, 192 - bits);
  const auto top = static_cast<std::size_t>(bits - 1);
  value[top / 64] |= std::uint64_t{1} << top % 64;
  return value;
}

TEST(WideModulus, LargestPrimeOfEverySizeIsThatOfGmp) {
  for (int bits = 2; bits <= kMaxWideModulusBits; ++bits) {
    const WideModulus q = WideModulus::largest_prime(bits);
    EXPECT_EQ(q.bit_count(), bits);
    EXPECT_EQ(q.word_count(), static_cast<std::size_t>(bits + 63) / 64);
    mpz_class expected = power_of_two(bits) - 1;
    while (!is_prime_by_gmp(expected)) --expected;
    EXPECT_EQ(q.value(), to_words<3>(expected)) << bits;
    EXPECT_EQ(q.to_string(), expected.get_str()) << bits;
  }
}

TEST(WideModulus, ParsesWhatItPrints) {
  auto rng = make_rng();
  std::vector<WideInteger> values{{2, 0, 0}, {kOnes, kOnes, 127}};
  for (int i = 0; i < 200; ++i) {
    values.push_back(random_integer(2 + i % (kMaxWideModulusBits - 1), rng));
  }
  for (const WideInteger& value : values) {
    const WideModulus q(value);
    const std::string text = to_mpz(value).get_str();
    const auto bits = mpz_sizeinbase(to_mpz(value).get_mpz_t(), 2);
    EXPECT_EQ(q.bit_count(), static_cast<int>(bits));
    EXPECT_EQ(q.word_count(), (bits + 63) / 64);
    EXPECT_EQ(q.to_string(), text);
    EXPECT_EQ(WideModulus::parse(text), q);
    EXPECT_EQ(WideModulus::parse("000" + text).value(), value);
  }
}

TEST(WideModulus, RefusesWhatIsOutOfRange) {
  for (const WideInteger& value : {WideInteger{0, 0, 0}, WideInteger{1, 0, 0},
                                   WideInteger{0, 0, 128}, WideInteger{kOnes, kOnes, kOnes}}) {
    const std::string text = to_mpz(value).get_str();
    expect_refusal("value = " + text, [&] { WideModulus{value}; });
    expect_refusal(text, [&] { WideModulus::parse(text); });
  }
  for (const int bits : {-1, 0, 1, 136, 192, 1 << 30}) {
    expect_refusal("bits = " + std::to_string(bits), [&] { WideModulus::largest_prime(bits); });
  }
}

TEST(WideModulus, RefusesTextThatIsNoNumber) {
  for (const char* text : {"", "0", "1", "-3", "+3", " 3", "3 ", "0x11", "1e9", "12,345", "3.0"}) {
    expect_refusal("\"" + std::string(text) + "\"", [&] { WideModulus::parse(text); });
  }
  expect_refusal("\"7???\"", [] { WideModulus::parse(std::string_view("7\n\0\x80", 4)); });
  // Modulo 2^192 these values are 65537, which is a modulus.
  for (const int bits : {192, 256}) {
    const mpz_class value = power_of_two(bits) + 65537;
    expect_refusal(value.get_str().substr(0, 20), [&] { WideModulus::parse(value.get_str()); });
  }
  expect_refusal("999...", [] { WideModulus::parse(std::string(1000000, '9')); });
  expect_refusal("000...", [] { WideModulus::parse(std::string(1000000, '0')); });
}

TEST(WideModulus, PrimalityAgreesWithGmp) {
  auto rng = make_rng();
  int primes = 0;
  for (int i = 0; i < 400; ++i) {
    mpz_class number = to_mpz(random_integer(65 + i % 126, rng)) | 1;
    if (i % 2 == 0) number = next_prime(number);
    if (mpz_sizeinbase(number.get_mpz_t(), 2) > 190) continue;
    const bool expected = is_prime_by_gmp(number);
    EXPECT_EQ(wide::is_probable_prime(to_words<3>(number)), expected) << number.get_str();
    primes += expected ? 1 : 0;
  }
  EXPECT_GT(primes, 150);
  // Products of two close primes, the smallest number that passes for the first twelve primes as
  // bases, and one that passes for the first thirteen (Sorenson and Webster).
  std::vector<mpz_class> composite{mpz_class("318665857834031151167461"),
                                   mpz_class("3317044064679887385961981")};
  for (unsigned bits = 33; bits <= 95; ++bits) {
    const mpz_class p = next_prime(mpz_class(1) << (bits - 1));
    composite.insert(composite.end(), {p * p, p * next_prime(p)});
  }
  for (const mpz_class& number : composite) {
    EXPECT_FALSE(wide::is_probable_prime(to_words<3>(number))) << number.get_str();
  }
}

TEST(WidePoly, IsPlanesOfWords) {
  WidePoly a(5, 3);
  EXPECT_EQ(a, WidePoly(5, 3));
  a.set(4, {1, 2, 3});
  EXPECT_EQ(a[4], (WideInteger{1, 2, 3}));
  EXPECT_EQ(a[3], WideInteger{});
  EXPECT_EQ(a.plane(2)[4], 3u);
  EXPECT_EQ(a.plane(1).size(), 5u);
  WidePoly b(5, 2);
  b.set(0, {7, 8, 0});
  EXPECT_EQ(b[0], (WideInteger{7, 8, 0}));
  EXPECT_FALSE(b == WidePoly(5, 2));
}

// Arithmetic on double words against GMP, and the error of the lazy functions.

constexpr std::size_t kSamples = 100000;
constexpr std::size_t kSamplesPerModulus = 20000;

using test::to_mpz;
mpz_class to_mpz(const QuadWord& x) { return (to_mpz(x.high) << 128) + to_mpz(x.low); }

uint128_t to_double(const mpz_class& x) {
  const auto words = to_words<2>(x);
  return join_words(words[0], words[1]);
}
QuadWord to_quad(const mpz_class& x) {
  const auto words = to_words<4>(x);
  return {join_words(words[0], words[1]), join_words(words[2], words[3])};
}

/// Powers of two at the ends and the middle of words, and their neighbours.
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

/// Checks all pairs of edges, then random pairs.
TEST(DoubleWord, WordsAndProductsAreThoseOfGmp) {
  std::array<std::size_t, 2> lazy_is_less{};
  const auto check = [&](uint128_t x, uint128_t y) {
    ASSERT_TRUE(mpz_class(high_word(x)) == to_mpz(x) >> 64);
    ASSERT_TRUE(join_words(low_word(x), high_word(y)) == (y >> 64 << 64) + (x & ~std::uint64_t{0}));
    ASSERT_TRUE(to_mpz(mul_words(low_word(x), low_word(y))) ==
                mpz_class(low_word(x)) * low_word(y));
    const mpz_class product = to_mpz(x) * to_mpz(y);
    const QuadWord expected = to_quad(product);
    ASSERT_TRUE(to_mpz(mul_double(x, y)) == product);
    ASSERT_TRUE(mul_double_low(x, y) == expected.low);
    ASSERT_TRUE(mul_double_high(x, y) == expected.high);
    const uint128_t difference = expected.high - mul_double_high_lazy(x, y);
    ASSERT_TRUE(difference <= 1);
    ++lazy_is_less[difference == 1 ? 1 : 0];
  };
  const std::vector<uint128_t> values = edges();
  for (const uint128_t x : values) {
    for (const uint128_t y : values) check(x, y);
  }
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(kSamples) && !HasFatalFailure(); ++i) {
    const uint128_t x = random_double(rng);
    check(x, random_double(rng));
  }
  for (const std::size_t count : lazy_is_less) EXPECT_GT(count, kSamples / 20);
}

TEST(DoubleWord, SubtractsIfAtLeast) {
  auto rng = make_rng();
  constexpr uint128_t kWord = uint128_t{1} << 64;
  constexpr uint128_t kHalf = uint128_t{1} << 127;
  std::vector<uint128_t> bounds = {1, 2, 3, kHalf, kHalf - 1, kWord - 1, kWord, kWord + 1};
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
      ASSERT_TRUE(subtract_double_if_at_least(x, bound) == (x >= bound ? x - bound : x));
    }
  }
}

/// Odd wide_moduli q, from the smallest to 124 bits; of each size the least, the largest and a
/// third.
std::vector<uint128_t> wide_moduli() {
  std::vector<uint128_t> values = {3, 5};
  for (const int bits : {15, 63, 64, 65, 123, 124}) {
    const uint128_t top = uint128_t{1} << (bits - 1);
    values.insert(values.end(), {top + 1, 2 * top - 1, top + top / 2 + 1});
  }
  values.push_back((uint128_t{1} << 124) - 719);
  return values;
}

/// The constants of Barrett reduction, by GMP.
DoubleBarrett barrett_of(uint128_t q) {
  const int shift = 124 - static_cast<int>(mpz_sizeinbase(to_mpz(q).get_mpz_t(), 2));
  return {q << shift, to_double(power_of_two(250) / to_mpz(q << shift)), shift};
}

/// Returns a modulus for which the quotient's estimate errs the most. It is close to 2^123, and
/// 2^250/q is just below a multiple of 2^64: the part cut off is almost 1, and products of low
/// words carry.
uint128_t hardest_modulus(std::mt19937_64& rng) {
  for (;;) {
    const mpz_class multiple = to_mpz(join_words(0, (std::uint64_t{1} << 63) - 1 - (rng() >> 7)));
    const mpz_class q = (power_of_two(250) + multiple - 1) / multiple;
    const bool is_odd = mpz_odd_p(q.get_mpz_t()) != 0;
    if (is_odd && (q * multiple - power_of_two(250)) * 100 < q) return to_double(q);
  }
}

/// Calls body(t) on t < 2^250: edges, random values, and values just below multiples of q'. The
/// latter make the quotient's estimate too small by the most.
template <typename Body>
void for_each_dividend(const DoubleBarrett& barrett, std::mt19937_64& rng, const Body& body) {
  const mpz_class limit = power_of_two(250);
  const mpz_class q = to_mpz(barrett.shifted_q);
  for (const int bit : {0, 1, 64, 122, 123, 124, 128, 186, 192, 249, 250}) {
    for (const int offset : {-1, 0, 1}) {
      const mpz_class t = power_of_two(bit) + offset;
      if (t < limit) body(t);
    }
  }
  const uint128_t most = to_double(limit / q);
  for (std::size_t i = 0; i < scaled(kSamplesPerModulus) / 2; ++i) {
    const QuadWord words = {random_double(rng), random_double(rng) >> 6};
    body(to_mpz(words));
    // For k*q' - 1, k comes in turn from all factors and from the largest.
    const uint128_t k = i % 2 == 0 ? 1 + random_double(rng) % most : most - rng() % 1000;
    body(to_mpz(k) * q - 1);
  }
}

TEST(DoubleWord, BarrettsReductionIsThatOfGmpAndLessThanFourModuliOff) {
  auto rng = make_rng();
  std::array<std::size_t, 4> seen{};  // results in [k*q', (k + 1)*q')
  std::vector<uint128_t> list = wide_moduli();
  for (int i = 0; i < 5; ++i) list.push_back(hardest_modulus(rng));
  for (const uint128_t q : list) {
    const DoubleBarrett barrett = barrett_of(q);
    const mpz_class shifted = to_mpz(barrett.shifted_q);
    for_each_dividend(barrett, rng, [&](const mpz_class& t) {
      const mpz_class remainder = t % shifted;
      const QuadWord words = to_quad(t);
      const mpz_class excess = to_mpz(barrett_reduce_lazy(words, barrett)) - remainder;
      const mpz_class multiple = excess / shifted;
      ASSERT_TRUE(multiple * shifted == excess && multiple >= 0 && multiple < 4) << t.get_str();
      ++seen[multiple.get_ui()];
      ASSERT_TRUE(to_mpz(barrett_reduce(words, barrett)) == remainder) << t.get_str();
    });
    if (HasFatalFailure()) return;
  }
  std::printf("remainders in [k q', (k + 1) q'), k = 0 to 3: %zu %zu %zu %zu\n", seen[0], seen[1],
              seen[2], seen[3]);
  // Both subtractions are needed; the derivation allows less than 3.5 q'.
  for (const std::size_t count : seen) EXPECT_GT(count, 0U);
}

TEST(DoubleWord, ModularOperationsAreThoseOfGmp) {
  auto rng = make_rng();
  for (const uint128_t q : wide_moduli()) {
    const DoubleBarrett barrett = barrett_of(q);
    const mpz_class modulus = to_mpz(q);
    const auto check = [&](uint128_t x, uint128_t y) {
      const mpz_class a = to_mpz(x);
      const mpz_class b = to_mpz(y);
      ASSERT_TRUE(to_mpz(mul_mod_double(x, y, barrett)) == a * b % modulus);
      ASSERT_TRUE(to_mpz(add_mod_double(x, y, q)) == (a + b) % modulus);
      ASSERT_TRUE(to_mpz(sub_mod_double(x, y, q)) == (a + modulus - b) % modulus);
    };
    const auto check_reduce = [&](uint128_t x) {
      ASSERT_TRUE(to_mpz(reduce_double(x, barrett)) == to_mpz(x) % modulus);
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

// Sums and differences take wide_moduli of up to 127 bits.
TEST(DoubleWord, SumsTakeLongModuli) {
  auto rng = make_rng();
  for (const uint128_t q : {(uint128_t{1} << 127) - 1, (uint128_t{1} << 126) + 1}) {
    for (std::size_t i = 0; i < scaled(kSamplesPerModulus); ++i) {
      const uint128_t x = i < 2 ? q - 1 : random_double(rng) % q;
      const uint128_t y = i % 2 == 0 ? q - 1 - i / 2 % 3 : random_double(rng) % q;
      ASSERT_TRUE(add_mod_double(x, y, q) == (x + y) % q);  // x + y < 2^128
      ASSERT_TRUE(sub_mod_double(x, y, q) == (x + (q - y)) % q);
    }
  }
}

}  // namespace
}  // namespace ringlet::test
