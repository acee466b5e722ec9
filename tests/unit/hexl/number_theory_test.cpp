// SPDX-License-Identifier: Apache-2.0
#include <flint/ulong_extras.h>

#include "hexl/hexl.hpp"
#include "unit/hexl/reference.hpp"

namespace ringlet::test {
namespace {

using namespace intel::hexl;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kAllOnes = std::numeric_limits<std::uint64_t>::max();
const Words kModuli = chosen_moduli(std::uint64_t{1} << 63);

TEST(HexlNumberTheory, modular_arithmetic_by_division) {
  auto rng = make_rng();
  for (const std::uint64_t q : kModuli) {
    for (const std::uint64_t x : mixed_values(50, q, 1, rng)) {
      const std::uint64_t y = rng() % q;
      SCOPED_TRACE(testing::Message() << x << ", " << y << " mod " << q);
      EXPECT_EQ(AddUIntMod(x, y, q), plus(x, y, q));
      EXPECT_EQ(SubUIntMod(x, y, q), minus(x, y, q));
      EXPECT_EQ(MultiplyMod(x, y, q), times(x, y, q));
      const std::uint64_t quotient = MultiplyFactor(y, 64, q).BarrettFactor();
      EXPECT_EQ(MultiplyMod(x, y, quotient, q), times(x, y, q));
      EXPECT_EQ(PowMod(x, y, q), n_powmod2_ui_preinv(x, y, q, n_preinvert_limb(q)));
      const std::uint64_t lazy = MultiplyModLazy<64>(x, y, q);
      EXPECT_LT(lazy, 2 * q);
      EXPECT_EQ(lazy % q, times(x, y, q));
      EXPECT_EQ(MultiplyModLazy<64>(x, y, quotient, q), lazy);
      const std::uint64_t any = rng();
      const std::uint64_t barrett = DivideUInt128UInt64Lo(1, 0, q);
      EXPECT_EQ(BarrettReduce64(any, q, barrett), any % q);
      EXPECT_LT(BarrettReduce64<2>(any, q, barrett), 2 * q);
      EXPECT_EQ(BarrettReduce64<2>(any, q, barrett) % q, any % q);
    }
  }
}

TEST(HexlNumberTheory, sums_reach_the_largest_modulus) {
  const std::uint64_t q = kAllOnes;
  EXPECT_EQ(AddUIntMod(q - 1, q - 1, q), q - 2);
  EXPECT_EQ(AddUIntMod(q - 1, 1, q), 0u);
  EXPECT_EQ(AddUIntMod(0, 0, q), 0u);
  EXPECT_EQ(SubUIntMod(0, q - 1, q), 1u);
  EXPECT_EQ(SubUIntMod(q - 1, 0, q), q - 1);
}

TEST(HexlNumberTheory, lazy_products_of_52_bits) {
  const std::uint64_t q = (1ull << 50) - 27;
  auto rng = make_rng();
  for (const std::uint64_t x : mixed_values(50, q, 4, rng)) {
    const std::uint64_t y = rng() % q;
    const std::uint64_t lazy = MultiplyModLazy<52>(x, y, q);
    EXPECT_LT(lazy, 2 * q);
    EXPECT_EQ(lazy % q, times(x % q, y, q));
  }
}

TEST(HexlNumberTheory, reduces_by_steps) {
  const std::uint64_t q = 101;
  const std::uint64_t twice = 2 * q;
  const std::uint64_t four_times = 4 * q;
  for (std::uint64_t x = 0; x < 8 * q; ++x) {
    if (x < q) {
      EXPECT_EQ(ReduceMod<1>(x, q), x % q);
    }
    if (x < 2 * q) {
      EXPECT_EQ(ReduceMod<2>(x, q), x % q);
    }
    if (x < 4 * q) {
      EXPECT_EQ(ReduceMod<4>(x, q, &twice), x % q);
    }
    EXPECT_EQ((ReduceMod<8>(x, q, &twice, &four_times)), x % q);
  }
  EXPECT_THROW(ReduceMod<4>(5, q), std::invalid_argument);
  EXPECT_THROW((ReduceMod<8>(5, q, &twice)), std::invalid_argument);
}

TEST(HexlNumberTheory, inverses) {
  for (const std::uint64_t q : kModuli) {
    for (const std::uint64_t x : {std::uint64_t{1}, q - 1, q + 1, kAllOnes}) {
      if (n_gcd(x % q, q) != 1) continue;
      EXPECT_EQ(times(InverseMod(x, q), x % q, q), 1 % q) << x << " mod " << q;
    }
  }
  EXPECT_EQ(InverseMod(5, 1), 0u);
  EXPECT_THROW(InverseMod(0, 7), std::invalid_argument);
  EXPECT_THROW(InverseMod(4, 12), std::invalid_argument);
  EXPECT_THROW(InverseMod(4, 0), std::invalid_argument);
}

TEST(HexlNumberTheory, refuses_division_by_zero_and_shifts_out_of_range) {
  EXPECT_THROW(MultiplyMod(3, 4, 0), std::invalid_argument);
  EXPECT_THROW(PowMod(3, 4, 0), std::invalid_argument);
  EXPECT_THROW(DivideUInt128UInt64Lo(1, 2, 0), std::invalid_argument);
  EXPECT_THROW(MaximumValue(65), std::invalid_argument);
  EXPECT_THROW(ReverseBits(1, 65), std::invalid_argument);
  EXPECT_THROW(MultiplyFactor(8, 64, 7), std::invalid_argument);
  EXPECT_THROW(MultiplyFactor(3, 48, 7), std::invalid_argument);
  EXPECT_THROW(MultiplyFactor(0, 64, 0), std::invalid_argument);
}

TEST(HexlNumberTheory, words_and_bits) {
  EXPECT_EQ(ReverseBits(0, 0), 0u);
  EXPECT_EQ(ReverseBits(1, 1), 1u);
  EXPECT_EQ(ReverseBits(0b001011, 6), 0b110100u);
  EXPECT_EQ(ReverseBits(1, 64), std::uint64_t{1} << 63);
  EXPECT_EQ(ReverseBits(ReverseBits(0x123456789abcdef0, 64), 64), 0x123456789abcdef0u);
  EXPECT_EQ(MSB(1), 0u);
  EXPECT_EQ(MSB(kAllOnes), 63u);
  EXPECT_EQ(Log2((1ull << 53) - 1), 52u) << "a double would round this up";
  EXPECT_TRUE(IsPowerOfTwo(1) && IsPowerOfTwo(1ull << 63) && !IsPowerOfTwo(0) && !IsPowerOfTwo(6));
  EXPECT_TRUE(IsPowerOfFour(1) && IsPowerOfFour(64) && !IsPowerOfFour(8) && !IsPowerOfFour(0));
  EXPECT_EQ(MaximumValue(0), 0u);
  EXPECT_EQ(MaximumValue(7), 127u);
  EXPECT_EQ(MaximumValue(64), kAllOnes);
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  MultiplyUInt64(kAllOnes, kAllOnes, &high, &low);
  EXPECT_EQ(high, kAllOnes - 1);
  EXPECT_EQ(low, 1u);
  EXPECT_EQ(MultiplyUInt64Hi<52>(1ull << 40, 1ull << 20), 1u << 8);
  EXPECT_EQ(AddUInt64(kAllOnes, 2, &low), 1);
  EXPECT_EQ(low, 1u);
  EXPECT_EQ(AddUInt64(1, 2, &low), 0);
}

TEST(HexlNumberTheory, montgomery) {
  auto rng = make_rng();
  for (const std::uint64_t q : {3ull, (1ull << 45) + 59, (1ull << 50) - 27}) {
    const int r = 51;
    const std::uint64_t mask = MaximumValue(r);
    const std::uint64_t inverse = HenselLemma2adicRoot(r, q);
    EXPECT_EQ((q * inverse + 1) & mask, 0u);
    for (const std::uint64_t x : mixed_values(50, q, 1, rng)) {
      const std::uint64_t y = rng() % q;
      const DoubleWord product = static_cast<DoubleWord>(x) * y;
      const auto wide =
          MontgomeryReduce<64>(static_cast<std::uint64_t>(product >> 64),
                               static_cast<std::uint64_t>(product), q, r, mask, inverse);
      const auto narrow = MontgomeryReduce<52>(
          static_cast<std::uint64_t>(product >> 52),
          static_cast<std::uint64_t>(product) & MaximumValue(52), q, r, mask, inverse);
      EXPECT_EQ(times(wide, (1ull << r) % q, q), times(x, y, q));
      EXPECT_EQ(wide, narrow);
    }
  }
  EXPECT_EQ(HenselLemma2adicRoot(64, 12345) * 12345 + 1, 0u);
  EXPECT_THROW(HenselLemma2adicRoot(10, 4), std::invalid_argument);
  EXPECT_THROW(HenselLemma2adicRoot(65, 5), std::invalid_argument);
}

TEST(HexlNumberTheory, primes) {
  for (const std::uint64_t n : {0ull, 1ull, 2ull, 3ull, 4ull, 3215031751ull, (1ull << 61) - 1,
                                (1ull << 62) - 57, ~0ull - 58, ~0ull}) {
    EXPECT_EQ(IsPrime(n), n >= 2 && n_is_prime(n) == 1) << n;
  }
}

TEST(HexlNumberTheory, generates_primes_from_both_ends) {
  const std::size_t degree = 1024;
  for (const bool small : {true, false}) {
    for (const std::size_t bits : {20, 49, 60}) {
      const std::vector<std::uint64_t> primes = GeneratePrimes(5, bits, small, degree);
      ASSERT_EQ(primes.size(), 5u);
      std::uint64_t candidate = small ? (1ull << bits) + 1 : (2ull << bits) + 1 - 2 * degree;
      for (const std::uint64_t q : primes) {
        // Nothing between is prime.
        while (candidate != q && n_is_prime(candidate) == 0) {
          candidate = small ? candidate + 2 * degree : candidate - 2 * degree;
        }
        EXPECT_EQ(candidate, q);
        EXPECT_EQ(q % (2 * degree), 1u);
        candidate = small ? q + 2 * degree : q - 2 * degree;
      }
    }
  }
  EXPECT_TRUE(GeneratePrimes(0, 30, true).empty());
}

TEST(HexlNumberTheory, refuses_primes_that_do_not_exist) {
  EXPECT_EQ(GeneratePrimes(2, 3, true), (std::vector<std::uint64_t>{11, 13}));
  EXPECT_EQ(GeneratePrimes(2, 3, false), (std::vector<std::uint64_t>{13, 11}));
  EXPECT_THROW(GeneratePrimes(3, 3, true), std::invalid_argument);
  EXPECT_THROW(GeneratePrimes(1, 0, true), std::invalid_argument);
  EXPECT_THROW(GeneratePrimes(1, 63, true), std::invalid_argument);
  EXPECT_THROW(GeneratePrimes(1, 20, true, 3), std::invalid_argument);
  EXPECT_THROW(GeneratePrimes(1, 20, true, 0), std::invalid_argument);
  EXPECT_THROW(GeneratePrimes(1, 10, true, 1024), std::invalid_argument);
  EXPECT_EQ(GeneratePrimes(1, 62, false)[0], (1ull << 63) - 25);
}

TEST(HexlNumberTheory, roots_of_unity) {
  for (const std::uint64_t degree : {2, 4, 64}) {
    const std::uint64_t q = GeneratePrimes(1, 20, true, degree)[0];
    const std::uint64_t root = GeneratePrimitiveRoot(degree, q);
    EXPECT_TRUE(IsPrimitiveRoot(root, degree, q));
    EXPECT_TRUE(IsPrimitiveRoot(root + q, degree, q)) << "any word stands for its residue";
    EXPECT_EQ(PowMod(root, degree / 2, q), q - 1);
    std::uint64_t least = 1;
    while (PowMod(least, degree / 2, q) != q - 1) ++least;
    EXPECT_EQ(MinimalPrimitiveRoot(degree, q), least);
    EXPECT_FALSE(IsPrimitiveRoot(1, degree, q));
    EXPECT_FALSE(IsPrimitiveRoot(0, degree, q));
  }
  EXPECT_EQ(GeneratePrimitiveRoot(2, 3), 2u);
  EXPECT_EQ(GeneratePrimitiveRoot(8, 7), 0u) << "8 does not divide 6";
  EXPECT_THROW(IsPrimitiveRoot(3, 3, 7), std::invalid_argument);
  EXPECT_THROW(MinimalPrimitiveRoot(8, 7), std::invalid_argument);
  EXPECT_THROW(MinimalPrimitiveRoot(2, 15), std::invalid_argument);
  EXPECT_THROW(GeneratePrimitiveRoot(2, 0), std::invalid_argument);
}

}  // namespace
}  // namespace ringlet::test
