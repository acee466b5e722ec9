// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/rns_ntt.hpp"

#include "ringlet/arith/primes.hpp"
#include "ringlet/base/parallel.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using Indices = std::vector<std::size_t>;

/// Primes for different kernels, unsorted, with two neighbours.
std::vector<Modulus> mixed_moduli(std::size_t degree) {
  std::vector<Modulus> moduli;
  for (const int bits : {50, 30, 61, 49}) {
    moduli.push_back(generate_ntt_primes(bits, degree, 1).front());
  }
  moduli.push_back(generate_ntt_primes(49, degree, 2).back());
  return moduli;
}

/// The limbs, and their places in a buffer.
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

/// Orders by polynomial, with and without gaps, and by prime.
std::vector<Layout> layouts(std::size_t degree, std::size_t polynomials, std::size_t limbs) {
  return {{polynomials, limbs, degree, limbs * degree},
          {polynomials, limbs, degree + 3, limbs * (degree + 3) + 5},
          {polynomials, limbs, degree + 8, (limbs - 1) * (degree + 8) + degree},
          {polynomials, limbs, polynomials * degree, degree},
          {polynomials, limbs, polynomials * (degree + 1) + 2, degree + 1}};
}

/// Fills the limbs with values in [0, factor*q), and gaps with sentinels.
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

struct Call {
  Direction direction;
  const Indices& primes;
  int input = 1;
  int output = 1;
};

void transform(const RnsNtt& rns, const Call& call, RnsWords result, ConstRnsWords operand) {
  if (call.direction == Direction::forward) {
    rns.forward(result, operand, call.primes, call.input, call.output);
  } else {
    rns.inverse(result, operand, call.primes, call.input, call.output);
  }
}

/// The content of `result` after one call.
Words limb_by_limb(const RnsNtt& rns, const Call& call, Words result, const Layout& to,
                   const Words& operand, const Layout& from) {
  const std::size_t degree = rns.degree();
  for (std::size_t p = 0; p < to.polynomials; ++p) {
    for (std::size_t i = 0; i < to.limbs; ++i) {
      const std::span target(&result[to.start(p, i)], degree);
      const std::span source(&operand[from.start(p, i)], degree);
      const Ntt& plan = rns[call.primes[i]];
      if (call.direction == Direction::forward) {
        plan.forward(target, source, call.input, call.output);
      } else {
        plan.inverse(target, source, call.input, call.output);
      }
    }
  }
  return result;
}

struct RnsNttTest : ::testing::Test {
  void TearDown() override { set_thread_count(1); }
};

/// Compares every layout with every other, and in place.
void compare_with_single_calls(const RnsNtt& rns, const Call& call, std::size_t polynomials) {
  const std::size_t degree = rns.degree();
  auto rng = make_rng(degree);
  const std::vector<Layout> all = layouts(degree, polynomials, call.primes.size());
  for (const Layout& from : all) {
    const Words operand = filled(from, rns, call.primes, call.input, rng);
    for (const Layout& to : all) {
      Words result(to.size(degree), kSentinel);
      const Words expected = limb_by_limb(rns, call, result, to, operand, from);
      Words source = operand;
      transform(rns, call, to.over(result), from.over(source));
      ASSERT_EQ(result, expected) << "N = " << degree << ", gaps included";
      ASSERT_EQ(source, operand);
    }
    Words words = operand;
    transform(rns, call, from.over(words), from.over(words));
    ASSERT_EQ(words, limb_by_limb(rns, call, operand, from, operand, from))
        << "in place, N = " << degree;
  }
}

