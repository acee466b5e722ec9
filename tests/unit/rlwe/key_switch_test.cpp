// SPDX-License-Identifier: Apache-2.0
// Key switching with digits and special primes of any number, word by word against its formula in
// big integers, and by what it means.
#include "rlwe/key_switch.hpp"

#include "key_switch_support.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

const std::vector<KeyShape>& key_shapes() {
  static const std::vector<KeyShape> kShapes =
      key_shapes_and({{64, {50, 50}, {30}, 1}, {64, {40, 41, 40}, {42, 30}, 1}});
  return kShapes;
}

class HybridKeySwitch : public ::testing::TestWithParam<std::tuple<SchemeType, KeyShape>> {
 protected:
  HybridKeySwitch() : rng_(make_rng()) {}

  CoeffPoly random_poly(const ContextData& level) {
    return test::random_poly(context_, level, rng_);
  }
  NttPoly to_ntt(const ContextData& level, const CoeffPoly& poly) const {
    return test::to_ntt(context_, level, poly);
  }
  std::vector<const ContextData*> levels() const { return levels_of(context_); }
  Integers secret_power(std::size_t power) const {
    return test::secret_power(context_, keys_.secret_key(), power);
  }

  Context context_ = context_of(std::get<0>(GetParam()), std::get<1>(GetParam()));
  KeyGenerator keys_{context_, RandomSource::for_testing(test_seed())};
  RelinKeys relin_ = keys_.create_relin_keys();
  std::mt19937_64 rng_;
};

TEST_P(HybridKeySwitch, IsItsFormulaAtEveryLevel) {
  const KSwitchKey& key = relin_.key(2);
  EXPECT_EQ(key.digit_count(), context_.parms().digit_count());
  for (const ContextData* level : levels()) {
    const SwitchReference reference(context_, *level);
    const CoeffPoly source = random_poly(*level);
    CoeffPoly c0 = random_poly(*level);
    CoeffPoly c1 = random_poly(*level);
    const Integers values = reference.integers(source.view(), level->primes());
    const auto plus = [&](const CoeffPoly& c, bool is_b) {
      return sum_of(reference.integers(c.view(), level->primes()),
                    reference.switched(values, key, is_b));
    };
    const Integers expected_0 = plus(c0, true);
    const Integers expected_1 = plus(c1, false);
    NttPoly n0 = to_ntt(*level, c0);
    NttPoly n1 = to_ntt(*level, c1);
    const NttPoly ntt_source = to_ntt(*level, source);

    rlwe::add_key_switched(context_, *level, source.view(), key, c0.view_for_writing(),
                           c1.view_for_writing());
    const auto expect_poly = [&](const CoeffPoly& actual, const Integers& expected) {
      for (std::size_t i = 0; i < level->prime_count(); ++i) {
        for (std::size_t n = 0; n < level->degree(); ++n) {
          ASSERT_EQ(actual.view().limb(i)[n],
                    expected[n].residue(level->coeff_modulus()[i].value()))
              << "prime " << i << ", coefficient " << n << ", " << level->prime_count()
              << " primes";
        }
      }
    };
    expect_poly(c0, expected_0);
    expect_poly(c1, expected_1);
    // In NTT form the same.
    rlwe::add_key_switched(context_, *level, ntt_source.view(), key, n0.view_for_writing(),
                           n1.view_for_writing());
    EXPECT_EQ(words_of(n0.view()), words_of(to_ntt(*level, c0).view()));
    EXPECT_EQ(words_of(n1.view()), words_of(to_ntt(*level, c1).view()));
  }
}

TEST_P(HybridKeySwitch, TheSourceMayBeADestination) {
  const KSwitchKey& key = relin_.key(2);
  for (const ContextData* level : levels()) {
    const CoeffPoly source = random_poly(*level);
    const CoeffPoly other = random_poly(*level);
    const auto run = [&](auto first, auto second, int which) {
      auto copy = source;
      const auto view = which == 0   ? first.view_for_writing()
                        : which == 1 ? second.view_for_writing()
                                     : copy.view_for_writing();
      rlwe::add_key_switched(context_, *level, view, key, first.view_for_writing(),
                             second.view_for_writing());
      return std::pair(words_of(first.view()), words_of(second.view()));
    };
    EXPECT_EQ(run(source, other, 0), run(source, other, 2));
    EXPECT_EQ(run(other, source, 1), run(other, source, 2));
  }
}

