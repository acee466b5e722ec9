// SPDX-License-Identifier: Apache-2.0
#include "ringlet/arith/modular.hpp"

#include <gmpxx.h>

#include <flint/ulong_extras.h>

#include "ringlet/arith/modulus.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

// Scalar arithmetic modulo one word, by its functions and by Modulus.

namespace ringlet::test {
namespace {

constexpr std::uint64_t kMaxWord = ~std::uint64_t{0};

constexpr std::uint64_t power(int bits) { return std::uint64_t{1} << bits; }

/// Of every kind, and others beside powers of two.
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

/// Edges and uniform values of the whole word.
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
