// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rns_ntt.hpp"

#include "ringlet/error.hpp"
#include "ringlet/parallel.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/threads.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using Words = std::vector<std::uint64_t>;
using Indices = std::vector<std::size_t>;

constexpr std::uint64_t kSentinel = 0xa5a5a5a5a5a5a5a5u;

/// Primes for different kernels, in no order, neighbours among them.
std::vector<Modulus> mixed_moduli(std::size_t degree) {
  std::vector<Modulus> moduli;
  for (const int bits : {50, 30, 61, 49}) {
    moduli.push_back(generate_ntt_primes(bits, degree, 1).front());
  }
  moduli.push_back(generate_ntt_primes(49, degree, 2).back());
  return moduli;
}

/// Which limbs there are and how a buffer holds them.
struct Layout {
  std::size_t polynomials;
  std::size_t limbs;
  std::size_t limb_stride;
  std::size_t polynomial_stride;

  std::size_t start(std::size_t p, std::size_t i) const {
    return p * polynomial_stride + i * limb_stride;
  }
  std::size_t size(std::size_t degree) const { return start(polynomials - 1, limbs - 1) + degree; }
  RnsWords over(std::span<std::uint64_t> words) const {
    return {words, limb_stride, polynomials, polynomial_stride};
  }
};

/// Polynomial after polynomial, with and without gaps, and prime after prime.
std::vector<Layout> layouts(std::size_t degree, std::size_t polynomials, std::size_t limbs) {
  return {{polynomials, limbs, degree, limbs * degree},
          {polynomials, limbs, degree + 3, limbs * (degree + 3) + 5},
          {polynomials, limbs, degree + 8, (limbs - 1) * (degree + 8) + degree},
          {polynomials, limbs, polynomials * degree, degree},
          {polynomials, limbs, polynomials * (degree + 1) + 2, degree + 1}};
}

/// Sentinels, and values in [0, factor*q) in the limbs.
Words filled(const Layout& layout, const RnsNtt& rns, const Indices& primes, int factor,
             std::mt19937_64& rng) {
  const std::size_t degree = rns.degree();
  Words words(layout.size(degree), kSentinel);
  for (std::size_t p = 0; p < layout.polynomials; ++p) {
    for (std::size_t i = 0; i < layout.limbs; ++i) {
      const std::uint64_t q = rns[primes[i]].modulus().value();
      const Words values = mixed_values(degree, q, static_cast<std::uint64_t>(factor), rng);
      std::ranges::copy(values, &words[layout.start(p, i)]);
    }
  }
  return words;
}

enum class Direction { forward, inverse };

void transform(const RnsNtt& rns, Direction direction, RnsWords result, ConstRnsWords operand,
               const Indices& primes, int input, int output) {
  if (direction == Direction::forward) {
    rns.forward(result, operand, primes, input, output);
  } else {
    rns.inverse(result, operand, primes, input, output);
  }
}

/// What `result` becomes by one call of a plan per limb; other words of it stay.
Words limb_by_limb(const RnsNtt& rns, Direction direction, Words result, const Layout& to,
                   const Words& operand, const Layout& from, const Indices& primes, int input,
                   int output) {
  const std::size_t degree = rns.degree();
  for (std::size_t p = 0; p < to.polynomials; ++p) {
    for (std::size_t i = 0; i < to.limbs; ++i) {
      const std::span target(&result[to.start(p, i)], degree);
      const std::span source(&operand[from.start(p, i)], degree);
      const Ntt& plan = rns[primes[i]];
      if (direction == Direction::forward) {
        plan.forward(target, source, input, output);
      } else {
        plan.inverse(target, source, input, output);
      }
    }
  }
  return result;
}

class RnsNttTest : public ::testing::Test {
 protected:
  void TearDown() override { set_thread_count(1); }
};

/// Every layout against every other one, and in place.
void compare_with_single_calls(const RnsNtt& rns, const Indices& primes, std::size_t polynomials,
                               Direction direction, int input, int output) {
  const std::size_t degree = rns.degree();
  auto rng = make_rng(degree);
  const std::vector<Layout> all = layouts(degree, polynomials, primes.size());
  for (const Layout& from : all) {
    const Words operand = filled(from, rns, primes, input, rng);
    for (const Layout& to : all) {
      Words result(to.size(degree), kSentinel);
      const Words expected =
          limb_by_limb(rns, direction, result, to, operand, from, primes, input, output);
      Words source = operand;
      transform(rns, direction, to.over(result), from.over(source), primes, input, output);
      ASSERT_EQ(result, expected) << "N = " << degree << ", gaps included";
      ASSERT_EQ(source, operand);
    }
    Words words = operand;
    transform(rns, direction, from.over(words), from.over(words), primes, input, output);
    ASSERT_EQ(words,
              limb_by_limb(rns, direction, operand, from, operand, from, primes, input, output))
        << "in place, N = " << degree;
  }
}

