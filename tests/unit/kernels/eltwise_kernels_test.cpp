// SPDX-License-Identifier: Apache-2.0
#include <cfenv>

#include "kernels/eltwise/barrett.hpp"
#include "support/kernels/kernel_under_test.hpp"
#include "support/reference/gmp.hpp"

// Every element-wise kernel by itself against the definition: any length and place in memory, sums
// of as many products as it claims to hold, and products of pairs. The differential tests in
// property/kernels_differential.cpp cover the values.

namespace ringlet::test {
namespace {

/// Words at any distance from a 64-byte boundary, between guard words on both sides.
class GuardedWords {
 public:
  GuardedWords(std::span<const std::uint64_t> values, std::size_t misaligned_words)
      : memory_(values.size() + 2 * kGuard + 8, kPattern), count_(values.size()) {
    const std::size_t to_boundary =
        (64 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 64) % 64 / sizeof(std::uint64_t);
    start_ = (kGuard - 8) + to_boundary + misaligned_words;
    std::ranges::copy(values, span().begin());
  }
  std::span<std::uint64_t> span() { return std::span(memory_).subspan(start_, count_); }
  Words values() { return {span().begin(), span().end()}; }
  bool guards_intact() {
    std::ranges::fill(span(), kPattern);
    return std::ranges::count(memory_, kPattern) == std::ssize(memory_);
  }

 private:
  static constexpr std::uint64_t kPattern = 0x5ca1ab1e0ddba11u;
  static constexpr std::size_t kGuard = 16;

