// SPDX-License-Identifier: Apache-2.0
#include "schemes/ckks/rounding.hpp"

#include <cfloat>
#include <climits>
#include <gmp.h>

#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::ckks {
namespace {

// value * 2^shift to the nearest integer, halves away from zero, modulo q: by GMP.
std::uint64_t residue_by_gmp(double value, int shift, std::uint64_t q) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  mpz_t integer;
  mpz_init_set_d(integer, std::ldexp(std::abs(fraction), 53));
  const int power = exponent - 53 + shift;
  if (power >= 0) {
    mpz_mul_2exp(integer, integer, static_cast<mp_bitcnt_t>(power));
  } else {
    mpz_t half;
    mpz_init_set_ui(half, 1);
    mpz_mul_2exp(half, half, static_cast<mp_bitcnt_t>(-power - 1));
    mpz_add(integer, integer, half);
    mpz_fdiv_q_2exp(integer, integer, static_cast<mp_bitcnt_t>(-power));
    mpz_clear(half);
  }
  if (value < 0) mpz_neg(integer, integer);
  const std::uint64_t residue = mpz_fdiv_ui(integer, q);
  mpz_clear(integer);
  return residue;
}

void expect_exact(const std::vector<double>& values, int shift) {
  const RoundedIntegers integers(values, shift, ceil_log2_of_largest(values, shift));
  std::vector<std::uint64_t> residues(values.size());
  for (const std::uint64_t q : {3ull, 40961ull, 1099510054913ull, 1152921504606830593ull}) {
    integers.reduce(residues, Modulus(q));
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(residues[i], residue_by_gmp(values[i], shift, q))
          << std::hexfloat << values[i] << " * 2^" << std::dec << shift << " mod " << q;
    }
  }
}

TEST(RoundedIntegers, HalvesGoAwayFromZero) {
  const std::vector<double> values{0.5, -0.5, 1.5, -1.5, 2.5, 0.49999999999999994, -0.0, 0.0};
  const RoundedIntegers integers(values, 0, ceil_log2_of_largest(values, 0));
  std::vector<std::uint64_t> residues(values.size());
  integers.reduce(residues, Modulus(97));
  EXPECT_EQ(residues, (std::vector<std::uint64_t>{1, 96, 2, 95, 3, 0, 0, 0}));
}

TEST(RoundedIntegers, EdgesOfWordsAndOfDoubles) {
  std::vector<double> values{0.0, -0.0, DBL_MIN, DBL_TRUE_MIN, -DBL_MIN};
  for (const int power : {-60, -55, -54, -53, -2, -1, 0, 1, 52, 53, 54, 62, 63, 64, 65}) {
    const double x = std::ldexp(1.0, power);
    values.insert(values.end(), {x, -x, std::nextafter(x, 0.0), std::nextafter(x, 1e300)});
  }
  for (const int shift : {0, 1, -1, 7, 63, 64, -64, 127, 1000}) expect_exact(values, shift);
}

TEST(RoundedIntegers, RandomValuesOfEverySize) {
  auto rng = test::make_rng();
  std::uniform_real_distribution<double> fraction(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(-80, 1023);
  std::uniform_int_distribution<int> shift(-500, 700);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> values(25);
    for (auto& value : values) value = std::ldexp(fraction(rng), exponent(rng));
    expect_exact(values, shift(rng));
  }
}

TEST(RoundedIntegers, OneInteger) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const Modulus q(40961);
  const auto residue = [&](std::int64_t value) {
    std::uint64_t result = 0;
    RoundedIntegers(value).reduce({&result, 1}, q);
    return result;
  };
  EXPECT_EQ(residue(0), 0u);
  EXPECT_EQ(residue(-1), 40960u);
  EXPECT_EQ(residue(kMax), static_cast<std::uint64_t>(kMax) % 40961);
  EXPECT_EQ(residue(kMin), 40961 - (std::uint64_t{1} << 63) % 40961);
  EXPECT_EQ(RoundedIntegers(0).ceil_log2(), INT_MIN);
  EXPECT_EQ(RoundedIntegers(1).ceil_log2(), 0);
  EXPECT_EQ(RoundedIntegers(-5).ceil_log2(), 3);
  EXPECT_EQ(RoundedIntegers(8).ceil_log2(), 3);
  EXPECT_EQ(RoundedIntegers(kMin).ceil_log2(), 63);
}

TEST(CeilLog2, IsThatOfTheLargestMagnitude) {
  EXPECT_EQ(ceil_log2_of_largest(std::vector<double>{0.0, -0.0}, 5), INT_MIN);
  EXPECT_EQ(ceil_log2_of_largest(std::vector<double>{1.0, -8.0, 3.0}, 0), 3);
  EXPECT_EQ(ceil_log2_of_largest(std::vector<double>{std::nextafter(8.0, 9.0)}, 2), 6);
  EXPECT_EQ(ceil_log2_of_largest(std::vector<double>{0.25}, 0), -2);
  EXPECT_EQ(ceil_log2_of_largest(std::vector<double>{DBL_TRUE_MIN}, 0), -1074);
}

TEST(AllFinite, FindsEveryKindOfOffence) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(all_finite(std::vector<double>{}));
  EXPECT_TRUE(all_finite(std::vector<double>{0.0, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN}));
  for (const double bad : {infinity, -infinity, std::nan(""), -std::nan("1")}) {
    EXPECT_FALSE(all_finite(std::vector<double>{1.0, bad, 2.0}));
  }
}

}  // namespace
}  // namespace ringlet::ckks
