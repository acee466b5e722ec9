// SPDX-License-Identifier: Apache-2.0
// Key switching and rescaling in one division, word by word against its formula in big integers,
// and against the two operations in turn.

#include "key_switch_support.hpp"
#include "rlwe/key_switch.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

// Last primes of every size.
const std::vector<KeyShape>& rescaled_shapes() {
  static const std::vector<KeyShape> kShapes =
      key_shapes_and({{8, {20, 25, 7}, {31}, 1}, {64, {50, 10, 50}, {30}, 1}});
  return kShapes;
}

/// Of a division: its results, polynomial by polynomial.
using Words = std::vector<std::uint64_t>;
using Pair = std::pair<Words, Words>;

class RescaledKeySwitch : public ::testing::TestWithParam<KeyShape> {
 protected:
  /// c_0, c_1, ..., in both forms.
  struct Operand {
    std::vector<CoeffPoly> coefficients;
    std::vector<NttPoly> values;
  };

  Operand random_operand(const ContextData& level, std::size_t size) {
    Operand result;
    for (std::size_t k = 0; k < size; ++k) {
      result.coefficients.push_back(random_poly(context_, level, rng_));
      result.values.push_back(to_ntt(context_, level, result.coefficients.back()));
    }
    return result;
  }
  /// Any two keys will do.
  std::vector<const KSwitchKey*> keys_for(std::size_t size) const {
    std::vector<const KSwitchKey*> keys{&relin_.key(2), &galois_.key(3)};
    keys.resize(size - 2);
    return keys;
  }

  Words coefficients_of(const ContextData& lower, const NttPoly& values) const {
    CoeffPoly result(lower.prime_count(), lower.degree());
    context_.backend().inverse_ntt(result.view_for_writing(), values.view(), lower.primes());
    return words_of(result.view());
  }
  /// The coefficients of both results, level by level below.
  Pair in_one_division(const ContextData& level, const Operand& operand) const {
    const ContextData& lower = *level.next_context_data();
    std::vector<ConstNttView> views;
    for (const NttPoly& poly : operand.values) views.push_back(poly.view());
    NttPoly r0(lower.prime_count(), lower.degree());
    NttPoly r1(lower.prime_count(), lower.degree());
    rlwe::relinearize_and_rescale(context_, level, views, keys_for(views.size()),
                                  r0.view_for_writing(), r1.view_for_writing());
    return {coefficients_of(lower, r0), coefficients_of(lower, r1)};
  }
  Pair in_turn(const ContextData& level, const Operand& operand) const {
    const ContextData& lower = *level.next_context_data();
    NttPoly c0 = operand.values[0];
    NttPoly c1 = operand.values[1];
    const auto keys = keys_for(operand.values.size());
    for (std::size_t k = 0; k < keys.size(); ++k) {
      rlwe::add_key_switched(context_, level, operand.values[k + 2].view(), *keys[k],
                             c0.view_for_writing(), c1.view_for_writing());
    }
    const auto rescaled = [&](const NttPoly& c) {
      NttPoly result(lower.prime_count(), lower.degree());
      context_.backend().divide_and_round_by_last(result.view_for_writing(), c.view(),
                                                  level.primes());
      return coefficients_of(lower, result);
    };
    return {rescaled(c0), rescaled(c1)};
  }

  std::mt19937_64 rng_ = make_rng();
  Context context_ = context_of(SchemeType::ckks, GetParam());
  KeyGenerator keys_{context_, RandomSource::for_testing(test_seed())};
  RelinKeys relin_ = keys_.create_relin_keys();
  GaloisKeys galois_ = keys_.create_galois_keys_for_elements({3});
};

/// The integer modulo the primes of `level` whose residues are place `n` of `words`.
Integer integer_at(const Context& context, const ContextData& level, const Words& words,
                   std::size_t n) {
  CoeffPoly place(level.prime_count(), 1);
  for (std::size_t i = 0; i < level.prime_count(); ++i) {
    place.view_for_writing().limb(i)[0] = words[i * level.degree() + n];
  }
  Integer result;
  reconstruct(result, place.view(), 0, context.backend().basis(), level.primes());
  return result;
}