TEST_F(RnsNttTest, AgreesWithSingleCallsInEveryLayoutOnEveryNumberOfThreads) {
  for (const std::size_t degree : {2, 8, 64, 4096}) {
    const RnsNtt rns(degree, mixed_moduli(degree));
    for (const Indices& primes : {Indices{0, 1, 2, 3, 4}, Indices{3}, Indices{4, 1, 1, 3}}) {
      for (const std::size_t polynomials : {1, 2, 3}) {
        if (RINGLET_TEST_SANITIZED && degree == 4096 && polynomials < 3) continue;
        for (const std::size_t threads : {1, 2, 4}) {
          set_thread_count(threads);
          compare_with_single_calls(rns, {Direction::forward, primes}, polynomials);
          compare_with_single_calls(rns, {Direction::inverse, primes}, polynomials);
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
      compare_with_single_calls(rns, {Direction::forward, primes, input, output}, 2);
    }
  }
  for (const int input : {1, 2}) {
    for (const int output : {1, 2}) {
      compare_with_single_calls(rns, {Direction::inverse, primes, input, output}, 2);
    }
  }
}

TEST_F(RnsNttTest, SixteenPrimesGiveTheSameBitsOnEveryNumberOfThreads) {
  const RnsNtt rns(8192, generate_ntt_primes(49, 8192, 16));
  Indices primes(16);
  for (std::size_t i = 0; i < 16; ++i) primes[i] = (5 * i) % 16;
  for (const std::size_t threads : {1, 2, 3, 4, 16}) {
    set_thread_count(threads);
    compare_with_single_calls(rns, {Direction::forward, primes}, 2);
    compare_with_single_calls(rns, {Direction::inverse, primes}, 2);
  }
}

TEST_F(RnsNttTest, ManyThreadsMayShareOneObject) {
  set_thread_count(4);
  const std::size_t degree = 4096;
  const RnsNtt rns(degree, mixed_moduli(degree));
  const Layout layout{2, 5, degree, 5 * degree};
  auto rng = make_rng();
  const Words original = filled(layout, rns, {0, 1, 2, 3, 4}, 1, rng);
  expect_in_threads(10, [&](std::size_t, std::size_t) {
    const RnsNtt copy = rns;  // NOLINT(performance-unnecessary-copy-initialization)
    Words words = original;
    copy.forward(layout.over(words), layout.over(words));
    const bool changed = words != original;
    rns.inverse(layout.over(words), layout.over(words));
    return changed && words == original;
  });
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
    EXPECT_EQ(copy[i].root_of_unity(), minimal_primitive_root(2 * degree, moduli[i]));
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

struct RnsNttRefusalTest : ::testing::Test {
  static constexpr std::size_t kDegree = 64;
  static constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();

  void TearDown() override {
    EXPECT_EQ(words_, Words(4096, 5)) << "what is refused changes nothing";
  }
  std::span<std::uint64_t> part(std::size_t first, std::size_t count) {
    return std::span(words_).subspan(first, count);
  }
  /// Expects `Error` from both directions.
  template <typename Error = InvalidArgument>
  void expect_refused(RnsWords result, ConstRnsWords operand, const Indices& primes, int input = 1,
                      int output = 1) const {
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      const bool forward = direction == Direction::forward;
      expect_refusal_of<Error>(forward ? "RnsNtt::forward" : "RnsNtt::inverse", {}, [&] {
        transform(rns_, {direction, primes, input, output}, result, operand);
      });
    }
  }
  void expect_refused(RnsWords result, ConstRnsWords operand) const {
    expect_refused(result, operand, primes_);
  }
  /// 2 polynomials of 3 limbs: 6 * 64 words from word `first` on.
  RnsWords usual(std::size_t first) { return {part(first, 384), kDegree, 2, 3 * kDegree}; }

  const RnsNtt rns_{kDegree, mixed_moduli(kDegree)};
  const Indices primes_{0, 1, 2};
  Words words_ = Words(4096, 5);
};

TEST_F(RnsNttRefusalTest, Factors) {
  for (const int factor : {-1, 0, 3, 5, 32}) {
    expect_refused(usual(0), usual(0), primes_, factor, 1);
    expect_refused(usual(0), usual(0), primes_, 1, factor);
  }
  expect_refused(usual(0), usual(0), primes_, 8, 1);
  EXPECT_THROW(rns_.forward(usual(0), usual(0), 1, 2), InvalidArgument);
  EXPECT_THROW(rns_.inverse(usual(0), usual(0), 4, 1), InvalidArgument);
  EXPECT_THROW(rns_.inverse(usual(0), usual(0), 1, 4), InvalidArgument);
}

TEST_F(RnsNttRefusalTest, Primes) {
  for (const std::size_t prime : {std::size_t{5}, std::size_t{6}, kHuge}) {
    expect_refused<OutOfRange>(usual(0), usual(0), {0, 1, prime});
  }
}

TEST_F(RnsNttRefusalTest, Strides) {
  for (const std::size_t stride : {std::size_t{0}, std::size_t{1}, kDegree - 1}) {
    const RnsWords limbs{part(0, 384), stride, 2, 192};
    expect_refused(limbs, limbs);
    expect_refused(usual(512), limbs);
    expect_refused(limbs, usual(512));
    const RnsWords polynomials{part(0, 384), kDegree, 2, stride};
    expect_refused(polynomials, polynomials);
  }
  for (const auto& [limb_stride, polynomial_stride] :
       {std::pair<std::size_t, std::size_t>{64, 64}, {64, 191}, {127, 64}, {100, 200}}) {
    const RnsWords crossed{part(0, 1024), limb_stride, 2, polynomial_stride};
    expect_refused(crossed, crossed);
  }
}

TEST_F(RnsNttRefusalTest, Lengths) {
  const RnsWords shorter{part(0, 383), kDegree, 2, 192};
  expect_refused(shorter, usual(512));
  expect_refused(usual(512), shorter);
  expect_refused(usual(0), usual(512), {0, 1, 2, 3});  // limb 3 lies in the next polynomial
  expect_refused(RnsWords{}, usual(512));
  expect_refused(RnsWords{part(0, kDegree - 1)}, RnsWords{part(0, 63)}, {0});
}

TEST_F(RnsNttRefusalTest, SizesThatDoNotFitAWord) {
  const auto words = part(0, 384);
  std::vector<RnsWords> layouts{{words, kDegree, std::size_t{1} << 32, std::size_t{1} << 32}};
  for (const std::size_t stride : {kHuge, kHuge / 2 + 1, kHuge / 2 + 33, kHuge - kDegree + 1}) {
    layouts.insert(layouts.end(), {{words, stride, 1, 0},
                                   {words, kDegree, 2, stride},
                                   {words, kDegree, kHuge, stride},
                                   {words, stride, kHuge, kHuge}});
  }
  for (const RnsWords& layout : layouts) expect_refused(layout, layout);
}

TEST_F(RnsNttRefusalTest, Addresses) {
  std::uint64_t* const null = nullptr;
  const RnsWords nothing{{null, 384}, kDegree, 2, 192};
  expect_refused(nothing, usual(0));
  expect_refused(usual(0), nothing);
  auto* const odd = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(words_.data()) + 4);
  const RnsWords misaligned{{odd, 384}, kDegree, 2, 192};
  expect_refused(misaligned, usual(512));
  expect_refused(usual(512), misaligned);
}

TEST_F(RnsNttRefusalTest, Overlap) {
  for (const std::size_t first : {1, 64, 192, 383}) {
    expect_refused(usual(first), usual(0));
    expect_refused(usual(0), usual(first));
  }
  const RnsWords wider{part(0, 1024), kDegree, 2, 193};
  expect_refused(wider, usual(0));  // the same place in two layouts
  const RnsWords interleaved{part(64, 640), 2 * kDegree, 1, 0};
  const RnsWords others{part(0, 640), 2 * kDegree, 1, 0};
  expect_refused(interleaved, others);  // limbs between limbs
}

TEST_F(RnsNttRefusalTest, NumbersOfPolynomials) {
  const RnsWords one{part(512, 384), kDegree, 1, 0};
  expect_refused(usual(0), one);
  expect_refused(one, usual(0));
}

TEST_F(RnsNttRefusalTest, Moduli) {
  EXPECT_THROW(RnsNtt(kDegree, {}), InvalidArgument);
  EXPECT_THROW(RnsNtt(kDegree, std::vector<Modulus>{257, 97}), InvalidArgument);
  EXPECT_THROW(RnsNtt(kDegree + 1, mixed_moduli(kDegree)), InvalidArgument);
}

}  // namespace
}  // namespace ringlet::test
