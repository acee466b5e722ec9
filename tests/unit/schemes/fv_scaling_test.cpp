// SPDX-License-Identifier: Apache-2.0
// Scaling of messages against GMP: every rounding boundary for small t, both sides of it, and
// random values.

#include "schemes/fv/message_scaling.hpp"
#include "support/environment.hpp"
#include "support/test.hpp"
#include "unit/schemes/fv_support.hpp"

namespace ringlet::test {
namespace {

WideInteger to_wide(const Integer& value) {
  WideInteger words{};
  mpz_export(words.data(), nullptr, -1, sizeof(std::uint64_t), 0, 0, value.get());
  return words;
}

// floor((2 * factor * x + divisor) / (2 * divisor)): x * factor / divisor, a half rounded up.
Integer rounded_quotient(const Integer& x, const Integer& factor, const Integer& divisor) {
  Integer result;
  mpz_mul(result.get(), x.get(), factor.get());
  mpz_mul_2exp(result.get(), result.get(), 1);
  mpz_add(result.get(), result.get(), divisor.get());
  Integer twice;
  mpz_mul_2exp(twice.get(), divisor.get(), 1);
  mpz_fdiv_q(result.get(), result.get(), twice.get());
  return result;
}

struct Scaling {
  Scaling(const WideModulus& modulus, std::uint64_t plain_modulus)
      : q(to_integer(modulus.value())), t(plain_modulus), scaling(modulus, plain_modulus) {}

  void expect_unscale(const Integer& w) const {
    if (mpz_sgn(w.get()) < 0 || mpz_cmp(w.get(), q.get()) >= 0) return;
    const std::uint64_t wanted = rounded_quotient(w, Integer(t), q).residue(t);
    ASSERT_EQ(scaling.unscale(to_wide(w)), wanted) << "w = " << text(w);
  }
  void expect_scale(std::uint64_t m) const {
    const Integer wanted = rounded_quotient(Integer(m), q, Integer(t));
    ASSERT_EQ(text(to_integer(scaling.scale(m))), text(wanted)) << "m = " << m;
    ASSERT_LT(mpz_cmp(to_integer(scaling.scale(m)).get(), q.get()), 0);
  }
  // w around (2m - 1) * q / (2t), where the message goes from m - 1 to m, and around m * q / t.
  void expect_boundary(std::uint64_t m) const {
    for (const std::uint64_t twice : {2 * m, 2 * m + 1}) {
      Integer w = q;
      mpz_mul_ui(w.get(), w.get(), twice);
      mpz_fdiv_q_ui(w.get(), w.get(), 2 * t);
      mpz_sub_ui(w.get(), w.get(), 2);
      for (int step = 0; step < 5; ++step) {
        expect_unscale(w);
        mpz_add_ui(w.get(), w.get(), 1);
      }
    }
  }
  static std::string text(const Integer& value) {
    std::string digits(mpz_sizeinbase(value.get(), 10) + 2, '\0');
    mpz_get_str(digits.data(), 10, value.get());
    return digits.c_str();
  }

