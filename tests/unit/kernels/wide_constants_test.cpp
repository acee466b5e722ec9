// SPDX-License-Identifier: Apache-2.0
#include <gmp.h>

#include "arith/wide_integer.hpp"
#include "kernels/wide/constants.hpp"
#include "kernels/wide/factor_writer.hpp"
#include "support/double_words.hpp"
#include "support/environment.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Constants of moduli and factors in limbs of 64, 52 and 28 bits, against GMP.

namespace ringlet::test {
namespace {

using kernels::WideConstants;
using kernels::WideFactor;
using kernels::WideForm;

constexpr std::array<WideForm, 5> kForms = {{
    {.limb_bits = 64, .limb_count = 2},
    {.limb_bits = 64, .limb_count = 2, .factor = WideFactor::montgomery},
    {.limb_bits = 52, .limb_count = 3},
    {.limb_bits = 52, .limb_count = 3, .factor = WideFactor::montgomery},
    {.limb_bits = 28, .limb_count = 5},
}};

std::vector<WideModulus> moduli() {
  std::vector<WideModulus> list = {
      WideModulus({3, 0, 0}),
      WideModulus({5, 0, 0}),
      WideModulus({32749, 0, 0}),
      WideModulus({~std::uint64_t{0}, (std::uint64_t{1} << 60) - 1, 0}),  // 2^124 - 1
      WideModulus({1, std::uint64_t{1} << 59, 0}),                        // 2^123 + 1
      generate_special_wide_primes(124, 1).front(),
      generate_wide_ntt_primes(100, 16, 1).front()};
  for (const int bits : {63, 64, 65, 104, 123, 124}) {
    list.push_back(WideModulus::largest_prime(bits));
  }
  return list;
}

/// The integer that `count` limbs are; each of them is checked to be one.
void set_limbs(Mpz& integer, const std::uint64_t* limbs, const WideForm& form) {
  mpz_set_ui(integer.get(), 0);
  for (int i = form.limb_count; i-- > 0;) {
    if (form.limb_bits < 64) {
      ASSERT_EQ(limbs[i] >> form.limb_bits, 0U);
    }
    mpz_mul_2exp(integer.get(), integer.get(), static_cast<mp_bitcnt_t>(form.limb_bits));
    mpz_add_ui(integer.get(), integer.get(), limbs[i]);
  }
}

void set_power(Mpz& integer, int exponent) {
  mpz_ui_pow_ui(integer.get(), 2, static_cast<unsigned long>(exponent));
}

void set_wide(Mpz& integer, const WideInteger& x) {
  mpz_import(integer.get(), x.size(), -1, sizeof x[0], 0, 0, x.data());
}

void expect_limbs(const char* what, const std::uint64_t* limbs, const Mpz& expected,
                  const WideForm& form) {
  Mpz value;
  set_limbs(value, limbs, form);
  EXPECT_EQ(mpz_cmp(value.get(), expected.get()), 0)
      << what << " in limbs of " << form.limb_bits << " bits";
}

TEST(WideConstants, LimbsAreDigitsAndTheRestIsDropped) {
  auto rng = make_rng();
  Mpz value;
  Mpz beta;
  for (const WideForm& form : kForms) {
    set_power(beta, form.limb_bits * form.limb_count);
    for (std::size_t i = 0; i < scaled(2000); ++i) {
      WideInteger x = {rng(), rng(), rng()};
      if (i == 0) x = {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
      if (i == 1) x = {};
      std::uint64_t limbs[kernels::kMaxWideLimbs] = {};
      kernels::split_limbs(limbs, x, form);
      set_wide(value, x);
      mpz_mod(value.get(), value.get(), beta.get());
      expect_limbs("x", limbs, value, form);
    }
  }
}

TEST(WideConstants, QuotientsOfPowersAreThoseOfGmp) {
  auto rng = make_rng();
  Mpz power;
  Mpz divisor;
  Mpz quotient;
  std::size_t count = 0;
  for (const int exponent : {0, 1, 64, 128, 156, 191, 250, 300, 380}) {
    set_power(power, exponent);
    for (std::size_t i = 0; i < scaled(1000); ++i) {
      const int bits = 1 + static_cast<int>(rng() % 190);
      if (exponent - 191 > bits - 1) continue;  // The quotient has more than 192 bits.
      WideInteger x = wide::shift_right({rng(), rng(), rng()}, 192 - bits);
      const auto top = static_cast<std::size_t>(bits - 1);
      x[top / 64] |= std::uint64_t{1} << top % 64;
      if (i % 5 == 0) x = wide::shift_right({0, 0, std::uint64_t{1} << 63}, 192 - bits);
      set_wide(divisor, x);
      mpz_fdiv_q(quotient.get(), power.get(), divisor.get());
      set_wide(divisor, kernels::quotient_of_power(exponent, x));
      ASSERT_EQ(mpz_cmp(divisor.get(), quotient.get()), 0) << exponent << ", " << bits << " bits";
      ++count;
    }
  }
  EXPECT_GT(count, 5000U);
}

TEST(WideConstants, BarrettsConstantsAreThoseOfGmp) {
  Mpz shifted;
  Mpz quotient;
  for (const WideModulus& q : moduli()) {
    const DoubleBarrett barrett =
        kernels::make_double_barrett(join_words(q.value()[0], q.value()[1]));
    EXPECT_EQ(barrett.shift, 124 - q.bit_count());
    mpz_mul_2exp(shifted.get(), Mpz(q).get(), static_cast<mp_bitcnt_t>(barrett.shift));
    EXPECT_EQ(mpz_sizeinbase(shifted.get(), 2), 124U);
    set_power(quotient, 250);
    mpz_fdiv_q(quotient.get(), quotient.get(), shifted.get());
    EXPECT_EQ((DoubleWord{low_word(barrett.shifted_q), high_word(barrett.shifted_q)}),
              shifted.words());
    EXPECT_EQ((DoubleWord{low_word(barrett.quotient), high_word(barrett.quotient)}),
              quotient.words());
  }
}

/// The factor w of q in `form`, as its limbs and those of its quotient.
void expect_factor(const std::uint64_t* words, const Mpz& w, const Mpz& q, const WideForm& form) {
  Mpz beta;
  set_power(beta, form.limb_bits * form.limb_count);
  Mpz expected;
  mpz_mul(expected.get(), w.get(), beta.get());
  if (form.factor == WideFactor::montgomery) {
    mpz_mod(expected.get(), expected.get(), q.get());
    return expect_limbs("w * beta mod q", words, expected, form);
  }
  expect_limbs("w", words, w, form);
  if (form.factor == WideFactor::plain) return;
  mpz_fdiv_q(expected.get(), expected.get(), q.get());
  expect_limbs("floor(w * beta / q)", words + form.limb_count, expected, form);
}

TEST(WideConstants, OfAModulusAreThoseOfGmp) {
  Mpz expected;
  Mpz beta;
  for (const WideModulus& modulus : moduli()) {
    SCOPED_TRACE(modulus.to_string());
    const Mpz q(modulus);
    for (const WideForm& form : kForms) {
      WideConstants c;
      kernels::build_wide_constants(c, modulus.value().data(), form);
      set_power(beta, form.limb_bits * form.limb_count);
      EXPECT_EQ((DoubleWord{c.words[0], c.words[1]}), q.words());
      EXPECT_EQ(c.bits, modulus.bit_count());
      expect_limbs("q", c.q, q, form);
      mpz_sub(expected.get(), beta.get(), q.get());
      expect_limbs("beta - q", c.negated, expected, form);
      ASSERT_NE(mpz_invert(expected.get(), q.get(), beta.get()), 0);
      expect_limbs("q^-1 modulo beta", c.inverse, expected, form);
      EXPECT_EQ(c.shift, form.barrett_bits - c.bits);
      mpz_mul_2exp(expected.get(), q.get(), static_cast<mp_bitcnt_t>(c.shift));
      expect_limbs("q'", c.shifted, expected, form);
      Mpz power;
      set_power(power, form.barrett_exponent);
      mpz_fdiv_q(expected.get(), power.get(), expected.get());
      expect_limbs("floor(2^250 / q')", c.quotient, expected, form);
      expect_factor(c.one, Mpz(DoubleWord{1, 0}), q, form);
    }
  }
}

TEST(WideConstants, FactorsAreThoseOfGmp) {
  auto rng = make_rng();
  for (const WideModulus& modulus : moduli()) {
    SCOPED_TRACE(modulus.to_string());
    const Mpz q(modulus);
    DoubleWords factors = edge_elements(modulus);
    const DoubleWords more = random_elements(scaled(200), modulus, rng);
    factors.insert(factors.end(), more.begin(), more.end());
    std::erase_if(factors, [&](const DoubleWord& w) {
      return mpz_cmp(Mpz(w).get(), q.get()) >= 0;  // 2^64 - 1 and the like for a short q
    });
    std::vector<WideForm> forms(kForms.begin(), kForms.end());
    forms.push_back({.limb_bits = 28, .limb_count = 5, .factor = WideFactor::plain});
    for (const WideForm& form : forms) {
      WideConstants c;
      kernels::build_wide_constants(c, modulus.value().data(), form);
      const kernels::WideFactorWriter writer(join_words(c.words[0], c.words[1]), form);
      for (const DoubleWord& w : factors) {
        std::array<std::uint64_t, kernels::kMaxWideFactorWords> by_constants{};
        std::array<std::uint64_t, kernels::kMaxWideFactorWords> by_writer{};
        kernels::write_wide_factor(by_constants.data(), w.data(), c, form);
        writer.write(by_writer.data(), join_words(w[0], w[1]));
        EXPECT_EQ(by_constants, by_writer);
        expect_factor(by_constants.data(), Mpz(w), q, form);
      }
    }
  }
}

}  // namespace
}  // namespace ringlet::test
