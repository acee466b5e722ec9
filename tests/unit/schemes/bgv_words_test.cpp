// SPDX-License-Identifier: Apache-2.0
// What BGV does to the words of ciphertexts, and how it reads them, against big integers.

#include "ringlet/primes.hpp"
#include "schemes/bgv/balance.hpp"
#include "support/test.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

// The integers m or, from (t+1)/2 on, m - t.
Integer centred_message(std::uint64_t m, std::uint64_t t) {
  Integer value(m);
  if (m >= (t + 1) / 2) mpz_sub_ui(value.get(), value.get(), t);
  return value;
}

class BgvWords : public ::testing::TestWithParam<ExactShape> {
 protected:
  BgvWords() : rng_(make_rng()) {}

  // A number coprime to t.
  std::uint64_t random_factor() {
    while (true) {
      const std::uint64_t factor = 1 + rng_() % (exact_.t() - 1);
      if (std::gcd(factor, exact_.t()) == 1) return factor;
    }
  }
  Ciphertext random(const ContextData& level, std::size_t size) {
    Ciphertext result = random_ciphertext(exact_.context, level, size, rng_);
    result.correction_factor() = random_factor();
    return result;
  }
  std::uint64_t times(std::uint64_t a, std::uint64_t b) const {
    return exact_.context.plain_modulus().multiply(a, b);
  }
  std::uint64_t inverse(std::uint64_t a) const {
    Integer result(a);
    const Integer t(exact_.t());
    mpz_invert(result.get(), result.get(), t.get());
    return mpz_get_ui(result.get());
  }

  Exact exact_{SchemeType::bgv, GetParam()};
  std::mt19937_64 rng_;
};

TEST_P(BgvWords, ProductsAreTensors) {
  for (const ContextData* level : exact_.levels()) {
    for (const auto& [size_a, size_b] : std::vector<std::pair<std::size_t, std::size_t>>{
             {2, 2}, {3, 2}, {2, 15}, {8, 9}, {3, 3}}) {
      if (exact_.degree() > 64 && size_a + size_b > 6) continue;
      const Ciphertext a = random(*level, size_a);
      const Ciphertext b = random(*level, size_b);
      const auto x = integers_of(exact_.context, a);
      const auto y = integers_of(exact_.context, b);
      Ciphertext product;
      exact_.evaluator.multiply(a, b, product);
      expect_polynomials(exact_, product, tensor_of(x, y), *level,
                         times(a.correction_factor(), b.correction_factor()));
      if (size_a != 2 && size_a != 8) continue;
      exact_.evaluator.square(a, product);
      expect_polynomials(exact_, product, tensor_of(x, x), *level,
                         times(a.correction_factor(), a.correction_factor()));
    }
  }
}

TEST_P(BgvWords, PlaintextsAreLiftedWithTheFactor) {
  for (const ContextData* level : exact_.levels()) {
    for (const std::size_t size : {std::size_t{2}, kMaxCiphertextSize}) {
      const Ciphertext a = random(*level, size);
      const PlainPoly message = exact_.random_message(rng_);
      auto sum = integers_of(exact_.context, a);
      auto difference = sum;
      for (std::size_t n = 0; n < exact_.degree(); ++n) {
        const Integer addend =
            centred_message(times(message[n], a.correction_factor()), exact_.t());
        mpz_add(sum[0][n].get(), sum[0][n].get(), addend.get());
        mpz_sub(difference[0][n].get(), difference[0][n].get(), addend.get());
      }
      const Plaintext plain = plain_of(message.coefficients());
      Ciphertext result;
      exact_.evaluator.add_plain(a, plain, result);
      expect_polynomials(exact_, result, sum, *level, a.correction_factor());
      exact_.evaluator.sub_plain(a, plain, result);
      expect_polynomials(exact_, result, difference, *level, a.correction_factor());
    }
  }
}

