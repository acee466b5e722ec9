// SPDX-License-Identifier: Apache-2.0
#include "ringlet/primes.hpp"

#include <flint/ulong_extras.h>

#include "arith/bits.hpp"
#include "ringlet/error.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet {
namespace {

using enum PrimePreference;

constexpr std::uint64_t kMaxWord = ~std::uint64_t{0};

std::vector<std::uint64_t> values_of(const std::vector<Modulus>& moduli) {
  std::vector<std::uint64_t> values;
  for (const Modulus& q : moduli) values.push_back(q.value());
  return values;
}

// All primes of exactly `bits` bits that are 1 mod 2*degree, from the largest down.
std::vector<std::uint64_t> all_ntt_primes(int bits, std::size_t degree) {
  std::vector<std::uint64_t> primes;
  for (std::uint64_t n = (1ull << bits) - 1; n >= 1ull << (bits - 1); --n) {
    if (n % (2 * degree) == 1 && n_is_prime(n) != 0) primes.push_back(n);
  }
  return primes;
}

std::uint64_t order_by_counting(std::uint64_t x, std::uint64_t q) {
  std::uint64_t power = x;
  std::uint64_t order = 1;
  for (; power != 1; ++order) power = power * x % q;
  return order;
}

template <typename Call>
void expect_refusal(const std::string& operation, Call call) {
  try {
    call();
    ADD_FAILURE() << operation << " did not refuse";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.operation(), operation);
    EXPECT_FALSE(error.offending().empty());
    EXPECT_FALSE(error.limit().empty());
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(IsPrime, AgreesWithASieveBelowAHundredThousand) {
  constexpr std::size_t kLimit = 100000;
  std::vector<bool> composite(kLimit, false);
  composite[0] = composite[1] = true;
  for (std::size_t n = 2; n < kLimit; ++n) {
    ASSERT_EQ(is_prime(n), !composite[n]) << n;
    for (std::size_t m = 2 * n; m < kLimit && !composite[n]; m += n) composite[m] = true;
  }
  EXPECT_FALSE(is_prime(0));
  EXPECT_FALSE(is_prime(1));
}

// The smallest strong pseudoprimes to the first 1, 2, ... 11 prime bases (OEIS A014233), and
// Carmichael numbers.
TEST(IsPrime, SeesThroughPseudoprimes) {
  for (const std::uint64_t n :
       {2047ull, 1373653ull, 25326001ull, 3215031751ull, 2152302898747ull, 3474749660383ull,
        341550071728321ull, 3825123056546413051ull, 561ull, 1105ull, 1729ull, 9746347772161ull}) {
    EXPECT_FALSE(is_prime(n)) << n;
    EXPECT_EQ(n_is_prime(n), 0) << n;
  }
}

TEST(IsPrime, AtTheTopOfTheWord) {
  EXPECT_TRUE(is_prime(kMaxWord - 58));  // 2^64 - 59
  for (std::uint64_t n = kMaxWord; n > kMaxWord - 2000; --n) {
    ASSERT_EQ(is_prime(n), n_is_prime(n) != 0) << n;
  }
  // Squares and products of primes near 2^32.
  EXPECT_FALSE(is_prime(4294967291ull * 4294967291ull));
  EXPECT_FALSE(is_prime(4294967291ull * 4294967279ull));
}

TEST(IsPrime, AgreesWithFlintOnRandomWordsOfEverySize) {
  auto rng = test::make_rng();
  for (int bits = 2; bits <= 64; ++bits) {
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t n = (rng() >> (64 - bits)) | 1;
      ASSERT_EQ(is_prime(n), n_is_prime(n) != 0) << n;
    }
    const std::uint64_t prime = n_nextprime(rng() >> (65 - bits), 0);
    ASSERT_TRUE(is_prime(prime)) << prime;
  }
}

TEST(GenerateNttPrimes, FindsAllPrimesOfSmallSizes) {
  for (const std::size_t degree : {2, 4, 8, 64}) {
    for (int bits = 2; bits <= 16; ++bits) {
      const std::vector<std::uint64_t> expected = all_ntt_primes(bits, degree);
      for (std::size_t count = 0; count <= expected.size(); count += count / 4 + 1) {
        const std::vector<std::uint64_t> first(
            expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count));
        EXPECT_EQ(values_of(generate_ntt_primes(bits, degree, count)), first)
            << bits << " bits, degree " << degree;
      }
      EXPECT_EQ(values_of(generate_ntt_primes(bits, degree, expected.size())), expected);
      expect_refusal("generate_ntt_primes",
                     [&] { generate_ntt_primes(bits, degree, expected.size() + 1); });
    }
  }
}

