// SPDX-License-Identifier: Apache-2.0
#include "ringlet/eltwise.hpp"
#include "support/eltwise_kernels.hpp"
#include "support/eltwise_refusal.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Products of pairs, of every kernel of `multiply` by its exact name, against remainders of 128-bit
// integers.

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;
using Span = std::span<const std::uint64_t>;
__extension__ using Wide = unsigned __int128;

std::vector<KernelInfo> product_kernels() {
  std::vector<KernelInfo> kernels = eltwise_kernels();
  std::erase_if(kernels, [](const KernelInfo& kernel) { return kernel.operation != "multiply"; });
  return kernels;
}

/// Two pairs of vectors.
struct Pairs {
  Pairs(std::size_t count, std::uint64_t q, std::mt19937_64& rng) {
    for (Words* x : {&a[0], &a[1], &b[0], &b[1]}) *x = mixed_values(count, q, 1, rng);
  }
  std::array<Words, 3> expected(std::uint64_t q) const {
    const std::size_t count = a[0].size();
    std::array<Words, 3> products{Words(count), Words(count), Words(count)};
    for (std::size_t i = 0; i < count; ++i) {
      products[0][i] = product(a[0][i], b[0][i], q);
      const Wide mixed = Wide{product(a[0][i], b[1][i], q)} + product(a[1][i], b[0][i], q);
      products[1][i] = static_cast<std::uint64_t>(mixed % q);
      products[2][i] = product(a[1][i], b[1][i], q);
    }
    return products;
  }
  static std::uint64_t product(std::uint64_t x, std::uint64_t y, std::uint64_t q) {
    return static_cast<std::uint64_t>(Wide{x} * y % q);
  }

  std::array<Words, 2> a;
  std::array<Words, 2> b;
};

class MultiplyPairs : public ::testing::TestWithParam<KernelInfo> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }
  static Eltwise exact(std::uint64_t q) {
    return Eltwise(q, KernelSelection(GetParam().table + "/" + GetParam().algorithm));
  }
  static void run(const Eltwise& eltwise, std::array<std::span<std::uint64_t>, 3> results,
                  const std::array<Span, 2>& a, const std::array<Span, 2>& b) {
    eltwise.multiply_pairs(results, a, b);
  }
  static void check(std::uint64_t q, std::size_t count, std::mt19937_64& rng) {
    const Pairs pairs(count, q, rng);
    std::array<Words, 3> results{Words(count, 7), Words(count, 7), Words(count, 7)};
    run(exact(q), {results[0], results[1], results[2]}, {pairs.a[0], pairs.a[1]},
        {pairs.b[0], pairs.b[1]});
    ASSERT_EQ(results, pairs.expected(q)) << "q = " << q << ", n = " << count;
  }
};

TEST_P(MultiplyPairs, AgreesForEveryKindOfModulus) {
  auto rng = make_rng();
  for (const std::uint64_t q : eltwise_moduli(GetParam())) check(q, 43, rng);
}

TEST_P(MultiplyPairs, AgreesForEveryLength) {
  auto rng = make_rng();
  for (std::size_t n = 0; n < 70; ++n) {
    check(GetParam().modulus_limit - 1, n, rng);
    check((std::uint64_t{1} << 30) - 35, n, rng);
  }
  check(GetParam().modulus_limit - 1, 1003, rng);
}

TEST_P(MultiplyPairs, TheLargestValuesAgree) {
  for (const std::uint64_t q : eltwise_moduli(GetParam())) {
    const Words largest(37, q - 1);
    std::array<Words, 3> results{Words(37), Words(37), Words(37)};
    run(exact(q), {results[0], results[1], results[2]}, {largest, largest}, {largest, largest});
    EXPECT_EQ(results[0], Words(37, 1 % q)) << q;
    EXPECT_EQ(results[1], Words(37, 2 % q)) << q;
    EXPECT_EQ(results[2], Words(37, 1 % q)) << q;
  }
}

// Every choice of three of the operands for the three results, in every order; and squares.
TEST_P(MultiplyPairs, WorksInPlace) {
  auto rng = make_rng();
  const std::uint64_t q = GetParam().modulus_limit - 1;
  for (const std::size_t n : {1, 8, 13, 32, 45, 100}) {
    for (std::size_t choice = 0; choice < 64; ++choice) {
      const std::array<std::size_t, 3> places{choice % 4, choice / 4 % 4, choice / 16};
      if (places[0] == places[1] || places[0] == places[2] || places[1] == places[2]) continue;
      Pairs pairs(n, q, rng);
      const auto expected = pairs.expected(q);
      const std::array<Words*, 4> all{&pairs.a[0], &pairs.a[1], &pairs.b[0], &pairs.b[1]};
      run(exact(q), {*all[places[0]], *all[places[1]], *all[places[2]]}, {pairs.a[0], pairs.a[1]},
          {pairs.b[0], pairs.b[1]});
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(*all[places[k]], expected[k]) << k << n;
    }
    Pairs pairs(n, q, rng);
    pairs.b = pairs.a;
    const auto expected = pairs.expected(q);
    Words last(n);
    run(exact(q), {pairs.a[1], pairs.a[0], last}, {pairs.a[0], pairs.a[1]},
        {pairs.a[0], pairs.a[1]});
    EXPECT_EQ(pairs.a[1], expected[0]);
    EXPECT_EQ(pairs.a[0], expected[1]);
    EXPECT_EQ(last, expected[2]);
  }
}

