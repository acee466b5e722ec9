// SPDX-License-Identifier: Apache-2.0
#include "ringlet/arith/primes.hpp"

#include <gmpxx.h>

#include <flint/ulong_extras.h>

#include "arith/bits.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using enum PrimePreference;

constexpr std::uint64_t kMaxWord = ~std::uint64_t{0};
constexpr std::size_t kLargestDegree = std::size_t{1} << 20;

std::vector<std::uint64_t> values_of(const std::vector<Modulus>& moduli) {
  std::vector<std::uint64_t> values;
  for (const Modulus& q : moduli) values.push_back(q.value());
  return values;
}

/// The first `count` primes at n, n - step, ...; by default all that have as many bits as n.
std::vector<std::uint64_t> primes_down(std::uint64_t n, std::uint64_t step,
                                       std::size_t count = ~std::size_t{0}) {
  std::vector<std::uint64_t> primes;
  const std::uint64_t least = std::bit_floor(n);
  for (; primes.size() < count && n >= least && n > 1; n -= std::min(n, step)) {
    if (n_is_prime(n) != 0) primes.push_back(n);
  }
  return primes;
}

/// The largest number of `bits` bits that is 1 mod `step`; 1 if only 1 itself is.
std::uint64_t largest_one_mod(int bits, std::uint64_t step) {
  const std::uint64_t n = ((1ull << bits) - 2) / step * step + 1;
  return n >> (bits - 1) == 1 ? n : 1;
}

std::uint64_t order_by_counting(std::uint64_t x, std::uint64_t q) {
  std::uint64_t power = x;
  std::uint64_t order = 1;
  for (; power != 1; ++order) power = power * x % q;
  return order;
}

template <typename Call>
void expect_refusal_by(const std::string& operation, const Call& call) {
  expect_refusal_of(operation, {}, call);
}

TEST(IsPrime, AgreesWithASieveBelowAHundredThousand) {
  constexpr std::size_t kLimit = 100000;
  std::vector<bool> composite(kLimit, false);
  composite[0] = composite[1] = true;
  for (std::size_t n = 0; n < kLimit; ++n) {
    ASSERT_EQ(is_prime(n), !composite[n]) << n;
    for (std::size_t m = 2 * n; m < kLimit && !composite[n]; m += n) composite[m] = true;
  }
}

// The smallest strong pseudoprimes to the first 1, 2, ... 11 prime bases (OEIS A014233),
// Carmichael numbers, and squares and products of primes near 2^32.
TEST(IsPrime, SeesThroughPseudoprimes) {
  for (const std::uint64_t n :
       {2047ull, 1373653ull, 25326001ull, 3215031751ull, 2152302898747ull, 3474749660383ull,
        341550071728321ull, 3825123056546413051ull, 561ull, 1105ull, 1729ull, 9746347772161ull,
        4294967291ull * 4294967291ull, 4294967291ull * 4294967279ull}) {
    EXPECT_FALSE(is_prime(n)) << n;
  }
}

TEST(IsPrime, AgreesWithFlintOnWordsOfEverySizeAndAtTheTop) {
  auto rng = make_rng();
  for (std::uint64_t n = kMaxWord; n > kMaxWord - 2000; --n) {
    ASSERT_EQ(is_prime(n), n_is_prime(n) != 0) << n;
  }
  for (int bits = 2; bits <= 64; ++bits) {
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t n = (rng() >> (64 - bits)) | 1;
      ASSERT_EQ(is_prime(n), n_is_prime(n) != 0) << n;
    }
    const std::uint64_t prime = n_nextprime(rng() >> (65 - bits), 0);
    ASSERT_TRUE(is_prime(prime)) << prime;
  }
}

