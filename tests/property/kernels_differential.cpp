// SPDX-License-Identifier: Apache-2.0
#include "support/kernels/kernel_under_test.hpp"

// Compares every element-wise kernel, with every range factor, with the definition. Operands are
// random, every pair of edge values, and next to the largest and to multiples of the modulus, where
// estimated quotients fail first. Moduli are neighbours of powers of two, the smallest and the
// largest prime of every size, random ones, and those next to the kernel's limits.

namespace ringlet::test {
namespace {

constexpr std::size_t kElementsPerKernel = 100'000;

/// The number of operands for each modulus: large runs have eight times as many moduli.
std::size_t elements_per_modulus(std::size_t normal) {
  return test_scale() > 1 ? scaled(normal) / 8 : normal;
}

class EltwiseDifferential : public EltwiseKernelTest {
 protected:
  /// Calls body(q, factors) for the kernel's moduli and `random` random ones, with all ranges.
  template <typename Body>
  static void for_each_modulus(std::size_t random, std::mt19937_64& rng, Body body) {
    Words moduli = kernel().moduli();
    while (random > 0) {
      const std::uint64_t q = std::max<std::uint64_t>(2, rng() >> (1 + rng() % 62));
      if (!kernel().takes(q)) continue;
      moduli.push_back(q);
      --random;
    }
    for (const std::uint64_t q : moduli) {
      for (const RangeFactors range : factors(q)) {
        body(q, range);
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(EltwiseDifferential, RandomElementsAgree) {
  auto rng = make_rng();
  const std::size_t wanted = scaled(kElementsPerKernel);
  std::size_t compared = 0;
  while (compared < wanted && !HasFatalFailure()) {
    for_each_modulus(300, rng, [&](std::uint64_t q, RangeFactors range) {
      const std::size_t n = rng() % (rng() % 32 == 0 ? 4096 : 160);
      const EltwiseSample sample(operation(), n, q, range, rng);
      EltwiseOperands x = sample.operands();
      expect_exact(x, q);
      if (has_scalar(operation())) {
        for (const std::uint64_t scalar : {std::uint64_t{0}, std::uint64_t{1}, q - 1}) {
          x.scalar = scalar;
          expect_exact(x, q);
        }
      }
      compared += n;
    });
  }
  EXPECT_GE(compared, wanted);
  RecordProperty("elements", std::to_string(compared));
  std::printf("random elements compared: %zu\n", compared);
}

/// Every pair of edge values, also with edge values as third operands and scalars; every comparison
/// with every edge value.
TEST_P(EltwiseDifferential, EdgeVectorsAgree) {
  auto rng = make_rng();
  for_each_modulus(0, rng, [&](std::uint64_t q, RangeFactors range) {
    const auto input = static_cast<unsigned>(range.input);
    const bool any_word = takes_any_word(operation());
    const Words edges = any_word ? mixed_words(28, q, rng) : edge_values(q, input);
    const Words b_edges =
        any_word ? Words{0} : edge_values(q, operation() == "multiply" ? input : 1);
    const Words c_edges = edge_values(q, operation() == "multiply_scalar_add" ? input : 1);
    Words a;
    Words b;
    Words c;
    for (const std::uint64_t x : edges) {
      for (const std::uint64_t y : b_edges) {
        a.push_back(x);
        b.push_back(y);
        c.push_back(c_edges[(a.size() + a.size() / 7) % c_edges.size()]);
      }
    }
    EltwiseOperands x{a, b, c, 0, range};
    const bool compares = operation().starts_with("compare_");
    for (const std::uint64_t scalar : {std::uint64_t{0}, std::uint64_t{1}, q / 2, q - 1}) {
      x.scalar = scalar;
      for (int i = 0; i < (compares ? kComparisonCount : 1); ++i) {
        x.comparison = static_cast<Comparison>(i);
        for (const std::uint64_t bound : compares ? edges : Words{0}) {
          x.bound = bound;
          expect_exact(x, q);
        }
      }
      if (!has_scalar(operation())) break;
    }
  });
}

/// All operands within 10, 100, ..., 10^7 of the largest one. There, one final subtraction after
/// Barrett's quotient is not enough.
TEST_P(EltwiseDifferential, OperandsNextToTheLargestAgree) {
  auto rng = make_rng();
  for_each_modulus(0, rng, [&](std::uint64_t q, RangeFactors range) {
    for (std::uint64_t distance = 10; distance <= 10'000'000; distance *= 10) {
      const auto near = [&](std::size_t count, std::uint64_t modulus, unsigned factor) {
        const std::uint64_t end = factor * modulus;
        Words words(count);
        for (std::uint64_t& word : words) word = end - 1 - rng() % std::min(distance, end);
        return words;
      };
      expect_exact(
          EltwiseSample(operation(), elements_per_modulus(96), q, range, rng, near).operands(), q);
    }
  });
}

/// Products and words next to multiples of q, and next to these plus half of q, show a quotient
/// that is off by one. For the first pair, one subtraction of q after Algorithm 8 of Boemer et al.
/// is not enough.
TEST_P(EltwiseDifferential, WordsAndProductsNextToMultiplesOfTheModulusAgree) {
  constexpr std::uint64_t kModulus = 562949953443841;
  const Words x(9, 562949953440977);
  const Words y(9, 562949953405001);
  if (kernel().takes(kModulus)) {
    for (const Words& c : {x, Words(9, kModulus - 1)}) expect_exact({x, y, c, y[0]}, kModulus);
  }
  auto rng = make_rng();
  for_each_modulus(0, rng, [&](std::uint64_t q, RangeFactors range) {
    const std::uint64_t input = static_cast<unsigned>(range.input);
    const std::uint64_t last = ~std::uint64_t{0} / q;
    const std::size_t count = elements_per_modulus(150);
    Words a(count);
    Words b(count);
    Words c(count);
    std::uint64_t unit = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 8 == 0) {
        do {
          unit = 1 + rng() % (q - 1);
        } while (n_gcd(unit, q) != 1);
      }
      const std::uint64_t distances[] = {0, 1, 2, 3, q / 2, q / 2 + 1};
      const std::uint64_t small = distances[rng() % std::size(distances)] % q;
      const std::uint64_t residue = rng() % 2 != 0 ? small : (q - small) % q;
      const std::uint64_t multiple =
          i % 2 != 0 ? last - rng() % std::min<std::uint64_t>(4, last) : rng() % (last + 1);
      a[i] = static_cast<std::uint64_t>(uint128_t{n_invmod(unit, q)} * residue % q) +
             rng() % input * q;
      if (takes_any_word(operation())) a[i] = multiple * q + rng() % 7 - 3;
      b[i] = unit + (operation() == "multiply" ? rng() % input * q : 0);
      c[i] = rng() % std::min(q, std::uint64_t{4});
    }
    if (takes_any_word(operation())) a[0] = ~std::uint64_t{0};
    for (const Comparison comparison : {Comparison::less, Comparison::always}) {
      expect_exact({a, b, c, unit, range, comparison, a[count / 2]}, q);
      if (!has_scalar(operation())) break;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Kernels, EltwiseDifferential, ::testing::ValuesIn(kernels_under_test()),
                         under_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EltwiseDifferential);

/// Calls the public operations, with the kernels that a plan chooses.
TEST(Eltwise, TheDefaultSelectionAgreesWithDivision) {
  auto rng = make_rng();
  Words moduli = eltwise_moduli();
  for (int i = 0; i < 300; ++i) moduli.push_back(std::max<std::uint64_t>(2, rng() >> (1 + i % 62)));
  for (const std::uint64_t q : moduli) {
    const Eltwise eltwise{Modulus(q)};
    EXPECT_EQ(eltwise.modulus().value(), q);
    for (const char* operation : kEltwiseNames) {
      if (eltwise.kernel_name(operation).empty()) {
        EXPECT_GE(q, std::uint64_t{1} << kMaxProductModulusBits) << operation;
        continue;
      }
      for (const RangeFactors& range : factors_of(operation, q)) {
        const EltwiseSample sample(operation, 1 + rng() % 50, q, range, rng);
        const EltwiseOperands x = sample.operands();
        EXPECT_EQ(run_eltwise(eltwise, operation, x), expected_words(operation, x, q))
            << operation << ", " << q;
      }
    }
    if (eltwise.kernel_name("multiply").empty()) continue;
    const Words a = mixed_values(37, q, 1, rng);
    const Words b = mixed_values(37, q, 1, rng);
    std::array<Words, 3> results{Words(37), Words(37), Words(37)};
    eltwise.multiply_pairs(std::array<Eltwise::Result, 3>{results[0], results[1], results[2]},
                           std::array<Eltwise::Operand, 2>{a, b},
                           std::array<Eltwise::Operand, 2>{b, a});
    const Words square = expected_words("multiply", {a, a}, q);
    const Words product = expected_words("multiply", {a, b}, q);
    EXPECT_EQ(results[0], product) << q;
    EXPECT_EQ(results[1], expected_words("multiply_add", {b, b, square}, q)) << q;
    EXPECT_EQ(results[2], product) << q;
  }
}

}  // namespace
}  // namespace ringlet::test
