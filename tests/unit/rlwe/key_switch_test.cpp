// SPDX-License-Identifier: Apache-2.0
// Key switching with any number of digits and special primes: word by word against its formula in
// big integers, and by its effect on the phase.

#include "rlwe/keys/key_switch.hpp"

#include "key_switch_support.hpp"

namespace ringlet::test {
namespace {

class HybridKeySwitch : public ::testing::TestWithParam<std::tuple<SchemeType, KeyShape>> {
 protected:
  CoeffPoly random_poly(const ContextData& level) {
    return test::random_poly(context_, level, rng_);
  }

  std::vector<KeySide> sides_ = sides_of(std::get<0>(GetParam()), std::get<1>(GetParam()));
  const Context& context_ = sides_.front().context;
  const KSwitchKey& key_ = sides_.front().relin.key(2);
  std::mt19937_64 rng_ = make_rng();
};

TEST_P(HybridKeySwitch, IsItsFormulaAtEveryLevelByEveryTable) {
  EXPECT_EQ(key_.digit_count(), context_.parms().digit_count());
  for (const ContextData* level : levels_of(context_)) {
    SCOPED_TRACE(level->prime_count());
    const SwitchReference reference(context_, *level);
    const CoeffPoly source = random_poly(*level);
    const CoeffPoly c0 = random_poly(*level);
    const CoeffPoly c1 = random_poly(*level);
    const Integers values = reference.integers(source);
    const auto plus = [&](const CoeffPoly& c, bool is_b) {
      const Integers sum = sum_of(reference.integers(c), reference.switched(values, key_, is_b));
      return residues_of(sum, context_.backend().basis(), level->primes());
    };
    const CoeffPoly expected_0 = plus(c0, true);
    const CoeffPoly expected_1 = plus(c1, false);
    for (const KeySide& side : sides_) {
      SCOPED_TRACE(side.context.backend().kernel_names().front());
      const ContextData& own = *side.context.get_context_data(level->parms_id());
      CoeffPoly r0 = c0;
      CoeffPoly r1 = c1;
      rlwe::add_key_switched(side.context, own, source.view(), side.relin.key(2),
                             r0.view_for_writing(), r1.view_for_writing());
      ASSERT_EQ(words_of(r0.view()), words_of(expected_0.view()));
      ASSERT_EQ(words_of(r1.view()), words_of(expected_1.view()));
      NttPoly n0 = to_ntt(side.context, own, c0);
      NttPoly n1 = to_ntt(side.context, own, c1);
      rlwe::add_key_switched(side.context, own, to_ntt(side.context, own, source).view(),
                             side.relin.key(2), n0.view_for_writing(), n1.view_for_writing());
      EXPECT_EQ(words_of(n0.view()), words_of(to_ntt(side.context, own, expected_0).view()));
      EXPECT_EQ(words_of(n1.view()), words_of(to_ntt(side.context, own, expected_1).view()));
    }
  }
}

TEST_P(HybridKeySwitch, TheSourceMayBeADestination) {
  const auto expect_same = [&](const auto& a, const auto& b, const ContextData& level) {
    // The source is a copy of one of the results, or this result itself.
    for (const bool is_first : {true, false}) {
      std::vector<std::pair<Words, Words>> results;
      for (const bool in_place : {false, true}) {
        auto first = a;
        auto second = b;
        auto copy = is_first ? a : b;
        auto& source = !in_place ? copy : is_first ? first : second;
        rlwe::add_key_switched(context_, level, source.view_for_writing(), key_,
                               first.view_for_writing(), second.view_for_writing());
        results.emplace_back(words_of(first.view()), words_of(second.view()));
      }
      EXPECT_EQ(results[0], results[1]);
    }
  };
  for (const ContextData* level : levels_of(context_)) {
    const CoeffPoly a = random_poly(*level);
    const CoeffPoly b = random_poly(*level);
    expect_same(a, b, *level);
    expect_same(to_ntt(context_, *level, a), to_ntt(context_, *level, b), *level);
  }
}

/// The images of a polynomial that the test below sums up: more than are read together.
template <Form F>
rlwe::SourceImages<F> images_of(const GaloisKeys& keys, ConstPolyView<F> source) {
  rlwe::SourceImages<F> result{source, {}};
  for (std::size_t i = 0; i < 7; ++i) {
    const auto elements = keys.galois_elements();
    const std::uint64_t element = elements[i % elements.size()];
    result.images.push_back({element, &keys.key(element)});
  }
  return result;
}

TEST_P(HybridKeySwitch, SumsOfImagesAreDividedOnce) {
  const Backend& backend = context_.backend();
  for (const ContextData* level : levels_of(context_)) {
    // Above five primes every third level: the test above has every number of digits.
    if (level->prime_count() > 5 && level->prime_count() % 3 != 1) continue;
    SCOPED_TRACE(level->prime_count());
    const SwitchReference reference(context_, *level);
    const std::array<CoeffPoly, 2> sources{random_poly(*level), random_poly(*level)};
    const std::array<CoeffPoly, 2> addends{random_poly(*level), random_poly(*level)};
    std::array<CoeffPoly, 2> expected;
    for (const bool is_b : {true, false}) {
      Integers sum(level->degree());
      for (std::size_t i = 0; i < 2; ++i) {
        const auto all = images_of(sides_.front().galois, sources[i].view());
        std::map<std::uint64_t, Integers> summands;
        for (const auto& [element, key] : std::span(all.images).first(i == 0 ? 7 : 1)) {
          Integers& summand = summands[element];
          if (summand.empty()) {
            CoeffPoly image(level->prime_count(), level->degree());
            backend.automorphism(image.view_for_writing(), sources[i].view(), element,
                                 level->primes());
            summand = reference.sum(reference.integers(image), *key, is_b);
          }
          sum = sum_of(sum, summand);
        }
      }
      sum = sum_of(reference.divided(sum), reference.integers(addends[is_b ? 0 : 1]));
      expected[is_b ? 0 : 1] = residues_of(sum, backend.basis(), level->primes());
    }
    for (const KeySide& side : sides_) {
      const ContextData& own = *side.context.get_context_data(level->parms_id());
      const auto results_of = [&](const auto& first, const auto& second, auto r0, auto r1) {
        std::vector images{images_of(side.galois, first.view()),
                           images_of(side.galois, second.view())};
        images[1].images.resize(1);
        const auto all = std::span<const typename decltype(images)::value_type>(images);
        rlwe::add_switched_images(
            side.context, own, all,
            {r0.view(), r1.view(), r0.view_for_writing(), r1.view_for_writing()});
        return std::pair(words_of(r0.view()), words_of(r1.view()));
      };
      const auto ntt = [&](const CoeffPoly& poly) { return to_ntt(side.context, own, poly); };
      EXPECT_EQ(results_of(sources[0], sources[1], addends[0], addends[1]),
                std::pair(words_of(expected[0].view()), words_of(expected[1].view())));
      EXPECT_EQ(results_of(ntt(sources[0]), ntt(sources[1]), ntt(addends[0]), ntt(addends[1])),
                std::pair(words_of(ntt(expected[0]).view()), words_of(ntt(expected[1]).view())));
    }
  }
}

// The phase grows by source * s^2 and a noise that special primes make small.
TEST_P(HybridKeySwitch, AddsTheProductWithTheOldSecret) {
  const std::uint64_t t = context_.scheme() == SchemeType::bgv ? kPlainModulus : 1;
  const RnsBasis& basis = context_.backend().basis();
  const auto secret = [&](std::size_t power) {
    return secret_power(context_, sides_.front().secret, power);
  };
  for (const ContextData* level : levels_of(context_)) {
    const SwitchReference reference(context_, *level);
    const CoeffPoly source = random_poly(*level);
    CoeffPoly c0(level->prime_count(), level->degree());
    CoeffPoly c1(level->prime_count(), level->degree());
    rlwe::add_key_switched(context_, *level, source.view(), key_, c0.view_for_writing(),
                           c1.view_for_writing());
    const Integers phase =
        sum_of(reference.integers(c0), negacyclic_product(reference.integers(c1), secret(1)));
    const Integers wanted = negacyclic_product(reference.integers(source), secret(2));
    // The bound: N terms for each digit, below half of its product and times errors up to 21, then
    // rounding by half, times 1 + N for the secret. All of it is times t.
    const PrimeIndices primes = level->primes();
    const std::size_t size = context_.parms().digit_size();
    Integer digits;
    for (std::size_t first = 0; first < primes.size(); first += size) {
      const auto own = primes.subspan(first, std::min(size, primes.size() - first));
      digits = digits + product_of(basis, own);
    }
    const Integer divided =
        digits * Integer(11 * level->degree()) / product_of(basis, context_.special_primes());
    const Integer bound = (divided + Integer(level->degree() + 1)) * Integer(t);
    const Integer q = product_of(basis, primes);
    for (std::size_t n = 0; n < phase.size(); ++n) {
      const Integer error = centred(phase[n] - wanted[n], q);
      ASSERT_LE(error.abs(), bound) << "coefficient " << n;
      if (bound < q) {
        ASSERT_TRUE(error.is_multiple_of(Integer(t))) << "messages modulo t stay";
      }
    }
  }
}

const std::vector<KeyShape> kKeyShapes = key_shapes_and({
    {64, {50, 50}, {30}, 1},
    {64, {40, 41, 40}, {42, 30}, 1},
    {1024, {40}, {41}, 1},
    {1024, {49, 49, 49}, {49}, 1},
    {1024, {60, 60}, {60}, 1},
    {1024, std::vector<int>(10, 52), {52}, 1},
    {1024, {61, 25, 45}, {60}, 1},
});

INSTANTIATE_TEST_SUITE_P(Shapes, HybridKeySwitch,
                         ::testing::Combine(kEveryScheme, ::testing::ValuesIn(kKeyShapes)),
                         [](const auto& test) {
                           return std::string(to_string(std::get<0>(test.param))) + "_" +
                                  std::to_string(test.index);
                         });

// Key switching and rescaling in one division, word by word against its formula in big integers,
// and against the two operations in turn.

/// The results of a division, polynomial by polynomial.
using Division = std::pair<Words, Words>;

class RescaledKeySwitch : public ::testing::TestWithParam<KeyShape> {
 protected:
  std::vector<CoeffPoly> random_operand(const ContextData& level, std::size_t size) {
    std::vector<CoeffPoly> c;
    while (c.size() < size) c.push_back(random_poly(context_, level, rng_));
    return c;
  }
  /// The keys are arbitrary: any two serve.
  static std::vector<const KSwitchKey*> keys_for(const KeySide& side, std::size_t size) {
    std::vector<const KSwitchKey*> keys{&side.relin.key(2), &side.galois.key(3)};
    keys.resize(size - 2);
    return keys;
  }

