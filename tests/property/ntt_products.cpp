// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Products of polynomials and sums of products of transforms: each test runs over all kernels of
// this processor, and over primes on both sides of every kernel's limit.

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;

/// Plans of one degree and prime, one per kernel that takes them.
std::vector<Ntt> all_plans(std::size_t degree, const Modulus& q) {
  std::vector<Ntt> plans;
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.operation != "ntt" || !info.available) continue;
    if (q.value() >= info.modulus_limit || degree < info.min_degree) continue;
    plans.emplace_back(degree, q, KernelSelection(info.table + "/" + info.algorithm));
  }
  return plans;
}

/// Primes of sizes at which the products choose different ways, and next to the kernels' limits.
std::vector<Modulus> test_primes(std::size_t degree) {
  std::set<std::uint64_t> values;
  for (const int bits : {30, 45, 47, 48, 49, 52, 57, 58, 59, 60, 61}) {
    values.insert(ntt_prime_next_to(std::uint64_t{1} << bits, degree, true));
  }
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.operation != "ntt") continue;
    values.insert(ntt_prime_next_to(info.modulus_limit, degree, true));
    if (info.modulus_limit >> kMaxNttModulusBits != 0) continue;
    values.insert(ntt_prime_next_to(info.modulus_limit, degree, false));
  }
  return {values.begin(), values.end()};
}

Words reduced(Words values, std::uint64_t q) {
  for (auto& value : values) value %= q;
  return values;
}

class NttProducts : public ::testing::TestWithParam<std::size_t> {};

TEST_P(NttProducts, AreNegacyclicForEveryRangeAndPlace) {
  const std::size_t degree = GetParam();
  for (const Modulus& q : test_primes(degree)) {
    auto rng = make_rng(q.value());
    for (const int input : {1, 2, 4}) {
      const auto factor = static_cast<std::uint64_t>(input);
      const Words a = mixed_values(degree, q.value(), factor, rng);
      const Words b = input == 2 ? Words(degree, factor * q.value() - 1)
                                 : mixed_values(degree, q.value(), factor, rng);
      const Words expected = negacyclic_product(a, b, q.value());
      for (const Ntt& plan : all_plans(degree, q)) {
        const auto where = plan.kernel_name() + " q = " + std::to_string(q.value()) + " input " +
                           std::to_string(input);
        Words result(degree, ~std::uint64_t{0});
        plan.multiply(result, a, b, input, 1);
        ASSERT_EQ(result, expected) << where;
        result = a;
        plan.multiply(result, result, b, input, 2);
        for (const std::uint64_t word : result) ASSERT_LT(word, 2 * q.value()) << where;
        ASSERT_EQ(reduced(result, q.value()), expected) << where << ", in place of a";
        result = b;
        Words scratch(degree + 3);
        plan.multiply(result, a, result, input, 1, scratch);
        ASSERT_EQ(result, expected) << where << ", in place of b";
      }
    }
  }
}

TEST_P(NttProducts, SquaresInPlaceOrNot) {
  const std::size_t degree = GetParam();
  for (const Modulus& q : test_primes(degree)) {
    auto rng = make_rng(q.value());
    const Words a = mixed_values(degree, q.value(), 1, rng);
    const Words expected = negacyclic_product(a, a, q.value());
    for (const Ntt& plan : all_plans(degree, q)) {
      Words result(degree);
      plan.multiply(result, a, a);
      ASSERT_EQ(result, expected) << plan.kernel_name() << " q = " << q.value();
      result = a;
      plan.multiply(result, result, result);
      ASSERT_EQ(result, expected) << plan.kernel_name() << " q = " << q.value() << ", in place";
    }
  }
}