TEST_F(RnsNttTest, AgreesWithSingleCallsInEveryLayoutOnEveryNumberOfThreads) {
  for (const std::size_t degree : {2, 8, 64, 4096}) {
    const RnsNtt rns(degree, mixed_moduli(degree));
    for (const Indices& primes : {Indices{0, 1, 2, 3, 4}, Indices{3}, Indices{4, 1, 1, 3}}) {
      for (const std::size_t polynomials : {1, 2, 3}) {
        for (const std::size_t threads : {1, 2, 4}) {
          set_thread_count(threads);
          compare_with_single_calls(rns, primes, polynomials, Direction::forward, 1, 1);
          compare_with_single_calls(rns, primes, polynomials, Direction::inverse, 1, 1);
        }
      }
    }
  }
}

TEST_F(RnsNttTest, TakesTheFactorsOfNtt) {
  set_thread_count(2);
  const RnsNtt rns(256, mixed_moduli(256));
  const Indices primes{4, 0, 3, 1, 2};
  for (const int input : {1, 2, 4}) {
    for (const int output : {1, 4, 8, 16}) {
      compare_with_single_calls(rns, primes, 2, Direction::forward, input, output);
    }
  }
  for (const int input : {1, 2}) {
    for (const int output : {1, 2}) {
      compare_with_single_calls(rns, primes, 2, Direction::inverse, input, output);
    }
  }
}

TEST_F(RnsNttTest, EveryLimbIsTheDefinitionAndInverseTheWayBack) {
  const std::size_t degree = 16;
  const std::vector<Modulus> moduli = mixed_moduli(degree);
  for (const std::string& kernel : ntt_kernel_names().available) {
    const RnsNtt rns(degree, moduli, KernelSelection(kernel.substr(0, kernel.find('/'))));
    auto rng = make_rng();
    const Layout layout{3, moduli.size(), degree + 1, moduli.size() * (degree + 1)};
    const Words original = filled(layout, rns, {0, 1, 2, 3, 4}, 1, rng);
    Words words = original;
    rns.forward(layout.over(words), layout.over(words));
    for (std::size_t p = 0; p < 3; ++p) {
      for (std::size_t i = 0; i < moduli.size(); ++i) {
        const std::uint64_t* const limb = &original[layout.start(p, i)];
        const std::uint64_t root = minimal_primitive_root(2 * degree, moduli[i]);
        for (std::size_t j = 0; j < degree; ++j) {
          ASSERT_EQ(words[layout.start(p, i) + j],
                    ntt_value({limb, limb + degree}, j, root, moduli[i]))
              << rns[i].kernel_name() << ", polynomial " << p << ", limb " << i;
        }
      }
    }
    rns.inverse(layout.over(words), layout.over(words));
    EXPECT_EQ(words, original);
  }
}

TEST_F(RnsNttTest, SixteenPrimesGiveTheSameBitsOnEveryNumberOfThreads) {
  const std::size_t degree = 8192;
  const RnsNtt rns(degree, generate_ntt_primes(49, degree, 16));
  Indices primes(16);
  for (std::size_t i = 0; i < 16; ++i) primes[i] = (5 * i) % 16;
  const Layout layout{2, 16, degree + 8, 16 * (degree + 8)};
  auto rng = make_rng();
  const Words original = filled(layout, rns, primes, 1, rng);
  const Words expected =
      limb_by_limb(rns, Direction::forward, original, layout, original, layout, primes, 1, 1);
  for (const std::size_t threads : {1, 2, 3, 4, 16}) {
    set_thread_count(threads);
    Words words = original;
    rns.forward(layout.over(words), layout.over(words), primes);
    ASSERT_EQ(words, expected) << threads;
    rns.inverse(layout.over(words), layout.over(words), primes);
    ASSERT_EQ(words, original) << threads;
  }
}

TEST_F(RnsNttTest, ManyThreadsMayShareOneObject) {
  set_thread_count(4);
  const std::size_t degree = 4096;
  const RnsNtt rns(degree, mixed_moduli(degree));
  const Layout layout{2, 5, degree, 5 * degree};
  auto rng = make_rng();
  const Words original = filled(layout, rns, {0, 1, 2, 3, 4}, 1, rng);
  std::vector<std::size_t> right(kThreads);
  in_threads([&](std::size_t t) {
    const RnsNtt copy = rns;  // NOLINT(performance-unnecessary-copy-initialization)
    for (int i = 0; i < 10; ++i) {
      Words words = original;
      copy.forward(layout.over(words), layout.over(words));
      const bool changed = words != original;
      rns.inverse(layout.over(words), layout.over(words));
      right[t] += changed && words == original ? 1 : 0;
    }
  });
  EXPECT_EQ(right, std::vector<std::size_t>(kThreads, 10));
}

