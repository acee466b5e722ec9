// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/extended/butterfly.hpp"
#include "kernels/ntt/extended/table.hpp"
#include "kernels/ntt/radix2/rows.hpp"
#include "kernels/select.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "support/test.hpp"

// The ranges of docs/notes/extended_harvey.md: the butterflies of the kernels run on intervals
// instead of words. Proven bounds must hold up to the limit of the modulus and fail beyond it.

namespace ringlet::kernels {
namespace {

using Wide = __int128;

/// Intervals of integers. The ranges of the butterflies are made for `kFloors` roundings; a sum of
/// products has `kTrueFloors`. `faults` counts operands outside [0, beta), conditional subtractions
/// that leave too much, and words below zero or above 64 bits.
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
  /// Intermediate differences may be below zero, but operands of products and results may not.
  static Vec sub(Vec x, Vec y) { return {x.lower - y.upper, x.upper - y.lower}; }
  static Vec reduce_once(Vec x, Vec bound) {
    if (x.lower < 0 || x.upper >= 2 * bound.lower) ++faults;
    return {0, std::min(x.upper, bound.lower - 1)};
  }
  static Vec mul_lazy(Vec y, const Twiddle<Intervals>&, const Mod<Intervals>& m) {
    expect_operand(y);
    return {0, 2 * m.q.lower - 1};
  }
  /// Below (kTrueFloors + (y + t) / beta) q by the proof of theorem 2, with an error of less than q
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

/// True if all results of a call are in [0, factor*q), and no operation counted a fault.
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

/// True if a butterfly of four values below `range`, the first below `first`, leads back to the
/// range. Builds that check ranges stop at a fault: they must not call this beyond the limits.
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

/// True if `kStages` stages of radix-2 butterflies after radix-4 ones stay in the ranges that each
/// promises, and the last range can be reduced.
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

/// These, and a radix-2 butterfly before the radix-4 ones of the inverse.
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
  // One above beta / 16 and beta / 12: here the first multiple of q no longer fits.
  EXPECT_FALSE((forward_holds<One64, false>(kExtendedModulusLimit<One64> + 8)));
  EXPECT_FALSE((forward_holds<One56, false>(kExtendedModulusLimit<One56> + 8)));
  EXPECT_FALSE((forward_holds<Two52, false>(kExtendedModulusLimit<Two52>)));
  EXPECT_FALSE((inverse_holds<Two52, false>(kExtendedModulusLimit<Two52>)));
  // With one rounding the inverse has room for twice the modulus: theorem 4.
  EXPECT_TRUE((inverse_holds<One56, false>(2 * kExtendedModulusLimit<One56> - 1)));
  EXPECT_FALSE((inverse_holds<One56, false>(2 * kExtendedModulusLimit<One56> + 8)));
}

/// The ranges of the paper fail where each product is rounded by itself, unless the modulus is so
/// small that the excess above 2q is less than 1.
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

// Sizes of the tables in sections 4.1 and 6.1 of Bradbury et al., by formulas and by counting
// factors. A factor is a pair of words: w and its quotient.

constexpr int kLargest = 16;

constexpr std::size_t round_up(std::size_t value) { return (value + 7) / 8 * 8; }

/// The number of radix-4 butterflies with different factors in the first `stages` stages, an even
/// number: 1 + 4 + 16 + ...
constexpr std::size_t quads(int stages) { return ((std::size_t{1} << stages) - 1) / 3; }

/// StreamWords of the row passes and of the tail of one stream.
struct StreamWords {
  std::size_t rows = 0;
  std::size_t tail = 0;
};

std::size_t table_bytes(const StreamWords& words) {
  return sizeof(ExtendedTable) + 2 * sizeof(std::uint64_t) * (words.rows + words.tail);
}

/// The kernel of this name, whatever the processor; null if this build lacks it.
const NttKernel* kernel_named(std::string_view table, std::string_view algorithm) {
  for (const KernelTable* candidate : kernel_table_list()) {
    for (const NttKernel& kernel : candidate->ntt) {
      if (table == kernel.table && algorithm == kernel.algorithm) return &kernel;
    }
  }
  return nullptr;
}

/// The factors of the forward rows of a portable table, as consecutive pairs.
std::vector<TwiddlePair> forward_rows(int log_degree, TwiddleOrder order) {
  const std::size_t degree = std::size_t{1} << log_degree;
  const Modulus q = generate_ntt_primes(50, degree, 1).front();
  const ExtendedShape shape{LaneLayout{}, 64, {.order = order}};
  AlignedVector<std::uint64_t> memory(extended_table_bytes(log_degree, shape) / 8);
  build_extended_table(memory.data(),
                       {log_degree, q.value(), minimal_primitive_root(2 * degree, q)}, shape);
  const auto& table = *reinterpret_cast<const ExtendedTable*>(memory.data());
  std::vector<TwiddlePair> pairs;
  for (std::size_t i = 0; i < table.row_words; i += 2) {
    pairs.push_back({table.forward_rows()[i], table.forward_rows()[i + 1]});
  }
  return pairs;
}

/// Counts the factors in use: they are nonzero, and padding to whole vectors is zero.
std::size_t count_factors(const std::vector<TwiddlePair>& pairs, std::size_t first,
                          std::size_t step) {
  std::size_t count = 0;
  for (std::size_t i = first; i < pairs.size(); i += step) count += pairs[i].operand != 0 ? 1 : 0;
  return count;
}

TEST(ExtendedTable, CompressedOrderHasFiveThirdsOfTheDegree) {
  for (int log_degree = 2; log_degree <= kLargest; ++log_degree) {
    const std::size_t degree = std::size_t{1} << log_degree;
    const auto pairs = forward_rows(log_degree, TwiddleOrder::compressed);
    // Where log2 N is odd, radix-2 butterflies of the last stage add one factor each.
    const std::size_t expected =
        log_degree % 2 == 0 ? 5 * (degree - 1) / 3 : 5 * (degree / 2 - 1) / 3 + degree / 2;
    EXPECT_EQ(count_factors(pairs, 0, 1), expected) << degree;
    EXPECT_LT(expected, 2 * degree);
    const std::size_t bytes = table_bytes({round_up(2 * expected), 0});
    for (const char* algorithm : {"radix4", "radix4x4"}) {
      EXPECT_EQ(kernel_named("scalar64", algorithm)->table_bytes(log_degree), bytes) << degree;
    }
  }
}

TEST(ExtendedTable, ExtendedReverseOrderHasTwoThirdsOfTheDegreeMoreThanBitReversedOrder) {
  for (int log_degree = 2; log_degree <= kLargest; ++log_degree) {
    const std::size_t degree = std::size_t{1} << log_degree;
    const auto pairs = forward_rows(log_degree, TwiddleOrder::extended_reverse);
    ASSERT_EQ(pairs.size(), 2 * degree);
    EXPECT_EQ(count_factors(pairs, 0, 2), degree - 1) << degree;
    const std::size_t extra = log_degree % 2 == 0 ? 2 * (degree - 1) / 3 : 2 * (degree / 2 - 1) / 3;
    EXPECT_EQ(count_factors(pairs, 1, 2), extra) << degree;
    EXPECT_EQ(kernel_named("scalar64", "radix4-reverse")->table_bytes(log_degree),
              table_bytes({4 * degree, 0}));
  }
}

/// Both orders hold the same factors: w1 to w5 of a butterfly.
TEST(ExtendedTable, OrdersHoldTheSameFactors) {
  constexpr int kLogDegree = 6;
  const auto compressed = forward_rows(kLogDegree, TwiddleOrder::compressed);
  const auto reverse = forward_rows(kLogDegree, TwiddleOrder::extended_reverse);
  std::size_t place = 0;
  for (int stage = 0; stage < kLogDegree; stage += 2) {
    for (std::size_t i = std::size_t{1} << stage; i < std::size_t{2} << stage; ++i) {
      for (const std::size_t index : {2 * i, 4 * i, 4 * i + 2, 4 * i + 1, 4 * i + 3}) {
        EXPECT_EQ(compressed[place].operand, reverse[index].operand) << index;
        EXPECT_EQ(compressed[place].quotient, reverse[index].quotient) << index;
        ++place;
      }
    }
  }
}

/// The number of words of one stream for radix4 on eight lanes, in pairs of w and quotient.
StreamWords words_of_radix4(int log_degree) {
  const std::size_t degree = std::size_t{1} << log_degree;
  const std::size_t groups = degree < 32 ? 1 : degree / 32;
  // A group has the words of exchanges 0 and 2, or of exchange 1 and the last radix-2 stage.
  if (log_degree % 2 == 0) return {round_up(10 * quads(log_degree - 4)), groups * (24 + 80)};
  return {round_up(10 * quads(log_degree - 3)), groups * (40 + 32)};
}
StreamWords words_of_r4r2(int log_degree) {
  const std::size_t degree = std::size_t{1} << log_degree;
  const int tail = log_degree % 2 == 0 ? 4 : 3;
  // 16 words have 15 factors and one of padding; tails of three stages do not read the first.
  return {round_up(10 * quads(log_degree - tail)), 2 * degree};
}

TEST(ExtendedTable, VectorTablesStayWithinWhatThePaperNeeds) {
  const NttKernel* const radix4 = kernel_named("ifma52", "radix4");
  const NttKernel* const r4r2 = kernel_named("ifma52", "r4r2");
  if (radix4 == nullptr || r4r2 == nullptr) GTEST_SKIP() << "this build has no table ifma52";
  for (int log_degree = 4; log_degree <= kLargest; ++log_degree) {
    const std::size_t degree = std::size_t{1} << log_degree;
    const StreamWords quad = words_of_radix4(log_degree);
    const StreamWords pair = words_of_r4r2(log_degree);
    EXPECT_EQ(radix4->table_bytes(log_degree), table_bytes(quad)) << degree;
    EXPECT_EQ(r4r2->table_bytes(log_degree), table_bytes(pair)) << degree;
    EXPECT_LE((pair.rows + pair.tail) / 2, 29 * degree / 16);
    // The two vectors of N = 16 occur twice in a group of four.
    if (log_degree == 4) continue;
    EXPECT_LE((quad.rows + quad.tail) / 2, 65 * degree / 32);
  }
}

}  // namespace
}  // namespace ringlet::kernels