  static Words coefficients_of(const Context& context, const ContextData& lower,
                               const NttPoly& values) {
    CoeffPoly result(lower.prime_count(), lower.degree());
    context.backend().inverse_ntt(result.view_for_writing(), values.view(), lower.primes());
    return words_of(result.view());
  }
  /// The coefficients of both results.
  static Division in_one_division(const KeySide& side, const ContextData& level,
                                  const std::vector<CoeffPoly>& c) {
    const ContextData& lower = *level.next_context_data();
    std::vector<NttPoly> values;
    std::vector<ConstNttView> views;
    for (const CoeffPoly& poly : c) values.push_back(to_ntt(side.context, level, poly));
    for (const NttPoly& poly : values) views.push_back(poly.view());
    NttPoly r0(lower.prime_count(), lower.degree());
    NttPoly r1(lower.prime_count(), lower.degree());
    rlwe::relinearize_and_rescale(side.context, level, views, keys_for(side, c.size()),
                                  r0.view_for_writing(), r1.view_for_writing());
    return {coefficients_of(side.context, lower, r0), coefficients_of(side.context, lower, r1)};
  }
  Division in_one_division(const ContextData& level, const std::vector<CoeffPoly>& c) const {
    return in_one_division(sides_.front(), level, c);
  }
  Division in_turn(const ContextData& level, const std::vector<CoeffPoly>& c) const {
    const ContextData& lower = *level.next_context_data();
    NttPoly c0 = to_ntt(context_, level, c[0]);
    NttPoly c1 = to_ntt(context_, level, c[1]);
    const auto keys = keys_for(sides_.front(), c.size());
    for (std::size_t k = 0; k < keys.size(); ++k) {
      rlwe::add_key_switched(context_, level, to_ntt(context_, level, c[k + 2]).view(), *keys[k],
                             c0.view_for_writing(), c1.view_for_writing());
    }
    const auto rescaled = [&](const NttPoly& poly) {
      NttPoly result(lower.prime_count(), lower.degree());
      context_.backend().divide_and_round_by_last(result.view_for_writing(), poly.view(),
                                                  level.primes());
      return coefficients_of(context_, lower, result);
    };
    return {rescaled(c0), rescaled(c1)};
  }

