// SPDX-License-Identifier: Apache-2.0
#include "ringlet/modulus.hpp"

#include <gmp.h>

#include <flint/ulong_extras.h>

#include "ringlet/error.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet {
namespace {

constexpr std::uint64_t kMaxWord = ~std::uint64_t{0};

const std::vector<std::uint64_t> kModuli = {2,
                                            3,
                                            4,
                                            1000,
                                            65537,
                                            1ull << 32,
                                            (1ull << 50) - 27,
                                            (1ull << 60) - 93,
                                            1ull << 61,
                                            (1ull << 62) - 57,
                                            (1ull << 62) - 1,
                                            1ull << 62,
                                            (1ull << 63) - 25,
                                            (1ull << 63) - 1};

TEST(Modulus, RefusesValuesOutsideItsRange) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63,
                                    (std::uint64_t{1} << 63) + 1, kMaxWord}) {
    try {
      const Modulus q(value);
      ADD_FAILURE() << value << " was accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.operation(), "Modulus");
      EXPECT_NE(error.offending().find(std::to_string(value)), std::string::npos);
      EXPECT_FALSE(error.limit().empty());
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

TEST(Modulus, TakesTheEndsOfItsRange) {
  EXPECT_EQ(Modulus(2).value(), 2u);
  EXPECT_EQ(Modulus(2).bit_count(), 2);
  EXPECT_EQ(Modulus((1ull << 63) - 1).value(), (1ull << 63) - 1);
  EXPECT_EQ(Modulus((1ull << 63) - 1).bit_count(), 63);
  EXPECT_EQ(kMaxModulusBits, 63);
  EXPECT_TRUE((std::is_convertible_v<std::uint64_t, Modulus>));
}

TEST(Modulus, RatioIsTheExactQuotient) {
  for (const std::uint64_t q : kModuli) {
    mpz_t numerator;
    mpz_t quotient;
    mpz_init(numerator);
    mpz_init(quotient);
    mpz_setbit(numerator, 128);
    mpz_fdiv_q_ui(quotient, numerator, q);
    EXPECT_EQ(Modulus(q).ratio().low, mpz_getlimbn(quotient, 0)) << q;
    EXPECT_EQ(Modulus(q).ratio().high, mpz_getlimbn(quotient, 1)) << q;
    mpz_clear(numerator);
    mpz_clear(quotient);
  }
}

TEST(Modulus, ComparesByValue) {
  EXPECT_EQ(Modulus(17), Modulus(17));
  EXPECT_NE(Modulus(17), Modulus(19));
  EXPECT_LT(Modulus(17), Modulus(19));
}

TEST(Modulus, ReduceAndMultiplyAgreeWithFlint) {
  auto rng = test::make_rng();
  for (const std::uint64_t value : kModuli) {
    const Modulus q(value);
    const mp_limb_t inverse = n_preinvert_limb(value);
    const std::vector<std::uint64_t> values = test::mixed_values(100, value, 1, rng);
    for (const std::uint64_t a : values) {
      for (const std::uint64_t b : values) {
        ASSERT_EQ(q.multiply(a, b), n_mulmod2_preinv(a, b, value, inverse)) << a << " " << b;
      }
      const std::uint64_t word = rng();
      ASSERT_EQ(q.reduce(word), n_mod2_preinv(word, value, inverse));
    }
    ASSERT_EQ(q.reduce(kMaxWord), kMaxWord % value);
  }
}

TEST(PowMod, AgreesWithFlint) {
  auto rng = test::make_rng();
  for (const std::uint64_t value : kModuli) {
    const Modulus q(value);
    const mp_limb_t inverse = n_preinvert_limb(value);
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t base = rng();
      const std::uint64_t exponent = rng();
      EXPECT_EQ(pow_mod(base, exponent, q),
                n_powmod2_ui_preinv(base % value, exponent, value, inverse));
    }
  }
}

TEST(PowMod, AtItsEdges) {
  const Modulus q((1ull << 63) - 25);
  EXPECT_EQ(pow_mod(5, 0, q), 1u);
  EXPECT_EQ(pow_mod(0, 0, q), 1u);
  EXPECT_EQ(pow_mod(0, kMaxWord, q), 0u);
  EXPECT_EQ(pow_mod(q.value() + 5, 1, q), 5u);
  EXPECT_EQ(pow_mod(q.value() - 1, kMaxWord, q), q.value() - 1);
  EXPECT_EQ(pow_mod(3, q.value() - 1, q), 1u);
  EXPECT_EQ(pow_mod(3, kMaxWord, Modulus(2)), 1u);
}

TEST(InverseMod, AgreesWithFlintOnUnits) {
  auto rng = test::make_rng();
  for (const std::uint64_t value : kModuli) {
    const Modulus q(value);
    std::vector<std::uint64_t> units = test::mixed_values(200, value, 1, rng);
    units.push_back(1);
    units.push_back(value - 1);
    for (const std::uint64_t unit : units) {
      if (std::gcd(unit, value) != 1) continue;
      ASSERT_EQ(inverse_mod(unit, q), n_invmod(unit, value)) << unit << " mod " << value;
    }
  }
}

TEST(InverseMod, IsExhaustivelyRightForSmallModuli) {
  for (std::uint64_t value = 2; value < 200; ++value) {
    const Modulus q(value);
    for (std::uint64_t x = 0; x < value; ++x) {
      if (std::gcd(x, value) == 1) {
        EXPECT_EQ(inverse_mod(x, q) * x % value, 1 % value);
        EXPECT_LT(inverse_mod(x, q), value);
      } else {
        EXPECT_THROW(inverse_mod(x, q), InvalidArgument);
      }
    }
  }
}

TEST(InverseMod, RefusesWhatHasNoInverseAndSaysWhy) {
  EXPECT_THROW(inverse_mod(0, Modulus(17)), InvalidArgument);
  EXPECT_THROW(inverse_mod(34, Modulus(17)), InvalidArgument);
  try {
    inverse_mod(6, Modulus(1000));
    FAIL() << "6 has no inverse modulo 1000";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.operation(), "inverse_mod");
    EXPECT_NE(error.offending().find("common divisor 2"), std::string::npos) << error.what();
    EXPECT_FALSE(error.limit().empty());
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(InverseMod, ReducesItsArgument) {
  EXPECT_EQ(inverse_mod(kMaxWord, Modulus(97)), n_invmod(kMaxWord % 97, 97));
}

}  // namespace
}  // namespace ringlet
