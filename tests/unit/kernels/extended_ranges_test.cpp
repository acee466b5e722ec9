// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/extended/butterfly.hpp"
#include "kernels/ntt/radix2/rows.hpp"
#include "support/test.hpp"

// The ranges of docs/notes/extended_harvey.md: the butterflies of the kernels on intervals in place
// of words. What is proven must hold up to the limit of the modulus and fail beyond it.

namespace ringlet::kernels {
namespace {

using Wide = __int128;

/// Intervals of integers. `kFloors` is how many roundings the ranges of the butterflies are made
/// for, `kTrueFloors` how many a sum of products has. `faults` counts the operands that are not in
/// [0, beta), the conditional subtractions that leave too much and the words below zero or above 64
/// bits.
template <int kBits, int kFloors, int kTrueFloors = kFloors>
struct Intervals {
  struct Vec {
    Wide lower = 0;
    Wide upper = 0;
  };
  static inline int faults = 0;

  static constexpr int kLogLanes = 0;
  static constexpr int kQuotientBits = kBits;
  static constexpr int kExtendedFloors = kFloors;
  static constexpr int kMaxRowStages = 2;
  static constexpr std::uint64_t kNttModulusLimit = std::uint64_t{1} << (kBits - 2);
  static constexpr LaneLayout kLaneLayout{};
  static constexpr Wide kBeta = Wide{1} << kBits;

  static Vec load(const std::uint64_t* p) { return broadcast(*p); }
  static Vec load_partial(const std::uint64_t* p, std::size_t) { return broadcast(*p); }
  static void store(std::uint64_t* p, Vec x) { *p = static_cast<std::uint64_t>(x.upper); }
  static void store_partial(std::uint64_t* p, Vec x, std::size_t) { store(p, x); }
  static Vec broadcast(std::uint64_t x) { return {x, x}; }
  static std::uint64_t negated(std::uint64_t q) { return q; }

  static Vec add(Vec x, Vec y) { return word({x.lower + y.lower, x.upper + y.upper}); }
  /// Intermediate differences may be below zero: what is multiplied or is a result may not.
  static Vec sub(Vec x, Vec y) { return {x.lower - y.upper, x.upper - y.lower}; }
  static Vec reduce_once(Vec x, Vec bound) {
    if (x.lower < 0 || x.upper >= 2 * bound.lower) ++faults;
    return {0, std::min(x.upper, bound.lower - 1)};
  }
  static Vec mul_lazy(Vec y, const Twiddle<Intervals>&, const Mod<Intervals>& m) {
    expect_operand(y);
    return {0, 2 * m.q.lower - 1};
  }
  /// Below (kTrueFloors + (y + t) / beta) q, the proof of theorem 2 with one error of less than q
  /// for each rounding.
  static Vec mul_sum_lazy(Vec y, const Twiddle<Intervals>&, Vec t, const Twiddle<Intervals>&,
                          const Mod<Intervals>& m) {
    expect_operand(y);
    expect_operand(t);
    const Wide q = m.q.lower;
    const Wide excess = (y.upper + t.upper) / kBeta * q + (y.upper + t.upper) % kBeta * q / kBeta;
    return {0, kTrueFloors * q + excess};
  }

  static Vec reduce_lazy(Vec x, Vec, const Mod<Intervals>& m)
    requires(kBits == 52)
  {
    expect_operand(x);
    return {0, 2 * m.q.lower - 1};
  }

