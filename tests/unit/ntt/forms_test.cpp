// SPDX-License-Identifier: Apache-2.0
#include "kernel_test.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

// Two transforms at once: every kernel by its exact name, against two calls.

namespace ringlet::test {
namespace {

class TwoTransforms : public KernelTest {
 protected:
  /// Into separate results, with the first one in place, and with both.
  static void expect_bits_of_two_calls(bool is_forward) {
    for_each_plan([is_forward](const Ntt& plan) {
      const std::size_t n = plan.degree();
      const std::uint64_t q = plan.modulus().value();
      auto rng = make_rng(n ^ q);
      for (const int input : is_forward ? std::vector{1, 2, 4} : std::vector{1, 2}) {
        const Words a = mixed_values(n, q, static_cast<std::uint64_t>(input), rng);
        const Words b = mixed_values(n, q, static_cast<std::uint64_t>(input), rng);
        for (const int output : is_forward ? std::vector{1, 4, 8, 16} : std::vector{1, 2}) {
          const auto one = [&](Words& to, const Words& from) {
            is_forward ? plan.forward(to, from, input, output)
                       : plan.inverse(to, from, input, output);
          };
          const auto two = [&](Words& to0, Words& to1, const Words& from0, const Words& from1) {
            is_forward ? plan.forward_two({to0, to1}, {from0, from1}, input, output)
                       : plan.inverse_two({to0, to1}, {from0, from1}, input, output);
          };
          Words x(n);
          Words y(n);
          one(x, a);
          one(y, b);
          Words u(n, ~std::uint64_t{0});
          Words v(n, ~std::uint64_t{0});
          two(u, v, a, b);
          ASSERT_EQ(std::pair(u, v), std::pair(x, y)) << input << output;
          u = a;
          two(u, v, u, b);
          ASSERT_EQ(std::pair(u, v), std::pair(x, y)) << input << output << ", first in place";
          u = a;
          v = b;
          two(v, u, v, u);
          ASSERT_EQ(std::pair(u, v), std::pair(x, y)) << input << output << ", both in place";
        }
      }
    });
  }
};

TEST_P(TwoTransforms, ForwardHasTheBitsOfTwoCalls) { expect_bits_of_two_calls(true); }
TEST_P(TwoTransforms, InverseHasTheBitsOfTwoCalls) { expect_bits_of_two_calls(false); }

INSTANTIATE_TEST_SUITE_P(Kernels, TwoTransforms, ::testing::ValuesIn(transform_kernels()),
                         transform_kernel_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TwoTransforms);

TEST(NttTwo, TakesOneOperandTwiceAndAnyAlignment) {
  const std::size_t n = 256;
  const Modulus q = generate_ntt_primes(30, n, 1)[0];
  auto rng = make_rng();
  const Words a = random_residues(n, q.value(), rng);
  for (const std::string& kernel : ntt_kernel_names().available) {
    const Ntt plan(n, q, KernelSelection(kernel));
    Words expected(n);
    plan.forward(expected, a);
    Words memory(2 * n + 3, kSentinel);
    const auto u = std::span(memory).subspan(1, n);
    const auto v = std::span(memory).subspan(n + 2, n);
    plan.forward_two({u, v}, {a, a});
    for (const auto& result : {u, v}) EXPECT_TRUE(std::ranges::equal(result, expected)) << kernel;
    plan.inverse_two({u, v}, {u, v});
    for (const auto& result : {u, v}) EXPECT_TRUE(std::ranges::equal(result, a)) << kernel;
    for (const std::size_t i : {std::size_t{0}, n + 1, 2 * n + 2}) EXPECT_EQ(memory[i], kSentinel);
  }
}

TEST(NttTwo, RefusesUnusableBuffersAndEveryOverlapAndLeavesThemAlone) {
  const std::size_t n = 64;
  const Ntt plan(n, generate_ntt_primes(40, n, 1)[0]);
  auto rng = make_rng();
  const Words original = random_residues(4 * n, plan.modulus().value(), rng);
  Words words = original;
  const std::span<std::uint64_t> all(words);
  const auto part = [&](std::size_t start) { return all.subspan(start, n); };
  using Result = std::span<std::uint64_t>;
  const Result null(static_cast<std::uint64_t*>(nullptr), n);
  const Result x = part(0);
  const Result y = part(n);
  const Result a = part(2 * n);
  const Result b = part(3 * n);
  const auto refused = [&](const char* about, const Result& result0, const Result& result1,
                           const Result& operand0, const Result& operand1) {
    expect_refusal_of("Ntt::forward_two", {about},
                      [&] { plan.forward_two({result0, result1}, {operand0, operand1}); });
    expect_refusal_of("Ntt::inverse_two", {about},
                      [&] { plan.inverse_two({result0, result1}, {operand0, operand1}); });
  };
  refused("results[0] has 63 words", x.first(n - 1), y, a, b);
  refused("results[1] has 63 words", x, y.first(n - 1), a, b);
  refused("operands[0] has 65 words", x, y, all.subspan(2 * n, n + 1), b);
  refused("operands[1] has 0 words", x, y, a, b.first(0));
  refused("results[1] is null", x, null, a, b);
  refused("operands[0] is null", x, y, null, b);
  refused("results[0] overlaps results[1]", x, x, a, b);
  refused("results[0] overlaps results[1]", x, part(n - 1), a, b);
  refused("results[0] starts 1 words", part(2 * n + 1), y, a, x);
  refused("results[1] starts 1 words", x, part(3 * n - 1), a, b);
  refused("results[0] overlaps operands[1]", a, x, b, a);
  refused("results[0] overlaps operands[1]", part(2 * n - 1), x, b, a);
  refused("results[1] overlaps operands[0]", x, a, a, b);
  refused("results[0] overlaps operands[1]", a, b, b, a);
  refused("results[0] overlaps operands[1]", a, x, a, a);
  for (const int factor : {0, 3, 8}) {
    expect_refusal_of("Ntt::forward_two", {"input_mod_factor"},
                      [&] { plan.forward_two({x, y}, {a, b}, factor, 1); });
    expect_refusal_of("Ntt::inverse_two", {"input_mod_factor"},
                      [&] { plan.inverse_two({x, y}, {a, b}, factor, 1); });
  }
  expect_refusal_of("Ntt::forward_two", {"output_mod_factor"},
                    [&] { plan.forward_two({x, y}, {a, b}, 1, 2); });
  expect_refusal_of("Ntt::inverse_two", {"output_mod_factor"},
                    [&] { plan.inverse_two({x, y}, {a, b}, 1, 4); });
  EXPECT_EQ(words, original);
  EXPECT_NO_THROW(plan.forward_two({x, y}, {a, b}));
}

}  // namespace
}  // namespace ringlet::test