TEST_P(RescaledKeySwitch, IsItsFormulaAtEveryLevel) {
  const RnsBasis& basis = context_.backend().basis();
  for (const ContextData* level : levels_of(context_)) {
    const ContextData* lower = level->next_context_data();
    if (lower == nullptr) break;
    const PrimeIndices targets = level->key_switch_primes();
    const ConversionReference divisor(basis, targets.subspan(lower->prime_count()));
    const Integer special = product_of(basis, context_.special_primes());
    const Integer whole = product_of(basis, targets);
    const SwitchReference reference(context_, *level);
    for (const std::size_t size : {std::size_t{3}, std::size_t{4}}) {
      SCOPED_TRACE(std::to_string(level->prime_count()) + " primes, size " + std::to_string(size));
      const Operand operand = random_operand(*level, size);
      std::vector<Integers> c;
      for (const CoeffPoly& poly : operand.coefficients) {
        c.push_back(reference.integers(poly.view(), level->primes()));
      }
      const auto expect = [&](const Words& actual, bool is_b) {
        Integers dividend = c[is_b ? 0 : 1];
        for (Integer& value : dividend) mpz_mul(value.get(), value.get(), special.get());
        const auto keys = keys_for(size);
        for (std::size_t k = 0; k < keys.size(); ++k) {
          dividend = sum_of(dividend, reference.sum(c[k + 2], *keys[k], is_b));
        }
        for (std::size_t n = 0; n < dividend.size(); ++n) {
          Integer& x = dividend[n];
          mpz_fdiv_r(x.get(), x.get(), whole.get());
          // (x - r) / (P*q) for the representative r of x.
          Integer remainder;
          mpz_fdiv_r(remainder.get(), x.get(), divisor.product().get());
          Integer quotient;
          mpz_sub(quotient.get(), x.get(), divisor.representative(remainder).get());
          ASSERT_NE(mpz_divisible_p(quotient.get(), divisor.product().get()), 0);
          mpz_divexact(quotient.get(), quotient.get(), divisor.product().get());
          for (std::size_t i = 0; i < lower->prime_count(); ++i) {
            ASSERT_EQ(actual[i * lower->degree() + n],
                      quotient.residue(lower->coeff_modulus()[i].value()))
                << "prime " << i << ", coefficient " << n;
          }
          // And without the formula: within (1/2 + d) * P*q, where d = 5*k / 2^(s+2).
          Integer error;
          mpz_mul(error.get(), integer_at(context_, *lower, actual, n).get(),
                  divisor.product().get());
          mpz_sub(error.get(), error.get(), x.get());
          error = centred(error, whole);
          mpz_mul_2exp(error.get(), error.get(),
                       static_cast<mp_bitcnt_t>(divisor.fraction_bits() + 2));
          Integer bound(2);
          mpz_mul_2exp(bound.get(), bound.get(), static_cast<mp_bitcnt_t>(divisor.fraction_bits()));
          mpz_add_ui(bound.get(), bound.get(), 5 * (targets.size() - lower->prime_count()));
          mpz_mul(bound.get(), bound.get(), divisor.product().get());
          ASSERT_LE(mpz_cmpabs(error.get(), bound.get()), 0) << "coefficient " << n;
        }
      };
      const Pair actual = in_one_division(*level, operand);
      expect(actual.first, true);
      expect(actual.second, false);
    }
  }
}

TEST_P(RescaledKeySwitch, DiffersByOneAtMostFromTwoDivisions) {
  for (const ContextData* level : levels_of(context_)) {
    const ContextData* lower = level->next_context_data();
    if (lower == nullptr) break;
    const Operand operand = random_operand(*level, 3);
    const Pair one = in_one_division(*level, operand);
    const Pair two = in_turn(*level, operand);
    for (const auto& [a, b] : {std::pair(one.first, two.first), {one.second, two.second}}) {
      for (std::size_t n = 0; n < lower->degree(); ++n) {
        const std::uint64_t q = lower->coeff_modulus()[0].value();
        const std::uint64_t difference = (a[n] + q - b[n]) % q;
        ASSERT_TRUE(difference <= 1 || difference == q - 1) << "coefficient " << n;
        for (std::size_t i = 1; i < lower->prime_count(); ++i) {
          const std::uint64_t p = lower->coeff_modulus()[i].value();
          const std::size_t at = i * lower->degree() + n;
          ASSERT_EQ((a[at] + p - b[at]) % p, difference == q - 1 ? p - 1 : difference);
        }
      }
    }
  }
}

TEST_P(RescaledKeySwitch, EveryTableGivesTheSameBits) {
  std::vector<Words> expected;
  for (const std::string& table : kernel_tables()) {
    std::optional<KernelSelection> kernels;
    try {
      kernels.emplace(table);
    } catch (const RuntimeError&) {
      continue;  // not on this processor
    }
    const Context context = context_of(SchemeType::ckks, GetParam(), *kernels);
    const RelinKeys relin = KeyGenerator(context, RandomSource::for_testing(3)).create_relin_keys();
    const std::vector<const KSwitchKey*> keys{&relin.key(2)};
    std::vector<Words> actual;
    for (const ContextData* level : levels_of(context)) {
      const ContextData* lower = level->next_context_data();
      if (lower == nullptr) break;
      auto rng = make_rng(level->prime_count());
      std::vector<NttPoly> c(3, NttPoly(level->prime_count(), level->degree()));
      std::vector<ConstNttView> views;
      for (NttPoly& poly : c) {
        fill_uniform(poly.view_for_writing(), context, level->primes(), rng);
        views.push_back(poly.view());
      }
      NttPoly r0(lower->prime_count(), level->degree());
      NttPoly r1(lower->prime_count(), level->degree());
      rlwe::relinearize_and_rescale(context, *level, views, keys, r0.view_for_writing(),
                                    r1.view_for_writing());
      actual.push_back(words_of(r0.view()));
      actual.push_back(words_of(r1.view()));
    }
    if (expected.empty()) expected = actual;
    EXPECT_EQ(actual, expected) << table;
  }
  EXPECT_FALSE(expected.empty());
}

