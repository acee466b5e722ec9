// SPDX-License-Identifier: Apache-2.0
#include "seal/modulus.h"

#include <climits>

#include <flint/ulong_extras.h>

#include "parameter_vectors.hpp"
#include "support/big_integer.hpp"
#include "support/values.hpp"
#include "thrown.hpp"

namespace ringlet::test {
namespace {

using namespace seal;  // NOLINT(google-build-using-namespace)
using seal::Modulus;   // and not Ringlet's own

constexpr std::uint64_t kLargest = (std::uint64_t{1} << 61) - 1;

std::vector<std::uint64_t> values_of(const std::vector<Modulus>& moduli) {
  std::vector<std::uint64_t> values;
  for (const Modulus& modulus : moduli) values.push_back(modulus.value());
  return values;
}

/// The low and the high word of floor(2^128/q), and the remainder, by GMP.
std::array<std::uint64_t, 3> divided(std::uint64_t q) {
  Integer number(1);
  Integer quotient;
  mpz_mul_2exp(number.get(), number.get(), 128);
  const std::uint64_t remainder = mpz_fdiv_q_ui(quotient.get(), number.get(), q);
  return {mpz_getlimbn(quotient.get(), 0), mpz_getlimbn(quotient.get(), 1), remainder};
}

TEST(SealModulus, values_at_the_edges) {
  EXPECT_TRUE(Modulus().is_zero());
  EXPECT_EQ(Modulus(0).bit_count(), 0);
  EXPECT_FALSE(Modulus(0).is_prime());
  EXPECT_EQ(Modulus(0).const_ratio(), (std::array<std::uint64_t, 3>{0, 0, 0}));
  EXPECT_EQ(Modulus(0).uint64_count(), 1u);
  EXPECT_LOGIC_ERROR(Modulus().reduce(5));
  EXPECT_INVALID_ARGUMENT(Modulus(1));
  EXPECT_INVALID_ARGUMENT(Modulus(kLargest + 1));
  EXPECT_INVALID_ARGUMENT(Modulus(~std::uint64_t{0}));
  EXPECT_EQ(Modulus(kLargest).bit_count(), 61);
  EXPECT_TRUE(Modulus(kLargest).is_prime());
  EXPECT_EQ(*Modulus(kLargest).data(), kLargest);
}

TEST(SealModulus, ratio_reduction_and_primality_by_gmp_and_flint) {
  auto rng = make_rng();
  std::vector<std::uint64_t> moduli{2, 3, 4, 5, 12, 65537, kLargest, kLargest - 1};
  for (int bits = 2; bits <= 61; ++bits) {
    moduli.push_back(std::uint64_t{1} << (bits - 1));
    moduli.push_back((std::uint64_t{1} << bits) - 1);
    moduli.push_back(n_nextprime(std::uint64_t{1} << (bits - 1), 1));
  }
  for (const std::uint64_t q : moduli) {
    SCOPED_TRACE(q);
    const Modulus modulus = q;
    EXPECT_EQ(modulus.value(), q);
    EXPECT_FALSE(modulus.is_zero());
    EXPECT_EQ(modulus.bit_count(), static_cast<int>(FLINT_BIT_COUNT(q)));
    EXPECT_EQ(modulus.const_ratio(), divided(q));
    EXPECT_EQ(modulus.is_prime(), n_is_prime(q) != 0);
    for (const std::uint64_t x :
         {std::uint64_t{0}, q - 1, q, q + 1, 2 * q - 1, 4 * q - 1, ~std::uint64_t{0}, rng()}) {
      EXPECT_EQ(modulus.reduce(x), x % q) << x;
    }
  }
}

TEST(SealModulus, comparisons_with_moduli_and_numbers) {
  const Modulus a = 17, b = 19;
  EXPECT_TRUE(a == Modulus(17) && a == 17u && a != b && a != 19u);
  EXPECT_FALSE(a != Modulus(17) || a != 17u || a == b || a == 19u);
  EXPECT_TRUE(a < b && a <= b && a <= a && b > a && b >= a && a >= a);
  EXPECT_FALSE(b < a || b <= a || a > b || a >= b || a < a || a > a);
  EXPECT_TRUE(a < 19u && a <= 17u && a > 16u && a >= 17u);
  EXPECT_FALSE(a < 17u || a <= 16u || a > 17u || a >= 18u);
}

TEST(SealModulus, a_refused_assignment_changes_nothing) {
  Modulus modulus = 17;
  modulus = 12;
  EXPECT_EQ(modulus, 12u);
  EXPECT_EQ(modulus.reduce(25), 1u);
  EXPECT_INVALID_ARGUMENT(modulus = 1);
  EXPECT_EQ(modulus, 12u);
  EXPECT_EQ(modulus.reduce(25), 1u);
}

static_assert(noexcept(CoeffModulus::MaxBitCount(0)) && CoeffModulus::MaxBitCount(4096) == 109 &&
              CoeffModulus::MaxBitCount(8191, sec_level_type::none) == INT_MAX);

TEST(SealCoeffModulus, largest_bit_counts_as_seal_gives_them) {
  std::size_t lines = 0;
  for (std::istringstream& line : parameter_vectors("max_bits")) {
    int level = 0, bits = 0;
    std::size_t degree = 0;
    line >> level >> degree >> bits;
    EXPECT_EQ(CoeffModulus::MaxBitCount(degree, static_cast<sec_level_type>(level)), bits)
        << degree << " at level " << level;
    ++lines;
  }
  EXPECT_EQ(lines, 40u);
}

TEST(SealCoeffModulus, default_primes_as_seal_gives_them) {
  std::size_t lines = 0;
  for (std::istringstream& line : parameter_vectors("default")) {
    int level = 0;
    std::size_t degree = 0;
    std::string primes;
    line >> level >> degree >> primes;
    SCOPED_TRACE(testing::Message() << degree << " at level " << level);
    const auto sec_level = static_cast<sec_level_type>(level);
    const std::vector<Modulus> chosen = CoeffModulus::BFVDefault(degree, sec_level);
    EXPECT_EQ(values_of(chosen), values_of(parse_moduli(primes)));
    int bits = 0;
    for (const Modulus& prime : chosen) {
      EXPECT_TRUE(prime.is_prime());
      EXPECT_EQ(prime.value() % (2 * degree), 1u);
      bits += prime.bit_count();
    }
    EXPECT_LE(bits, CoeffModulus::MaxBitCount(degree, sec_level) + static_cast<int>(chosen.size()));
    ++lines;
  }
  EXPECT_EQ(lines, 18u);
  EXPECT_EQ(values_of(CoeffModulus::BFVDefault(4096)),
            (std::vector<std::uint64_t>{0xffffee001, 0xffffc4001, 0x1ffffe0001}));
}

TEST(SealCoeffModulus, default_primes_exist_for_tabulated_degrees_alone) {
  for (const std::size_t degree : {0u, 1u, 512u, 1023u, 65536u}) {
    for (const auto level : {sec_level_type::tc128, sec_level_type::tc192, sec_level_type::tc256}) {
      EXPECT_INVALID_ARGUMENT(CoeffModulus::BFVDefault(degree, level));
    }
  }
  EXPECT_INVALID_ARGUMENT(CoeffModulus::BFVDefault(4096, sec_level_type::none));
}

TEST(SealCoeffModulus, created_primes_as_seal_chooses_them) {
  EXPECT_EQ(values_of(CoeffModulus::Create(8192, {60, 40, 40, 60})),
            (std::vector<std::uint64_t>{0xffffffffffe8001, 0xfffff4c001, 0xfffffdc001,
                                        0xfffffffffffc001}));
  EXPECT_TRUE(CoeffModulus::Create(8192, {}).empty());
  EXPECT_EQ(values_of(CoeffModulus::Create(2, {3})), std::vector<std::uint64_t>{5});
  std::size_t lines = 0;
  for (std::istringstream& line : parameter_vectors("create")) {
    std::size_t degree = 0;
    std::string sizes, primes;
    line >> degree >> sizes >> primes;
    std::vector<int> bit_sizes;
    for (const std::string& part : split(sizes, ',')) bit_sizes.push_back(std::stoi(part));
    EXPECT_EQ(values_of(CoeffModulus::Create(degree, bit_sizes)), values_of(parse_moduli(primes)))
        << degree << ": " << sizes;
    EXPECT_EQ(values_of(PlainModulus::Batching(degree, bit_sizes)),
              values_of(parse_moduli(primes)));
    ++lines;
  }
  EXPECT_GE(lines, 6u);
}

TEST(SealCoeffModulus, the_largest_primes_of_a_size_by_flint) {
  for (const int bits : {7, 9, 13, 20}) {
    std::vector<std::uint64_t> all;  // decreasing
    for (std::uint64_t q = (std::uint64_t{1} << bits) - 1; q >> (bits - 1) == 1; --q) {
      if (q % 16 == 1 && n_is_prime(q)) all.push_back(q);
    }
    const std::size_t count = std::min<std::size_t>(all.size(), 256);
    const std::vector<int> sizes(count, bits);
    const std::vector<std::uint64_t> chosen = values_of(CoeffModulus::Create(8, sizes));
    std::vector<std::uint64_t> expected(all.begin(),
                                        all.begin() + static_cast<std::ptrdiff_t>(count));
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(chosen, expected) << bits;
    if (count == all.size()) {
      EXPECT_LOGIC_ERROR(CoeffModulus::Create(8, std::vector<int>(count + 1, bits))) << bits;
    }
  }
}

TEST(SealCoeffModulus, requests_outside_the_limits) {
  for (const std::size_t degree : {0u, 1u, 3u, 8191u, 262144u}) {
    EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(degree, {30}));
    EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(degree, 17, {30}));
    EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(degree, {}));
  }
  for (const int bits : {-1, 0, 1, 61, 62}) {
    EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(8, {30, bits}));
    EXPECT_INVALID_ARGUMENT(PlainModulus::Batching(8, bits));
  }
  EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(8, std::vector<int>(257, 40)));
  EXPECT_EQ(CoeffModulus::Create(8, std::vector<int>(256, 40)).size(), 256u);
  // Within the limits, but 17 bits have no prime that is 1 modulo 2^18.
  EXPECT_LOGIC_ERROR(CoeffModulus::Create(131072, {17}));
}