TEST_P(MultiplyPairs, TakesAnyAlignmentAndTouchesNothingElse) {
  auto rng = make_rng();
  const std::uint64_t q = GetParam().modulus_limit - 57;
  for (const std::size_t n : {1, 3, 7, 8, 9, 31, 32, 33, 64, 65}) {
    for (std::size_t shift = 0; shift < 8; ++shift) {
      const Pairs pairs(n, q, rng);
      std::vector<GuardedWords> words;
      for (const Words& x : {pairs.a[0], pairs.a[1], pairs.b[0], pairs.b[1]}) {
        words.emplace_back(x, (3 * words.size() + shift) % 8);
      }
      for (std::size_t k = 0; k < 3; ++k) words.emplace_back(Words(n), (5 * k + 3 * shift) % 8);
      run(exact(q), {words[4].span(), words[5].span(), words[6].span()},
          {words[0].span(), words[1].span()}, {words[2].span(), words[3].span()});
      const auto expected = pairs.expected(q);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(words[4 + k].values(), expected[k]);
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(words[k].values(), pairs.a[k]);
        EXPECT_EQ(words[2 + k].values(), pairs.b[k]);
      }
      for (const GuardedWords& each : words)
        EXPECT_TRUE(each.guards_intact()) << n << ", " << shift;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, MultiplyPairs, ::testing::ValuesIn(product_kernels()),
                         kernel_test_name);

class MultiplyPairsRefusal : public EltwiseRefusal {
 protected:
  std::span<std::uint64_t> at(std::size_t first, std::size_t count = kCount) {
    return part(first, count);
  }
  void expect_refusal(const std::array<std::span<std::uint64_t>, 3>& results,
                      const std::array<Span, 2>& a, const std::array<Span, 2>& b,
                      const std::string& offending) {
    expect_refusal_of("Eltwise::multiply_pairs", offending,
                      [&] { eltwise_.multiply_pairs(results, a, b); });
  }
};

TEST_F(MultiplyPairsRefusal, OneVectorOfAnotherLength) {
  for (const std::size_t count : {std::size_t{0}, kCount - 1, kCount + 1}) {
    const std::string words = " has " + std::to_string(count) + " words";
    const std::array<std::span<std::uint64_t>, 3> good{at(0), at(24), at(48)};
    expect_refusal({at(0), at(24), at(48, count)}, {at(72), at(96)}, {at(120), at(144)},
                   "results[2]" + words);
    expect_refusal(good, {at(72), at(96, count)}, {at(120), at(144)}, "a[1]" + words);
    expect_refusal(good, {at(72), at(96)}, {at(120, count), at(144)}, "b[0]" + words);
  }
}

TEST_F(MultiplyPairsRefusal, Overlap) {
  const std::array<Span, 2> a{at(72), at(96)};
  const std::array<Span, 2> b{at(120), at(144)};
  expect_refusal({at(0), at(24), at(73)}, a, b, "after a[0]");
  expect_refusal({at(0), at(121), at(48)}, a, b, "after b[0]");
  expect_refusal({at(0), at(23), at(48)}, a, b, "after results[0]");
  expect_refusal({at(0), at(24), at(0)}, a, b, "results[2] is the same as results[0]");
  EXPECT_NO_THROW(eltwise_.multiply_pairs(std::array{at(0), at(24), at(48)},
                                          std::array<Span, 2>{at(73), at(75)},
                                          std::array<Span, 2>{at(74), at(73)}));
}

TEST_F(MultiplyPairsRefusal, NullAndTooLargeModuli) {
  const Span null(static_cast<const std::uint64_t*>(nullptr), kCount);
  expect_refusal({at(0), at(24), at(48)}, {null, at(72)}, {at(96), at(120)}, "a[0] is null");
  eltwise_ = Eltwise(Modulus((std::uint64_t{1} << 62) + 1));
  expect_refusal({at(0), at(24), at(48)}, {at(72), at(96)}, {at(120), at(144)}, "modulus = ");
}

}  // namespace
}  // namespace ringlet::test