// (c - delta) / p, delta = t * [c * t^-1]_p centred; the factor is divided by p.
TEST_P(BgvWords, ModulusSwitchingKeepsMessages) {
  const auto levels = exact_.levels();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Ciphertext a = random(*levels[i], 2 + i % 3);
    auto polys = integers_of(exact_.context, a);
    std::uint64_t factor = a.correction_factor();
    for (std::size_t j = i; j < levels.size(); ++j) {
      Ciphertext result;
      exact_.evaluator.mod_switch_to(a, levels[j]->parms_id(), result);
      expect_polynomials(exact_, result, polys, *levels[j], factor);
      if (j == i + 1) {
        exact_.evaluator.mod_switch_to_next(a, result);
        expect_polynomials(exact_, result, polys, *levels[j], factor);
      }
      const Integer p(levels[j]->coeff_modulus().back().value());
      factor = times(factor, inverse(mpz_fdiv_ui(p.get(), exact_.t())));
      Integer inverse_t(exact_.t());
      mpz_invert(inverse_t.get(), inverse_t.get(), p.get());
      for (Integers& poly : polys) {
        for (Integer& value : poly) {
          Integer delta;
          mpz_mul(delta.get(), value.get(), inverse_t.get());
          delta = centred(delta, p);
          mpz_submul_ui(value.get(), delta.get(), exact_.t());
          ASSERT_NE(mpz_divisible_p(value.get(), p.get()), 0);
          mpz_divexact(value.get(), value.get(), p.get());
        }
      }
    }
  }
}

TEST_P(BgvWords, ModulusReductionKeepsTheFactor) {
  const auto levels = exact_.levels();
  const Ciphertext a = random(*levels.front(), 3);
  const auto polys = integers_of(exact_.context, a);
  for (const ContextData* level : levels) {
    Ciphertext result;
    exact_.evaluator.mod_reduce_to(a, level->parms_id(), result);
    expect_polynomials(exact_, result, polys, *level, a.correction_factor());
  }
}

// [phase]_Q centred, divided by the factor modulo t; the budget is that of the phase itself.
TEST_P(BgvWords, DecryptionReadsThePhase) {
  for (const ContextData* level : exact_.levels()) {
    for (const std::size_t size : {2, 3, 5}) {
      const Ciphertext a = random(*level, size);
      const Integers phase = phase_of(exact_, a);
      const ConversionReference lift(exact_.context.backend().basis(), level->primes());
      const PlainPoly actual = exact_.decrypt(a);
      for (std::size_t n = 0; n < phase.size(); ++n) {
        const Integer read = lift.representative(phase[n]);
        if (lift.is_certain(phase[n])) {
          ASSERT_EQ(mpz_cmp(read.get(), phase[n].get()), 0);
        }
        ASSERT_EQ(actual[n], times(read.residue(exact_.t()), inverse(a.correction_factor())));
      }
      const int bits = level->total_coeff_modulus_bit_count();
      EXPECT_EQ(exact_.decryptor.invariant_noise_budget(a),
                std::max(0, bits - largest_bits(phase) - 1));
    }
    const Ciphertext fresh = exact_.encrypt(exact_.random_message(rng_), *level);
    EXPECT_EQ(exact_.decryptor.invariant_noise_budget(fresh),
              std::max(0, level->total_coeff_modulus_bit_count() -
                              largest_bits(phase_of(exact_, fresh)) - 1));
  }
}