TEST_F(RnsNttTest, ShowsItsPlansAndCopiesOutliveTheOriginal) {
  const std::size_t degree = 64;
  const std::vector<Modulus> moduli = mixed_moduli(degree);
  auto original = std::make_unique<RnsNtt>(degree, moduli, KernelSelection("scalar64"));
  const RnsNtt copy = *original;
  original.reset();
  EXPECT_EQ(copy.degree(), degree);
  ASSERT_EQ(copy.size(), moduli.size());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < copy.size(); ++i) {
    EXPECT_EQ(copy[i].modulus(), moduli[i]);
    EXPECT_EQ(copy[i].kernel_name().rfind("scalar64/", 0), 0u);
    bytes += copy[i].table_bytes();
  }
  EXPECT_EQ(copy.table_bytes(), bytes);
  EXPECT_THROW(copy[moduli.size()], OutOfRange);
}

TEST_F(RnsNttTest, NothingToDoIsNoError) {
  const RnsNtt rns(8, mixed_moduli(8));
  Words words(40, kSentinel);
  EXPECT_NO_THROW(rns.forward({words, 8, 0, 0}, ConstRnsWords{words, 8, 0, 0}));
  EXPECT_NO_THROW(rns.inverse({}, {}, Indices{}));
  EXPECT_EQ(words, Words(40, kSentinel));
}

TEST_F(RnsNttTest, StridesThatAreNotUsedAreNotChecked) {
  const RnsNtt rns(8, std::vector<Modulus>{97});
  Words words(8, 3);
  const Words original = words;
  const RnsWords one{words, 1, 1, ~std::size_t{0}};
  rns.forward(one, one);
  EXPECT_NE(words, original);
  rns.inverse(one, RnsWords{words});
  EXPECT_EQ(words, original);
}

/// True if both directions throw `Error` with all four parts of its message.
template <typename Error = InvalidArgument>
::testing::AssertionResult refuses(const RnsNtt& rns, RnsWords result, ConstRnsWords operand,
                                   const Indices& primes, int input = 1, int output = 1) {
  for (const Direction direction : {Direction::forward, Direction::inverse}) {
    try {
      transform(rns, direction, result, operand, primes, input, output);
      return ::testing::AssertionFailure() << "accepted";
    } catch (const Error& error) {
      if (error.operation().rfind("RnsNtt::", 0) != 0 || error.offending().empty() ||
          error.limit().empty() || error.remedy().empty()) {
        return ::testing::AssertionFailure() << "a part is missing: " << error.what();
      }
    }
  }
  return ::testing::AssertionSuccess();
}

class RnsNttRefusalTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kDegree = 64;
  static constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();

  void TearDown() override {
    EXPECT_EQ(words_, Words(4096, 5)) << "what is refused changes nothing";
  }
  std::span<std::uint64_t> part(std::size_t first, std::size_t count) {
    return std::span(words_).subspan(first, count);
  }
  /// 2 polynomials of 3 limbs: 6 * 64 words from word `first` on.
  RnsWords usual(std::size_t first) { return {part(first, 384), kDegree, 2, 3 * kDegree}; }

  const RnsNtt rns_{kDegree, mixed_moduli(kDegree)};
  const Indices primes_{0, 1, 2};
  Words words_ = Words(4096, 5);
};

TEST_F(RnsNttRefusalTest, Factors) {
  for (const int factor : {-1, 0, 3, 5, 32}) {
    EXPECT_TRUE(refuses(rns_, usual(0), usual(0), primes_, factor, 1)) << factor;
    EXPECT_TRUE(refuses(rns_, usual(0), usual(0), primes_, 1, factor)) << factor;
  }
  EXPECT_TRUE(refuses(rns_, usual(0), usual(0), primes_, 8, 1));
  EXPECT_THROW(rns_.forward(usual(0), usual(0), 1, 2), InvalidArgument);
  EXPECT_THROW(rns_.inverse(usual(0), usual(0), 4, 1), InvalidArgument);
  EXPECT_THROW(rns_.inverse(usual(0), usual(0), 1, 4), InvalidArgument);
}

TEST_F(RnsNttRefusalTest, Primes) {
  for (const std::size_t prime : {std::size_t{5}, std::size_t{6}, kHuge}) {
    EXPECT_TRUE(refuses<OutOfRange>(rns_, usual(0), usual(0), {0, 1, prime}));
  }
}

