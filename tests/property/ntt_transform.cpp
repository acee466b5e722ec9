// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// What holds for every transform: each test runs over all kernels of this processor, and over
// primes of many sizes and on both sides of every kernel's limit.

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;

/// Plans of one degree, prime and root, one per kernel that takes them, lowest table first.
std::vector<Ntt> all_plans(std::size_t degree, const Modulus& q, std::uint64_t root) {
  std::vector<Ntt> plans;
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.operation != "ntt" || !info.available) continue;
    if (q.value() >= info.modulus_limit || degree < info.min_degree) continue;
    plans.emplace_back(degree, q, root, KernelSelection(info.table + "/" + info.algorithm));
  }
  return plans;
}

/// The same with the smallest root.
std::vector<Ntt> all_plans(std::size_t degree, const Modulus& q) {
  return all_plans(degree, q, minimal_primitive_root(2 * degree, q));
}

/// Primes for a degree: several sizes, and the neighbours of every kernel's limit.
std::vector<Modulus> test_primes(std::size_t degree) {
  std::vector<Modulus> primes;
  for (const int bits : {24, 30, 32, 33, 47, 49, 50, 52, 55, 60, 61, 62}) {
    if ((std::uint64_t{1} << bits) < 64 * degree) continue;
    primes.push_back(generate_ntt_primes(bits, degree, 1)[0]);
  }
  std::set<std::uint64_t> limits;
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.operation == "ntt") limits.insert(info.modulus_limit);
  }
  for (const std::uint64_t limit : limits) {
    primes.emplace_back(ntt_prime_next_to(limit, degree, true));
    if (limit < std::uint64_t{1} << kMaxNttModulusBits) {
      primes.emplace_back(ntt_prime_next_to(limit, degree, false));
    }
  }
  return primes;
}

/// Inputs in [0, factor*q): mixed, all zero, all at the top, and one single coefficient.
std::vector<Words> test_inputs(std::size_t degree, std::uint64_t q, std::uint64_t factor,
                               std::mt19937_64& rng) {
  Words single(degree, 0);
  single[rng() % degree] = factor * q - 1;
  return {mixed_values(degree, q, factor, rng), Words(degree, 0), Words(degree, factor * q - 1),
          single, Words(degree, q - 1)};
}

class NttProperty : public ::testing::TestWithParam<std::size_t> {};

TEST_P(NttProperty, AllKernelsGiveTheSameBitsAndTheInverseLeadsBack) {
  const std::size_t degree = GetParam();
  for (const Modulus& q : test_primes(degree)) {
    const std::vector<Ntt> plans = all_plans(degree, q);
    auto rng = make_rng(q.value());
    for (std::size_t round = 0; round < scaled(1); ++round) {
      for (const Words& a : test_inputs(degree, q.value(), 1, rng)) {
        Words reference(degree);
        plans[0].forward(reference, a);
        for (const Ntt& plan : plans) {
          Words values(degree, ~std::uint64_t{0});
          plan.forward(values, a);
          ASSERT_EQ(values, reference) << plan.kernel_name() << " q = " << q.value();
          plan.inverse(values);
          ASSERT_EQ(values, a) << plan.kernel_name() << " q = " << q.value();
        }
      }
    }
  }
}

TEST_P(NttProperty, ValuesAreThoseOfTheDefinition) {
  const std::size_t degree = GetParam();
  for (const Modulus& q : test_primes(degree)) {
    auto rng = make_rng(q.value());
    const Words a = mixed_values(degree, q.value(), 1, rng);
    for (const Ntt& plan : all_plans(degree, q)) {
      Words values(degree);
      plan.forward(values, a);
      for (std::size_t round = 0; round < scaled(2); ++round) {
        const std::size_t i = rng() % degree;
        ASSERT_EQ(values[i], ntt_value(a, i, plan.root_of_unity(), q))
            << plan.kernel_name() << " q = " << q.value() << " i = " << i;
      }
    }
  }
}

