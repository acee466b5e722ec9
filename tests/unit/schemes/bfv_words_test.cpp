// SPDX-License-Identifier: Apache-2.0
// What BFV does to the words of ciphertexts, and how it reads them, against big integers.

#include "support/test.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

class BfvWords : public ::testing::TestWithParam<ExactShape> {
 protected:
  BfvWords() : rng_(make_rng()) {}

  // c_0 with floor((Q*m + floor((t+1)/2)) / t) added or subtracted.
  std::vector<Integers> with_message(const Ciphertext& a, const PlainPoly& message, bool is_sum) {
    const Integer q = modulus_of(exact_.context, exact_.level(a));
    auto polys = integers_of(exact_.context, a);
    for (std::size_t n = 0; n < exact_.degree(); ++n) {
      Integer scaled;
      mpz_mul_ui(scaled.get(), q.get(), message[n]);
      mpz_add_ui(scaled.get(), scaled.get(), (exact_.t() + 1) / 2);
      mpz_fdiv_q_ui(scaled.get(), scaled.get(), exact_.t());
      const mpz_ptr c0 = polys[0][n].get();
      is_sum ? mpz_add(c0, c0, scaled.get()) : mpz_sub(c0, c0, scaled.get());
    }
    return polys;
  }

  // A ciphertext whose phase is exactly these integers: c_0 alone.
  Ciphertext with_phase(const ContextData& level, const Integers& phase) const {
    return ciphertext_of(exact_.context, level, {phase, Integers(phase.size())});
  }

  Exact exact_{SchemeType::bfv, GetParam()};
  std::mt19937_64 rng_;
};

TEST_P(BfvWords, PlaintextsAreScaledAndRounded) {
  for (const ContextData* level : exact_.levels()) {
    for (const std::size_t size : {std::size_t{2}, std::size_t{3}, kMaxCiphertextSize}) {
      const Ciphertext a = random_ciphertext(exact_.context, *level, size, rng_);
      const PlainPoly message = exact_.random_message(rng_);
      const Plaintext plain = plain_of(message.coefficients());
      Ciphertext result;
      exact_.evaluator.add_plain(a, plain, result);
      expect_polynomials(exact_, result, with_message(a, message, true), *level);
      exact_.evaluator.sub_plain(a, plain, result);
      expect_polynomials(exact_, result, with_message(a, message, false), *level);
      Ciphertext inplace = a;
      exact_.evaluator.sub_plain_inplace(inplace, plain);
      EXPECT_EQ(Snapshot(inplace), Snapshot(result));
    }
  }
}

TEST_P(BfvWords, EncryptionAddsTheSameToAnEncryptionOfZero) {
  const PlainPoly message = exact_.random_message(rng_);
  const auto encrypted = [&](const PlainPoly& m, bool is_symmetric) {
    const KeyGenerator keygen(exact_.context, RandomSource::for_testing(5));
    const Encryptor encryptor(exact_.context, keygen.create_public_key(), keygen.secret_key(),
                              RandomSource::for_testing(6));
    const Plaintext plain = plain_of(m.coefficients());
    return is_symmetric ? encryptor.encrypt_symmetric(plain) : encryptor.encrypt(plain);
  };
  const PlainPoly zero(exact_.degree(), exact_.t());
  for (const bool is_symmetric : {false, true}) {
    expect_polynomials(exact_, encrypted(message, is_symmetric),
                       with_message(encrypted(zero, is_symmetric), message, true),
                       *exact_.levels().front());
  }
}

// Decryption rounds t/Q*phase: at the boundary between two messages it depends on one unit.
TEST_P(BfvWords, DecryptionRoundsExactly) {
  for (const ContextData* level : exact_.levels()) {
    const Integer q = modulus_of(exact_.context, *level);
    Integers phase = random_integers(exact_.degree(), q, rng_);
    for (std::size_t n = 0; n < phase.size(); n += 2) {
      // (2m + 1) * Q / (2t) and its neighbours.
      mpz_mul_ui(phase[n].get(), q.get(), rng_() % exact_.t());
      mpz_mul_2exp(phase[n].get(), phase[n].get(), 1);
      mpz_add(phase[n].get(), phase[n].get(), q.get());
      mpz_fdiv_q_2exp(phase[n].get(), phase[n].get(), 1);
      mpz_fdiv_q_ui(phase[n].get(), phase[n].get(), exact_.t());
      mpz_add_ui(phase[n].get(), phase[n].get(), rng_() % 2);
    }
    const PlainPoly actual = exact_.decrypt(with_phase(*level, phase));
    const ConversionReference lift(exact_.context.backend().basis(), level->primes());
    for (std::size_t n = 0; n < phase.size(); ++n) {
      // floor((2*t*phase + Q) / (2*Q)), modulo t.
      Integer product;
      mpz_mul_ui(product.get(), phase[n].get(), exact_.t());
      Integer rounded;
      mpz_mul_2exp(rounded.get(), product.get(), 1);
      mpz_add(rounded.get(), rounded.get(), q.get());
      mpz_fdiv_q(rounded.get(), rounded.get(), q.get());
      mpz_fdiv_q_2exp(rounded.get(), rounded.get(), 1);
      std::uint64_t expected = rounded.residue(exact_.t());
      // In the window of the conversion the message below may come out; noise ends far from it.
      if (!lift.is_certain(lift.centred(product)) && actual[n] != expected) {
        expected = expected == 0 ? exact_.t() - 1 : expected - 1;
      }
      ASSERT_EQ(actual[n], expected) << "coefficient " << n;
    }
  }
}