  std::mt19937_64 rng_ = make_rng();
  std::vector<KeySide> sides_ = sides_of(SchemeType::ckks, GetParam());
  const Context& context_ = sides_.front().context;
};

/// The integers modulo the primes of `level` with these residues.
Integers integers_of(const Context& context, const ContextData& level, const Words& words) {
  const ConstCoeffView view{words.data(), level.degree(), level.prime_count(), level.degree()};
  return SwitchReference(context, level).integers(view, level.primes());
}

TEST_P(RescaledKeySwitch, IsItsFormulaAtEveryLevelByEveryTable) {
  const RnsBasis& basis = context_.backend().basis();
  for (const ContextData* level : levels_of(context_)) {
    const ContextData* lower = level->next_context_data();
    if (lower == nullptr) break;
    const PrimeIndices targets = level->key_switch_primes();
    const ConversionReference divisor(basis, targets.subspan(lower->prime_count()));
    const Integer special = product_of(basis, context_.special_primes());
    const Integer whole = product_of(basis, targets);
    const SwitchReference reference(context_, *level);
    for (const std::size_t size : {3, 4}) {
      SCOPED_TRACE(std::to_string(level->prime_count()) + " primes, size " + std::to_string(size));
      const std::vector<CoeffPoly> operand = random_operand(*level, size);
      std::vector<Integers> c;
      for (const CoeffPoly& poly : operand) c.push_back(reference.integers(poly));
      const auto keys = keys_for(sides_.front(), size);
      const auto expected = [&](bool is_b) {
        Integers dividend;
        for (const Integer& value : c[is_b ? 0 : 1]) dividend.push_back(value * special);
        for (std::size_t k = 0; k < keys.size(); ++k) {
          dividend = sum_of(dividend, reference.sum(c[k + 2], *keys[k], is_b));
        }
        Integers quotients;
        for (const Integer& x : dividend) {
          const Integer quotient = divisor.quotient(x % whole);
          quotients.push_back(quotient);
          // The quotient is also within (1/2 + d) * P*q, where d = 5*k / 2^(s+2).
          const Integer error = centred(quotient * divisor.product() - x, whole).abs();
          const Integer bound = (Integer(2) << divisor.fraction_bits()) +
                                Integer(5 * (targets.size() - lower->prime_count()));
          EXPECT_LE(error << (divisor.fraction_bits() + 2), bound * divisor.product());
        }
        return words_of(residues_of(quotients, basis, lower->primes()).view());
      };
      const Division results{expected(true), expected(false)};
      for (const KeySide& side : sides_) {
        const ContextData& own = *side.context.get_context_data(level->parms_id());
        ASSERT_EQ(in_one_division(side, own, operand), results)
            << side.context.backend().kernel_names().front();
      }
    }
  }
}

TEST_P(RescaledKeySwitch, DiffersByOneAtMostFromTwoDivisions) {
  for (const ContextData* level : levels_of(context_)) {
    const ContextData* lower = level->next_context_data();
    if (lower == nullptr) break;
    const std::vector<CoeffPoly> operand = random_operand(*level, 3);
    const Division one = in_one_division(*level, operand);
    const Division two = in_turn(*level, operand);
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

// Last primes of every size.
const std::vector<KeyShape> kRescaledShapes =
    key_shapes_and({{8, {20, 25, 7}, {31}, 1}, {64, {50, 10, 50}, {30}, 1}});

INSTANTIATE_TEST_SUITE_P(Shapes, RescaledKeySwitch, ::testing::ValuesIn(kRescaledShapes));

/// Rounding to an integer and then dividing by an odd q rounds as one division does. Both ways give
/// the same bits, except for coefficients so near to a half that the conversion is uncertain, which
/// are at most a part d of all.
class RescalingNoise : public RescaledKeySwitch {
 protected:
  /// The sum of squared errors, in units of the result, of c_0 + c_1*s compared with
  /// (c_0 + c_1*s + c_2*s^2) / q.
  double squared_error(const ContextData& level, const std::vector<CoeffPoly>& operand,
                       const Division& result) const {
    const ContextData& lower = *level.next_context_data();
    const SwitchReference reference(context_, level);
    const auto phase = [&](const std::vector<Integers>& c) {
      Integers sum = c[0];
      for (std::size_t k = 1; k < c.size(); ++k) {
        const Integers s = secret_power(context_, sides_.front().secret, k);
        sum = sum_of(sum, negacyclic_product(c[k], s));
      }
      return sum;
    };
    std::vector<Integers> c;
    for (const CoeffPoly& poly : operand) c.push_back(reference.integers(poly));
    const Integers wanted = phase(c);
    const Integers actual = phase(
        {integers_of(context_, lower, result.first), integers_of(context_, lower, result.second)});
    const Integer q(level.coeff_modulus().back().value());
    const Integer modulus = product_of(context_.backend().basis(), level.primes());
    double sum = 0;
    for (std::size_t n = 0; n < level.degree(); ++n) {
      const Integer difference = centred(actual[n] * q - wanted[n], modulus);
      const double error = mpz_get_d(difference.get()) / mpz_get_d(q.get());
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
    const std::vector<CoeffPoly> operand = random_operand(level, 3);
    const Division at_once = in_one_division(level, operand);
    const Division in_turn_result = in_turn(level, operand);
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
  // The variance is 1/12 in both polynomials, times 1 and times the secret of at most N terms.
  EXPECT_LE(one / count, 1.2 * (1 + degree) / 12);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RescalingNoise,
                         ::testing::Values(KeyShape{8, {40, 41, 7}, {50}, 1},
                                           KeyShape{8, {40, 41, 7}, {50, 51}, 2},
                                           KeyShape{64, {40, 40, 30}, {50}, 1},
                                           KeyShape{256, {40, 40, 40}, {50, 50}, 2}));

}  // namespace
}  // namespace ringlet::test