TEST(GeneratePrimes, FindsAllOfAnyStepByTheDefinition) {
  for (const std::uint64_t step : {2u, 3u, 4u, 6u, 7u, 8u, 16u, 24u, 30u, 96u, 128u, 1000u}) {
    for (int bits = 2; bits <= 16; ++bits) {
      SCOPED_TRACE(testing::Message() << bits << " bits, 1 mod " << step);
      const auto expected = primes_down(largest_one_mod(bits, step), step);
      for (std::size_t count = 0; count <= expected.size(); count += count / 4 + 1) {
        const std::vector<std::uint64_t> first(
            expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count));
        EXPECT_EQ(values_of(generate_primes(bits, step, count)), first);
      }
      EXPECT_EQ(values_of(generate_primes(bits, step, expected.size())), expected);
      expect_refusal_by("generate_primes",
                        [&] { generate_primes(bits, step, expected.size() + 1); });
      if (!std::has_single_bit(step) || step == 2) continue;
      EXPECT_EQ(values_of(generate_ntt_primes(bits, step / 2, expected.size())), expected);
      expect_refusal_by("generate_ntt_primes",
                        [&] { generate_ntt_primes(bits, step / 2, expected.size() + 1); });
    }
  }
}

TEST(GeneratePrimes, GivesTheLargestOfLargeSizes) {
  for (const std::size_t degree : {std::size_t{1024}, std::size_t{32768}, kLargestDegree}) {
    for (const int bits : {30, 49, 50, 52, 60, 61, 62}) {
      const std::uint64_t step = 2 * degree;
      const auto expected = primes_down(largest_one_mod(bits, step), step, 5);
      EXPECT_EQ(values_of(generate_ntt_primes(bits, degree, 5)), expected) << bits;
      EXPECT_EQ(values_of(generate_primes(bits, step, 5)), expected) << bits;
    }
  }
}

TEST(GeneratePrimes, RefusesBadRequests) {
  for (const std::uint64_t step : {0ull, 1ull, (1ull << 61) + 1}) {
    expect_refusal_by("generate_primes", [&] { generate_primes(30, step, 1); });
  }
  for (const int bits : {1, 63, -1}) {
    expect_refusal_by("generate_primes", [&] { generate_primes(bits, 24, 1); });
  }
  const auto refuses = [](int bits, std::size_t degree, std::size_t count) {
    SCOPED_TRACE(testing::Message() << bits << " bits, degree " << degree << ", " << count);
    expect_refusal_by("generate_ntt_primes", [&] { generate_ntt_primes(bits, degree, count); });
    expect_refusal_by("generate_fast_ntt_primes",
                      [&] { generate_fast_ntt_primes(bits, degree, count); });
  };
  for (const std::size_t degree :
       {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{1000}, 2 * kLargestDegree,
        std::size_t{1} << 63, ~std::size_t{0}}) {
    refuses(50, degree, 1);
  }
  for (const int bits : {-1, 0, 1, 63, 64, 1000}) refuses(bits, 1024, 1);
  refuses(11, 1024, 1);  // 2^11 = 2N: only 1 is 1 mod 2N
  refuses(10, 1024, 1);  // 2^10 < 2N
  for (const int bits : {30, 62}) refuses(bits, 1024, ~std::size_t{0});
  EXPECT_TRUE(generate_ntt_primes(2, 2, 0).empty());
  EXPECT_TRUE(generate_fast_ntt_primes(2, 2, 0).empty());
  EXPECT_EQ(values_of(generate_fast_ntt_primes(3, 2, 1)), std::vector<std::uint64_t>{5});
}

bool is_half_word_one(std::uint64_t q) { return q % (1ull << 32) == 1; }

TEST(PrimePreference, ChangesTheOrderOfAllPrimesOfAWidth) {
  constexpr std::uint64_t kStep = 2 * kLargestDegree;
  std::ptrdiff_t preferred = 0;
  for (const int bits : {33, 34, 37, 39, 40}) {
    const auto all = primes_down(largest_one_mod(bits, kStep), kStep);
    auto expected = all;
    std::ranges::sort(expected, std::greater{},
                      [](std::uint64_t q) { return std::pair(is_half_word_one(q), q); });
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}, all.size()}) {
      const auto first = static_cast<std::ptrdiff_t>(std::min(count, all.size()));
      const std::vector<std::uint64_t> some(expected.begin(), expected.begin() + first);
      EXPECT_EQ(values_of(generate_ntt_primes(bits, kLargestDegree, some.size(), half_word_one)),
                some);
      EXPECT_EQ(values_of(generate_primes(bits, kStep, some.size(), half_word_one)), some);
    }
    EXPECT_EQ(values_of(generate_ntt_primes(bits, kLargestDegree, all.size(), largest)), all);
    for (const PrimePreference preference : {largest, half_word_one}) {
      expect_refusal_by("generate_ntt_primes", [&] {
        generate_ntt_primes(bits, kLargestDegree, all.size() + 1, preference);
      });
    }
    preferred += std::ranges::count_if(all, is_half_word_one);
  }
  EXPECT_GT(preferred, 10) << "or the widths are too small to tell";
}

