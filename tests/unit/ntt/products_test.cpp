// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/ntt.hpp"
#include "support/reference/ntt_reference.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 64;

Ntt make_plan() { return Ntt(kDegree, generate_ntt_primes(40, kDegree, 1)[0]); }

TEST(NttProduct, RefusesUnusableBuffersAndFactorsAndLeavesThemAlone) {
  const Ntt plan = make_plan();
  auto rng = make_rng();
  const Words original = random_residues(5 * kDegree, plan.modulus().value(), rng);
  Words words = original;
  const std::span<std::uint64_t> all(words);
  const auto part = [&](std::size_t start) { return all.subspan(start, kDegree); };
  const auto a = part(0);
  const auto b = part(kDegree);
  const auto result = part(2 * kDegree);
  std::uint64_t* const none = nullptr;
  const auto multiply_refuses = [&](auto... arguments) {
    expect_refusal_of("Ntt::multiply", {}, [&] { plan.multiply(arguments...); });
  };
  multiply_refuses(result.first(kDegree - 1), a, b);
  multiply_refuses(result, a.first(1), b);
  multiply_refuses(result, a, all.subspan(0, kDegree + 1));
  multiply_refuses(std::span<std::uint64_t>{none, kDegree}, a, b);
  multiply_refuses(result, std::span<std::uint64_t>{none, kDegree}, b);
  multiply_refuses(part(1), a, part(3 * kDegree));            // overlap with a
  multiply_refuses(part(kDegree + 1), part(3 * kDegree), b);  // overlap with b
  for (const int factor : {-1, 0, 3, 5, 8}) {
    multiply_refuses(result, a, b, factor, 1);
    multiply_refuses(result, a, b, 1, factor);
  }
  multiply_refuses(result, a, b, 1, 4);
  multiply_refuses(result, a, b, 1, 1, all.subspan(3 * kDegree, kDegree - 1));
  multiply_refuses(result, a, b, 1, 1, all.subspan(1, kDegree));  // scratch in a
  multiply_refuses(result, a, b, 1, 1, part(2 * kDegree));        // scratch is result
  multiply_refuses(result, a, b, 1, 1, std::span<std::uint64_t>{none, kDegree});
  EXPECT_EQ(words, original);
  EXPECT_NO_THROW(plan.multiply(result, a, b, 1, 1, part(3 * kDegree)));
}

TEST(NttProduct, SumsRefuseWrongCountsLengthsAndEveryOverlap) {
  const Ntt plan = make_plan();
  auto rng = make_rng();
  const Words original = random_residues(7 * kDegree, plan.modulus().value(), rng);
  Words words = original;
  const std::span<std::uint64_t> all(words);
  const auto part = [&](std::size_t start) { return all.subspan(start, kDegree); };
  using Results = std::vector<Ntt::Result>;
  using Operands = std::vector<Ntt::Operand>;
  const Operands operands{part(0), part(kDegree)};
  const Operands keys{part(2 * kDegree), part(3 * kDegree), part(3 * kDegree), part(2 * kDegree)};
  const Results results{part(4 * kDegree), part(5 * kDegree)};
  const auto sum_refuses = [&](const Results& r, const Operands& x, const Operands& y,
                               std::span<std::uint64_t> scratch = {}) {
    expect_refusal_of("Ntt::inner_product", {}, [&] { plan.inner_product(r, x, y, scratch); });
  };
  sum_refuses(results, operands, {keys[0], keys[1], keys[2]});
  sum_refuses({results[0]}, operands, keys);
  sum_refuses({results[0]}, {operands[0].first(5)}, {keys[0]});
  sum_refuses({results[0]}, {operands[0]}, {keys[0].first(0)});
  sum_refuses({results[0].first(1)}, {operands[0]}, {keys[0]});
  sum_refuses({part(0)}, {part(0)}, {keys[0]});            // result is an operand
  sum_refuses({part(2 * kDegree)}, {part(0)}, {keys[0]});  // result is a key
  sum_refuses({part(1)}, {part(0)}, {keys[0]});            // result overlaps an operand
  sum_refuses({results[0], results[0]}, operands, keys);   // equal results
  sum_refuses({results[0], part(4 * kDegree + 1)}, operands, keys);
  sum_refuses(results, operands, keys, all.subspan(6 * kDegree, 3));
  sum_refuses(results, operands, keys, part(0));
  sum_refuses(results, operands, keys, part(2 * kDegree + 1));
  sum_refuses(results, operands, keys, part(5 * kDegree + 1));
  expect_refusal_of("Ntt::multiply_accumulate", {},
                    [&] { plan.multiply_accumulate(part(0), operands, {}); });
  EXPECT_EQ(words, original);
  EXPECT_NO_THROW(plan.inner_product(results, operands, keys, part(6 * kDegree)));
}

TEST(NttProduct, SumsOfNoTermsAreZeroAndNoTargetsAreNothing) {
  const Ntt plan = make_plan();
  Words result(kDegree, 7);
  const std::vector<Ntt::Result> results{result};
  plan.inner_product(results, {}, {});
  EXPECT_EQ(result, Words(kDegree, 0));
  result.assign(kDegree, 7);
  plan.multiply_accumulate(result, {}, {});
  EXPECT_EQ(result, Words(kDegree, 0));
  const Words operand(kDegree, 1);
  const std::vector<Ntt::Operand> operands{operand};
  EXPECT_NO_THROW(plan.inner_product({}, operands, {}));
}

TEST(NttProduct, NothingBeyondTheEndsAtAnyAlignment) {
  const std::size_t degree = 1024;
  const Modulus q = generate_ntt_primes(49, degree, 1)[0];
  auto rng = make_rng();
  const Words a = random_residues(degree, q.value(), rng);
  const Words b = random_residues(degree, q.value(), rng);
  const Words expected = negacyclic_product(a, b, q.value());
  for (const std::string& kernel : ntt_kernel_names().available) {
    const Ntt plan(degree, q, KernelSelection(kernel.substr(0, kernel.find('/'))));
    for (std::size_t shift = 0; shift < 8; ++shift) {
      Words memory(2 * degree + 16, kSentinel);
      const auto place = std::span(memory).subspan(shift + 1, degree);
      const auto scratch = std::span(memory).subspan(shift + degree + 3, degree);
      plan.multiply(place, a, b, 1, 1, scratch);
      ASSERT_TRUE(std::equal(place.begin(), place.end(), expected.begin())) << plan.kernel_name();
      for (const std::size_t i :
           {shift, shift + degree + 1, shift + degree + 2, shift + 2 * degree + 3}) {
        ASSERT_EQ(memory[i], kSentinel) << plan.kernel_name() << " word " << i;
      }
    }
  }
}

}  // namespace
}  // namespace ringlet::test
