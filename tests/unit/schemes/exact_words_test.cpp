// SPDX-License-Identifier: Apache-2.0
// Effects of BFV and BGV on words of ciphertexts, and their decryption, against big integers.

#include "schemes/bgv/balance.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

/// a / b rounded, halves upwards.
Integer rounded_quotient(const Integer& a, const Integer& b) { return ((a << 1) + b) / (b << 1); }

class ExactWords : public ::testing::TestWithParam<ExactShape> {
 protected:
  explicit ExactWords(SchemeType scheme) : exact_(scheme, GetParam()) {}

  Integer t() const { return Integer(exact_.t()); }
  Integer modulus(const ContextData& level) const { return modulus_of(exact_.context, level); }
  ConversionReference lift(const ContextData& level) const {
    return {exact_.context.backend().basis(), level.primes()};
  }
  std::vector<Integers> integers(const Ciphertext& a) const {
    return integers_of(exact_.context, a);
  }
  Ciphertext ciphertext(const ContextData& level, const std::vector<Integers>& polys) const {
    return ciphertext_of(exact_.context, level, polys);
  }
  /// A random ciphertext; in BGV with a random correction factor coprime to t.
  Ciphertext random(const ContextData& level, std::size_t size) {
    Ciphertext result = random_ciphertext(exact_.context, level, size, rng_);
    while (exact_.context.scheme() == SchemeType::bgv) {
      result.correction_factor() = 1 + rng_() % (exact_.t() - 1);
      if (std::gcd(result.correction_factor(), exact_.t()) == 1) break;
    }
    return result;
  }
  template <typename Function, typename... Operands>
  void expect(const std::vector<Integers>& polys, const ContextData& level, std::uint64_t factor,
              Function function, const Operands&... operands) const {
    expect_polynomials(exact_, result_of(exact_.evaluator, function, operands...), polys, level,
                       factor);
  }
  /// Checks c_0 of a plus or minus `addend`, coefficient by coefficient.
  void expect_plain_sums(const Ciphertext& a, const PlainPoly& message,
                         const std::function<Integer(std::uint64_t)>& addend) const {
    auto sum = integers(a);
    auto difference = sum;
    for (std::size_t n = 0; n < exact_.degree(); ++n) {
      sum[0][n] = sum[0][n] + addend(message[n]);
      difference[0][n] = difference[0][n] - addend(message[n]);
    }
    const Plaintext plain = plain_of(message.coefficients());
    const ContextData& level = exact_.level(a);
    expect(sum, level, a.correction_factor(), &Evaluator::add_plain, a, plain);
    expect(difference, level, a.correction_factor(), &Evaluator::sub_plain, a, plain);
  }
  /// Switches from every level to every lower one. For each dropped prime p, `divide` applies to
  /// all coefficients and `factor` to the correction factor.
  void expect_switches(
      const std::function<Integer(const Integer&, const Integer& p)>& divide,
      const std::function<std::uint64_t(std::uint64_t, const Integer& p)>& factor) {
    const auto levels = exact_.levels();
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const Ciphertext a = random(*levels[i], 2 + i % 3);
      auto polys = integers(a);
      std::uint64_t expected_factor = a.correction_factor();
      for (std::size_t j = i; j < levels.size(); ++j) {
        Ciphertext result;
        exact_.evaluator.mod_switch_to(a, levels[j]->parms_id(), result);
        expect_polynomials(exact_, result, polys, *levels[j], expected_factor);
        if (j == i + 1) {
          exact_.evaluator.mod_switch_to_next(a, result);
          expect_polynomials(exact_, result, polys, *levels[j], expected_factor);
        }
        const Integer p(levels[j]->coeff_modulus().back().value());
        expected_factor = factor(expected_factor, p);
        for (Integers& poly : polys) {
          for (Integer& value : poly) value = divide(value, p);
        }
      }
    }
  }
  void expect_reductions() {
    const auto levels = exact_.levels();
    const Ciphertext a = random(*levels.front(), 3);
    const auto polys = integers(a);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      Ciphertext result;
      exact_.evaluator.mod_reduce_to(a, levels[i]->parms_id(), result);
      expect_polynomials(exact_, result, polys, *levels[i], a.correction_factor());
      if (i != 1) continue;
      exact_.evaluator.mod_reduce_to_next(a, result);
      expect_polynomials(exact_, result, polys, *levels[i], a.correction_factor());
    }
  }

  Exact exact_;
  std::mt19937_64 rng_ = make_rng();
};