 private:
  static void expect_operand(const Vec& x) {
    if (x.lower < 0 || x.upper >= kBeta) ++faults;
  }
  static Vec word(Vec x) {
    if (x.upper >= Wide{1} << 64) ++faults;
    return x;
  }
};

/// Are all results of a call in [0, factor*q), without a fault on the way?
template <typename A>
bool is_within(std::initializer_list<Vec<A>> results, int factor, std::uint64_t q) {
  const bool inside = std::ranges::all_of(
      results, [&](const Vec<A>& x) { return x.lower >= 0 && x.upper < Wide{factor} * q; });
  return inside && A::faults == 0;
}

template <typename A>
Vec<A> up_to(int factor, std::uint64_t q) {
  return {0, Wide{factor} * q - 1};
}

/// Does a butterfly of four values below `range`, the first below `first`, lead back to the range?
/// Builds that check ranges stop where one does not hold, so they must not be asked beyond them.
template <typename A, typename Butterfly>
bool quad_holds(std::uint64_t q, int range, int first, const Butterfly& butterfly) {
  const auto m = make_extended_modulus<A>(q);
  const Twiddle<A> w[kQuadFactors] = {};
  A::faults = 0;
  auto x = up_to<A>(first, q);
  auto y = up_to<A>(range, q);
  auto z = y;
  auto t = y;
  butterfly(x, y, z, t, w, m);
  return is_within<A>({x, y, z, t}, range, q);
}

template <typename A, bool kReduced>
bool forward_holds(std::uint64_t q) {
  constexpr auto kRanges = kExtendedRanges<A>;
  return quad_holds<A>(q, kRanges.forward, kReduced ? kRanges.forward_reduced : kRanges.forward,
                       [](auto& x, auto& y, auto& z, auto& t, const auto& w, const auto& m) {
                         forward_quad<A, kReduced>(x, y, z, t, w, m);
                       });
}

template <typename A, bool kLast>
bool inverse_holds(std::uint64_t q) {
  constexpr auto kRanges = kExtendedRanges<A>;
  return quad_holds<A>(q, kRanges.inverse, kRanges.inverse,
                       [](auto& x, auto& y, auto& z, auto& t, const auto& w, const auto& m) {
                         inverse_quad<A, kLast>(x, y, z, t, {w, w[0]}, m);
                       });
}

/// `kStages` stages of radix-2 butterflies behind radix-4 ones: do the values stay in the range
/// that each is said to leave, and can the last one be reduced?
template <typename A, int kFrom, int kStages>
bool forward_pairs_hold(std::uint64_t q) {
  constexpr int kTo = range_after_pair<A>(kFrom);
  static_assert(kTo <= kExtendedRanges<A>.forward);
  const auto m = make_extended_modulus<A>(q);
  A::faults = 0;
  auto u = up_to<A>(kFrom, q);
  auto v = u;
  forward_pair<A, kFrom>(u, v, {}, m);
  const bool holds = is_within<A>({u, v}, kTo, q);
  if constexpr (kStages > 1) {
    return holds && forward_pairs_hold<A, kTo, kStages - 1>(q);
  } else {
    return holds && is_within<A>({reduce_fully<A, kTo>(u, m), reduce_fully<A, kTo>(v, m)}, 1, q);
  }
}

/// Those, and a radix-2 butterfly before the radix-4 ones of the inverse.
template <typename A>
bool pairs_hold(std::uint64_t q) {
  if (!forward_pairs_hold<A, kExtendedRanges<A>.forward, 4>(q)) return false;
  const auto m = make_extended_modulus<A>(q);
  const Twiddle<A> w{};
  A::faults = 0;
  auto u = up_to<A>(2, q);
  auto v = u;
  inverse_butterfly<A, false>(u, v, w, m.m);
  return is_within<A>({u, v}, kExtendedRanges<A>.inverse, q);
}

template <typename A>
bool everything_holds(std::uint64_t q) {
  return forward_holds<A, false>(q) && forward_holds<A, true>(q) && inverse_holds<A, false>(q) &&
         inverse_holds<A, true>(q) && pairs_hold<A>(q);
}

/// All conditional subtractions that lead from a range of a transform to one of its results.
template <typename A, int kFrom, int kTo>
bool reduction_holds(std::uint64_t q) {
  const auto m = make_extended_modulus<A>(q);
  A::faults = 0;
  const auto x = reduce_multiples<A, kFrom, kTo>(up_to<A>(kFrom, q), m);
  return is_within<A>({x}, kTo, q);
}

using One64 = Intervals<64, 1>;
using Two52 = Intervals<52, 2>;
using One56 = Intervals<56, 1>;

TEST(ExtendedRanges, AreThoseOfTheNote) {
  static_assert(extended_ranges(1).forward == 8 && extended_ranges(1).forward_reduced == 4);
  static_assert(extended_ranges(1).forward_sum == 2 && extended_ranges(1).inverse == 2);
  static_assert(extended_ranges(2).forward == 12 && extended_ranges(2).forward_reduced == 6);
  static_assert(extended_ranges(2).forward_sum == 4 && extended_ranges(2).inverse == 3);
  EXPECT_EQ(kExtendedModulusLimit<One64>, std::uint64_t{1} << 60);
  EXPECT_EQ(kExtendedModulusLimit<One56>, std::uint64_t{1} << 52);
  EXPECT_EQ(kExtendedModulusLimit<Two52>, (std::uint64_t{1} << 52) / 12 + 1);
}

template <typename A>
void expect_everything() {
  for (const std::uint64_t below : {1, 2, 1000}) {
    EXPECT_TRUE(everything_holds<A>(kExtendedModulusLimit<A> - below));
  }
  for (int bits = 5; bits <= 48; ++bits) {
    EXPECT_TRUE(everything_holds<A>((std::uint64_t{1} << bits) + 1)) << bits;
  }
}

TEST(ExtendedRanges, HoldUpToTheLimit) {
  expect_everything<One64>();
  expect_everything<One56>();
  expect_everything<Two52>();
}

TEST(ExtendedRanges, ConditionalSubtractionsReachEveryResult) {
  const std::uint64_t one = kExtendedModulusLimit<One64> - 1;
  const std::uint64_t two = kExtendedModulusLimit<Two52> - 1;
  EXPECT_TRUE((reduction_holds<One64, 8, 1>(one) && reduction_holds<One64, 8, 4>(one)));
  EXPECT_TRUE((reduction_holds<One64, 4, 1>(one) && reduction_holds<One64, 2, 1>(one)));
  EXPECT_TRUE((reduction_holds<Two52, 12, 1>(two) && reduction_holds<Two52, 12, 4>(two)));
  EXPECT_TRUE((reduction_holds<Two52, 3, 2>(two) && reduction_holds<Two52, 4, 1>(two)));
}

// Builds with RINGLET_CHECK_RANGES stop at the faults that these tests look for.
#ifndef RINGLET_CHECK_RANGES

TEST(ExtendedRanges, FailBeyondTheLimit) {
  // One above beta / 16 and beta / 12; the first multiple that no longer fits is the reason.
  EXPECT_FALSE((forward_holds<One64, false>(kExtendedModulusLimit<One64> + 8)));
  EXPECT_FALSE((forward_holds<One56, false>(kExtendedModulusLimit<One56> + 8)));
  EXPECT_FALSE((forward_holds<Two52, false>(kExtendedModulusLimit<Two52>)));
  EXPECT_FALSE((inverse_holds<Two52, false>(kExtendedModulusLimit<Two52>)));
  // With one rounding the inverse has room for twice the modulus: theorem 4.
  EXPECT_TRUE((inverse_holds<One56, false>(2 * kExtendedModulusLimit<One56> - 1)));
  EXPECT_FALSE((inverse_holds<One56, false>(2 * kExtendedModulusLimit<One56> + 8)));
}

/// The ranges of the paper do not hold where every product is rounded by itself, unless the modulus
/// is so small that what is above 2q is less than 1.
TEST(ExtendedRanges, TwoRoundingsNeedTheirOwnRanges) {
  using PaperOn52 = Intervals<52, 1, 2>;
  for (const int bits : {25, 40, 47}) {
    const std::uint64_t q = (std::uint64_t{1} << bits) + 1;
    EXPECT_FALSE((forward_holds<PaperOn52, false>(q))) << bits;
    EXPECT_FALSE((inverse_holds<PaperOn52, false>(q))) << bits;
    EXPECT_TRUE(everything_holds<Two52>(q)) << bits;
  }
}

#endif

}  // namespace
}  // namespace ringlet::kernels
