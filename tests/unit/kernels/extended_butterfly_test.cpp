// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/extended/butterfly.hpp"
#include "kernels/ntt/radix2/rows.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "support/reference/ntt_reference.hpp"

// The butterflies of the kernels on one lane. First, the operations of a radix-4 butterfly on two
// operands: section 3.3 and remark 1 of Bradbury et al. Second, ExtendedModMul on IFMA rounds both
// high halves, so its results are not below 2q as theorem 2 proves for one rounding. A search found
// operands that show it, and a transform that the corrections of algorithm 5 get wrong though q <
// beta / 16.

namespace ringlet::kernels {
namespace {

using Vector = std::vector<std::uint64_t>;

struct Counts {
  int conditional_subtractions = 0;
  int low_halves = 0;
  int high_halves = 0;
  int sums = 0;  ///< And differences.
  int additions_in_products = 0;

  friend bool operator==(const Counts&, const Counts&) = default;
};

/// Vector of kBits bits that count the operations since their operands. `kFloors` selects the
/// ranges of the butterflies; sums of products have two roundings in any case. `kFused` selects the
/// model of remark 1: a product adds a third operand at no cost.
template <int kBits, int kFloors, bool kFused = false>
struct OneLane {
  struct Vec {
    std::uint64_t value = 0;
    int depth = 0;
  };
  static inline Counts counts;

  static constexpr int kLogLanes = 0;
  static constexpr int kQuotientBits = kBits;
  static constexpr int kExtendedFloors = kFloors;
  static constexpr int kMaxRowStages = 2;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << (kBits == 64 ? 60 : 50);
  static constexpr LaneLayout kLaneLayout{};
  static constexpr std::uint64_t kMask = ~std::uint64_t{0} >> (64 - kBits);

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
    return {std::min(x.value, x.value - bound.value), behind(x, bound)};
  }
  static Vec mul_lazy(Vec y, const Twiddle<OneLane>& w, const Mod<OneLane>& m) {
    return remainder(low(y, w.operand), high(y, w.quotient), m);
  }
  static Vec mul_sum_lazy(Vec y, const Twiddle<OneLane>& v, Vec t, const Twiddle<OneLane>& w,
                          const Mod<OneLane>& m) {
    const Vec quotient = accumulate(high(y, v.quotient), high(t, w.quotient));
    return remainder(accumulate(low(y, v.operand), low(t, w.operand)), quotient, m);
  }

  static Twiddle<OneLane> twiddle(std::uint64_t w, std::uint64_t q) {
    return {{w, 0}, {static_cast<std::uint64_t>((uint128_t{w} << kBits) / q), 0}};
  }

 private:
  static int behind(const Vec& x, const Vec& y) { return std::max(x.depth, y.depth) + 1; }
  static uint128_t product(Vec x, Vec y) { return uint128_t{x.value & kMask} * (y.value & kMask); }
  static Vec low(Vec x, Vec y) {
    ++counts.low_halves;
    return {static_cast<std::uint64_t>(product(x, y)) & kMask, behind(x, y)};
  }
  static Vec high(Vec x, Vec y) {
    ++counts.high_halves;
    return {static_cast<std::uint64_t>(product(x, y) >> kBits), behind(x, y)};
  }
  /// x plus the product y, in the same instruction in the fused model.
  static Vec accumulate(Vec x, Vec y) {
    if (!kFused) return add(x, y);
    ++counts.additions_in_products;
    return {x.value + y.value, std::max(x.depth + 1, y.depth)};
  }
  static Vec remainder(Vec sum, Vec quotient, const Mod<OneLane>& m) {
    const Vec multiple = low(quotient, m.q);
    const std::uint64_t value = (sum.value - multiple.value) & kMask;
    if (!kFused) return {value, sub(sum, multiple).depth};
    ++counts.additions_in_products;
    return {value, std::max(sum.depth + 1, multiple.depth)};
  }
};

using Binary = OneLane<64, 2>;
using Fused = OneLane<64, 2, true>;
/// The ranges of the paper on IFMA, and those of the kernels.
using Paper = OneLane<52, 1>;
using Ours = OneLane<52, 2>;

/// A prime, the factors of a butterfly and its operands.
struct Sample {
  explicit Sample(bool is_forward) : forward(is_forward) {
    auto rng = test::make_rng();
    for (int i = 0; i < 3; ++i) w[i] = rng() % q.value();
    w[3] = q.multiply(w[0], w[1]);
    w[4] = q.value() - q.multiply(w[0], w[2]);
    // The inverse butterflies require operands below 2q.
    for (auto& value : x) value = rng() % ((forward ? 4 : 2) * q.value());
  }