class BfvWords : public ExactWords {
 protected:
  BfvWords() : ExactWords(SchemeType::bfv) {}

  // floor((Q*m + floor((t+1)/2)) / t).
  Integer scaled(std::uint64_t m, const ContextData& level) const {
    return (modulus(level) * Integer(m) + Integer((exact_.t() + 1) / 2)) / t();
  }
  // A ciphertext whose phase is exactly these integers, in c_0.
  Ciphertext with_phase(const ContextData& level, const Integers& phase) const {
    return ciphertext(level, {phase, Integers(phase.size())});
  }
};

TEST_P(BfvWords, PlaintextsAreScaledAndRounded) {
  for (const ContextData* level : exact_.levels()) {
    for (const std::size_t size : {std::size_t{2}, std::size_t{3}, kMaxCiphertextSize}) {
      expect_plain_sums(random(*level, size), exact_.random_message(rng_),
                        [&](std::uint64_t m) { return scaled(m, *level); });
    }
  }
}

TEST_P(BfvWords, EncryptionAddsTheSameToAnEncryptionOfZero) {
  const PlainPoly message = exact_.random_message(rng_);
  const ContextData& level = *exact_.levels().front();
  for (const bool is_symmetric : {false, true}) {
    const auto encrypted = [&](const Plaintext& plain) {
      const KeyGenerator keygen(exact_.context, RandomSource::for_testing(5));
      const Encryptor encryptor(exact_.context, keygen.create_public_key(), keygen.secret_key(),
                                RandomSource::for_testing(6));
      return is_symmetric ? encryptor.encrypt_symmetric(plain) : encryptor.encrypt(plain);
    };
    auto expected = integers(encrypted(Plaintext()));
    for (std::size_t n = 0; n < exact_.degree(); ++n) {
      expected[0][n] = expected[0][n] + scaled(message[n], level);
    }
    expect_polynomials(exact_, encrypted(plain_of(message.coefficients())), expected, level);
  }
}

// Decryption rounds t/Q*phase, so one unit decides at the boundary between two messages.
TEST_P(BfvWords, DecryptionRoundsExactly) {
  for (const ContextData* level : exact_.levels()) {
    const Integer q = modulus(*level);
    Integers phase = random_integers(exact_.degree(), q, rng_);
    for (std::size_t n = 0; n < phase.size(); n += 2) {
      // The value (2m + 1) * Q / (2t), rounded down or up.
      const Integer m(rng_() % exact_.t());
      phase[n] = (((q * m << 1) + q) >> 1) / t() + Integer(rng_() % 2);
    }
    const PlainPoly actual = exact_.decrypt(with_phase(*level, phase));
    const ConversionReference reference = lift(*level);
    for (std::size_t n = 0; n < phase.size(); ++n) {
      const Integer product = t() * phase[n];
      std::uint64_t expected = rounded_quotient(product, q).residue(exact_.t());
      // In the conversion's uncertain window, results may be one less; noise ends far from it.
      if (!reference.is_certain(centred(product, q)) && actual[n] != expected) {
        expected = expected == 0 ? exact_.t() - 1 : expected - 1;
      }
      ASSERT_EQ(actual[n], expected) << "coefficient " << n;
    }
  }
}

TEST_P(BfvWords, NoiseBudgetIsThatOfTheLargestCoefficient) {
  const auto expect_budget = [&](const Ciphertext& a) {
    const ContextData& level = exact_.level(a);
    const Integer q = modulus(level);
    Integers noise = phase_of(exact_, a);
    for (Integer& value : noise) value = centred(t() * value, q);
    EXPECT_EQ(exact_.decryptor.invariant_noise_budget(a),
              std::max(0, level.total_coeff_modulus_bit_count() - largest_bits(noise) - 1));
  };
  for (const ContextData* level : exact_.levels()) {
    expect_budget(exact_.encrypt(exact_.random_message(rng_), *level));
    expect_budget(random(*level, 3));
    // A phase without noise, then with noise of every size in one coefficient.
    Integers phase(exact_.degree());
    expect_budget(with_phase(*level, phase));
    for (int bits = 0; bits < level->total_coeff_modulus_bit_count(); bits += 7) {
      phase.back() = Integer(1) << bits;
      expect_budget(with_phase(*level, phase));
    }
  }
}