INSTANTIATE_TEST_SUITE_P(Shapes, RescaledKeySwitch, ::testing::ValuesIn(rescaled_shapes()),
                         [](const auto& test) { return std::to_string(test.index); });

/// Rounding to an integer and then by an odd q is rounding once: but for coefficients so near to a
/// half that the conversion cannot tell (a part d of them at most), both ways give the same bits.
class RescalingNoise : public RescaledKeySwitch {
 protected:
  /// The sum of squares of the errors, in units of the result, of c_0 + c_1*s against
  /// (c_0 + c_1*s + c_2*s^2) / q.
  double squared_error(const ContextData& level, const Operand& operand, const Pair& result) const {
    const ContextData& lower = *level.next_context_data();
    const SwitchReference reference(context_, level);
    const auto phase = [&](const std::vector<Integers>& c) {
      Integers sum = c[0];
      for (std::size_t k = 1; k < c.size(); ++k) {
        sum = sum_of(sum, negacyclic_product(c[k], secret_power(context_, keys_.secret_key(), k)));
      }
      return sum;
    };
    std::vector<Integers> c;
    for (const CoeffPoly& poly : operand.coefficients) {
      c.push_back(reference.integers(poly.view(), level.primes()));
    }
    std::vector<Integers> r(2, Integers(level.degree()));
    for (std::size_t n = 0; n < level.degree(); ++n) {
      r[0][n] = integer_at(context_, lower, result.first, n);
      r[1][n] = integer_at(context_, lower, result.second, n);
    }
    const Integers wanted = phase(c);
    Integers actual = phase(r);
    const std::uint64_t q = level.coeff_modulus().back().value();
    const Integer modulus = product_of(context_.backend().basis(), level.primes());
    double sum = 0;
    for (std::size_t n = 0; n < level.degree(); ++n) {
      mpz_mul_ui(actual[n].get(), actual[n].get(), q);
      mpz_sub(actual[n].get(), actual[n].get(), wanted[n].get());
      const double error = mpz_get_d(centred(actual[n], modulus).get()) / static_cast<double>(q);
      sum += error * error;
    }
    return sum;
  }
};

TEST_P(RescalingNoise, IsThatOfTwoDivisions) {
  const ContextData& level = *context_.first_context_data();
  const auto degree = static_cast<double>(level.degree());
  double one = 0;
  double two = 0;
  std::size_t differences = 0;
  const int rounds = level.degree() < 64 ? 1000 : 40;
  for (int round = 0; round < rounds; ++round) {
    const Operand operand = random_operand(level, 3);
    const Pair at_once = in_one_division(level, operand);
    const Pair in_turn_result = in_turn(level, operand);
    one += squared_error(level, operand, at_once);
    two += squared_error(level, operand, in_turn_result);
    for (std::size_t n = 0; n < level.degree(); ++n) {
      differences += at_once.first[n] != in_turn_result.first[n] ? 1 : 0;
      differences += at_once.second[n] != in_turn_result.second[n] ? 1 : 0;
    }
  }
  const double count = rounds * degree;
  RecordProperty("deviation_at_once", std::to_string(std::sqrt(one / count)));
  RecordProperty("deviation_in_turn", std::to_string(std::sqrt(two / count)));
  RecordProperty("differences", std::to_string(differences));
  const std::size_t divisors = 1 + context_.special_primes().size();
  const ConversionReference divisor(context_.backend().basis(),
                                    level.key_switch_primes().last(divisors));
  const double d = 5 * static_cast<double>(divisors) / std::ldexp(4.0, divisor.fraction_bits());
  EXPECT_LE(static_cast<double>(differences), 2 * count * d * 1.1 + 1);
  if (d > 0x1p-8) {
    EXPECT_GT(differences, 0u) << "primes so small that it must show";
    EXPECT_LE(one, 1.05 * two);
  } else {
    EXPECT_EQ(differences, 0u) << "less than one in 2^20 coefficients";
    EXPECT_EQ(one, two);
  }
  // Variance 1/12 in both polynomials, times 1 and the secret, which has N coefficients at most.
  EXPECT_LE(one / count, 1.2 * (1 + degree) / 12);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RescalingNoise,
                         ::testing::Values(KeyShape{8, {40, 41, 7}, {50}, 1},
                                           KeyShape{8, {40, 41, 7}, {50, 51}, 2},
                                           KeyShape{64, {40, 40, 30}, {50}, 1},
                                           KeyShape{256, {40, 40, 40}, {50, 50}, 2}),
                         [](const auto& test) { return std::to_string(test.index); });

}  // namespace
}  // namespace ringlet::test
