// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/extended_butterfly.hpp"
#include "ringlet/modulus.hpp"
#include "ringlet/ntt.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// ExtendedModMul on IFMA rounds each of its two high halves, and its results are not below 2q as
// theorem 2 of Bradbury et al. has it for one rounding: operands that show it, found by search, and
// a transform that the corrections of algorithm 5 get wrong though q < beta / 16.

namespace ringlet::kernels {
namespace {

using Words = std::vector<std::uint64_t>;

/// The largest prime below 2^48 = beta / 16 that is 1 mod 32, and its smallest root of order 32.
constexpr std::uint64_t kPrime = 281474976709249;
constexpr std::uint64_t kRoot = 3917954586660;
constexpr std::size_t kDegree = 16;

/// One lane of the policy of IFMA: the instructions read the low 52 bits of a word and add to all
/// 64. `kFloors` selects the ranges of the butterflies, the sums of products have two roundings in
/// any case.
template <int kFloors>
struct Words52 {
  using Vec = std::uint64_t;

  static constexpr int kLogLanes = 0;
  static constexpr int kQuotientBits = 52;
  static constexpr int kExtendedFloors = kFloors;
  static constexpr int kMaxRowStages = 2;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << 50;
  static constexpr LaneLayout kLaneLayout{};
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << 52) - 1;

  static Vec load(const std::uint64_t* p) { return *p; }
  static Vec load_partial(const std::uint64_t* p, std::size_t) { return *p; }
  static void store(std::uint64_t* p, Vec x) { *p = x; }
  static void store_partial(std::uint64_t* p, Vec x, std::size_t) { *p = x; }
  static Vec broadcast(std::uint64_t x) { return x; }
  static std::uint64_t negated(std::uint64_t q) { return (std::uint64_t{1} << 52) - q; }
  static Vec add(Vec x, Vec y) { return x + y; }
  static Vec sub(Vec x, Vec y) { return x - y; }
  static Vec reduce_once(Vec x, Vec bound) { return std::min(x, x - bound); }
  static Vec mul_lazy(Vec y, const Twiddle<Words52>& w, const Mod<Words52>& m) {
    return (low(y, w.operand) + low(high(y, w.quotient), m.negated)) & kMask;
  }
  static Vec mul_sum_lazy(Vec y, const Twiddle<Words52>& v, Vec t, const Twiddle<Words52>& w,
                          const Mod<Words52>& m) {
    const Vec quotient = high(y, v.quotient) + high(t, w.quotient);
    return (low(y, v.operand) + low(t, w.operand) + low(quotient, m.negated)) & kMask;
  }

 private:
  static uint128_t product(Vec x, Vec y) { return static_cast<uint128_t>(x & kMask) * (y & kMask); }
  static Vec low(Vec x, Vec y) { return static_cast<Vec>(product(x, y)) & kMask; }
  static Vec high(Vec x, Vec y) { return static_cast<Vec>(product(x, y) >> 52); }
};

/// The ranges of the paper, and ours.
using Paper = Words52<1>;
using Ours = Words52<2>;

template <typename A>
Twiddle<A> twiddle(std::uint64_t w) {
  return {w, static_cast<std::uint64_t>((static_cast<uint128_t>(w) << 52) / kPrime)};
}

/// The forward transform of kDegree words by two rounds of forward_quad; results modulo q.
template <typename A>
Words transform(Words a, const Modulus& q) {
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
      const Twiddle<A> w[kQuadFactors] = {twiddle<A>(w1), twiddle<A>(w2), twiddle<A>(w3),
                                          twiddle<A>(q.multiply(w1, w2)),
                                          twiddle<A>(q.value() - q.multiply(w1, w3))};
      for (std::size_t j = 4 * block * t; j < (4 * block + 1) * t; ++j) {
        forward_quad<A, false>(a[j], a[j + t], a[j + 2 * t], a[j + 3 * t], w, m);
      }
    }
  }
  for (auto& word : a) word %= q.value();
  return a;
}

/// Zero but in two places, such that y' = 2q + x + z - a of algorithm 5 is below zero.
Words polynomial() {
  Words a(kDegree, 0);
  a[4] = 181990554594466;
  a[12] = 30045963200369;
  return a;
}

Words by_definition(const Words& a, const Modulus& q) {
  Words values(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) values[i] = test::ntt_value(a, i, kRoot, q);
  return values;
}

TEST(ExtendedFloors, SumsOfProductsAreNotBelow2q) {
  static_assert(kPrime < (std::uint64_t{1} << 48));
  const auto m = make_extended_modulus<Ours>(kPrime);
  // Operands below 8q.
  const std::uint64_t y = 2251704950186090;
  const std::uint64_t t = 2251498204885956;
  ASSERT_LT(std::max(y, t), 8 * kPrime);
  const std::uint64_t sum =
      Ours::mul_sum_lazy(y, twiddle<Ours>(221296445176281), t, twiddle<Ours>(129809577196274), m.m);
  EXPECT_GT(static_cast<double>(sum), 2.999 * static_cast<double>(kPrime));
  EXPECT_LT(sum, 3 * kPrime);
}

/// Rounded once, the same sum is below 2q.
TEST(ExtendedFloors, OneRoundingStaysBelow2q) {
  const auto v = twiddle<Ours>(221296445176281);
  const auto w = twiddle<Ours>(129809577196274);
  const uint128_t y = 2251704950186090;
  const uint128_t t = 2251498204885956;
  const uint128_t quotient = (y * v.quotient + t * w.quotient) >> 52;
  const uint128_t sum = y * v.operand + t * w.operand - quotient * kPrime;
  EXPECT_LT(static_cast<std::uint64_t>(sum), 2 * kPrime);
}

TEST(ExtendedFloors, TheCorrectionsOfThePaperFailBelowItsLimit) {
  const Modulus q(kPrime);
  const Words a = polynomial();
  const Words expected = by_definition(a, q);
  EXPECT_EQ(transform<Ours>(a, q), expected);
#ifndef RINGLET_CHECK_RANGES  // Which stops here, as it should.
  EXPECT_NE(transform<Paper>(a, q), expected);
#endif
}

/// Nothing else is wrong with the model: most transforms come out right with either ranges.
TEST(ExtendedFloors, OtherTransformsAreRight) {
  const Modulus q(kPrime);
  auto rng = test::make_rng();
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    const Words a = test::random_residues(kDegree, kPrime, rng);
    const Words expected = by_definition(a, q);
    ASSERT_EQ(transform<Ours>(a, q), expected);
#ifndef RINGLET_CHECK_RANGES
    wrong += transform<Paper>(a, q) != expected ? 1 : 0;
#endif
  }
  EXPECT_LT(wrong, 20);
}

TEST(ExtendedFloors, TheKernelsTakeThePolynomial) {
  const Modulus q(kPrime);
  const Words a = polynomial();
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (kernel.operation != "ntt" || !kernel.named_only || !kernel.available) continue;
    const Ntt ntt(kDegree, q, kRoot, KernelSelection(kernel.table + "/" + kernel.algorithm));
    Words values = a;
    ntt.forward(values);
    EXPECT_EQ(values, by_definition(a, q)) << kernel.name;
  }
}

}  // namespace
}  // namespace ringlet::kernels