// floor((c + floor(p/2)) / p), once per dropped prime.
TEST_P(BfvWords, ModulusSwitchingDividesAndRounds) {
  expect_switches([](const Integer& c, const Integer& p) { return (c + (p >> 1)) / p; },
                  [](std::uint64_t factor, const Integer&) { return factor; });
}

TEST_P(BfvWords, ModulusReductionDropsPrimes) { expect_reductions(); }

/// Products of BFV are round(t/Q * tensor), with the representatives that BasisConversion
/// documents: centred modulo Q, except in a window at the edge that shrinks as the primes grow.
class BfvProduct : public BfvWords {
 protected:
  void expect_product(const Ciphertext& a, const Ciphertext& b, bool is_square = false) const {
    const ContextData& level = exact_.level(a);
    const ConversionReference reference = lift(level);
    const Integer q = modulus(level);
    std::size_t off_centre = 0;
    const auto representative = [&](const Integer& value) {
      const Integer result = reference.representative(value);
      const Integer centre = centred(value, q);
      if (result != centre) {
        EXPECT_FALSE(reference.is_certain(centre));
        ++off_centre;
      }
      return result;
    };
    const auto lifted = [&](const Ciphertext& c) {
      auto polys = integers(c);
      for (Integers& poly : polys) {
        for (Integer& value : poly) value = representative(value);
      }
      return polys;
    };
    auto expected = tensor_of(lifted(a), lifted(b));
    for (Integers& poly : expected) {
      for (Integer& value : poly) {
        // (t*x - [t*x]_Q) / Q, which is t/Q*x rounded if the representative is centred.
        const Integer product = t() * value;
        const std::size_t before = off_centre;
        const Integer multiple = product - representative(product % q);
        EXPECT_TRUE(multiple.is_multiple_of(q));
        value = multiple / q;
        if (off_centre == before) {
          EXPECT_EQ(value, rounded_quotient(product, q));
        }
      }
    }
    if (is_square) {
      expect(expected, level, 1, &Evaluator::square, a);
    } else {
      expect(expected, level, 1, &Evaluator::multiply, a, b);
    }
  }
  void expect_products(const ContextData& level, std::size_t size_a, std::size_t size_b) {
    SCOPED_TRACE(testing::Message()
                 << level.prime_count() << " primes, sizes " << size_a << ", " << size_b);
    const Ciphertext a = random(level, size_a);
    expect_product(a, random(level, size_b));
    if (size_a == size_b) expect_product(a, a, true);
  }
};

TEST_P(BfvProduct, IsTheRoundedQuotientAtEveryLevel) {
  for (const ContextData* level : exact_.levels()) expect_products(*level, 2, 2);
}

TEST_P(BfvProduct, SizesFromTwoToSixteen) {
  std::vector<std::pair<std::size_t, std::size_t>> sizes{{2, 3}, {3, 2}, {3, 3}};
  if (exact_.degree() <= 4) {
    for (std::size_t size = 2; size <= 15; ++size) sizes.emplace_back(size, 17 - size);
  } else if (exact_.degree() <= 64) {
    sizes.insert(sizes.end(), {{2, 15}, {8, 9}});
  }
  for (const auto& [a, b] : sizes) expect_products(*exact_.levels().front(), a, b);
}

TEST_P(BfvProduct, ExtremeOperands) {
  // The largest possible integers: all coefficients are (Q-1)/2 in absolute value, of one sign, so
  // that the middle polynomial is as large as possible.
  const ContextData& level = *exact_.levels().front();
  const Integer half = modulus(level) >> 1;
  const std::size_t size = exact_.degree() <= 4 ? 8 : 2;
  for (const Integer& x : {half, -half}) {
    std::vector<Integers> polys(size + 1, Integers(exact_.degree(), half));
    // t/Q*x*y may vanish modulo Q, also for edges, and the ciphertext would be without a secret.
    for (Integer& value : polys.back()) value = random_integer(modulus(level), rng_);
    expect_product(ciphertext(level, {size, Integers(exact_.degree(), x)}),
                   ciphertext(level, polys));
  }
}