TEST_P(NttProperty, EveryRootGivesTheTransformOfItsDefinition) {
  const std::size_t degree = GetParam();
  for (const Modulus& q : test_primes(degree)) {
    const std::uint64_t smallest = minimal_primitive_root(2 * degree, q);
    auto rng = make_rng(q.value());
    for (const std::uint64_t exponent : {std::uint64_t{3}, 2 * degree - 1, rng() | 1}) {
      const std::uint64_t root = pow_mod(smallest, exponent, q);
      const Words a = mixed_values(degree, q.value(), 1, rng);
      const std::size_t i = rng() % degree;
      const std::uint64_t expected = ntt_value(a, i, root, q);
      for (const Ntt& plan : all_plans(degree, q, root)) {
        Words values(degree);
        plan.forward(values, a);
        ASSERT_EQ(values[i], expected)
            << plan.kernel_name() << " q = " << q.value() << " root = " << root << " i = " << i;
        plan.inverse(values);
        ASSERT_EQ(values, a) << plan.kernel_name() << " q = " << q.value() << " root = " << root;
      }
    }
  }
}

TEST_P(NttProperty, LazyRangesKeepTheirPromise) {
  const std::size_t degree = GetParam();
  for (const Modulus& q : test_primes(degree)) {
    auto rng = make_rng(q.value());
    for (const Ntt& plan : all_plans(degree, q)) {
      for (const int input : {1, 2, 4}) {
        for (const Words& a : test_inputs(degree, q.value(), static_cast<unsigned>(input), rng)) {
          Words reduced = a;
          for (auto& word : reduced) word %= q.value();
          Words exact(degree);
          plan.forward(exact, reduced);
          Words values(degree);
          plan.forward(values, a, input, 1);
          ASSERT_EQ(values, exact) << plan.kernel_name() << " q = " << q.value() << " x" << input;
          for (const unsigned output : {4U, 8U, 16U}) {
            plan.forward(values, a, input, static_cast<int>(output));
            for (auto& word : values) {
              ASSERT_LT(word / output, q.value()) << plan.kernel_name() << " q = " << q.value();
              word %= q.value();
            }
            ASSERT_EQ(values, exact)
                << plan.kernel_name() << " q = " << q.value() << " x" << input << " to x" << output;
          }
        }
      }
    }
  }
}

TEST_P(NttProperty, LazyRangesOfTheInverseKeepTheirPromise) {
  const std::size_t degree = GetParam();
  for (const Modulus& q : test_primes(degree)) {
    auto rng = make_rng(q.value());
    for (const Ntt& plan : all_plans(degree, q)) {
      for (const int input : {1, 2}) {
        for (const Words& a : test_inputs(degree, q.value(), static_cast<unsigned>(input), rng)) {
          Words reduced = a;
          for (auto& word : reduced) word %= q.value();
          Words exact(degree);
          plan.inverse(exact, reduced);
          Words values(degree);
          plan.inverse(values, a, input, 1);
          ASSERT_EQ(values, exact) << plan.kernel_name() << " q = " << q.value() << " x" << input;
          plan.inverse(values, a, input, 2);
          for (auto& word : values) {
            ASSERT_LT(word, 2 * q.value()) << plan.kernel_name() << " q = " << q.value();
            word %= q.value();
          }
          ASSERT_EQ(values, exact) << plan.kernel_name() << " q = " << q.value() << " x" << input;
        }
      }
    }
  }
}

TEST_P(NttProperty, SlotwiseProductsAreNegacyclicConvolutions) {
  const std::size_t degree = GetParam();
  for (const Modulus& q : test_primes(degree)) {
    auto rng = make_rng(q.value());
    const Words a = mixed_values(degree, q.value(), 1, rng);
    const Words b = mixed_values(degree, q.value(), 1, rng);
    const Words expected = negacyclic_product(a, b, q.value());
    for (const Ntt& plan : all_plans(degree, q)) {
      Words x(degree);
      Words y(degree);
      plan.forward(x, a);
      plan.forward(y, b);
      for (std::size_t i = 0; i < degree; ++i) x[i] = q.multiply(x[i], y[i]);
      plan.inverse(x);
      ASSERT_EQ(x, expected) << plan.kernel_name() << " q = " << q.value();
    }
  }
}