TEST(GenerateNttPrimes, GivesTheLargestPrimesOfLargeSizes) {
  for (const std::size_t degree : {std::size_t{1024}, std::size_t{32768}, std::size_t{1} << 20}) {
    for (const int bits : {30, 49, 50, 52, 60, 61, 62}) {
      const std::vector<std::uint64_t> primes = values_of(generate_ntt_primes(bits, degree, 5));
      ASSERT_EQ(primes.size(), 5u);
      std::uint64_t n = (1ull << bits) - 2 * degree + 1;
      for (const std::uint64_t prime : primes) {
        while (n_is_prime(n) == 0) n -= 2 * degree;
        EXPECT_EQ(prime, n);
        EXPECT_EQ(Modulus(prime).bit_count(), bits);
        n -= 2 * degree;
      }
    }
  }
}

TEST(GenerateNttPrimes, RefusesBadRequests) {
  const auto refuses = [](int bits, std::size_t degree, std::size_t count) {
    expect_refusal("generate_ntt_primes", [&] { generate_ntt_primes(bits, degree, count); });
  };
  for (const std::size_t degree :
       {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{1000}, std::size_t{1} << 21,
        std::size_t{1} << 63, ~std::size_t{0}}) {
    refuses(50, degree, 1);
  }
  for (const int bits : {-1, 0, 1, 63, 64, 1000}) refuses(bits, 1024, 1);
  refuses(11, 1024, 1);                // 2^11 = 2N: only 1 is 1 mod 2N
  refuses(10, 1024, 1);                // 2^10 < 2N
  refuses(30, 1024, ~std::size_t{0});  // more than there are numbers
  EXPECT_TRUE(generate_ntt_primes(2, 2, 0).empty());
}

TEST(GeneratePrimes, FindsAllOfAnyStepByTheDefinition) {
  for (const std::uint64_t step : {2u, 3u, 6u, 7u, 24u, 30u, 96u, 1000u}) {
    for (const int bits : {2, 3, 5, 8, 12, 16}) {
      std::vector<std::uint64_t> expected;
      for (std::uint64_t n = (std::uint64_t{1} << bits) - 1; n >> (bits - 1) != 0; --n) {
        if (n % step == 1 && n_is_prime(n) != 0) expected.push_back(n);
      }
      EXPECT_EQ(values_of(generate_primes(bits, step, expected.size())), expected)
          << bits << " bits, 1 mod " << step;
      expect_refusal("generate_primes", [&] { generate_primes(bits, step, expected.size() + 1); });
    }
  }
  EXPECT_EQ(values_of(generate_primes(40, 2048, 5)), values_of(generate_ntt_primes(40, 1024, 5)));
}

TEST(GeneratePrimes, RefusesStepsAndSizesOutOfRange) {
  for (const std::uint64_t step :
       {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 61) + 1}) {
    expect_refusal("generate_primes", [&] { generate_primes(30, step, 1); });
  }
  for (const int bits : {1, 63, -1}) {
    expect_refusal("generate_primes", [&] { generate_primes(bits, 24, 1); });
  }
}

bool is_half_word_one(std::uint64_t q) { return q % (1ull << 32) == 1; }

// The definition of the preference: those that are 1 mod 2^32 before the others.
std::vector<std::uint64_t> half_word_ones_first(const std::vector<std::uint64_t>& primes) {
  std::vector<std::uint64_t> ordered;
  for (const bool preferred : {true, false}) {
    std::ranges::copy_if(primes, std::back_inserter(ordered),
                         [preferred](std::uint64_t q) { return is_half_word_one(q) == preferred; });
  }
  return ordered;
}

// All primes of so many bits that are 1 mod `step`, a divisor of 2^32, from the largest down.
std::vector<std::uint64_t> all_primes_one_mod(int bits, std::uint64_t step) {
  std::vector<std::uint64_t> primes;
  for (std::uint64_t n = (1ull << bits) - step + 1; n >> (bits - 1) != 0; n -= step) {
    if (n_is_prime(n) != 0) primes.push_back(n);
  }
  return primes;
}

