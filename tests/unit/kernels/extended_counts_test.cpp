// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/extended_butterfly.hpp"
#include "kernels/ntt/radix2_rows.hpp"
#include "ringlet/modulus.hpp"
#include "ringlet/primes.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// What a radix-4 butterfly costs in operations on two operands: section 3.3 of Bradbury et al., and
// remark 1 there. The butterflies are those of the kernels, on a policy that counts.

namespace ringlet::kernels {
namespace {

struct Counts {
  int conditional_subtractions = 0;
  int low_halves = 0;
  int high_halves = 0;
  int sums = 0;  ///< And differences.
  int additions_in_products = 0;

  friend bool operator==(const Counts&, const Counts&) = default;
};

/// Words of 64 bits that know how many operations they are behind their operands. `kFused` is the
/// model of remark 1: a product adds a third operand for nothing.
template <bool kFused>
struct Counting {
  struct Vec {
    std::uint64_t value = 0;
    int depth = 0;
  };
  static inline Counts counts;

  static constexpr int kLogLanes = 0;
  static constexpr int kQuotientBits = 64;
  static constexpr int kExtendedFloors = 2;
  static constexpr int kMaxRowStages = 2;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 60;
  static constexpr LaneLayout kLaneLayout{};

  static Vec load(const std::uint64_t* p) { return {*p, 0}; }
  static Vec load_partial(const std::uint64_t* p, std::size_t) { return {*p, 0}; }
  static void store(std::uint64_t* p, Vec x) { *p = x.value; }
  static void store_partial(std::uint64_t* p, Vec x, std::size_t) { *p = x.value; }
  static Vec broadcast(std::uint64_t x) { return {x, 0}; }
  static std::uint64_t negated(std::uint64_t q) { return q; }

  static Vec add(Vec x, Vec y) {
    ++counts.sums;
    return {x.value + y.value, behind(x, y)};
  }
  static Vec sub(Vec x, Vec y) {
    ++counts.sums;
    return {x.value - y.value, behind(x, y)};
  }
  static Vec reduce_once(Vec x, Vec bound) {
    ++counts.conditional_subtractions;
    return {x.value >= bound.value ? x.value - bound.value : x.value, behind(x, bound)};
  }
  static Vec mul_lazy(Vec y, const Twiddle<Counting>& w, const Mod<Counting>& m) {
    return remainder(low(y, w.operand), high(y, w.quotient), m);
  }
  static Vec mul_sum_lazy(Vec y, const Twiddle<Counting>& v, Vec t, const Twiddle<Counting>& w,
                          const Mod<Counting>& m) {
    const Vec quotient = accumulate(high(y, v.quotient), high(t, w.quotient));
    return remainder(accumulate(low(y, v.operand), low(t, w.operand)), quotient, m);
  }