// Below 2^32 the only number that is 1 mod 2^32 is 1, which is not prime.
TEST(PrimePreference, MakesNoDifferenceInSmallWidths) {
  for (int bits = 2; bits <= 33; ++bits) {
    for (const std::uint64_t step : {4, 2048}) {
      for (const std::size_t count : {0, 1, 2, 5}) {
        const auto expected = primes_down(largest_one_mod(bits, step), step, count);
        const auto call = [&] { return generate_ntt_primes(bits, step / 2, count, half_word_one); };
        if (expected.size() < count) {
          expect_refusal_by("generate_ntt_primes", call);
        } else {
          EXPECT_EQ(values_of(call()), expected);
        }
      }
    }
  }
}

TEST(PrimePreference, GivesTheLargestOfLargeWidths) {
  constexpr std::uint64_t kHalfWord = 1ull << 32;
  for (int bits = 55; bits <= 62; ++bits) {
    const auto expected = primes_down((1ull << bits) - kHalfWord + 1, kHalfWord, 5);
    for (const std::size_t degree : {std::size_t{2}, std::size_t{4096}, kLargestDegree}) {
      EXPECT_EQ(values_of(generate_ntt_primes(bits, degree, 5, half_word_one)), expected);
    }
  }
  for (const std::uint64_t step : {3ull, 2730ull, 7ull << 20, (1ull << 20) - 3}) {
    std::uint64_t n = (1ull << 62) - kHalfWord + 1;
    for (const Modulus& q : generate_primes(62, step, 4, half_word_one)) {
      while (n % step != 1 || n_is_prime(n) == 0) n -= kHalfWord;
      EXPECT_EQ(q.value(), n) << step;
      n -= kHalfWord;
    }
  }
  // Common multiples of 2^32 and these steps exceed a modulus: the largest primes remain.
  for (const std::uint64_t step : {(1ull << 31) - 1, (1ull << 40) - 1, (1ull << 45) + 2}) {
    EXPECT_EQ(values_of(generate_primes(62, step, 3, half_word_one)),
              values_of(generate_primes(62, step, 3)));
  }
}

TEST(PrimePreference, HasNames) {
  EXPECT_STREQ(to_string(largest), "largest");
  EXPECT_STREQ(to_string(half_word_one), "half_word_one");
}

TEST(GenerateFastNttPrimes, TakesTheFastWidth) {
  constexpr std::size_t kDegree = 4096;
  for (int bits = 24; bits <= 54; ++bits) {
    EXPECT_EQ(values_of(generate_fast_ntt_primes(bits, kDegree, 4)),
              primes_down(largest_one_mod(std::min(bits, 49), 2 * kDegree), 2 * kDegree, 4))
        << bits;
  }
  for (int bits = 55; bits <= 61; ++bits) {
    for (const Modulus& q : generate_fast_ntt_primes(bits, kDegree, 4)) {
      EXPECT_EQ(q.bit_count(), bits);
      EXPECT_TRUE(is_half_word_one(q.value())) << q.value();
    }
  }
  EXPECT_EQ(generate_fast_ntt_primes(62, kDegree, 4), generate_fast_ntt_primes(61, kDegree, 4));
}

