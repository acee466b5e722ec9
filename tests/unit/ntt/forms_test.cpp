// SPDX-License-Identifier: Apache-2.0
#include "kernel_test.hpp"
#include "kernels/select.hpp"
#include "support/refusal.hpp"

// Two transforms at once, compared with two calls; and transforms of 32-bit words, compared with
// 64-bit words of the scalar kernel. Every kernel is called by its exact name.

namespace ringlet::test {
namespace {

struct TwoTransforms : KernelTest {
  /// Transforms into separate results, with the first in place, and with both in place.
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

RINGLET_TEST_KERNELS(TwoTransforms, transform_kernels(), transform_kernel_name);

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

using HalfWords = std::vector<std::uint32_t>;

constexpr std::uint64_t kLimit = std::uint64_t{1} << 32;

HalfWords halves_of(const Words& words) {
  HalfWords halves(words.size());
  std::ranges::transform(words, halves.begin(),
                         [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
  return halves;
}

/// The words modulo q.
Words words_of(const HalfWords& halves, std::uint64_t q) {
  return reduced(Words(halves.begin(), halves.end()), q);
}

bool is_below(const HalfWords& halves, std::uint64_t limit) {
  return std::ranges::all_of(halves, [=](std::uint32_t half) { return half < limit; });
}

struct HalfWordTransforms : KernelTest {
  /// Primes that the kernel takes: the smallest of the degree, and below powers of two up to 2^32.
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

  /// Checks every range that fits, in place and out of place.
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
  const bool is_own = GetParam().algorithm == "mont32" || GetParam().algorithm == "lazy";
  const std::size_t most = !is_own ? 1 << 10 : test_scale() == 1 ? 1 << 13 : 1 << 16;
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

RINGLET_TEST_KERNELS(HalfWordTransforms, transform_kernels(), transform_kernel_name);

TEST(HalfWords, KernelsLeaveNothingInTheirScratch) {
  bool has_kernel = false;
  for (const kernels::KernelTable* table : kernels::kernel_table_list()) {
    for (const kernels::NttKernel& kernel : table->ntt) {
      if (!kernel.half_words_use_scratch || (kernel.needs & ~detected_cpu_features()) != 0)
        continue;
      has_kernel = true;
      for (const int log_degree : {6, 7, 9, 12, 16}) {
        const std::size_t n = std::size_t{1} << log_degree;
        const Modulus q = generate_ntt_primes(30, n, 1)[0];
        AlignedVector<std::uint64_t> memory(kernel.table_bytes(log_degree) / 8);
        kernel.build_table(memory.data(),
                           {log_degree, q.value(), minimal_primitive_root(2 * n, q)});
        for (const int input : {1, 2}) {
          HalfWords x(n, 12345);
          AlignedVector<std::uint64_t> scratch(n, kSentinel);
          kernel.forward32(x.data(), x.data(), scratch.data(), memory.data(), {input, 1});
          EXPECT_EQ(scratch, AlignedVector<std::uint64_t>(n)) << "forward, " << n;
          scratch.assign(n, kSentinel);
          kernel.inverse32(x.data(), x.data(), scratch.data(), memory.data(), {input, 1});
          std::ranges::replace(scratch, kSentinel, std::uint64_t{0});  // where nothing was written
          EXPECT_EQ(scratch, AlignedVector<std::uint64_t>(n)) << "inverse, " << n;
          EXPECT_EQ(x, HalfWords(n, 12345));
        }
      }
    }
  }
  if (!has_kernel) GTEST_SKIP() << "no kernel of this machine has scratch memory";
}

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
