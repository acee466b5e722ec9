// SPDX-License-Identifier: Apache-2.0
// Key switching with digits and special primes of any number, word by word against its formula in
// big integers, and by what it means.
#include "rlwe/keys/key_switch.hpp"

#include "key_switch_support.hpp"
#include "support/test.hpp"

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
    // The source is a copy of one of the results, or that result itself.
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
    // Digits in absolute value below half of their product, errors up to 21, N terms of each; then
    // rounding by half, times 1 + N for the secret. All of it times t.
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
                         ::testing::Combine(::testing::Values(SchemeType::bfv, SchemeType::ckks,
                                                              SchemeType::bgv),
                                            ::testing::ValuesIn(kKeyShapes)),
                         [](const auto& test) {
                           return std::string(to_string(std::get<0>(test.param))) + "_" +
                                  std::to_string(test.index);
                         });

}  // namespace
}  // namespace ringlet::test
