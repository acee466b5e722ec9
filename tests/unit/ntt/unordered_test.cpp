// SPDX-License-Identifier: Apache-2.0
#include "kernel_test.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "support/refusal.hpp"

// Values in the order of their kernel: every kernel by its exact name, against the portable one.

namespace ringlet::test {
namespace {

Ntt reference_plan(const Ntt& plan) {
  return {plan.degree(), plan.modulus(), KernelSelection("scalar64/radix2")};
}

Words words_of(const UnorderedValues& values) {
  return {values.words().begin(), values.words().end()};
}

class UnorderedTransform : public KernelTest {};

TEST_P(UnorderedTransform, IsTheTransformAfterReordering) {
  for_each_plan([](const Ntt& plan) {
    const std::uint64_t q = plan.modulus().value();
    auto rng = make_rng(plan.degree() ^ q);
    for (const int input : {1, 2, 4}) {
      const Words a = mixed_values(plan.degree(), q, static_cast<std::uint64_t>(input), rng);
      Words expected(plan.degree());
      reference_plan(plan).forward(expected, a, input);
      for (const int output : {1, 4, 8, 16}) {
        Words result(plan.degree(), ~std::uint64_t{0});
        const UnorderedValues values = plan.forward_unordered(result, a, input, output);
        ASSERT_EQ(values.words().data(), result.data());
        for (const std::uint64_t word : result) {
          ASSERT_TRUE(word / static_cast<std::uint64_t>(output) < q) << input << ' ' << output;
        }
        Words ordered(plan.degree());
        plan.to_bit_reversed(ordered, values);
        ASSERT_EQ(reduced(ordered, q), expected) << input << ' ' << output;
        Words same_factors(plan.degree());
        plan.forward(same_factors, a, input, output);
        ASSERT_EQ(ordered, same_factors) << input << ' ' << output;
      }
      Words in_place = a;
      const UnorderedValues values = plan.forward_unordered(in_place, in_place, input);
      plan.to_bit_reversed(in_place, values);
      ASSERT_EQ(in_place, expected) << input;
    }
  });
}

TEST_P(UnorderedTransform, ComesBack) {
  for_each_plan([](const Ntt& plan) {
    const std::uint64_t q = plan.modulus().value();
    auto rng = make_rng(plan.degree() ^ q);
    for (const int input : {1, 2}) {
      // Values of a transform, some of them one q above their residues.
      const Words values = mixed_values(plan.degree(), q, static_cast<std::uint64_t>(input), rng);
      Words expected(plan.degree());
      reference_plan(plan).inverse(expected, values, input);
      Words unordered(plan.degree());
      const UnorderedValues view = plan.from_bit_reversed(unordered, values);
      Words result(plan.degree());
      plan.inverse_unordered(result, view, input, 1);
      ASSERT_EQ(result, expected) << input;
      plan.inverse_unordered(result, view, input, 2);
      for (const std::uint64_t word : result) ASSERT_LT(word, 2 * q);
      ASSERT_EQ(reduced(result, q), expected) << input;
      plan.inverse_unordered(unordered, view, input);
      ASSERT_EQ(unordered, expected) << input << ", in place";
      plan.inverse_unordered(result, plan.forward_unordered(unordered, expected));
      ASSERT_EQ(result, expected);
    }
  });
}

TEST_P(UnorderedTransform, ReorderingMovesAnyWordsThereAndBack) {
  for (std::size_t degree = GetParam().min_degree; degree <= 4096; degree *= 2) {
    const Ntt plan = UnorderedTransform::plan(degree, generate_ntt_primes(30, degree, 1)[0]);
    Words places(degree);
    std::iota(places.begin(), places.end(), ~std::uint64_t{0} - degree);
    Words moved(degree);
    const UnorderedValues values = plan.from_bit_reversed(moved, places);
    Words sorted = moved;
    std::ranges::sort(sorted);
    ASSERT_EQ(sorted, places) << degree;
    if (plan.unordered_order().is_bit_reversed()) {
      ASSERT_EQ(moved, places) << degree;
    }
    Words back(degree);
    plan.to_bit_reversed(back, values);
    ASSERT_EQ(back, places) << degree;
    Words in_place = places;
    const UnorderedValues same = plan.from_bit_reversed(in_place, in_place);
    ASSERT_EQ(in_place, moved) << degree;
    plan.to_bit_reversed(in_place, same);
    ASSERT_EQ(in_place, places) << degree;
  }
}

TEST_P(UnorderedTransform, ProductsOfPolynomials) {
  for_each_plan([](const Ntt& plan) {
    const std::size_t n = plan.degree();
    const std::uint64_t q = plan.modulus().value();
    auto rng = make_rng(n ^ q);
    const Words a = mixed_values(n, q, 1, rng);
    const Words b = mixed_values(n, q, 1, rng);
    const Words expected = negacyclic_product(a, b, q);
    Words x(n);
    Words y(n);
    for (const int factor : {1, 4}) {
      const UnorderedValues fx = plan.forward_unordered(x, a, 1, factor);
      const UnorderedValues fy = plan.forward_unordered(y, b, 1, factor);
      Words result(n);
      plan.inverse_unordered(result, plan.multiply_unordered(result, fx, fy, factor));
      ASSERT_EQ(result, expected) << factor;
      plan.inverse_unordered(y, plan.multiply_unordered(y, fx, fy, factor));
      ASSERT_EQ(y, expected) << factor << ", in place of b";
    }
    // Products of sums: their words were computed value by value, outside the transforms.
    const Eltwise eltwise(plan.modulus());
    const UnorderedValues fx = plan.forward_unordered(x, a);
    plan.forward_unordered(y, b);
    eltwise.add(y, y, fx.words());
    Words sum(n);
    eltwise.add(sum, a, b);
    const UnorderedValues fy = plan.as_unordered(y);
    plan.inverse_unordered(x, plan.multiply_unordered(x, fx, fy));
    ASSERT_EQ(x, negacyclic_product(a, sum, q));
  });
}

TEST_P(UnorderedTransform, AnyAlignmentAndNothingBeyondTheEnds) {
  const std::size_t n = std::max<std::size_t>(GetParam().min_degree, 256);
  const Ntt plan = UnorderedTransform::plan(n, generate_ntt_primes(30, n, 1)[0]);
  auto rng = make_rng();
  const Words a = random_residues(n, plan.modulus().value(), rng);
  Words expected(n);
  plan.forward_unordered(expected, a);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    Words memory(n + 16, kSentinel);
    const auto place = std::span(memory).subspan(shift + 1, n);
    const UnorderedValues values = plan.forward_unordered(place, a);
    ASSERT_EQ(words_of(values), expected) << shift;
    plan.to_bit_reversed(place, values);
    plan.from_bit_reversed(place, place);
    ASSERT_EQ(words_of(values), expected) << shift;
    plan.inverse_unordered(place, values);
    ASSERT_EQ(words_of(values), a) << shift;
    ASSERT_EQ(memory[shift], kSentinel);
    ASSERT_EQ(memory[shift + n + 1], kSentinel);
  }
}

RINGLET_TEST_KERNELS(UnorderedTransform, transform_kernels(), transform_kernel_name);

/// A degree that every kernel takes, with primes below 2^30.
constexpr std::size_t kCommonDegree = 256;

TEST(NttOrder, BelongsToAKernelAndADegree) {
  const std::size_t degree = kCommonDegree;
  const std::vector<Modulus> primes = generate_ntt_primes(30, 2 * degree, 2);
  std::vector<NttOrder> orders;
  for (const std::string& kernel : ntt_kernel_names().available) {
    const KernelSelection selection(kernel);
    const Ntt plan(degree, primes[0], selection);
    const NttOrder order = plan.unordered_order();
    EXPECT_EQ(order.degree(), degree);
    EXPECT_EQ(order, Ntt(degree, primes[1], selection).unordered_order()) << "another prime";
    EXPECT_NE(order, Ntt(2 * degree, primes[0], selection).unordered_order()) << "another degree";
    EXPECT_EQ(order.name(), order.is_bit_reversed() ? "bit-reversed" : kernel);
    for (const NttOrder& other : orders) {
      EXPECT_EQ(order == other, order.is_bit_reversed() && other.is_bit_reversed()) << kernel;
    }
    orders.push_back(order);
  }
  EXPECT_TRUE(
      Ntt(degree, primes[0], KernelSelection("scalar64")).unordered_order().is_bit_reversed());
}

TEST(NttOrder, OrdersThatDifferAreRefused) {
  const std::size_t degree = kCommonDegree;
  const Modulus q = generate_ntt_primes(30, 2 * degree, 1)[0];
  auto rng = make_rng();
  const Words original = random_residues(2 * degree, q.value(), rng);
  std::vector<Ntt> plans;
  for (const std::string& kernel : ntt_kernel_names().available) {
    plans.emplace_back(degree, q, KernelSelection(kernel));
    plans.emplace_back(2 * degree, q, KernelSelection(kernel));
  }
  for (const Ntt& plan : plans) {
    Words words = original;
    const auto place = std::span(words).first(plan.degree());
    const UnorderedValues own = plan.as_unordered(place);
    for (const Ntt& other : plans) {
      if (other.unordered_order() == plan.unordered_order()) continue;
      const Words foreign_words(other.degree());
      const UnorderedValues foreign = other.as_unordered(foreign_words);
      const std::string name = foreign.order().name();
      expect_refusal(name, [&] { plan.inverse_unordered(place, foreign); });
      expect_refusal(name, [&] { plan.to_bit_reversed(place, foreign); });
      expect_refusal("a in " + name, [&] { plan.multiply_unordered(place, foreign, own); });
      expect_refusal("b in " + name, [&] { plan.multiply_unordered(place, own, foreign); });
      expect_refusal_says(own.order().name(), [&] { plan.inverse_unordered(place, foreign); });
    }
    EXPECT_EQ(words, original);
  }
}

TEST(NttOrder, PlansOfOneKernelShareTheirValues) {
  const std::size_t degree = kCommonDegree;
  const Modulus q = generate_ntt_primes(30, degree, 1)[0];
  auto rng = make_rng();
  const Words a = random_residues(degree, q.value(), rng);
  for (const std::string& kernel : ntt_kernel_names().available) {
    const KernelSelection selection(kernel);
    const Ntt first(degree, q, selection);
    const Ntt second(degree, q, selection);
    Words words(degree);
    second.inverse_unordered(words, first.forward_unordered(words, a));
    EXPECT_EQ(words, a) << kernel;
  }
}

TEST(NttOrder, RefusesUnusableBuffersAndFactorsAndLeavesThemAlone) {
  const std::size_t n = 64;
  const Ntt plan(n, generate_ntt_primes(40, n, 1)[0]);
  auto rng = make_rng();
  const Words original = random_residues(3 * n, plan.modulus().value(), rng);
  Words words = original;
  const std::span<std::uint64_t> all(words);
  const auto part = [&](std::size_t start) { return all.subspan(start, n); };
  const std::span<std::uint64_t> null(static_cast<std::uint64_t*>(nullptr), n);
  const UnorderedValues values = plan.as_unordered(part(n));
  const std::string shortage = std::to_string(n - 1) + " words";

  const auto forward = [&](auto... x) { (void)plan.forward_unordered(x...); };
  const auto inverse = [&](auto... x) { plan.inverse_unordered(x...); };
  const auto multiply = [&](auto... x) { (void)plan.multiply_unordered(x...); };
  const char* const forward_name = "Ntt::forward_unordered";
  const char* const inverse_name = "Ntt::inverse_unordered";
  const char* const multiply_name = "Ntt::multiply_unordered";
  const auto refuses = [](const char* name, std::string about, auto call, auto... arguments) {
    expect_refusal_of(name, {about}, [&] { call(arguments...); });
  };
  refuses(forward_name, shortage, forward, part(0).first(n - 1), part(n));
  refuses(forward_name, shortage, forward, part(0), part(n).first(n - 1));
  refuses(forward_name, "null", forward, null, part(n));
  refuses(forward_name, "overlaps", forward, part(n + 1), part(n));
  for (const int factor : {0, 3, 8}) {
    refuses(forward_name, "input_mod_factor", forward, part(0), part(n), factor, 1);
  }
  refuses(forward_name, "output_mod_factor", forward, part(0), part(n), 1, 2);
  refuses(inverse_name, shortage, inverse, part(0).first(n - 1), values);
  refuses(inverse_name, "overlaps", inverse, part(n + 1), values);
  refuses(inverse_name, "input_mod_factor", inverse, part(0), values, 4, 1);
  refuses(inverse_name, "output_mod_factor", inverse, part(0), values, 1, 4);
  refuses(multiply_name, shortage, multiply, part(0).first(n - 1), values, values);
  refuses(multiply_name, "overlaps", multiply, part(n + 1), values, values);
  refuses(multiply_name, "input_mod_factor", multiply, part(0), values, values, 8);
  refuses("Ntt::as_unordered", shortage, [&] { (void)plan.as_unordered(part(0).first(n - 1)); });
  refuses("Ntt::as_unordered", "null", [&] { (void)plan.as_unordered(null); });
  refuses("Ntt::to_bit_reversed", shortage,
          [&] { plan.to_bit_reversed(part(0).first(n - 1), values); });
  refuses("Ntt::to_bit_reversed", "overlaps", [&] { plan.to_bit_reversed(part(n - 1), values); });
  refuses("Ntt::from_bit_reversed", shortage,
          [&] { (void)plan.from_bit_reversed(part(0), part(n).first(n - 1)); });
  refuses("Ntt::from_bit_reversed", "overlaps",
          [&] { (void)plan.from_bit_reversed(part(n - 1), part(n)); });
  EXPECT_EQ(words, original);
}

}  // namespace
}  // namespace ringlet::test