// The phase grows by source * s^2 and a noise that special primes make small.
TEST_P(HybridKeySwitch, AddsTheProductWithTheOldSecret) {
  const KSwitchKey& key = relin_.key(2);
  const std::uint64_t t = context_.scheme() == SchemeType::bgv ? kPlainModulus : 1;
  const Integer special = product_of(context_.backend().basis(), context_.special_primes());
  for (const ContextData* level : levels()) {
    const SwitchReference reference(context_, *level);
    const CoeffPoly source = random_poly(*level);
    CoeffPoly c0(level->prime_count(), level->degree());
    CoeffPoly c1(level->prime_count(), level->degree());
    rlwe::add_key_switched(context_, *level, source.view(), key, c0.view_for_writing(),
                           c1.view_for_writing());
    const auto primes = level->primes();
    Integers noise =
        sum_of(reference.integers(c0.view(), primes),
               negacyclic_product(reference.integers(c1.view(), primes), secret_power(1)));
    const Integers wanted =
        negacyclic_product(reference.integers(source.view(), primes), secret_power(2));
    const Integer q = product_of(context_.backend().basis(), primes);
    // Digits in absolute value below half of their product, errors up to 21, N terms of each; then
    // rounding by half, times 1 + N for the secret. All of it times t.
    Integer bound;
    const std::size_t size = context_.parms().digit_size();
    for (std::size_t first = 0; first < primes.size(); first += size) {
      const auto own = primes.subspan(first, std::min(size, primes.size() - first));
      const Integer digit = product_of(context_.backend().basis(), own);
      mpz_add(bound.get(), bound.get(), digit.get());
    }
    mpz_mul_ui(bound.get(), bound.get(), 11 * level->degree());
    mpz_fdiv_q(bound.get(), bound.get(), special.get());
    mpz_add_ui(bound.get(), bound.get(), level->degree() + 1);
    mpz_mul_ui(bound.get(), bound.get(), t);
    for (std::size_t n = 0; n < noise.size(); ++n) {
      mpz_sub(noise[n].get(), noise[n].get(), wanted[n].get());
      const Integer error = centred(noise[n], q);
      ASSERT_LE(mpz_cmpabs(error.get(), bound.get()), 0) << "coefficient " << n;
      if (mpz_cmpabs(bound.get(), q.get()) < 0) {
        ASSERT_NE(mpz_divisible_ui_p(error.get(), t), 0) << "messages modulo t stay";
      }
    }
  }
}

TEST_P(HybridKeySwitch, EveryTableGivesTheSameBits) {
  std::vector<std::vector<std::uint64_t>> expected;
  for (const std::string& table : kernel_tables()) {
    std::optional<KernelSelection> kernels;
    try {
      kernels.emplace(table);
    } catch (const RuntimeError&) {
      continue;  // not on this processor
    }
    const Context context = context_of(std::get<0>(GetParam()), std::get<1>(GetParam()), *kernels);
    const KeyGenerator keys(context, RandomSource::for_testing(3));
    const RelinKeys relin = keys.create_relin_keys();
    std::vector<std::vector<std::uint64_t>> actual;
    for (const ContextData* level : levels()) {
      auto rng = make_rng(level->prime_count());
      NttPoly source(level->prime_count(), level->degree());
      fill_uniform(source.view_for_writing(), context, level->primes(), rng);
      NttPoly c0(level->prime_count(), level->degree());
      NttPoly c1(level->prime_count(), level->degree());
      rlwe::add_key_switched(context, *context.get_context_data(level->parms_id()), source.view(),
                             relin.key(2), c0.view_for_writing(), c1.view_for_writing());
      actual.push_back(words_of(c0.view()));
      actual.push_back(words_of(c1.view()));
    }
    if (expected.empty()) expected = actual;
    EXPECT_EQ(actual, expected) << table;
  }
  EXPECT_FALSE(expected.empty());
}

INSTANTIATE_TEST_SUITE_P(Shapes, HybridKeySwitch,
                         ::testing::Combine(::testing::Values(SchemeType::bfv, SchemeType::ckks,
                                                              SchemeType::bgv),
                                            ::testing::ValuesIn(key_shapes())),
                         [](const auto& test) {
                           return std::string(to_string(std::get<0>(test.param))) + "_" +
                                  std::to_string(test.index);
                         });

}  // namespace
}  // namespace ringlet::test