class BgvWords : public ExactWords {
 protected:
  BgvWords() : ExactWords(SchemeType::bgv) {}

  std::uint64_t times(std::uint64_t a, std::uint64_t b) const {
    return exact_.context.plain_modulus().multiply(a, b);
  }
  std::uint64_t inverse(const Integer& a) const { return a.inverse(t()).residue(exact_.t()); }
};

TEST_P(BgvWords, ProductsAreTensors) {
  for (const ContextData* level : exact_.levels()) {
    for (const auto& [size_a, size_b] : std::vector<std::pair<std::size_t, std::size_t>>{
             {2, 2}, {3, 2}, {2, 15}, {8, 9}, {3, 3}}) {
      if (exact_.degree() > 64 && size_a + size_b > 6) continue;
      const Ciphertext a = random(*level, size_a);
      const Ciphertext b = random(*level, size_b);
      const std::uint64_t factor = a.correction_factor();
      const auto x = integers(a);
      expect(tensor_of(x, integers(b)), *level, times(factor, b.correction_factor()),
             &Evaluator::multiply, a, b);
      if (size_a != 2 && size_a != 8) continue;
      expect(tensor_of(x, x), *level, times(factor, factor), &Evaluator::square, a);
    }
  }
}

TEST_P(BgvWords, PlaintextsAreLiftedWithTheFactor) {
  for (const ContextData* level : exact_.levels()) {
    for (const std::size_t size : {std::size_t{2}, kMaxCiphertextSize}) {
      const Ciphertext a = random(*level, size);
      expect_plain_sums(a, exact_.random_message(rng_), [&](std::uint64_t m) {
        return lift_centred(times(m, a.correction_factor()), exact_.t());
      });
    }
  }
}

// The result is (c - delta) / p with delta = t * [c * t^-1]_p centred; p divides the factor.
TEST_P(BgvWords, ModulusSwitchingKeepsMessages) {
  expect_switches(
      [&](const Integer& c, const Integer& p) {
        const Integer rest = c - t() * centred(c * t().inverse(p), p);
        EXPECT_TRUE(rest.is_multiple_of(p));
        return rest / p;
      },
      [&](std::uint64_t factor, const Integer& p) { return times(factor, inverse(p)); });
}

TEST_P(BgvWords, ModulusReductionKeepsTheFactor) { expect_reductions(); }

// The message is [phase]_Q centred, divided by the factor modulo t; the budget is the phase's.
TEST_P(BgvWords, DecryptionReadsThePhase) {
  for (const ContextData* level : exact_.levels()) {
    const auto expect_budget = [&](const Ciphertext& a, const Integers& phase) {
      EXPECT_EQ(exact_.decryptor.invariant_noise_budget(a),
                std::max(0, level->total_coeff_modulus_bit_count() - largest_bits(phase) - 1));
    };
    const ConversionReference reference = lift(*level);
    for (const std::size_t size : {2, 3, 5}) {
      const Ciphertext a = random(*level, size);
      const Integers phase = phase_of(exact_, a);
      const PlainPoly actual = exact_.decrypt(a);
      for (std::size_t n = 0; n < phase.size(); ++n) {
        const Integer read = reference.representative(phase[n]);
        if (reference.is_certain(phase[n])) {
          ASSERT_EQ(read, phase[n]);
        }
        ASSERT_EQ(actual[n],
                  times(read.residue(exact_.t()), inverse(Integer(a.correction_factor()))));
      }
      expect_budget(a, phase);
    }
    const Ciphertext fresh = exact_.encrypt(exact_.random_message(rng_), *level);
    expect_budget(fresh, phase_of(exact_, fresh));
  }
}