TEST_P(NttProperty, AnyAlignmentInPlaceOrNotAndNothingBeyondTheEnds) {
  const std::size_t degree = GetParam();
  const Modulus q = generate_ntt_primes(49, degree, 1)[0];
  constexpr std::uint64_t kGuard = 0xa5a5a5a5a5a5a5a5;
  auto rng = make_rng();
  const Words a = random_residues(degree, q.value(), rng);
  for (const Ntt& plan : all_plans(degree, q)) {
    Words expected(degree);
    plan.forward(expected, a);
    for (std::size_t shift = 0; shift < 8; ++shift) {
      Words memory(degree + 16, kGuard);
      const std::span<std::uint64_t> place = std::span(memory).subspan(shift + 1, degree);
      plan.forward(place, a);
      ASSERT_TRUE(std::equal(place.begin(), place.end(), expected.begin())) << plan.kernel_name();
      plan.inverse(place);
      ASSERT_TRUE(std::equal(place.begin(), place.end(), a.begin())) << plan.kernel_name();
      plan.forward(place);
      ASSERT_TRUE(std::equal(place.begin(), place.end(), expected.begin())) << plan.kernel_name();
      Words back(degree);
      plan.inverse(back, place);
      ASSERT_EQ(back, a) << plan.kernel_name();
      for (std::size_t i = 0; i < memory.size(); ++i) {
        if (i < shift + 1 || i > shift + degree) {
          ASSERT_EQ(memory[i], kGuard);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SmallDegrees, NttProperty,
                         ::testing::Values(2, 4, 8, 16, 32, 64, 128, 256, 512));
INSTANTIATE_TEST_SUITE_P(UsualDegrees, NttProperty, ::testing::Values(1024, 2048, 4096, 8192));

/// Degrees beyond the cache, where blocks are transformed depth first.
class NttLarge : public ::testing::TestWithParam<std::size_t> {};

TEST_P(NttLarge, AllKernelsGiveTheSameBitsAndTheInverseLeadsBack) {
  const std::size_t degree = GetParam();
  const std::uint64_t limit = std::uint64_t{1} << kMaxNttModulusBits;
  for (const Modulus& q : {Modulus(ntt_prime_next_to(std::uint64_t{1} << 50, degree, true)),
                           Modulus(ntt_prime_next_to(limit, degree, true))}) {
    auto rng = make_rng(q.value());
    const Words a = mixed_values(degree, q.value(), 1, rng);
    const std::vector<Ntt> plans = all_plans(degree, q);
    Words reference(degree);
    plans[0].forward(reference, a);
    const std::size_t i = rng() % degree;
    EXPECT_EQ(reference[i], ntt_value(a, i, plans[0].root_of_unity(), q));
    for (const Ntt& plan : plans) {
      Words values(degree);
      plan.forward(values, a);
      ASSERT_EQ(values, reference) << plan.kernel_name();
      Words back(degree);
      plan.inverse(back, values);
      ASSERT_EQ(back, a) << plan.kernel_name();
    }
  }
}

TEST_P(NttLarge, LazyRangesKeepTheirPromise) {
  const std::size_t degree = GetParam();
  const Modulus q(ntt_prime_next_to(std::uint64_t{1} << kMaxNttModulusBits, degree, true));
  auto rng = make_rng();
  const Words a = mixed_values(degree, q.value(), 4, rng);
  Words exact = a;
  for (auto& word : exact) word %= q.value();
  for (const Ntt& plan : all_plans(degree, q)) {
    Words values(degree);
    plan.forward(values, a, 4, 4);
    for (auto& word : values) {
      ASSERT_LT(word, 4 * q.value()) << plan.kernel_name();
      word %= 2 * q.value();
    }
    plan.inverse(values, values, 2, 2);
    for (auto& word : values) {
      ASSERT_LT(word, 2 * q.value()) << plan.kernel_name();
      word %= q.value();
    }
    ASSERT_EQ(values, exact) << plan.kernel_name();
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, NttLarge,
                         ::testing::Values(1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19,
                                           1 << 20));

}  // namespace
}  // namespace ringlet::test