TEST_F(RnsNttRefusalTest, Strides) {
  for (const std::size_t stride : {std::size_t{0}, std::size_t{1}, kDegree - 1}) {
    const RnsWords limbs{part(0, 384), stride, 2, 192};
    EXPECT_TRUE(refuses(rns_, limbs, limbs, primes_)) << stride;
    EXPECT_TRUE(refuses(rns_, usual(512), limbs, primes_)) << stride;
    EXPECT_TRUE(refuses(rns_, limbs, usual(512), primes_)) << stride;
    const RnsWords polynomials{part(0, 384), kDegree, 2, stride};
    EXPECT_TRUE(refuses(rns_, polynomials, polynomials, primes_)) << stride;
  }
  for (const auto& [limb_stride, polynomial_stride] :
       {std::pair<std::size_t, std::size_t>{64, 64}, {64, 191}, {127, 64}, {100, 200}}) {
    const RnsWords crossed{part(0, 1024), limb_stride, 2, polynomial_stride};
    EXPECT_TRUE(refuses(rns_, crossed, crossed, primes_)) << limb_stride;
  }
}

TEST_F(RnsNttRefusalTest, Lengths) {
  const RnsWords shorter{part(0, 383), kDegree, 2, 192};
  EXPECT_TRUE(refuses(rns_, shorter, usual(512), primes_));
  EXPECT_TRUE(refuses(rns_, usual(512), shorter, primes_));
  EXPECT_TRUE(refuses(rns_, usual(0), usual(512), {0, 1, 2, 3})) << "four limbs across each other";
  EXPECT_TRUE(refuses(rns_, RnsWords{}, usual(512), primes_));
  EXPECT_TRUE(refuses(rns_, RnsWords{part(0, kDegree - 1)}, RnsWords{part(0, 63)}, {0}));
}

TEST_F(RnsNttRefusalTest, SizesThatDoNotFitAWord) {
  for (const std::size_t stride : {kHuge, kHuge / 2 + 1, kHuge / 2 + 33, kHuge - kDegree + 1}) {
    const RnsWords limbs{part(0, 384), stride, 1, 0};
    EXPECT_TRUE(refuses(rns_, limbs, limbs, primes_)) << stride;
    const RnsWords polynomials{part(0, 384), kDegree, 2, stride};
    EXPECT_TRUE(refuses(rns_, polynomials, polynomials, primes_)) << stride;
    const RnsWords many{part(0, 384), kDegree, kHuge, stride};
    EXPECT_TRUE(refuses(rns_, many, many, primes_)) << stride;
    const RnsWords both{part(0, 384), stride, kHuge, kHuge};
    EXPECT_TRUE(refuses(rns_, both, both, primes_)) << stride;
  }
  const RnsWords wrapping{part(0, 384), kDegree, std::size_t{1} << 32, std::size_t{1} << 32};
  EXPECT_TRUE(refuses(rns_, wrapping, wrapping, primes_)) << "2^32 * 2^32 words";
}

TEST_F(RnsNttRefusalTest, Addresses) {
  std::uint64_t* const null = nullptr;
  const RnsWords nothing{{null, 384}, kDegree, 2, 192};
  EXPECT_TRUE(refuses(rns_, nothing, usual(0), primes_));
  EXPECT_TRUE(refuses(rns_, usual(0), nothing, primes_));
  auto* const odd = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(words_.data()) + 4);
  const RnsWords misaligned{{odd, 384}, kDegree, 2, 192};
  EXPECT_TRUE(refuses(rns_, misaligned, usual(512), primes_));
  EXPECT_TRUE(refuses(rns_, usual(512), misaligned, primes_));
}

TEST_F(RnsNttRefusalTest, Overlap) {
  for (const std::size_t first : {1, 64, 192, 383}) {
    EXPECT_TRUE(refuses(rns_, usual(first), usual(0), primes_)) << first;
    EXPECT_TRUE(refuses(rns_, usual(0), usual(first), primes_)) << first;
  }
  const RnsWords wider{part(0, 1024), kDegree, 2, 193};
  EXPECT_TRUE(refuses(rns_, wider, usual(0), primes_)) << "one place, two layouts";
  const RnsWords interleaved{part(64, 640), 2 * kDegree, 1, 0};
  const RnsWords others{part(0, 640), 2 * kDegree, 1, 0};
  EXPECT_TRUE(refuses(rns_, interleaved, others, primes_)) << "limbs between limbs";
}

TEST_F(RnsNttRefusalTest, NumbersOfPolynomials) {
  const RnsWords one{part(512, 384), kDegree, 1, 0};
  EXPECT_TRUE(refuses(rns_, usual(0), one, primes_));
  EXPECT_TRUE(refuses(rns_, one, usual(0), primes_));
}

TEST_F(RnsNttRefusalTest, Moduli) {
  EXPECT_THROW(RnsNtt(kDegree, {}), InvalidArgument);
  EXPECT_THROW(RnsNtt(kDegree, std::vector<Modulus>{257, 97}), InvalidArgument);
  EXPECT_THROW(RnsNtt(kDegree + 1, mixed_moduli(kDegree)), InvalidArgument);
}

}  // namespace
}  // namespace ringlet::test
