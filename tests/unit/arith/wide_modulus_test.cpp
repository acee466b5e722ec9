// SPDX-License-Identifier: Apache-2.0
#include "ringlet/arith/wide_modulus.hpp"

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

/// A random number of exactly so many bits.
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
  // What their digits come to in three words is a modulus.
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

}  // namespace
}  // namespace ringlet::test