TEST(PrimePreference, ChangesTheOrderOfAllPrimesOfAWidth) {
  std::size_t preferred = 0;
  for (const int bits : {33, 34, 37, 39, 40}) {
    const std::size_t degree = std::size_t{1} << 20;
    const auto all = all_primes_one_mod(bits, 2 * degree);
    const auto expected = half_word_ones_first(all);
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}, all.size()}) {
      const auto first = static_cast<std::ptrdiff_t>(std::min(count, all.size()));
      const std::vector<std::uint64_t> some(expected.begin(), expected.begin() + first);
      EXPECT_EQ(values_of(generate_ntt_primes(bits, degree, some.size(), half_word_one)), some);
      EXPECT_EQ(values_of(generate_primes(bits, 2 * degree, some.size(), half_word_one)), some);
    }
    EXPECT_EQ(values_of(generate_ntt_primes(bits, degree, all.size(), largest)), all);
    for (const PrimePreference preference : {largest, half_word_one}) {
      expect_refusal("generate_ntt_primes",
                     [&] { generate_ntt_primes(bits, degree, all.size() + 1, preference); });
    }
    preferred += static_cast<std::size_t>(std::ranges::count_if(all, is_half_word_one));
  }
  EXPECT_GT(preferred, 10u) << "or the widths are too small to tell";
}

// Below 2^32 nothing is 1 mod 2^32 but 1, which is no prime.
TEST(PrimePreference, MakesNoDifferenceInSmallWidths) {
  for (int bits = 2; bits <= 33; ++bits) {
    for (const std::size_t degree : {std::size_t{2}, std::size_t{1024}}) {
      for (const std::size_t count : {0, 1, 2, 5}) {
        std::vector<std::uint64_t> expected;
        try {
          expected = values_of(generate_ntt_primes(bits, degree, count));
        } catch (const InvalidArgument&) {
          expect_refusal("generate_ntt_primes",
                         [&] { generate_ntt_primes(bits, degree, count, half_word_one); });
          continue;
        }
        EXPECT_EQ(values_of(generate_ntt_primes(bits, degree, count, half_word_one)), expected);
      }
    }
  }
}

TEST(PrimePreference, GivesTheLargestOfLargeWidths) {
  for (const std::size_t degree : {std::size_t{2}, std::size_t{4096}, std::size_t{1} << 20}) {
    for (int bits = 55; bits <= 62; ++bits) {
      std::uint64_t n = (1ull << bits) - (1ull << 32) + 1;
      for (const Modulus& q : generate_ntt_primes(bits, degree, 5, half_word_one)) {
        while (n_is_prime(n) == 0) n -= 1ull << 32;
        EXPECT_EQ(q.value(), n);
        n -= 1ull << 32;
      }
    }
  }
}

TEST(PrimePreference, HoldsForStepsThatAreNoPowersOfTwo) {
  for (const std::uint64_t step : {3ull, 2730ull, 7ull << 20, (1ull << 20) - 3}) {
    std::uint64_t n = (1ull << 62) - (1ull << 32) + 1;
    for (const Modulus& q : generate_primes(62, step, 4, half_word_one)) {
      while (n % step != 1 || n_is_prime(n) == 0) n -= 1ull << 32;
      EXPECT_EQ(q.value(), n) << step;
      n -= 1ull << 32;
    }
  }
  // Multiples of 2^32 that such steps have in common exceed a modulus: the largest remain.
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
  for (int bits = 24; bits <= 49; ++bits) {
    EXPECT_EQ(generate_fast_ntt_primes(bits, kDegree, 3), generate_ntt_primes(bits, kDegree, 3));
  }
  for (int bits = 50; bits <= 54; ++bits) {
    const auto primes = values_of(generate_fast_ntt_primes(bits, kDegree, 4));
    std::uint64_t n = (1ull << 49) - 2 * kDegree + 1;
    for (const std::uint64_t q : primes) {
      while (n_is_prime(n) == 0) n -= 2 * kDegree;
      EXPECT_EQ(q, n) << bits;
      n -= 2 * kDegree;
    }
  }
  for (int bits = 55; bits <= 61; ++bits) {
    for (const Modulus& q : generate_fast_ntt_primes(bits, kDegree, 4)) {
      EXPECT_EQ(q.bit_count(), bits);
      EXPECT_TRUE(is_half_word_one(q.value())) << q.value();
    }
  }
  EXPECT_EQ(generate_fast_ntt_primes(62, kDegree, 4), generate_fast_ntt_primes(61, kDegree, 4));
}