  Integer q;
  std::uint64_t t;
  fv::MessageScaling scaling;
};

// Primes, powers of two and their neighbours, at all sizes.
std::vector<WideModulus> moduli() {
  std::vector<WideModulus> result;
  for (int bits = 2; bits <= kMaxWideModulusBits; ++bits) {
    Integer power(1);
    mpz_mul_2exp(power.get(), power.get(), static_cast<mp_bitcnt_t>(bits - 1));
    for (int step = 0; step < 2; ++step) {
      result.emplace_back(to_wide(power));  // 2^(bits - 1), 2^(bits - 1) + 1
      mpz_add_ui(power.get(), power.get(), 1);
    }
    Integer ones(1);
    mpz_mul_2exp(ones.get(), ones.get(), static_cast<mp_bitcnt_t>(bits));
    mpz_sub_ui(ones.get(), ones.get(), 1);
    result.emplace_back(to_wide(ones));
  }
  return result;
}

const std::vector<std::uint64_t>& plain_moduli() {
  static const std::vector<std::uint64_t> kModuli{
      2,          3,          4,          5,          16,
      17,         255,        256,        65537,      1000003,
      0x7fffffff, 0x80000000, 0xfffffffb, 0xffffffff, std::uint64_t{1} << 32};
  return kModuli;
}

bool fits(const WideModulus& q, std::uint64_t t) { return q.word_count() > 1 || t <= q.value()[0]; }

TEST(FvScaling, EveryBoundaryOfSmallPlainModuli) {
  for (const WideModulus& q : moduli()) {
    for (const std::uint64_t t : plain_moduli()) {
      if (t > 17 || !fits(q, t)) continue;
      SCOPED_TRACE("q = " + q.to_string() + ", t = " + std::to_string(t));
      const Scaling scaling(q, t);
      for (std::uint64_t m = 0; m < t; ++m) {
        scaling.expect_scale(m);
        scaling.expect_boundary(m);
      }
      ASSERT_FALSE(::testing::Test::HasFailure());
    }
  }
}

TEST(FvScaling, RandomValuesAndEdges) {
  auto rng = make_rng();
  gmp_randstate_t state;
  gmp_randinit_mt(state);
  gmp_randseed_ui(state, rng());
  for (const WideModulus& q : moduli()) {
    for (const std::uint64_t t : plain_moduli()) {
      if (!fits(q, t)) continue;
      SCOPED_TRACE("q = " + q.to_string() + ", t = " + std::to_string(t));
      const Scaling scaling(q, t);
      for (const std::uint64_t m : {std::uint64_t{0}, std::uint64_t{1}, t / 2, t - 1}) {
        scaling.expect_scale(m);
        scaling.expect_boundary(m);
      }
      Integer w;
      for (std::size_t i = 0; i < scaled(3); ++i) {
        const std::uint64_t m = rng() % t;
        scaling.expect_scale(m);
        scaling.expect_boundary(m);
        mpz_urandomm(w.get(), state, scaling.q.get());
        scaling.expect_unscale(w);
      }
      mpz_sub_ui(w.get(), scaling.q.get(), 1);
      scaling.expect_unscale(w);
      scaling.expect_unscale(Integer(0));
      ASSERT_FALSE(::testing::Test::HasFailure());
    }
  }
  gmp_randclear(state);
}

TEST(FvScaling, PolynomialsAreScaledInPlaceAndNoiseIsFound) {
  auto rng = make_rng();
  for (const int bits : {20, 64, 65, 125, 128, 129, 135}) {
    const WideModulus q = WideModulus::largest_prime(bits);
    const Scaling scaling(q, 5);
    const std::vector<std::uint64_t> message = random_values(37, 5, rng);
    WidePoly poly(message.size(), q.word_count());
    // Coefficient i starts as q - 1 - i, that is as -(1 + i).
    for (std::size_t i = 0; i < poly.degree(); ++i) {
      Integer value = scaling.q;
      mpz_sub_ui(value.get(), value.get(), 1 + i);
      poly.set(i, to_wide(value));
    }
    scaling.scaling.add_scaled(poly, message);
    for (std::size_t i = 0; i < poly.degree(); ++i) {
      Integer wanted = rounded_quotient(Integer(message[i]), scaling.q, Integer(5));
      mpz_sub_ui(wanted.get(), wanted.get(), 1 + i);
      mpz_fdiv_r(wanted.get(), wanted.get(), scaling.q.get());
      EXPECT_EQ(poly[i], to_wide(wanted));
    }
    std::vector<std::uint64_t> back(message.size());
    scaling.scaling.unscale(back, poly);
    EXPECT_EQ(back, message);
    EXPECT_EQ(scaling.scaling.largest_noise(poly, message), (WideInteger{message.size(), 0, 0}));
  }
}

}  // namespace
}  // namespace ringlet::test
