// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/ntt.hpp"
#include "support/reference/ntt_reference.hpp"

// Products of polynomials and sums of products of transforms: each test runs over all kernels of
// this processor, and over primes on both sides of every kernel's limit.

namespace ringlet::test {
namespace {

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

/// Primes of sizes for which the products choose different ways, and next to the kernels' limits.
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

class NttProducts : public ::testing::TestWithParam<std::size_t> {
 protected:
  /// Calls body(q, plans, rng) for all primes.
  template <typename Body>
  static void for_each_prime(Body body) {
    for (const Modulus& q : test_primes(GetParam())) {
      SCOPED_TRACE("q = " + std::to_string(q.value()));
      auto rng = make_rng(q.value());
      body(q.value(), all_plans(GetParam(), q), rng);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(NttProducts, AreNegacyclicForEveryRangeAndPlace) {
  const std::size_t degree = GetParam();
  for_each_prime([&](std::uint64_t q, const std::vector<Ntt>& plans, std::mt19937_64& rng) {
    for (const int input : {1, 2, 4}) {
      const auto factor = static_cast<std::uint64_t>(input);
      const Words a = mixed_values(degree, q, factor, rng);
      const Words b =
          input == 2 ? Words(degree, factor * q - 1) : mixed_values(degree, q, factor, rng);
      const Words expected = negacyclic_product(a, b, q);
      for (const Ntt& plan : plans) {
        SCOPED_TRACE(plan.kernel_name() + " input " + std::to_string(input));
        Words result(degree, ~std::uint64_t{0});
        plan.multiply(result, a, b, input, 1);
        ASSERT_EQ(result, expected);
        result = a;
        plan.multiply(result, result, b, input, 2);
        ASSERT_LT(std::ranges::max(result), 2 * q);
        ASSERT_EQ(reduced(result, q), expected) << "in place of a";
        result = b;
        Words scratch(degree + 3);
        plan.multiply(result, a, result, input, 1, scratch);
        ASSERT_EQ(result, expected) << "in place of b";
      }
    }
    const Words a = mixed_values(degree, q, 1, rng);
    const Words square = negacyclic_product(a, a, q);
    for (const Ntt& plan : plans) {
      SCOPED_TRACE(plan.kernel_name());
      Words result(degree);
      plan.multiply(result, a, a);
      ASSERT_EQ(result, square);
      result = a;
      plan.multiply(result, result, result);
      ASSERT_EQ(result, square) << "in place";
    }
  });
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
  constexpr std::size_t kShapes[][2] = {{1, 3}, {1, 1}, {2, 2}, {3, 2}, {7, 1}, {9, 3}, {35, 2}};
  auto turn = static_cast<std::size_t>(std::countr_zero(degree));
  for_each_prime([&](std::uint64_t, const std::vector<Ntt>& plans, std::mt19937_64& rng) {
    const auto& [terms, targets] = kShapes[turn++ % std::size(kShapes)];
    const SumCase sample(plans[0], terms, targets, rng);
    const SumCase single(plans[0], 1 + rng() % 6, 1, rng);
    Words coefficients(degree);
    plans[0].inverse(coefficients, single.sums[0]);
    for (const Ntt& plan : plans) {
      for (const std::size_t scratch_terms : {std::size_t{0}, std::size_t{1}, terms}) {
        SCOPED_TRACE(testing::Message() << plan.kernel_name() << " terms " << terms << " targets "
                                        << targets << " scratch for " << scratch_terms);
        std::vector<Words> results(targets, Words(degree, ~std::uint64_t{0}));
        const std::vector<Ntt::Result> spans(results.begin(), results.end());
        Words scratch(scratch_terms * degree);
        plan.inner_product(spans, sample.operand_spans(), sample.key_spans(), scratch);
        ASSERT_EQ(results, sample.sums);
      }
      for (const std::size_t scratch_terms : {0, 2}) {
        SCOPED_TRACE(testing::Message() << plan.kernel_name() << " terms " << single.operands.size()
                                        << " as coefficients, scratch for " << scratch_terms);
        Words result(degree, ~std::uint64_t{0});
        Words scratch(scratch_terms * degree);
        plan.multiply_accumulate(result, single.operand_spans(), single.key_spans(), scratch);
        ASSERT_EQ(result, coefficients);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Degrees, NttProducts,
                         ::testing::Values(2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 8192,
                                           1 << 14, 1 << 15));

}  // namespace
}  // namespace ringlet::test
