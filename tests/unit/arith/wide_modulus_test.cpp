// SPDX-License-Identifier: Apache-2.0
#include "ringlet/wide_modulus.hpp"

#include <gmp.h>

#include "arith/wide_integer.hpp"
#include "ringlet/error.hpp"
#include "ringlet/wide_poly.hpp"
#include "support/environment.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

class Integer {
 public:
  Integer() { mpz_init(value_); }
  explicit Integer(const WideInteger& words) : Integer() {
    mpz_import(value_, words.size(), -1, sizeof(std::uint64_t), 0, 0, words.data());
  }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  ~Integer() { mpz_clear(value_); }
  mpz_ptr get() { return value_; }
  std::string text() {
    std::string digits(mpz_sizeinbase(value_, 10) + 2, '\0');
    mpz_get_str(digits.data(), 10, value_);
    digits.resize(digits.find('\0'));
    return digits;
  }
  WideInteger words() {
    WideInteger result{};
    mpz_export(result.data(), nullptr, -1, sizeof(std::uint64_t), 0, 0, value_);
    return result;
  }

 private:
  mpz_t value_;
};

TEST(WideModulus, LargestPrimeOfEverySizeIsThatOfGmp) {
  for (int bits = 2; bits <= kMaxWideModulusBits; ++bits) {
    const WideModulus q = WideModulus::largest_prime(bits);
    EXPECT_EQ(q.bit_count(), bits);
    EXPECT_EQ(q.word_count(), static_cast<std::size_t>(bits + 63) / 64);
    Integer expected;
    mpz_ui_pow_ui(expected.get(), 2, static_cast<unsigned long>(bits));
    do {
      mpz_sub_ui(expected.get(), expected.get(), 1);
    } while (mpz_probab_prime_p(expected.get(), 30) == 0);
    EXPECT_EQ(q.value(), expected.words()) << bits;
    EXPECT_EQ(q.to_string(), expected.text()) << bits;
  }
}

TEST(WideModulus, ParsesWhatItPrints) {
  auto rng = make_rng();
  for (int i = 0; i < 200; ++i) {
    const WideInteger words = {rng(), rng(), rng()};
    const int bits = 2 + i % (kMaxWideModulusBits - 1);
    WideInteger value = wide::shift_right(words, 192 - bits);
    value[static_cast<std::size_t>(bits - 1) / 64] |= std::uint64_t{1} << ((bits - 1) % 64);
    const WideModulus q(value);
    EXPECT_EQ(q.bit_count(), bits);
    const std::string text = Integer(value).text();
    EXPECT_EQ(q.to_string(), text);
    EXPECT_EQ(WideModulus::parse(text), q);
    EXPECT_EQ(WideModulus::parse("000" + text), q);
  }
}

TEST(WideModulus, TakesBothEndsOfItsRange) {
  EXPECT_EQ(WideModulus({2, 0, 0}).to_string(), "2");
  EXPECT_EQ(WideModulus::parse("2").bit_count(), 2);
  const WideInteger largest = {~std::uint64_t{0}, ~std::uint64_t{0}, 127};
  const WideModulus q(largest);
  EXPECT_EQ(q.bit_count(), kMaxWideModulusBits);
  EXPECT_EQ(q.word_count(), kWideWords);
  EXPECT_EQ(WideModulus::parse(q.to_string()).value(), largest);
}

TEST(WideModulus, RefusesWhatIsOutOfRange) {
  expect_refusal("value = 0", [] { WideModulus({0, 0, 0}); });
  expect_refusal("value = 1", [] { WideModulus({1, 0, 0}); });
  const WideInteger above = {0, 0, 128};
  expect_refusal("value = " + Integer(above).text(), [&] { WideModulus{above}; });
  expect_refusal(Integer(above).text(), [&] { WideModulus::parse(Integer(above).text()); });
  const WideInteger all_ones = {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  expect_refusal(Integer(all_ones).text(), [&] { WideModulus{all_ones}; });
  for (const int bits : {-1, 0, 1, 136, 192, 1 << 30}) {
    expect_refusal("bits = " + std::to_string(bits), [&] { WideModulus::largest_prime(bits); });
  }
}

TEST(WideModulus, RefusesTextThatIsNoNumber) {
  for (const char* text : {"", "0", "1", "-3", "+3", " 3", "3 ", "0x11", "1e9", "12,345", "3.0"}) {
    expect_refusal("\"" + std::string(text) + "\"", [&] { WideModulus::parse(text); });
  }
  expect_refusal("\"7???\"", [] { WideModulus::parse(std::string_view("7\n\0\x80", 4)); });
  // 2^192 + 65537 and 2^256 + 65537: what their digits come to in three words is a modulus.
  for (const char* text :
       {"6277101735386680763835789423207666416102355444464034578433",
        "115792089237316195423570985008687907853269984665640564039457584007913129705473"}) {
    expect_refusal(std::string(text, 20), [&] { WideModulus::parse(text); });
  }
  expect_refusal("999...", [] { WideModulus::parse(std::string(1000000, '9')); });
  expect_refusal("000...", [] { WideModulus::parse(std::string(1000000, '0')); });
}

// Both strong pseudoprimes to small bases and products of two close primes.
TEST(WideModulus, PrimalityAgreesWithGmp) {
  auto rng = make_rng();
  int primes = 0;
  for (int i = 0; i < 400; ++i) {
    const int bits = 65 + i % 126;
    WideInteger value = wide::shift_right({rng(), rng(), rng()}, 192 - bits);
    value[0] |= 1;
    Integer number(value);
    if (i % 2 == 0) mpz_nextprime(number.get(), number.get());
    value = number.words();
    if (wide::bit_count(value) > 190) continue;
    const bool expected = mpz_probab_prime_p(number.get(), 30) != 0;
    EXPECT_EQ(wide::is_probable_prime(value), expected) << number.text();
    primes += expected ? 1 : 0;
  }
  EXPECT_GT(primes, 150);
  for (int bits = 33; bits <= 95; ++bits) {
    Integer p, square;
    mpz_ui_pow_ui(p.get(), 2, static_cast<unsigned long>(bits - 1));
    mpz_nextprime(p.get(), p.get());
    mpz_mul(square.get(), p.get(), p.get());
    EXPECT_FALSE(wide::is_probable_prime(square.words())) << bits;
    mpz_nextprime(square.get(), p.get());
    mpz_mul(square.get(), p.get(), square.get());
    EXPECT_FALSE(wide::is_probable_prime(square.words())) << bits;
  }
  // The smallest number that passes for the first twelve primes as bases, and one that passes for
  // the first thirteen (Sorenson and Webster).
  for (const char* text : {"318665857834031151167461", "3317044064679887385961981"}) {
    Integer number;
    mpz_set_str(number.get(), text, 10);
    EXPECT_FALSE(wide::is_probable_prime(number.words())) << text;
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