TEST(GenerateFastNttPrimes, RefusesBadRequests) {
  const auto refuses = [](int bits, std::size_t degree, std::size_t count) {
    expect_refusal("generate_fast_ntt_primes",
                   [&] { generate_fast_ntt_primes(bits, degree, count); });
  };
  for (const int bits : {-1, 0, 1, 63}) refuses(bits, 1024, 1);
  for (const std::size_t degree : {std::size_t{0}, std::size_t{1000}, std::size_t{1} << 21}) {
    refuses(50, degree, 1);
  }
  refuses(11, 1024, 1);
  refuses(62, std::size_t{1} << 20, ~std::size_t{0});
  EXPECT_TRUE(generate_fast_ntt_primes(2, 2, 0).empty());
  EXPECT_EQ(values_of(generate_fast_ntt_primes(3, 2, 1)), std::vector<std::uint64_t>{5});
}

TEST(PrimitiveRoot, IsRecognisedByItsOrder) {
  for (const std::uint64_t q : {17ull, 97ull, 193ull, 257ull}) {
    for (std::uint64_t order = 2; order <= 256; order *= 2) {
      for (std::uint64_t root = 1; root < q; ++root) {
        EXPECT_EQ(is_primitive_root(root, order, Modulus(q)), order_by_counting(root, q) == order)
            << root << " mod " << q << ", order " << order;
      }
      EXPECT_FALSE(is_primitive_root(0, order, Modulus(q)));
    }
  }
}

TEST(PrimitiveRoot, OfTwoModuloTwoDoesNotExist) {
  EXPECT_FALSE(is_primitive_root(1, 2, Modulus(2)));
  expect_refusal("minimal_primitive_root", [] { minimal_primitive_root(2, Modulus(2)); });
}

TEST(PrimitiveRoot, MustBeReduced) {
  const Modulus q(97);
  const std::uint64_t root = minimal_primitive_root(8, q);
  EXPECT_TRUE(is_primitive_root(root, 8, q));
  EXPECT_FALSE(is_primitive_root(root + 97, 8, q));
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
}

TEST(MinimalPrimitiveRoot, HasTheLargestOrderOfAPlan) {
  const Modulus q = generate_ntt_primes(62, std::size_t{1} << 20, 1)[0];
  EXPECT_TRUE(is_primitive_root(minimal_primitive_root(1ull << 21, q), 1ull << 21, q));
}

TEST(MinimalPrimitiveRoot, RefusesBadOrdersAndModuli) {
  const auto refuses = [](std::uint64_t order, std::uint64_t q) {
    expect_refusal("minimal_primitive_root", [&] { minimal_primitive_root(order, Modulus(q)); });
  };
  for (const std::uint64_t order : {0ull, 1ull, 3ull, 6ull, 96ull}) refuses(order, 97);
  refuses(64, 97);  // 96 = 2^5 * 3
  refuses(1ull << 63, 97);
  refuses(4, 21);          // composite
  refuses(4, 1ull << 40);  // even
  expect_refusal("is_primitive_root", [] { is_primitive_root(5, 0, Modulus(97)); });
  expect_refusal("is_primitive_root", [] { is_primitive_root(5, 12, Modulus(97)); });
}

TEST(Bits, ReverseBitsAgreesWithTheDefinition) {
  auto rng = test::make_rng();
  for (int count = 0; count <= 64; ++count) {
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t value = rng();
      std::uint64_t expected = 0;
      for (int bit = 0; bit < count; ++bit) expected = 2 * expected + (value >> bit & 1);
      ASSERT_EQ(reverse_bits(value, count), expected) << value << ", " << count << " bits";
    }
  }
}

TEST(Bits, Log2OfEveryPowerOfTwo) {
  for (int i = 0; i < 64; ++i) EXPECT_EQ(log2_exact(std::size_t{1} << i), i);
}

}  // namespace
}  // namespace ringlet