TEST(PrimitiveRoot, IsRecognisedByItsOrder) {
  for (const std::uint64_t q : {17ull, 97ull, 193ull, 257ull}) {
    for (std::uint64_t order = 2; order <= 256; order *= 2) {
      for (std::uint64_t root = 1; root < q; ++root) {
        EXPECT_EQ(is_primitive_root(root, order, Modulus(q)), order_by_counting(root, q) == order)
            << root << " mod " << q << ", order " << order;
        EXPECT_FALSE(is_primitive_root(root + q, order, Modulus(q))) << "not reduced";
      }
      EXPECT_FALSE(is_primitive_root(0, order, Modulus(q)));
    }
  }
  EXPECT_FALSE(is_primitive_root(1, 2, Modulus(2)));
}

TEST(MinimalPrimitiveRoot, IsTheSmallestElementOfItsOrder) {
  for (std::uint64_t order = 2; order <= 64; order *= 2) {
    for (std::uint64_t q = 3; q < 1200; q += 2) {
      if (n_is_prime(q) == 0 || (q - 1) % order != 0) continue;
      std::uint64_t expected = 1;
      while (order_by_counting(expected, q) != order) ++expected;
      ASSERT_EQ(minimal_primitive_root(order, Modulus(q)), expected) << order << " mod " << q;
    }
  }
}

TEST(MinimalPrimitiveRoot, OfLargeModuliIsSmallestAmongTheOddPowers) {
  for (const int bits : {30, 50, 61, 62}) {
    const Modulus q = generate_ntt_primes(bits, 1024, 1)[0];
    const std::uint64_t root = minimal_primitive_root(2048, q);
    const mp_limb_t inverse = n_preinvert_limb(q.value());
    EXPECT_EQ(n_powmod2_ui_preinv(root, 1024, q.value(), inverse), q.value() - 1);
    const std::uint64_t square = n_mulmod2_preinv(root, root, q.value(), inverse);
    std::uint64_t power = root;
    for (int i = 0; i < 1024; ++i) {
      ASSERT_GE(power, root);
      power = n_mulmod2_preinv(power, square, q.value(), inverse);
    }
    EXPECT_EQ(power, root);
  }
  const Modulus q = generate_ntt_primes(62, kLargestDegree, 1)[0];
  EXPECT_TRUE(is_primitive_root(minimal_primitive_root(1ull << 21, q), 1ull << 21, q));
}

TEST(MinimalPrimitiveRoot, RefusesBadOrdersAndModuli) {
  const auto refuses = [](std::uint64_t order, std::uint64_t q) {
    expect_refusal_by("minimal_primitive_root", [&] { minimal_primitive_root(order, Modulus(q)); });
  };
  for (const std::uint64_t order : {0ull, 1ull, 3ull, 6ull, 96ull, 1ull << 63}) refuses(order, 97);
  refuses(64, 97);         // 96 = 2^5 * 3
  refuses(4, 21);          // composite
  refuses(4, 1ull << 40);  // even
  refuses(2, 2);
  for (const std::uint64_t order : {0, 12}) {
    expect_refusal_by("is_primitive_root", [&] { is_primitive_root(5, order, Modulus(97)); });
  }
}

TEST(Bits, AgreeWithTheirDefinitions) {
  auto rng = make_rng();
  for (int count = 0; count <= 64; ++count) {
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t value = rng();
      std::uint64_t expected = 0;
      for (int bit = 0; bit < count; ++bit) expected = 2 * expected + (value >> bit & 1);
      ASSERT_EQ(reverse_bits(value, count), expected) << value << ", " << count << " bits";
    }
    if (count < 64) {
      EXPECT_EQ(log2_exact(std::size_t{1} << count), count);
    }
  }
}

// Scalar arithmetic modulo one word, by its functions and by Modulus.

constexpr std::uint64_t power(int bits) { return std::uint64_t{1} << bits; }

/// Moduli of every kind, and neighbours of powers of two.
const Words& moduli() {
  static const Words all = [] {
    std::mt19937_64 rng(test_seed());
    Words found = neighbours_of_powers(7, 62, rng);
    const Words chosen = chosen_moduli(power(63));
    found.insert(found.end(), chosen.begin(), chosen.end());
    return found;
  }();
  return all;
}