/// Random operands and keys, and the sums of their products by transforms and 128-bit integers.
struct SumCase {
  SumCase(const Ntt& plan, std::size_t terms, std::size_t targets, std::mt19937_64& rng)
      : sums(targets, Words(plan.degree(), 0)) {
    const std::uint64_t q = plan.modulus().value();
    for (std::size_t k = 0; k < terms; ++k) {
      operands.push_back(k == 0 ? Words(plan.degree(), q - 1)
                                : mixed_values(plan.degree(), q, 1, rng));
      Words transformed(plan.degree());
      plan.forward(transformed, operands.back());
      for (std::size_t t = 0; t < targets; ++t) {
        keys.push_back(k == 1 ? Words(plan.degree(), q - 1)
                              : mixed_values(plan.degree(), q, 1, rng));
        for (std::size_t i = 0; i < plan.degree(); ++i) {
          const uint128_t product = static_cast<uint128_t>(transformed[i]) * keys.back()[i];
          sums[t][i] = static_cast<std::uint64_t>((product + sums[t][i]) % q);
        }
      }
    }
  }
  std::vector<Ntt::Operand> operand_spans() const { return {operands.begin(), operands.end()}; }
  std::vector<Ntt::Operand> key_spans() const { return {keys.begin(), keys.end()}; }

  std::vector<Words> operands;
  std::vector<Words> keys;
  std::vector<Words> sums;
};

TEST_P(NttProducts, SumsOfAnyNumberOfTermsAndTargets) {
  const std::size_t degree = GetParam();
  const std::array<std::array<std::size_t, 2>, 6> shapes{
      {{1, 1}, {2, 2}, {3, 2}, {7, 1}, {9, 3}, {35, 2}}};
  for (const Modulus& q : test_primes(degree)) {
    auto rng = make_rng(q.value());
    const auto [terms, targets] = shapes[rng() % shapes.size()];
    const std::vector<Ntt> plans = all_plans(degree, q);
    const SumCase sample(plans[0], terms, targets, rng);
    for (const Ntt& plan : plans) {
      const auto where = plan.kernel_name() + " q = " + std::to_string(q.value()) + " terms " +
                         std::to_string(terms) + " targets " + std::to_string(targets);
      for (const std::size_t scratch_terms : {std::size_t{0}, std::size_t{1}, terms}) {
        std::vector<Words> results(targets, Words(degree, ~std::uint64_t{0}));
        const std::vector<Ntt::Result> spans(results.begin(), results.end());
        Words scratch(scratch_terms * degree);
        plan.inner_product(spans, sample.operand_spans(), sample.key_spans(), scratch);
        ASSERT_EQ(results, sample.sums) << where << " scratch for " << scratch_terms;
      }
    }
  }
}

TEST_P(NttProducts, SumsComeBackAsCoefficients) {
  const std::size_t degree = GetParam();
  for (const Modulus& q : test_primes(degree)) {
    auto rng = make_rng(q.value());
    const std::size_t terms = 1 + rng() % 6;
    const std::vector<Ntt> plans = all_plans(degree, q);
    const SumCase sample(plans[0], terms, 1, rng);
    Words expected(degree);
    plans[0].inverse(expected, sample.sums[0]);
    for (const Ntt& plan : plans) {
      for (const std::size_t scratch_terms : {std::size_t{0}, std::size_t{2}}) {
        Words result(degree, ~std::uint64_t{0});
        Words scratch(scratch_terms * degree);
        plan.multiply_accumulate(result, sample.operand_spans(), sample.key_spans(), scratch);
        ASSERT_EQ(result, expected) << plan.kernel_name() << " q = " << q.value() << " terms "
                                    << terms << " scratch for " << scratch_terms;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SmallDegrees, NttProducts,
                         ::testing::Values(2, 4, 8, 16, 32, 64, 128, 256, 512));
INSTANTIATE_TEST_SUITE_P(UsualDegrees, NttProducts, ::testing::Values(1024, 4096, 8192));
INSTANTIATE_TEST_SUITE_P(LargeDegrees, NttProducts, ::testing::Values(1 << 14, 1 << 15));

}  // namespace
}  // namespace ringlet::test