 private:
  static int behind(const Vec& x, const Vec& y) { return std::max(x.depth, y.depth) + 1; }
  static Vec low(Vec x, Vec y) {
    ++counts.low_halves;
    return {x.value * y.value, behind(x, y)};
  }
  static Vec high(Vec x, Vec y) {
    ++counts.high_halves;
    return {mul_high(x.value, y.value), behind(x, y)};
  }
  /// x and the product y, in the same instruction if that is the model.
  static Vec accumulate(Vec x, Vec y) {
    if (!kFused) return add(x, y);
    ++counts.additions_in_products;
    return {x.value + y.value, std::max(x.depth + 1, y.depth)};
  }
  static Vec remainder(Vec product, Vec quotient, const Mod<Counting>& m) {
    const Vec multiple = low(quotient, m.q);
    if (!kFused) return sub(product, multiple);
    ++counts.additions_in_products;
    return {product.value - multiple.value, std::max(product.depth + 1, multiple.depth)};
  }
};

using Binary = Counting<false>;
using Fused = Counting<true>;

/// A prime, the factors of a butterfly and its operands.
struct Sample {
  Modulus q;
  std::uint64_t w[kQuadFactors];
  std::uint64_t x[4];
};

Sample make_sample(std::mt19937_64& rng) {
  Sample sample{generate_ntt_primes(59, 16, 1).front(), {}, {}};
  const Modulus& q = sample.q;
  for (int i = 0; i < 3; ++i) sample.w[i] = rng() % q.value();
  sample.w[3] = q.multiply(sample.w[0], sample.w[1]);
  sample.w[4] = q.value() - q.multiply(sample.w[0], sample.w[2]);
  for (auto& x : sample.x) x = rng() % (4 * q.value());
  return sample;
}

template <typename A>
Twiddle<A> twiddle(std::uint64_t w, const Modulus& q) {
  const auto quotient = static_cast<std::uint64_t>((static_cast<uint128_t>(w) << 64) / q.value());
  return {{w, 0}, {quotient, 0}};
}

/// What one radix-4 butterfly, or two stages of radix-2 ones, took and made.
struct Outcome {
  Counts counts;
  int depth = 0;
  std::vector<std::uint64_t> residues;
};

template <typename A, typename Butterfly>
Outcome run(const Sample& sample, Butterfly&& butterfly) {
  Vec<A> x[4];
  for (int i = 0; i < 4; ++i) x[i] = {sample.x[i], 0};
  A::counts = {};
  butterfly(x);
  Outcome result{A::counts, 0, {}};
  for (const Vec<A>& value : x) {
    result.depth = std::max(result.depth, value.depth);
    result.residues.push_back(value.value % sample.q.value());
  }
  return result;
}

template <typename A>
Outcome run_quad(const Sample& sample, bool forward) {
  const auto m = make_extended_modulus<A>(sample.q.value());
  Twiddle<A> w[kQuadFactors];
  for (int i = 0; i < kQuadFactors; ++i) w[i] = twiddle<A>(sample.w[i], sample.q);
  return run<A>(sample, [&](Vec<A>(&x)[4]) {
    if (forward) {
      forward_quad<A, false>(x[0], x[1], x[2], x[3], w, m);
    } else {
      inverse_quad<A, false>(x[0], x[1], x[2], x[3], w, w[0], m);
    }
  });
}

template <typename A>
Outcome run_pairs(const Sample& sample, bool forward) {
  const auto m = broadcast_modulus<A>(sample.q.value());
  Twiddle<A> w[3];
  for (int i = 0; i < 3; ++i) w[i] = twiddle<A>(sample.w[i], sample.q);
  return run<A>(sample, [&](Vec<A>(&x)[4]) {
    if (forward) {
      forward_butterfly<A, false>(x[0], x[2], w[0], m);
      forward_butterfly<A, false>(x[1], x[3], w[0], m);
      forward_butterfly<A, false>(x[0], x[1], w[1], m);
      forward_butterfly<A, false>(x[2], x[3], w[2], m);
    } else {
      inverse_butterfly<A, false>(x[0], x[1], w[1], m);
      inverse_butterfly<A, false>(x[2], x[3], w[2], m);
      inverse_butterfly<A, false>(x[0], x[2], w[0], m);
      inverse_butterfly<A, false>(x[1], x[3], w[0], m);
    }
  });
}

/// Reduced below 2q, as the inverse butterflies want their operands.
Sample for_inverse(Sample sample) {
  for (auto& x : sample.x) x %= 2 * sample.q.value();
  return sample;
}

TEST(ExtendedCounts, TheForwardButterflyHasOneConditionalSubtractionInsteadOfFour) {
  auto rng = test::make_rng();
  const Sample sample = make_sample(rng);
  const Outcome pairs = run_pairs<Binary>(sample, true);
  const Outcome quad = run_quad<Binary>(sample, true);
  EXPECT_EQ(pairs.residues, quad.residues);

  EXPECT_EQ(pairs.counts.conditional_subtractions, 4);
  EXPECT_EQ(quad.counts.conditional_subtractions, 1);
  EXPECT_EQ(pairs.counts.low_halves, 8);
  EXPECT_EQ(quad.counts.low_halves, 8);
  EXPECT_EQ(pairs.counts.high_halves, 4);
  EXPECT_EQ(quad.counts.high_halves, 5);
  EXPECT_EQ(pairs.counts.sums, 16);
  EXPECT_EQ(quad.counts.sums, 16);
  EXPECT_EQ(quad.depth, 6);
  // Not ten, as x - t + 2q of Algorithm 1 from left to right has: the kernels add 2q to x while the
  // product is under way.
  EXPECT_EQ(pairs.depth, 8);
}

/// Operations from left to right as Algorithm 1 prints them, the "almost half the depth" of the
/// paper.
TEST(ExtendedCounts, Algorithm1FromLeftToRightIsTenDeep) {
  auto rng = test::make_rng();
  const Sample sample = make_sample(rng);
  const auto m = broadcast_modulus<Binary>(sample.q.value());
  const auto butterfly = [&](Vec<Binary>& u, Vec<Binary>& v, std::uint64_t w) {
    const auto x = Binary::reduce_once(u, m.two_q);
    const auto t = Binary::mul_lazy(v, twiddle<Binary>(w, sample.q), m);
    u = Binary::add(x, t);
    v = Binary::add(Binary::sub(x, t), m.two_q);
  };
  const Outcome printed = run<Binary>(sample, [&](Vec<Binary>(&x)[4]) {
    butterfly(x[0], x[2], sample.w[0]);
    butterfly(x[1], x[3], sample.w[0]);
    butterfly(x[0], x[1], sample.w[1]);
    butterfly(x[2], x[3], sample.w[2]);
  });
  EXPECT_EQ(printed.residues, run_quad<Binary>(sample, true).residues);
  EXPECT_EQ(printed.depth, 10);
  EXPECT_EQ(printed.counts, run_pairs<Binary>(sample, true).counts);
}

TEST(ExtendedCounts, TheInverseButterflyHasTwoInsteadOfFour) {
  auto rng = test::make_rng();
  const Sample sample = for_inverse(make_sample(rng));
  const Outcome pairs = run_pairs<Binary>(sample, false);
  const Outcome quad = run_quad<Binary>(sample, false);
  EXPECT_EQ(pairs.residues, quad.residues);
  EXPECT_EQ(pairs.counts.conditional_subtractions, 4);
  EXPECT_EQ(quad.counts.conditional_subtractions, 2);
  EXPECT_EQ(pairs.counts.low_halves, 8);
  EXPECT_EQ(quad.counts.low_halves, 8);
  EXPECT_EQ(pairs.counts.high_halves, 4);
  EXPECT_EQ(quad.counts.high_halves, 5);
}

/// Remark 1: fused multiply-adds take two levels from the radix-2 butterflies and one from ours.
TEST(ExtendedCounts, FusedMultiplyAddsTakeTwoLevelsAndOne) {
  auto rng = test::make_rng();
  const Sample sample = make_sample(rng);
  const Outcome pairs = run_pairs<Fused>(sample, true);
  const Outcome quad = run_quad<Fused>(sample, true);
  EXPECT_EQ(pairs.residues, quad.residues);
  EXPECT_EQ(pairs.depth, run_pairs<Binary>(sample, true).depth - 2);
  EXPECT_EQ(quad.depth, run_quad<Binary>(sample, true).depth - 1);
  EXPECT_EQ(quad.counts.sums, 9);
  EXPECT_EQ(quad.counts.low_halves, 8);
  EXPECT_EQ(quad.counts.high_halves, 5);
}

}  // namespace
}  // namespace ringlet::kernels