/// Edges of [0, q), then uniform residues.
std::vector<std::uint64_t> residues(std::uint64_t q, std::size_t count) {
  auto rng = make_rng(q);
  std::vector<std::uint64_t> values = edge_values(q);
  const std::vector<std::uint64_t> uniform = random_residues(count, q, rng);
  values.insert(values.end(), uniform.begin(), uniform.end());
  return values;
}

/// Edges, then uniform values of the whole word.
std::vector<std::uint64_t> any_words(std::uint64_t q, std::size_t count) {
  auto rng = make_rng(q + 1);
  const std::uint64_t last = kMaxWord / q * q;
  std::vector<std::uint64_t> values = {
      0, 1, q - 1, q, q + 1, 2 * q - 1, 2 * q, kMaxWord - 1, kMaxWord, last, last - 1};
  for (std::size_t i = 0; i < count; ++i) values.push_back(rng());
  return values;
}

TEST(Modular, SumsAndDifferencesAgreeWithWideArithmetic) {
  for (const std::uint64_t q : moduli()) {
    const std::vector<std::uint64_t> values = residues(q, 30);
    for (const std::uint64_t a : values) {
      EXPECT_EQ(negate_mod(a, q), (q - a) % q);
      for (const std::uint64_t b : values) {
        const uint128_t wide_a = a;
        EXPECT_EQ(add_mod(a, b, q), static_cast<std::uint64_t>((wide_a + b) % q));
        EXPECT_EQ(sub_mod(a, b, q), static_cast<std::uint64_t>((wide_a + q - b) % q));
      }
    }
    for (const std::uint64_t x : {std::uint64_t{0}, q - 1, q, 2 * q - 1}) {
      EXPECT_EQ(subtract_if_at_least(x, q), x % q);
    }
  }
}

TEST(Modular, MulHighIsTheUpperHalf) {
  for (const std::uint64_t x : any_words(power(32), 50)) {
    for (const std::uint64_t y : any_words(power(63) - 25, 50)) {
      EXPECT_EQ(mul_high(x, y), static_cast<std::uint64_t>(uint128_t{x} * y >> 64));
    }
  }
}

TEST(Modular, ShoupProductIsExactAndItsLazyFormBelowTwiceTheModulus) {
  for (const std::uint64_t q : moduli()) {
    for (const std::uint64_t w : residues(q, 20)) {
      const std::uint64_t quotient = shoup_quotient(w, q);
      for (const std::uint64_t x : any_words(q, 20)) {
        const auto expected = static_cast<std::uint64_t>(uint128_t{x} * w % q);
        EXPECT_EQ(mul_mod_shoup(x, w, quotient, q), expected) << x << " * " << w << " mod " << q;
        const std::uint64_t lazy = mul_mod_lazy(x, w, quotient, q);
        EXPECT_TRUE(lazy == expected || lazy == expected + q) << x << " * " << w << " mod " << q;
      }
    }
  }
}

TEST(Modular, BarrettReducesEveryWordAndEveryProductBelowItsLimit) {
  for (const std::uint64_t q : moduli()) {
    const BarrettRatio ratio = Modulus(q).ratio();
    for (const std::uint64_t x : any_words(q, 200)) {
      EXPECT_EQ(barrett_reduce(x, q, ratio), x % q) << x << " mod " << q;
      EXPECT_EQ(Modulus(q).reduce(x), x % q) << x << " mod " << q;
    }
    for (const std::uint64_t high : residues(q, 20)) {
      for (const std::uint64_t low : any_words(q, 20)) {
        const uint128_t x = (uint128_t{high} << 64) | low;
        EXPECT_EQ(barrett_reduce_wide(x, q, ratio), static_cast<std::uint64_t>(x % q));
        EXPECT_EQ(mul_mod(low, high, q, ratio),
                  static_cast<std::uint64_t>(uint128_t{low} * high % q));
      }
    }
  }
}

static_assert(add_mod(96, 96, 97) == 95);
static_assert(mul_mod_shoup(1000, 5, shoup_quotient(5, 97), 97) == 5000 % 97);