// Operands are multiplied by x and y of bgv::balance, then added.
TEST_P(BgvWords, SumsBalanceFactors) {
  for (const ContextData* level : exact_.levels()) {
    const Ciphertext a = random(*level, 3);
    const Ciphertext b = random(*level, 2);
    const Balance balance =
        bgv::balance(a.correction_factor(), b.correction_factor(), exact_.context.plain_modulus());
    auto x = integers_of(exact_.context, a);
    auto y = integers_of(exact_.context, b);
    y.emplace_back(exact_.degree());
    std::vector<Integers> sum;
    std::vector<Integers> difference;
    for (std::size_t k = 0; k < x.size(); ++k) {
      for (Integer& value : x[k]) mpz_mul_si(value.get(), value.get(), balance.of_a);
      for (Integer& value : y[k]) mpz_mul_si(value.get(), value.get(), balance.of_b);
      sum.push_back(sum_of(x[k], y[k]));
      for (Integer& value : y[k]) mpz_neg(value.get(), value.get());
      difference.push_back(sum_of(x[k], y[k]));
    }
    Ciphertext result;
    exact_.evaluator.add(a, b, result);
    expect_polynomials(exact_, result, sum, *level, balance.common);
    Ciphertext inplace = a;
    exact_.evaluator.sub_inplace(inplace, b);
    expect_polynomials(exact_, inplace, difference, *level, balance.common);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BgvWords, ::testing::ValuesIn(exact_shapes()),
                         [](const auto& test) { return std::to_string(test.index); });

// The pair that Euclid's algorithm finds, against all pairs.
TEST(BgvBalance, SmallModuliAgainstAllPairs) {
  for (const std::uint64_t t : {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 23, 30, 31, 48, 53}) {
    const Modulus modulus(t);
    const auto n = static_cast<std::int64_t>(t);
    for (std::uint64_t a = 1; a < t; ++a) {
      for (std::uint64_t b = 1; b < t; ++b) {
        if (std::gcd(a, t) != 1 || std::gcd(b, t) != 1) continue;
        const Balance found = bgv::balance(a, b, modulus);
        const auto residue = [&](std::int64_t x, std::uint64_t f) {
          return static_cast<std::uint64_t>(((x * static_cast<std::int64_t>(f)) % n + n) % n);
        };
        ASSERT_EQ(residue(found.of_a, a), found.common) << t << " " << a << " " << b;
        ASSERT_EQ(residue(found.of_b, b), found.common) << t << " " << a << " " << b;
        ASSERT_EQ(std::gcd(found.common, t), 1u);
        std::int64_t best = 2 * n;
        for (std::int64_t x = -n; x <= n; ++x) {
          for (std::int64_t y = -n; y <= n; ++y) {
            if (std::gcd(x, n) != 1 || residue(x, a) != residue(y, b)) continue;
            best = std::min(best, std::abs(x) + std::abs(y));
          }
        }
        const std::int64_t size = std::abs(found.of_a) + std::abs(found.of_b);
        ASSERT_GE(size, best);
        // Remainders of Euclid's algorithm alone may miss the best pair, by little, where many
        // numbers are not coprime to t.
        ASSERT_LE(size, is_prime(t) ? best : best + best / 8) << t << " " << a << " " << b;
      }
    }
  }
}

TEST(BgvBalance, LargeModuli) {
  auto rng = make_rng();
  for (const std::uint64_t t : {std::uint64_t{65537}, PlainModulus::batching(64, 60).value(),
                                std::uint64_t{1} << 59, (std::uint64_t{1} << 60) - 1}) {
    const Modulus modulus(t);
    const bool is_prime_modulus = is_prime(t);
    for (int round = 0; round < 1000; ++round) {
      const std::uint64_t a = 1 + rng() % (t - 1);
      const std::uint64_t b = round == 0 ? a : 1 + rng() % (t - 1);
      if (std::gcd(a, t) != 1 || std::gcd(b, t) != 1) continue;
      const Balance found = bgv::balance(a, b, modulus);
      Integer x;
      Integer y;
      mpz_set_si(x.get(), found.of_a);
      mpz_set_si(y.get(), found.of_b);
      mpz_mul_ui(x.get(), x.get(), a);
      mpz_mul_ui(y.get(), y.get(), b);
      ASSERT_EQ(x.residue(t), found.common);
      ASSERT_EQ(y.residue(t), found.common);
      ASSERT_EQ(std::gcd(found.common, t), 1u);
      if (a == b) {
        EXPECT_EQ(found.of_a, 1);
        EXPECT_EQ(found.of_b, 1);
      }
      if (!is_prime_modulus) continue;
      ASSERT_LE(static_cast<double>(std::abs(found.of_a) + std::abs(found.of_b)),
                2.1 * std::sqrt(static_cast<double>(t)));
    }
  }
}

}  // namespace
}  // namespace ringlet::test
