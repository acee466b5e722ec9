// SPDX-License-Identifier: Apache-2.0
#include "kernel_test.hpp"
#include "support/kernels/transform_operands.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

// Transforms of 32-bit words: every kernel by its exact name against the 64-bit words of the scalar
// one, whatever way the kernel takes.

namespace ringlet::test {
namespace {

using HalfWords = std::vector<std::uint32_t>;

constexpr std::uint64_t kLimit = std::uint64_t{1} << 32;

HalfWords halves_of(const Words& words) {
  HalfWords halves(words.size());
  std::ranges::transform(words, halves.begin(),
                         [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
  return halves;
}

/// Modulo q.
Words words_of(const HalfWords& halves, std::uint64_t q) {
  return reduced(Words(halves.begin(), halves.end()), q);
}

bool is_below(const HalfWords& halves, std::uint64_t limit) {
  return std::ranges::all_of(halves, [=](std::uint32_t half) { return half < limit; });
}

class HalfWordTransforms : public KernelTest {
 protected:
  /// Primes of a degree that the kernel takes: small ones, and below powers of two up to 2^32.
  static std::vector<std::uint64_t> primes(std::size_t degree) {
    std::vector<std::uint64_t> found{ntt_prime_next_to(2 * degree, degree, false)};
    for (const int bits : {20, 28, 29, 30, 31, 32}) {
      const std::uint64_t power = std::uint64_t{1} << bits;
      if (power > 4 * degree) found.push_back(ntt_prime_next_to(power, degree, true));
    }
    std::erase_if(found, [](std::uint64_t q) {
      return q <= 1 || q >= GetParam().modulus_limit || q >= kLimit;
    });
    return found;
  }

  template <bool kForward>
  static void transform(const Ntt& ntt, HalfWords& result, const HalfWords& a, int input,
                        int output) {
    kForward ? ntt.forward(result, a, input, output) : ntt.inverse(result, a, input, output);
  }

  /// Every range that fits, in place and not.
  template <bool kForward>
  static void check(const Ntt& ntt, const Words& a, unsigned input) {
    const std::uint64_t q = ntt.modulus().value();
    const Ntt scalar(ntt.degree(), ntt.modulus(), KernelSelection("scalar64/radix2"));
    Words expected = reduced(a, q);
    kForward ? scalar.forward(expected) : scalar.inverse(expected);
    for (const unsigned output : {1U, kForward ? 4U : 2U}) {
      if (output * q > kLimit) continue;
      for (const bool in_place : {false, true}) {
        const HalfWords halves = halves_of(a);
        HalfWords values(a.size(), ~std::uint32_t{0});
        if (in_place) values = halves;
        transform<kForward>(ntt, values, in_place ? values : halves, static_cast<int>(input),
                            static_cast<int>(output));
        ASSERT_TRUE(output * q == kLimit || is_below(values, output * q));
        ASSERT_EQ(words_of(values, q), expected) << input << "->" << output << ", " << in_place;
      }
    }
  }
};

TEST_P(HalfWordTransforms, HaveTheBitsOfWholeWords) {
  const std::size_t most = GetParam().algorithm != std::string("mont32") ? 1 << 10
                           : test_scale() == 1                           ? 1 << 13
                                                                         : 1 << 16;
  for (std::size_t degree = GetParam().min_degree; degree <= most; degree *= 2) {
    for (const std::uint64_t q : primes(degree)) {
      SCOPED_TRACE("N = " + std::to_string(degree) + ", q = " + std::to_string(q));
      const Ntt ntt = plan(degree, q);
      auto rng = make_rng(degree ^ q);
      for (const unsigned input : {1U, 2U, 4U}) {
        if (input * q > kLimit) continue;
        std::vector<Words> operands = transform_operands(degree, q, input, rng);
        if (degree > 256) operands.resize(4);
        for (const Words& a : operands) {
          check<true>(ntt, a, input);
          if (input <= 2) check<false>(ntt, a, input);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, HalfWordTransforms, ::testing::ValuesIn(transform_kernels()),
                         transform_kernel_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HalfWordTransforms);

Ntt small_plan() { return {8, Modulus(97)}; }

TEST(HalfWords, UnusableBuffersAreRefusedAndLeftAlone) {
  const Ntt ntt = small_plan();
  HalfWords x(9, 7);
  const HalfWords before = x;
  const std::span<std::uint32_t> all(x);
  expect_refusal("result has 9 words", [&] { ntt.forward(all, all.first(8)); });
  expect_refusal("operand has 7 words", [&] { ntt.inverse(all.first(8), all.first(7)); });
  expect_refusal("overlaps", [&] { ntt.forward(all.first(8), all.last(8)); });
  expect_refusal("overlaps", [&] { ntt.inverse(all.last(8), all.first(8)); });
  auto* const null = static_cast<std::uint32_t*>(nullptr);
  expect_refusal("result is null",
                 [&] { ntt.forward(std::span<std::uint32_t>(null, 8), all.first(8)); });
  auto* const odd =
      reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::uintptr_t>(x.data()) + 2);
  expect_refusal("operand starts at address",
                 [&] { ntt.forward(all.first(8), std::span<const std::uint32_t>(odd, 8)); });
  expect_refusal("input_mod_factor = 3", [&] { ntt.forward(all.first(8), all.first(8), 3); });
  expect_refusal("output_mod_factor = 4", [&] { ntt.inverse(all.first(8), all.first(8), 1, 4); });
  EXPECT_EQ(x, before);
}

TEST(HalfWords, InPlaceFormsComeBackAndValuesThatDoNotFitAreRefused) {
  HalfWords x(8, 7);
  const Ntt wide(8, Modulus(ntt_prime_next_to(kLimit, 8, false)));
  expect_refusal("modulus = ", [&] { wide.forward(x); });
  expect_refusal("modulus = ", [&] { wide.inverse(x); });
  const Ntt narrow(8, Modulus(ntt_prime_next_to(kLimit, 8, true)));
  narrow.forward(x);
  EXPECT_NE(x, HalfWords(8, 7));
  narrow.inverse(x);
  EXPECT_EQ(x, HalfWords(8, 7));
  expect_refusal("range factor 2", [&] { narrow.forward(x, x, 2); });
  expect_refusal("range factor 4", [&] { narrow.forward(x, x, 1, 4); });
  expect_refusal("range factor 2", [&] { narrow.inverse(x, x, 1, 2); });
}

}  // namespace
}  // namespace ringlet::test