// Balance multiplies the operands by x and y, then they are added.
TEST_P(BgvWords, SumsBalanceFactors) {
  for (const ContextData* level : exact_.levels()) {
    const Ciphertext a = random(*level, 3);
    const Ciphertext b = random(*level, 2);
    const Balance balance =
        bgv::balance(a.correction_factor(), b.correction_factor(), exact_.context.plain_modulus());
    auto sum = integers(a);
    auto y = integers(b);
    y.emplace_back(exact_.degree());
    auto difference = sum;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      for (std::size_t n = 0; n < exact_.degree(); ++n) {
        const Integer of_a = sum[k][n] * Integer::of(balance.of_a);
        const Integer of_b = y[k][n] * Integer::of(balance.of_b);
        sum[k][n] = of_a + of_b;
        difference[k][n] = of_a - of_b;
      }
    }
    expect(sum, *level, balance.common, &Evaluator::add, a, b);
    expect(difference, *level, balance.common, &Evaluator::sub, a, b);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BfvWords, ::testing::ValuesIn(exact_shapes()));
INSTANTIATE_TEST_SUITE_P(Shapes, BfvProduct, ::testing::ValuesIn(exact_shapes()));
INSTANTIATE_TEST_SUITE_P(Shapes, BgvWords, ::testing::ValuesIn(exact_shapes()));

// Compares the pair from Euclid's algorithm with all pairs.
TEST(BgvBalance, SmallModuliAgainstAllPairs) {
  for (const std::int64_t t : {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 23, 30, 31, 48, 53}) {
    const Modulus modulus(static_cast<std::uint64_t>(t));
    const auto residue = [&](std::int64_t value) { return (value % t + t) % t; };
    for (std::int64_t a = 1; a < t; ++a) {
      for (std::int64_t b = 1; b < t; ++b) {
        if (std::gcd(a, t) != 1 || std::gcd(b, t) != 1) continue;
        SCOPED_TRACE(::testing::Message() << t << " " << a << " " << b);
        const Balance found =
            bgv::balance(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b), modulus);
        const auto common = static_cast<std::int64_t>(found.common);
        ASSERT_EQ(residue(found.of_a * a), common);
        ASSERT_EQ(residue(found.of_b * b), common);
        ASSERT_EQ(std::gcd(common, t), 1);
        std::int64_t best = 2 * t;
        for (std::int64_t x = -t; x <= t; ++x) {
          for (std::int64_t y = -t; y <= t; ++y) {
            if (std::gcd(x, t) != 1 || residue(x * a) != residue(y * b)) continue;
            best = std::min(best, std::abs(x) + std::abs(y));
          }
        }
        const std::int64_t size = std::abs(found.of_a) + std::abs(found.of_b);
        ASSERT_GE(size, best);
        // Euclid's remainders alone may miss the best pair by a little if many numbers are not
        // coprime to t.
        ASSERT_LE(size, is_prime(modulus.value()) ? best : best + best / 8);
      }
    }
  }
}

TEST(BgvBalance, LargeModuli) {
  auto rng = make_rng();
  for (const std::uint64_t t : {std::uint64_t{65537}, PlainModulus::batching(64, 60).value(),
                                std::uint64_t{1} << 59, (std::uint64_t{1} << 60) - 1}) {
    for (int round = 0; round < 1000; ++round) {
      const std::uint64_t a = 1 + rng() % (t - 1);
      const std::uint64_t b = round == 0 ? a : 1 + rng() % (t - 1);
      if (std::gcd(a, t) != 1 || std::gcd(b, t) != 1) continue;
      const Balance found = bgv::balance(a, b, Modulus(t));
      ASSERT_EQ((Integer::of(found.of_a) * Integer(a)).residue(t), found.common);
      ASSERT_EQ((Integer::of(found.of_b) * Integer(b)).residue(t), found.common);
      ASSERT_EQ(std::gcd(found.common, t), 1u);
      if (a == b) {
        EXPECT_EQ(found.of_a, 1);
        EXPECT_EQ(found.of_b, 1);
      }
      if (!is_prime(t)) continue;
      ASSERT_LE(static_cast<double>(std::abs(found.of_a) + std::abs(found.of_b)),
                2.1 * std::sqrt(static_cast<double>(t)));
    }
  }
}

}  // namespace
}  // namespace ringlet::test