TEST(Modulus, RefusesValuesOutsideItsRange) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, power(63), power(63) + 1, kMaxWord}) {
    expect_refusal_of("Modulus", {std::to_string(value)}, [&] { Modulus{value}; });
  }
  for (const std::uint64_t value : {std::uint64_t{2}, power(63) - 1}) {
    EXPECT_EQ(Modulus(value).value(), value);
  }
  EXPECT_EQ(Modulus(2).bit_count(), 2);
  EXPECT_EQ(Modulus(power(63) - 1).bit_count(), kMaxModulusBits);
}

TEST(Modulus, RatioIsTheExactQuotient) {
  for (const std::uint64_t q : moduli()) {
    const mpz_class quotient = (mpz_class(1) << 128) / q;
    EXPECT_EQ(Modulus(q).ratio().low, mpz_getlimbn(quotient.get_mpz_t(), 0)) << q;
    EXPECT_EQ(Modulus(q).ratio().high, mpz_getlimbn(quotient.get_mpz_t(), 1)) << q;
  }
}

TEST(Modulus, ComparesByValueAndComesFromAWord) {
  EXPECT_EQ(Modulus(17), Modulus(17));
  EXPECT_NE(Modulus(17), Modulus(19));
  EXPECT_LT(Modulus(17), Modulus(19));
  EXPECT_TRUE((std::is_convertible_v<std::uint64_t, Modulus>));
}

TEST(Modulus, ProductsPowersAndInversesAgreeWithFlint) {
  auto rng = make_rng();
  for (const std::uint64_t value : moduli()) {
    const Modulus q(value);
    const mp_limb_t preinverse = n_preinvert_limb(value);
    std::vector<std::uint64_t> values = mixed_values(100, value, 1, rng);
    values.insert(values.end(), {1, value - 1});
    for (const std::uint64_t a : values) {
      for (const std::uint64_t b : values) {
        ASSERT_EQ(q.multiply(a, b), n_mulmod2_preinv(a, b, value, preinverse)) << a << " " << b;
      }
      const std::uint64_t base = rng();
      const std::uint64_t exponent = rng();
      ASSERT_EQ(pow_mod(base, exponent, q),
                n_powmod2_ui_preinv(base % value, exponent, value, preinverse));
      if (std::gcd(a, value) == 1) {
        ASSERT_EQ(inverse_mod(a, q), n_invmod(a, value)) << a << " mod " << value;
      }
    }
  }
}

TEST(Modulus, PowersAtTheirEdges) {
  const Modulus q(power(63) - 25);
  EXPECT_EQ(pow_mod(5, 0, q), 1u);
  EXPECT_EQ(pow_mod(0, 0, q), 1u);
  EXPECT_EQ(pow_mod(0, kMaxWord, q), 0u);
  EXPECT_EQ(pow_mod(q.value() + 5, 1, q), 5u);
  EXPECT_EQ(pow_mod(q.value() - 1, kMaxWord, q), q.value() - 1);
  EXPECT_EQ(pow_mod(3, q.value() - 1, q), 1u);
  EXPECT_EQ(pow_mod(3, kMaxWord, Modulus(2)), 1u);
}

TEST(Modulus, InversesModuloSmallModuliAreRightOrRefused) {
  for (std::uint64_t value = 2; value < 200; ++value) {
    const Modulus q(value);
    for (std::uint64_t x = 0; x < 2 * value; ++x) {
      if (std::gcd(x, value) == 1) {
        EXPECT_EQ(inverse_mod(x, q) * x % value, 1 % value);
        EXPECT_LT(inverse_mod(x, q), value);
      } else {
        EXPECT_THROW(inverse_mod(x, q), InvalidArgument);
      }
    }
  }
  EXPECT_EQ(inverse_mod(kMaxWord, Modulus(97)), n_invmod(kMaxWord % 97, 97));
  expect_refusal_of("inverse_mod", {"common divisor 2"}, [] { inverse_mod(6, Modulus(1000)); });
}

}  // namespace
}  // namespace ringlet::test
