// SPDX-License-Identifier: Apache-2.0
// Key switching with digits and special primes of any number, word by word against its formula in
// big integers, and by what it means.
#include "rlwe/key_switch.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ringlet/kernel_selection.hpp"
#include "rlwe_support.hpp"
#include "support/integer_poly.hpp"

namespace ringlet::test {
namespace {

struct KeyShape {
  std::size_t degree;
  std::vector<int> data;
  std::vector<int> special;
  std::size_t digit_size;
};

void PrintTo(const KeyShape& shape, std::ostream* stream) {
  *stream << "N = " << shape.degree << ", " << shape.data.size() << " + " << shape.special.size()
          << " primes, digits of " << shape.digit_size;
}

// One to three special primes; digits of one to three primes, the last one shorter or not; special
// primes below and above the digits.
const std::vector<KeyShape>& key_shapes() {
  static const std::vector<KeyShape> kShapes{
      {2, {20, 30, 25}, {31}, 1},
      {4, {40, 41, 20}, {42, 43}, 2},
      {64, {30, 30, 30, 30, 30}, {31, 31, 31}, 3},
      {64, {49, 48, 47, 49, 48}, {49, 49, 49}, 2},
      {64, {60, 61, 60}, {61}, 1},
      {64, {50, 50}, {30}, 1},
      {64, {40, 41, 40}, {42, 30}, 1},
      {64, {20, 61, 21}, {61, 60}, 3},
      {1024, {40, 41, 22}, {50, 35}, 2},
  };
  return kShapes;
}

constexpr std::uint64_t kPlainModulus = 1000003;

Context context_of(SchemeType scheme, const KeyShape& shape,
                   const KernelSelection& kernels = KernelSelection::from_environment()) {
  std::vector<int> sizes = shape.data;
  sizes.insert(sizes.end(), shape.special.begin(), shape.special.end());
  const auto primes = CoeffModulus::create(shape.degree, sizes);
  const auto middle = primes.begin() + static_cast<std::ptrdiff_t>(shape.data.size());
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(shape.degree);
  parms.set_coeff_modulus({primes.begin(), middle}, {middle, primes.end()});
  parms.set_digit_size(shape.digit_size);
  if (scheme != SchemeType::ckks) parms.set_plain_modulus(Modulus(kPlainModulus));
  return Context(parms, SecurityLevel::none, SecurityTable::classical_2024, kernels);
}

/// The formula of add_key_switched in big integers.
class SwitchReference {
 public:
  SwitchReference(const Context& context, const ContextData& level)
      : context_(context), level_(level), basis_(context.backend().basis()) {}

  /// Coefficients, in [0, Q) over the given primes, of limbs in coefficient form.
  Integers integers(ConstCoeffView view, PrimeIndices primes) const {
    Integers result(level_.degree());
    for (std::size_t n = 0; n < result.size(); ++n) {
      reconstruct(result[n], view, n, basis_, primes);
    }
    return result;
  }

  /// What is added to c_0 (is_b) or c_1.
  Integers switched(const Integers& source, const KSwitchKey& key, bool is_b) const {
    const PrimeIndices primes = level_.primes();
    const std::size_t size = context_.parms().digit_size();
    Integers sum(level_.degree());
    for (std::size_t first = 0, j = 0; first < primes.size(); first += size, ++j) {
      const PrimeIndices own = primes.subspan(first, std::min(size, primes.size() - first));
      const ConversionReference lift(basis_, own);
      Integers digit(level_.degree());
      for (std::size_t n = 0; n < digit.size(); ++n) digit[n] = lift.representative(source[n]);
      sum = sum_of(sum, negacyclic_product(digit, key_part(is_b ? key.b(j) : key.a(j))));
    }
    for (Integer& value : sum) value = divided(value);
    return sum;
  }

 private:
  // A polynomial of a key over the targets of this level.
  Integers key_part(ConstNttView part) const {
    const PrimeIndices all = context_.key_context_data()->primes();
    const PrimeIndices targets = level_.key_switch_primes();
    CoeffPoly coefficients(all.size(), level_.degree());
    context_.backend().inverse_ntt(coefficients.view_for_writing(), part, all);
    CoeffPoly chosen(targets.size(), level_.degree());
    for (std::size_t i = 0; i < targets.size(); ++i) {
      std::ranges::copy(coefficients.view().limb(targets[i]),
                        chosen.view_for_writing().limb(i).begin());
    }
    return integers(chosen.view(), targets);
  }

  // (x - t*r) / P for the representative r of x/t modulo P.
  Integer divided(const Integer& x) const {
    const std::uint64_t t = context_.scheme() == SchemeType::bgv ? kPlainModulus : 1;
    const ConversionReference special(basis_, context_.special_primes());
    Integer whole = product_of(basis_, level_.key_switch_primes());
    Integer reduced;
    mpz_fdiv_r(reduced.get(), x.get(), whole.get());
    Integer quotient(t);
    mpz_invert(quotient.get(), quotient.get(), special.product().get());
    mpz_mul(quotient.get(), quotient.get(), reduced.get());
    mpz_fdiv_r(quotient.get(), quotient.get(), special.product().get());
    const Integer r = special.representative(quotient);
    mpz_submul_ui(reduced.get(), r.get(), t);
    EXPECT_NE(mpz_divisible_p(reduced.get(), special.product().get()), 0);
    mpz_divexact(reduced.get(), reduced.get(), special.product().get());
    return reduced;
  }

  const Context& context_;
  const ContextData& level_;
  const RnsBasis& basis_;
};

class HybridKeySwitch : public ::testing::TestWithParam<std::tuple<SchemeType, KeyShape>> {
 protected:
  HybridKeySwitch() : rng_(make_rng()) {}

  CoeffPoly random_poly(const ContextData& level) {
    CoeffPoly poly(level.prime_count(), level.degree());
    const Integer q = product_of(context_.backend().basis(), level.primes());
    const Integers values = random_integers(level.degree(), q, rng_);
    for (std::size_t i = 0; i < level.prime_count(); ++i) {
      for (std::size_t n = 0; n < level.degree(); ++n) {
        poly.view_for_writing().limb(i)[n] = values[n].residue(level.coeff_modulus()[i].value());
      }
    }
    return poly;
  }
  NttPoly to_ntt(const ContextData& level, const CoeffPoly& poly) const {
    NttPoly result(level.prime_count(), level.degree());
    context_.backend().forward_ntt(result.view_for_writing(), poly.view(), level.primes());
    return result;
  }
  std::vector<const ContextData*> levels() const {
    std::vector<const ContextData*> all;
    for (const ContextData* level = context_.first_context_data(); level != nullptr;
         level = level->next_context_data()) {
      all.push_back(level);
    }
    return all;
  }
  Integers secret_power(std::size_t power) const {
    const auto small = small_coefficients(context_, keys_.secret_key().view(),
                                          context_.key_context_data()->primes());
    Integers secret(small.size());
    for (std::size_t n = 0; n < small.size(); ++n) mpz_set_si(secret[n].get(), small[n]);
    return power == 1 ? secret : negacyclic_product(secret, secret);
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