  Words memory_;
  std::size_t count_;
  std::size_t start_ = 0;
};

class EltwiseKernels : public EltwiseKernelTest {};

TEST_P(EltwiseKernels, AgreeForEveryLength) {
  auto rng = make_rng();
  // From 2^16 words of second factors on, kernels prefetch them.
  Words lengths{127, 1000, 1003, 4101, 8191, 8192, 8193, 9005};
  for (std::size_t n = 0; n < 70; ++n) lengths.push_back(n);
  for (const std::size_t n : lengths) {
    for (const std::uint64_t q : {(std::uint64_t{1} << 49) - 69, kernel().largest_modulus()}) {
      for (const RangeFactors& range : factors(q)) {
        for (int round = 0; round < 4; ++round) {
          expect_exact(EltwiseSample(operation(), n, q, range, rng).operands(), q);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(EltwiseKernels, TakeAnyAlignmentAndTouchNothingElse) {
  auto rng = make_rng();
  const std::uint64_t q = kernel().largest_modulus();
  for (const std::size_t n : {1, 3, 7, 8, 9, 16, 21, 33, 64, 65}) {
    for (std::size_t shift = 0; shift < 8; ++shift) {
      const EltwiseSample sample(operation(), n, q, factors(q).back(), rng);
      EltwiseOperands x = sample.operands();
      std::vector<GuardedWords> guarded;
      std::vector<Words> before;
      x.for_each_vector([&](std::span<const std::uint64_t>& vector) {
        before.emplace_back(vector.begin(), vector.end());
        guarded.emplace_back(vector, (3 * guarded.size() + shift) % 8);
        vector = guarded.back().span();
      });
      GuardedWords result(Words(result_count(operation(), n)), 5 * shift % 8);
      kernel().run(q, result.span(), x);
      expect_equal(result.values(), x, q);
      EXPECT_TRUE(result.guards_intact()) << n << ", " << shift;
      for (std::size_t i = 0; i < guarded.size(); ++i) {
        EXPECT_EQ(guarded[i].values(), before[i]);
        EXPECT_TRUE(guarded[i].guards_intact()) << n << ", " << shift;
      }
    }
  }
}

TEST_P(EltwiseKernels, WorkInPlaceOnEveryOperand) {
  if (operation() == "dot") GTEST_SKIP() << "its result is one word";
  auto rng = make_rng();
  const std::uint64_t q = kernel().largest_modulus();
  const auto run_on = [&](const EltwiseOperands& x, EltwiseOperands moved, Words& memory) {
    kernel().run(q, memory, moved);
    expect_equal(memory, x, q);
  };
  for (const std::size_t n : {1, 5, 8, 13, 16, 17, 32, 35, 64, 100, 1000}) {
    for (const RangeFactors& range : factors(q)) {
      const EltwiseSample sample(operation(), n, q, range, rng);
      EltwiseOperands x = sample.operands();
      std::size_t vectors = 0;
      x.for_each_vector([&](auto&) { ++vectors; });
      for (std::size_t place = 0; place < vectors; ++place) {
        SCOPED_TRACE(place);
        EltwiseOperands moved = x;
        Words memory;
        std::size_t i = 0;
        moved.for_each_vector([&](std::span<const std::uint64_t>& vector) {
          if (i++ != place) return;
          memory.assign(vector.begin(), vector.end());
          vector = memory;
        });
        if (!memory.empty()) run_on(x, moved, memory);
      }
      SCOPED_TRACE("all operands the same");
      Words memory(x.a.begin(), x.a.end());
      EltwiseOperands moved = x;
      x.for_each_vector([&](std::span<const std::uint64_t>& vector) { vector = x.a; });
      moved.for_each_vector([&](std::span<const std::uint64_t>& vector) { vector = memory; });
      run_on(x, moved, memory);
    }
  }
}

RINGLET_TEST_KERNELS(EltwiseKernels, kernels_under_test(), under_test_name);

/// The kernels of `dot` and of multiply_accumulate.
struct EltwiseSums : EltwiseKernelTest {
  /// Operands with sums of `count` products: of the words for `dot`, else of vectors.
  static EltwiseOperands products(std::size_t count, const Words& a, const Words& b) {
    if (operation() == "dot") return {std::span(a).first(count), std::span(b).first(count)};
    EltwiseOperands x{std::span(a).first(11), std::span(b).first(11)};
    for (std::size_t k = 0; k < count; ++k) {
      x.a_terms.push_back(std::span(a).subspan(k, 11));
      x.b_terms.push_back(std::span(b).subspan(k, 11));
    }
    return x;
  }
};

// (q-1)^2 is 1 modulo q, so that a sum is the number of its products.
TEST_P(EltwiseSums, HoldAsManyOfTheLargestProductsAsTheyClaim) {
  const bool is_dot = operation() == "dot";
  std::set<std::size_t> counts;
  for (std::size_t n = is_dot ? 0 : 1; n < (is_dot ? 600 : 66); ++n) counts.insert(n);
  for (std::size_t power = 64; power <= (is_dot ? 1U << 17 : 4096); power *= 2) {
    counts.insert(3 * power / 2);
    for (const std::size_t less : {33, 32, 31, 17, 16, 15, 9, 8, 7, 1, 0}) {
      if (is_dot || less < 2) counts.insert({power - less, power + less});
    }
  }
  Words moduli{kernel()->modulus_limit - 1};
  for (const int bits : {1, 2, 3, 20, 31, 32, 33, 34, 45, 46, 47, 48, 49, 50, 58, 59, 60, 61, 62}) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    for (const std::uint64_t q : {power - 1, power, power + 1}) {
      if (q >= 2 && kernel().takes(q)) moduli.push_back(q);
    }
  }
  for (const std::uint64_t q : moduli) {
    const Words largest(*counts.rbegin() + 11, q - 1);
    for (const std::size_t count : counts) {
      ASSERT_EQ(kernel().run(q, products(count, largest, largest)),
                Words(is_dot ? 1 : 11, count % q))
          << "q = " << q << ", " << count << " products";
    }
  }
}

TEST_P(EltwiseSums, OfManyProductsAgree) {
  auto rng = make_rng();
  for (const std::uint64_t q : {std::uint64_t{2}, std::uint64_t{3}, (std::uint64_t{1} << 46) - 21,
                                kernel()->modulus_limit - 1}) {
    const Words a = mixed_values(100'011, q, 1, rng);
    const Words b = mixed_values(100'011, q, 1, rng);
    for (const std::size_t count :
         {1000, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 100'000}) {
      expect_exact(products(count, a, b), q);
      if (HasFatalFailure()) return;
    }
  }
}

RINGLET_TEST_KERNELS(EltwiseSums, kernels_of({"dot", "multiply_accumulate"}), under_test_name);

/// Two pairs of vectors, and the expected products.
struct Pairs {
  using Vectors = std::array<std::uint64_t*, 4>;  // a[0], a[1], b[0], b[1]

  Pairs(std::size_t count, std::uint64_t q, std::mt19937_64& rng) {
    for (Words& vector : vectors) vector = mixed_values(count, q, 1, rng);
  }
  std::array<Words, 3> expected(std::uint64_t q) const {
    const auto& [a0, a1, b0, b1] = vectors;
    const auto product = [q](const Words& x, const Words& y) {
      return expected_words("multiply", {x, y}, q);
    };
    return {product(a0, b0), expected_words("add", {product(a0, b1), product(a1, b0)}, q),
            product(a1, b1)};
  }
  Vectors places() {
    return {vectors[0].data(), vectors[1].data(), vectors[2].data(), vectors[3].data()};
  }

  std::array<Words, 4> vectors;
};

/// The kernels of `multiply`.
struct EltwisePairs : EltwiseKernelTest {
  static void run(std::uint64_t q, std::size_t count, std::array<std::uint64_t*, 3> results,
                  const Pairs::Vectors& places) {
    const std::array<const std::uint64_t*, 2> a{places[0], places[1]};
    const std::array<const std::uint64_t*, 2> b{places[2], places[3]};
    kernel()->run_pairs({.count = count,
                         .q = q,
                         .ratio = Modulus(q).ratio(),
                         .results = results.data(),
                         .a_terms = a.data(),
                         .b_terms = b.data()});
  }
  static void check(std::uint64_t q, Pairs pairs) {
    const std::size_t n = pairs.vectors[0].size();
    std::array<Words, 3> results{Words(n, 7), Words(n, 7), Words(n, 7)};
    run(q, n, {results[0].data(), results[1].data(), results[2].data()}, pairs.places());
    ASSERT_EQ(results, pairs.expected(q)) << "q = " << q << ", n = " << n;
  }
};

TEST_P(EltwisePairs, AgreeForEveryKindOfModulusAndLength) {
  auto rng = make_rng();
  for (const std::uint64_t q : kernel().moduli()) {
    Pairs pairs(43, q, rng);
    check(q, pairs);
    pairs.vectors.fill(Words(37, q - 1));
    check(q, pairs);
  }
  for (std::size_t n = 0; n < 70; ++n) {
    check(kernel()->modulus_limit - 1, Pairs(n, kernel()->modulus_limit - 1, rng));
    check((std::uint64_t{1} << 30) - 35, Pairs(n, (std::uint64_t{1} << 30) - 35, rng));
  }
  check(kernel()->modulus_limit - 1, Pairs(1003, kernel()->modulus_limit - 1, rng));
}

// The three results take the places of any three operands, in every order; then of squares.
TEST_P(EltwisePairs, WorkInPlace) {
  auto rng = make_rng();
  const std::uint64_t q = kernel()->modulus_limit - 1;
  for (const std::size_t n : {1, 8, 13, 32, 45, 100}) {
    for (std::size_t choice = 0; choice < 64; ++choice) {
      const std::array<std::size_t, 3> places{choice % 4, choice / 4 % 4, choice / 16};
      if (std::set(places.begin(), places.end()).size() < 3) continue;
      Pairs pairs(n, q, rng);
      const auto expected = pairs.expected(q);
      const Pairs::Vectors all = pairs.places();
      run(q, n, {all[places[0]], all[places[1]], all[places[2]]}, all);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(pairs.vectors[places[k]], expected[k]) << n;
    }
    Pairs pairs(n, q, rng);
    pairs.vectors[2] = pairs.vectors[0];
    pairs.vectors[3] = pairs.vectors[1];
    const auto expected = pairs.expected(q);
    const auto [a0, a1, b0, b1] = pairs.places();
    run(q, n, {a1, a0, b0}, {a0, a1, a0, a1});
    for (const std::size_t k : {0, 1, 2}) EXPECT_EQ(pairs.vectors[k == 2 ? 2 : 1 - k], expected[k]);
  }
}

TEST_P(EltwisePairs, TakeAnyAlignmentAndTouchNothingElse) {
  auto rng = make_rng();
  const std::uint64_t q = kernel()->modulus_limit - 57;
  for (const std::size_t n : {1, 3, 7, 8, 9, 31, 32, 33, 64, 65}) {
    for (std::size_t shift = 0; shift < 8; ++shift) {
      const Pairs pairs(n, q, rng);
      std::vector<GuardedWords> words;
      for (const Words& x : pairs.vectors) words.emplace_back(x, (3 * words.size() + shift) % 8);
      for (std::size_t k = 0; k < 3; ++k) words.emplace_back(Words(n), (5 * k + 3 * shift) % 8);
      const auto place = [&](std::size_t i) { return words[i].span().data(); };
      run(q, n, {place(4), place(5), place(6)}, {place(0), place(1), place(2), place(3)});
      const auto expected = pairs.expected(q);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(words[4 + k].values(), expected[k]);
      for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(words[k].values(), pairs.vectors[k]);
      for (GuardedWords& each : words) EXPECT_TRUE(each.guards_intact()) << n << ", " << shift;
    }
  }
}

RINGLET_TEST_KERNELS(EltwisePairs, kernels_of({"multiply"}), under_test_name);

// The constants of Barrett reduction and the bound that they promise, in exact arithmetic; and
// quotients in floating point, in every rounding mode.

struct BarrettConstants : ::testing::TestWithParam<int> {
  /// Calls body(q) for moduli below 2^(bits - 2).
  template <typename Body>
  static void for_each_modulus(Body body) {
    for (const std::uint64_t q : eltwise_moduli()) {
      SCOPED_TRACE(q);
      if (q >> (GetParam() - 2) == 0) body(q);
    }
  }
};

TEST_P(BarrettConstants, QuotientsAreExactAndOffByLessThanOne) {
  const int bits = GetParam();
  for_each_modulus([bits](std::uint64_t word) {
    const mpz_class q = word;
    const int s = kernels::barrett_shift(word, bits);
    ASSERT_GE(s, 0);
    ASSERT_LT(s, bits - 2);
    const mpz_class quotient = kernels::barrett_quotient(Modulus(word).ratio(), s, bits);
    EXPECT_TRUE(quotient == power_of_two(bits + s) / q);
    EXPECT_TRUE(quotient < power_of_two(bits));
    // The condition 2^s/q + q^2/2^(bits + s) < 1 is multiplied by q * 2^(bits + s).
    EXPECT_TRUE(q * q * q + power_of_two(2 * s + bits) < q * power_of_two(bits + s));
    // The sum of the middle products has room for both of its terms.
    EXPECT_TRUE((q - 1) * (q - 1) / power_of_two(s) + quotient < power_of_two(bits));
  });
}

// The quotient floor(2^(bits + n) / q) of wide products is 2^bits plus a word, for q of n bits. As
// the proof states, its error is below 1, or 1 for a power of two, which has no other.
TEST_P(BarrettConstants, TheExcessOfTheWideQuotientFits) {
  const int bits = GetParam();
  for_each_modulus([bits](std::uint64_t q) {
    const mpz_class excess = kernels::barrett_excess(Modulus(q).ratio(), q, bits);
    const mpz_class exact = power_of_two(bits + std::bit_width(q)) / mpz_class(q);
    EXPECT_TRUE(excess < power_of_two(bits));
    EXPECT_TRUE(power_of_two(bits) + excess + (std::has_single_bit(q) ? 1 : 0) == exact);
  });
}

INSTANTIATE_TEST_SUITE_P(Words, BarrettConstants, ::testing::Values(52, 64),
                         [](const auto& parameter) {
                           return std::to_string(parameter.param) + "bits";
                         });

TEST(FactorQuotient, EqualsTheDivision) {
  auto rng = make_rng();
  for (const std::uint64_t q : eltwise_moduli()) {
    const Modulus modulus(q);
    for (const std::uint64_t w : mixed_values(40, q, 1, rng)) {
      EXPECT_EQ(kernels::factor_quotient(w, q, modulus.ratio()), shoup_quotient(w, q))
          << w << " mod " << q;
    }
  }
}

class FloatTest : public EltwiseKernelTest {};

TEST_P(FloatTest, ExactInEveryRoundingModeAndLeavesItAsItWas) {
  auto rng = make_rng();
  const int before = std::fegetround();
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (const int bits : {20, 34, 50, 51, 52, 56}) {
      const std::uint64_t power = std::uint64_t{1} << bits;
      for (const std::uint64_t q : {n_nextprime(power / 2, 1), power - 1}) {
        if (!kernel().takes(q)) continue;
        Words a = random_residues(2000, std::min(q, std::uint64_t{10'000'000}), rng);
        for (std::uint64_t& word : a) word = q - 1 - word;
        const Words b = random_residues(a.size(), q, rng);
        EltwiseOperands x{a, b, b, q - 1};
        x.a_terms.assign(9, a);
        x.b_terms.assign(9, b);
        std::fesetround(mode);
        const Words result = kernel().run(Modulus(q), x);
        const int after = std::fegetround();
        std::fesetround(before);
        EXPECT_EQ(after, mode);
        expect_equal(result, x, q);
      }
    }
  }
}

RINGLET_TEST_KERNELS(FloatTest, kernels_where([](const KernelUnderTest& kernel) {
                       return kernel.name().find("/float") != std::string::npos;
                     }),
                     under_test_name);

}  // namespace
}  // namespace ringlet::test