TEST(SealCoeffModulus, primes_that_keep_the_correction_factor) {
  for (const std::uint64_t t : {3u, 17u, 65537u, 1032193u, 12u}) {
    const std::vector<Modulus> primes = CoeffModulus::Create(4096, t, {50, 60, 50});
    ASSERT_EQ(primes.size(), 3u);
    const std::uint64_t factor = n_gcd(8192, t);
    for (const Modulus& prime : primes) {
      EXPECT_TRUE(n_is_prime(prime.value()));
      EXPECT_EQ(prime.value() % 8192, 1u);
      EXPECT_EQ(prime.value() % t, 1u) << t;
    }
    EXPECT_LT(primes[0], primes[2]);
    // No larger one was passed over.
    const std::uint64_t step = 8192 / factor * t;
    for (std::uint64_t q = primes[1].value() + step; q >> 60 == 0; q += step) {
      EXPECT_FALSE(n_is_prime(q)) << q;
    }
  }
  EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(4096, 0, {50}));
  // Within the limits, but lcm(8192, t) has 65 and 74 bits; the first wraps around to 8192.
  EXPECT_LOGIC_ERROR(CoeffModulus::Create(4096, (std::uint64_t{1} << 51) + 1, {50}));
  EXPECT_LOGIC_ERROR(CoeffModulus::Create(4096, kLargest, {50}));
}

TEST(SealPlainModulus, batching) {
  EXPECT_EQ(PlainModulus::Batching(8192, 20), 1032193u);
  EXPECT_EQ(PlainModulus::Batching(2, 60).value() % 4, 1u);
}

}  // namespace
}  // namespace ringlet::test