TEST_P(BfvWords, NoiseBudgetIsThatOfTheLargestCoefficient) {
  const auto expected = [&](const Ciphertext& a) {
    const Integer q = modulus_of(exact_.context, exact_.level(a));
    Integers noise = phase_of(exact_, a);
    for (Integer& value : noise) {
      mpz_mul_ui(value.get(), value.get(), exact_.t());
      value = centred(value, q);
    }
    return std::max(0, static_cast<int>(mpz_sizeinbase(q.get(), 2)) - largest_bits(noise) - 1);
  };
  for (const ContextData* level : exact_.levels()) {
    const Ciphertext fresh = exact_.encrypt(exact_.random_message(rng_), *level);
    EXPECT_EQ(exact_.decryptor.invariant_noise_budget(fresh), expected(fresh));
    const Ciphertext random = random_ciphertext(exact_.context, *level, 3, rng_);
    EXPECT_EQ(exact_.decryptor.invariant_noise_budget(random), expected(random));
    // No noise at all, and noise of every size in one coefficient.
    Integers phase(exact_.degree());
    EXPECT_EQ(exact_.decryptor.invariant_noise_budget(with_phase(*level, phase)),
              level->total_coeff_modulus_bit_count() - 1);
    for (int bits = 0; bits < level->total_coeff_modulus_bit_count(); bits += 7) {
      mpz_set_ui(phase.back().get(), 0);
      mpz_setbit(phase.back().get(), static_cast<mp_bitcnt_t>(bits));
      const Ciphertext noisy = with_phase(*level, phase);
      EXPECT_EQ(exact_.decryptor.invariant_noise_budget(noisy), expected(noisy)) << bits;
    }
  }
}

// floor((c + floor(p/2)) / p), once per prime that is dropped.
TEST_P(BfvWords, ModulusSwitchingDividesAndRounds) {
  const auto levels = exact_.levels();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Ciphertext a = random_ciphertext(exact_.context, *levels[i], 2 + i % 3, rng_);
    auto polys = integers_of(exact_.context, a);
    for (std::size_t j = i; j < levels.size(); ++j) {
      Ciphertext result;
      exact_.evaluator.mod_switch_to(a, levels[j]->parms_id(), result);
      expect_polynomials(exact_, result, polys, *levels[j]);
      if (j == i + 1) {
        exact_.evaluator.mod_switch_to_next(a, result);
        expect_polynomials(exact_, result, polys, *levels[j]);
      }
      const std::uint64_t p = levels[j]->coeff_modulus().back().value();
      for (Integers& poly : polys) {
        for (Integer& value : poly) {
          mpz_add_ui(value.get(), value.get(), p / 2);
          mpz_fdiv_q_ui(value.get(), value.get(), p);
        }
      }
    }
  }
}

TEST_P(BfvWords, ModulusReductionDropsPrimes) {
  const auto levels = exact_.levels();
  const Ciphertext a = random_ciphertext(exact_.context, *levels.front(), 3, rng_);
  const auto polys = integers_of(exact_.context, a);
  for (const ContextData* level : levels) {
    Ciphertext result;
    exact_.evaluator.mod_reduce_to(a, level->parms_id(), result);
    expect_polynomials(exact_, result, polys, *level);
  }
  if (levels.size() == 1) return;
  Ciphertext next = a;
  exact_.evaluator.mod_reduce_to_next_inplace(next);
  expect_polynomials(exact_, next, polys, *levels[1]);
}

INSTANTIATE_TEST_SUITE_P(Shapes, BfvWords, ::testing::ValuesIn(exact_shapes()),
                         [](const auto& test) { return std::to_string(test.index); });

}  // namespace
}  // namespace ringlet::test