  bool forward;
  Modulus q = generate_ntt_primes(59, 16, 1).front();
  std::uint64_t w[kQuadFactors] = {};
  std::uint64_t x[4] = {};
};

/// Cost and results of one radix-4 butterfly, or of two stages of radix-2 butterflies.
struct Outcome {
  Counts counts;
  int depth = 0;
  Vector residues;
};

template <typename A, typename Butterfly>
Outcome run(const Sample& sample, Butterfly&& butterfly) {
  Vec<A> x[4];
  for (int i = 0; i < 4; ++i) x[i] = {sample.x[i], 0};
  Twiddle<A> w[kQuadFactors];
  for (int i = 0; i < kQuadFactors; ++i) w[i] = A::twiddle(sample.w[i], sample.q.value());
  A::counts = {};
  butterfly(x, w);
  Outcome result{A::counts, 0, {}};
  for (const Vec<A>& value : x) {
    result.depth = std::max(result.depth, value.depth);
    result.residues.push_back(value.value % sample.q.value());
  }
  return result;
}

template <typename A>
Outcome run_quad(const Sample& sample) {
  const auto m = make_extended_modulus<A>(sample.q.value());
  return run<A>(sample, [&](auto& x, auto& w) {
    if (sample.forward) {
      forward_quad<A, false>(x[0], x[1], x[2], x[3], w, m);
    } else {
      inverse_quad<A, false>(x[0], x[1], x[2], x[3], {w, w[0]}, m);
    }
  });
}

template <typename A>
Outcome run_pairs(const Sample& sample) {
  const auto m = broadcast_modulus<A>(sample.q.value());
  return run<A>(sample, [&](auto& x, auto& w) {
    if (sample.forward) {
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

TEST(ExtendedCounts, TheForwardButterflyHasOneConditionalSubtractionInsteadOfFour) {
  const Sample sample(true);
  const Outcome pairs = run_pairs<Binary>(sample);
  const Outcome quad = run_quad<Binary>(sample);
  EXPECT_EQ(pairs.residues, quad.residues);
  EXPECT_TRUE(pairs.counts == (Counts{4, 8, 4, 16, 0}));
  EXPECT_TRUE(quad.counts == (Counts{1, 8, 5, 16, 0}));
  EXPECT_EQ(quad.depth, 6);
  // From left to right, x - t + 2q of Algorithm 1 is ten deep. The kernels add 2q to x while the
  // product is under way.
  EXPECT_EQ(pairs.depth, 8);
}

/// Algorithm 1 from left to right, as printed: the "almost half the depth" of the paper.
TEST(ExtendedCounts, Algorithm1FromLeftToRightIsTenDeep) {
  const Sample sample(true);
  const auto m = broadcast_modulus<Binary>(sample.q.value());
  const auto butterfly = [&](Vec<Binary>& u, Vec<Binary>& v, const Twiddle<Binary>& w) {
    const auto x = Binary::reduce_once(u, m.two_q);
    const auto t = Binary::mul_lazy(v, w, m);
    u = Binary::add(x, t);
    v = Binary::add(Binary::sub(x, t), m.two_q);
  };
  const Outcome printed = run<Binary>(sample, [&](auto& x, auto& w) {
    butterfly(x[0], x[2], w[0]);
    butterfly(x[1], x[3], w[0]);
    butterfly(x[0], x[1], w[1]);
    butterfly(x[2], x[3], w[2]);
  });
  EXPECT_EQ(printed.residues, run_quad<Binary>(sample).residues);
  EXPECT_EQ(printed.depth, 10);
  EXPECT_TRUE(printed.counts == run_pairs<Binary>(sample).counts);
}

TEST(ExtendedCounts, TheInverseButterflyHasTwoInsteadOfFour) {
  const Sample sample(false);
  const Outcome pairs = run_pairs<Binary>(sample);
  const Outcome quad = run_quad<Binary>(sample);
  EXPECT_EQ(pairs.residues, quad.residues);
  for (const auto& [counts, subtractions, high_halves] :
       {std::tuple{pairs.counts, 4, 4}, std::tuple{quad.counts, 2, 5}}) {
    EXPECT_EQ(counts.conditional_subtractions, subtractions);
    EXPECT_EQ(counts.low_halves, 8);
    EXPECT_EQ(counts.high_halves, high_halves);
  }
}

/// Remark 1: fused multiply-adds save two levels of the radix-2 butterflies and one of radix-4.
TEST(ExtendedCounts, FusedMultiplyAddsTakeTwoLevelsAndOne) {
  const Sample sample(true);
  const Outcome pairs = run_pairs<Fused>(sample);
  const Outcome quad = run_quad<Fused>(sample);
  EXPECT_EQ(pairs.residues, quad.residues);
  EXPECT_EQ(pairs.depth, run_pairs<Binary>(sample).depth - 2);
  EXPECT_EQ(quad.depth, run_quad<Binary>(sample).depth - 1);
  EXPECT_EQ(quad.counts.sums, 9);
  EXPECT_EQ(quad.counts.low_halves, 8);
  EXPECT_EQ(quad.counts.high_halves, 5);
}

/// The largest prime below 2^48 = beta / 16 that is 1 mod 32, and its smallest root of order 32.
constexpr std::uint64_t kPrime = 281474976709249;
constexpr std::uint64_t kRoot = 3917954586660;
constexpr std::size_t kDegree = 16;

/// The forward transform of kDegree words by two rounds of forward_quad; results modulo q.
template <typename A>
Vector transform(const Vector& words, const Modulus& q) {
  std::vector<Vec<A>> a;
  for (const std::uint64_t word : words) a.push_back(A::broadcast(word));
  const auto m = make_extended_modulus<A>(q.value());
  std::array<std::uint64_t, kDegree> omega;
  for (std::size_t i = 0; i < kDegree; ++i) {
    omega[i] = pow_mod(kRoot, test::bit_reverse(i, 4), q);
  }
  for (const std::size_t blocks : {1, 4}) {
    const std::size_t t = kDegree / (4 * blocks);
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t i = blocks + block;
      const std::uint64_t w1 = omega[i];
      const std::uint64_t w2 = omega[2 * i];
      const std::uint64_t w3 = omega[2 * i + 1];
      Twiddle<A> w[kQuadFactors];
      int k = 0;
      for (const std::uint64_t factor :
           {w1, w2, w3, q.multiply(w1, w2), q.value() - q.multiply(w1, w3)}) {
        w[k++] = A::twiddle(factor, q.value());
      }
      for (std::size_t j = 4 * block * t; j < (4 * block + 1) * t; ++j) {
        forward_quad<A, false>(a[j], a[j + t], a[j + 2 * t], a[j + 3 * t], w, m);
      }
    }
  }
  Vector results;
  for (const Vec<A>& x : a) results.push_back(x.value % q.value());
  return results;
}

/// Nonzero in two places only, such that y' = 2q + x + z - a of algorithm 5 is below zero.
Vector polynomial() {
  Vector a(kDegree, 0);
  a[4] = 181990554594466;
  a[12] = 30045963200369;
  return a;
}

Vector by_definition(const Vector& a, const Modulus& q) {
  Vector values(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) values[i] = test::ntt_value(a, i, kRoot, q);
  return values;
}

/// The same sum is below 2q if it is rounded once.
TEST(ExtendedFloors, SumsOfProductsAreNotBelow2q) {
  const auto v = Ours::twiddle(221296445176281, kPrime);
  const auto w = Ours::twiddle(129809577196274, kPrime);
  const std::uint64_t y = 2251704950186090;
  const std::uint64_t t = 2251498204885956;
  ASSERT_LT(std::max(y, t), 8 * kPrime);
  const std::uint64_t sum =
      Ours::mul_sum_lazy({y}, v, {t}, w, make_extended_modulus<Ours>(kPrime).m).value;
  EXPECT_GT(static_cast<double>(sum), 2.999 * static_cast<double>(kPrime));
  EXPECT_LT(sum, 3 * kPrime);
  const auto products = [&](std::uint64_t a, std::uint64_t b) {
    return uint128_t{y} * a + uint128_t{t} * b;
  };
  const uint128_t quotient = products(v.quotient.value, w.quotient.value) >> 52;
  const uint128_t once = products(v.operand.value, w.operand.value) - quotient * kPrime;
  EXPECT_LT(static_cast<std::uint64_t>(once), 2 * kPrime);
}

/// The model is right otherwise: most transforms are correct with either ranges. Builds with
/// RINGLET_CHECK_RANGES stop at wrong ranges by design.
TEST(ExtendedFloors, TheCorrectionsOfThePaperFailBelowItsLimit) {
  const Modulus q(kPrime);
  auto rng = test::make_rng();
  int wrong = 0;
  for (int i = 0; i <= 200; ++i) {
    const Vector a = i == 0 ? polynomial() : test::random_residues(kDegree, kPrime, rng);
    const Vector expected = by_definition(a, q);
    ASSERT_EQ(transform<Ours>(a, q), expected);
#ifndef RINGLET_CHECK_RANGES
    wrong += transform<Paper>(a, q) != expected ? 1 : 0;
    EXPECT_GE(wrong, 1) << "the polynomial that comes first";
#endif
  }
  EXPECT_LT(wrong, 20);
}

TEST(ExtendedFloors, TheKernelsTakeThePolynomial) {
  const Modulus q(kPrime);
  const Vector expected = by_definition(polynomial(), q);
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (kernel.operation != "ntt" || !kernel.named_only || !kernel.available) continue;
    const Ntt ntt(kDegree, q, kRoot, KernelSelection(kernel.table + "/" + kernel.algorithm));
    Vector values = polynomial();
    ntt.forward(values);
    EXPECT_EQ(values, expected) << kernel.name;
  }
}

}  // namespace
}  // namespace ringlet::kernels
