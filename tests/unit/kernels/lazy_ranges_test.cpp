// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy/forward_level.hpp"
#include "support/reference/ntt_reference.hpp"

// The ranges of the lazy transforms: products from the arithmetic alone, and whole levels on
// intervals instead of vectors.

namespace ringlet::kernels {
namespace {

using test::ntt_prime_next_to;
using Wide = __int128;

/// Primes next to fractions 2/k of a word, and some others.
std::vector<std::uint64_t> primes() {
  std::set<std::uint64_t> ends;
  for (std::uint64_t half_units = 8; half_units < 80; ++half_units) {
    ends.insert(2 * kLazyWord / half_units);
  }
  for (const int bits : {20, 30, 40, 45, 48, 49, 50}) ends.insert(std::uint64_t{1} << bits);
  std::set<std::uint64_t> found;
  for (const std::uint64_t end : ends) {
    for (const bool below : {true, false}) found.insert(ntt_prime_next_to(end, 1024, below));
  }
  std::erase_if(found, [](std::uint64_t q) { return q >= kLazyModulusLimit; });
  return {found.begin(), found.end()};
}

const std::uint64_t kLargestLoose = ntt_prime_next_to(std::uint64_t{1} << 49, 64, true);
const std::uint64_t kSmallestTight = ntt_prime_next_to(std::uint64_t{1} << 49, 64, false);
const std::uint64_t kLargestTight = ntt_prime_next_to(std::uint64_t{1} << 50, 64, true);

/// y*w mod q as the kernels compute it, in integers: centred by `rounding` plus one half, or in [0,
/// q).
Wide product_by_fraction(std::uint64_t y, std::uint64_t w, std::uint64_t q, std::uint64_t rounding,
                         bool centred) {
  const auto shifted = static_cast<uint128_t>(w) << kLazyWordBits;
  const auto high = static_cast<std::uint64_t>(shifted / q);
  const auto low = static_cast<std::uint64_t>(((shifted % q) << kLazyWordBits) / q);
  const std::uint64_t start = rounding + (centred ? kLazyWord / 2 : 0);
  const auto y_low = static_cast<std::uint64_t>((static_cast<uint128_t>(y) * low) >> kLazyWordBits);
  const std::uint64_t fraction = (start + y_low + y * high) % kLazyWord;
  const auto product = static_cast<Wide>((static_cast<uint128_t>(fraction) * q) >> kLazyWordBits);
  return centred ? product - static_cast<Wide>(q / 2) : product;
}

/// Counts wrong residues among many products, edges included.
int wrong_products(std::uint64_t rounding) {
  int wrong = 0;
  auto rng = test::make_rng();
  for (const std::uint64_t q : primes()) {
    const Modulus modulus(q);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t ws[] = {q - 1 - rng() % 3, 1 + rng() % 3, rng() % q, rng() % q};
      const std::uint64_t ys[] = {kLazyWord - 1 - rng() % 4,
                                  (rng() % (kLazyWord / q)) * q + rng() % 3, rng() % kLazyWord};
      const std::uint64_t w = ws[i % 4];
      const std::uint64_t y = ys[i % 3];
      const std::uint64_t residue = modulus.multiply(modulus.reduce(y), w);
      const Wide centred = residue > q / 2 ? Wide{residue} - Wide{q} : Wide{residue};
      wrong += product_by_fraction(y, w, q, rounding, false) != Wide{residue} ? 1 : 0;
      wrong += product_by_fraction(y, w, q, rounding, true) != centred ? 1 : 0;
    }
  }
  return wrong;
}

TEST(LazyRanges, ProductsByFractionsAreTheResiduesThemselvesAndNeedTheirRounding) {
  EXPECT_EQ(wrong_products(kFractionRounding), 0);
  EXPECT_GT(wrong_products(0), 0);
  EXPECT_GT(wrong_products(kFractionRounding - 1), 0);
}

/// A policy on intervals [lower, upper] of integers. A product is a centred residue; a fraction is
/// the interval of its excess over the exact one. `overflows` counts operands of both that do not
/// fit a word, and sums of fractions that stand for more than one residue.
struct LazyIntervals {
  struct Vec {
    Wide lower = 0;
    Wide upper = 0;
  };
  static inline int overflows = 0;

  static void expect_word(const Vec& y) {
    if (y.lower < 0 || y.upper >= Wide{kLazyWord}) ++overflows;
  }
  static Vec add(const Vec& x, const Vec& y) { return {x.lower + y.lower, x.upper + y.upper}; }
  static Vec sub(const Vec& x, const Vec& y) { return {x.lower - y.upper, x.upper - y.lower}; }
  static Vec product_from(const Vec& start, const Vec& y, const Twiddle<LazyIntervals>&,
                          const LazyModulus<LazyIntervals>& m) {
    expect_word(y);
    return {start.lower, start.upper + m.q.upper - 1};
  }
  static Vec broadcast(std::uint64_t word) {
    const auto integer = static_cast<std::int64_t>(word);
    return {integer, integer};
  }
  static Vec reduce_from(const Vec& negated_count, const Vec& y,
                         const LazyModulus<LazyIntervals>& m) {
    expect_word(y);
    return {-negated_count.lower * m.q.lower, (2 - negated_count.lower) * m.q.lower - 1};
  }
  static Vec fraction(const Vec& rounding, const Vec& y, const Twiddle<LazyIntervals>&) {
    expect_word(y);
    return {rounding.lower - 2, rounding.upper};
  }
  static Vec residue(const Vec& f, const LazyModulus<LazyIntervals>& m) {
    if (f.lower < 0 || f.upper * m.q.upper >= Wide{kLazyWord}) ++overflows;
    return {0, m.q.upper - 1};
  }

  static LazyModulus<LazyIntervals> modulus_of(std::uint64_t q) {
    LazyModulus<LazyIntervals> m;
    m.q = {Wide{q}, Wide{q}};
    m.negated_half = {-Wide{q / 2}, -Wide{q / 2}};
    return m;
  }
};

using Interval = LazyIntervals::Vec;
constexpr int kRows = kLevelRows;
using Rows8 = std::array<Interval, kRows>;

/// A centred residue plus `bias` times q.
Interval row_at(int bias, std::uint64_t q) {
  const Wide half = q / 2;
  return {Wide{bias} * q - half, Wide{bias} * q + half};
}
/// As row_at, after a reduction that leaves [0, 2q).
Interval wide_row_at(int bias, std::uint64_t q) {
  return {Wide{bias} * q - q, Wide{bias} * q + q - 1};
}
/// A residue plus `bias` times q.
Interval shifted_row_at(int bias, std::uint64_t q) {
  return {Wide{bias} * q, Wide{bias} * q + q - 1};
}

/// The number of operands of a level beyond a word, and the ranges of its results, for an inverse
/// level before the outer factors.
struct LevelRun {
  int overflows = 0;
  Rows8 rows = {};
};

/// Calls run(k, t) with integral constants for values of `stages` and `tight` at run time.
template <typename Run>
LevelRun run_level(int stages, bool tight, const Run& run) {
  LazyIntervals::overflows = 0;
  const auto run_stages = [&](auto k) {
    return tight ? run(k, std::true_type{}) : run(k, std::false_type{});
  };
  const Rows8 rows = stages == 2 ? run_stages(std::integral_constant<int, 2>{})
                                 : run_stages(std::integral_constant<int, 3>{});
  return {LazyIntervals::overflows, rows};
}

/// Compares the rows of numbers "| stages | limit | row | lower | upper |" below the heading
/// `section` of the note with run(stages, tight, q).
template <typename Run>
void expect_note_has(const std::string& section, const Run& run) {
  constexpr std::uint64_t q = (std::uint64_t{1} << 40) + 15;
  std::ifstream note(RINGLET_SOURCE_DIR "/docs/notes/lazy52.md");
  int count = 0;
  bool inside = false;
  for (std::string line; std::getline(note, line);) {
    if (line.starts_with("#")) inside = line.find(section) != std::string::npos;
    if (!inside || !line.starts_with("| ")) continue;
    std::ranges::replace(line, '|', ' ');
    std::istringstream cells(line);
    const std::vector<double> row{std::istream_iterator<double>(cells), {}};
    if (row.size() != 5) continue;
    ++count;
    SCOPED_TRACE(line);
    const Interval y =
        run(static_cast<int>(row[0]), row[1] == 4, q).rows[static_cast<std::size_t>(row[2])];
    // q/2 in the note means (q - 1)/2.
    EXPECT_NEAR(row[3] * static_cast<double>(q), static_cast<double>(y.lower), kRows);
    EXPECT_NEAR(row[4] * static_cast<double>(q), static_cast<double>(y.upper), kRows);
  }
  EXPECT_EQ(count, 2 * 4 + 2 * kRows);
}

/// A modulus, and the bias at which its forward levels are centred.
struct Setting {
  std::uint64_t q;
  bool tight = is_tight(q);
  int bias = forward_levels(make_level_schedule(12), q).bias;
};

LevelRun run_forward(int stages, const Rows8& rows, const Setting& s, bool tight) {
  return run_level(stages, tight, [&](auto k, auto is_tight_level) {
    constexpr int kCount = 1 << k();
    const Wide centre = Wide{s.bias} * s.q - s.q / 2;
    Interval x[kCount];
    std::copy_n(rows.begin(), kCount, x);
    forward_level<LazyIntervals, is_tight_level()>(
        x, ForwardRoots<LazyIntervals>{}, Interval{centre, centre}, LazyIntervals::modulus_of(s.q),
        NothingBetween{});
    for (const Interval& y : x) LazyIntervals::expect_word(y);
    Rows8 results = {};
    std::copy_n(x, kCount, results.begin());
    return results;
  });
}
LevelRun run_forward(int stages, const Rows8& rows, const Setting& s) {
  return run_forward(stages, rows, s, s.tight);
}

/// Rows of a forward level; `before` is the range of row 0 after the level before.
Rows8 forward_rows(int stages, FirstRow first, const Interval& before, const Setting& s) {
  Rows8 rows;
  const ForwardBiases biases = forward_biases(stages, s.tight);
  for (int e = 0; e < kRows; ++e) rows[e] = row_at(biases.row[e], s.q);
  if (first == FirstRow::same) rows[0] = before;
  if (first == FirstRow::reduced) rows[0] = wide_row_at(s.bias, s.q);
  if (first == FirstRow::centred) rows[0] = row_at(s.bias, s.q);
  if (first == FirstRow::shifted) {
    rows[0] = shifted_row_at(s.bias, s.q);
    if (stages == 3) rows[4] = shifted_row_at(forward_partner_bias(s.tight), s.q);
  }
  return rows;
}

/// The range that the plan states for the results of level p.
Interval results_of(const ForwardLevels& levels, int p, std::uint64_t q) {
  const LazyInterval interval = forward_interval(levels, p, q);
  return {Wide{interval.lower}, Wide{interval.upper} - 1};
}

TEST(LazyForwardRanges, EveryLevelIsWhereThePlanPutsItAndNoReductionCanBeLeftOut) {
  int left_out = 0;
  for (int n = kMinLazyLogDegree; n <= 20; ++n) {
    const Schedule schedule = make_level_schedule(n);
    for (const std::uint64_t q : primes()) {
      const Setting s{q};
      const ForwardLevels levels = forward_levels(schedule, q);
      ASSERT_EQ(levels.bias, s.bias);
      for (int p = 0; p <= schedule.pass_count; ++p) {
        SCOPED_TRACE(testing::Message() << "N = 2^" << n << ", q = " << q << ", level " << p);
        const Interval before = p == 0 ? Interval{} : results_of(levels, p - 1, q);
        const int stages = level_stages(schedule, p);
        const Interval claimed = results_of(levels, p, q);
        EXPECT_GE(claimed.lower, 0);
        EXPECT_LT(claimed.upper, Wide{kLazyWord});
        const FirstRow planned = levels.first_row[p];
        // The kernel has no other first row for tight moduli.
        EXPECT_TRUE(!s.tight || planned == FirstRow::shifted || planned == FirstRow::centred);
        for (const FirstRow first : {planned, FirstRow::centred}) {
          if (p != 0 && first != planned) continue;  // only level 0 has operands below q
          const LevelRun run = run_forward(stages, forward_rows(stages, first, before, s), s);
          EXPECT_EQ(run.overflows, 0);
          for (int e = 0; e < 1 << stages; ++e) {
            EXPECT_GE(run.rows[e].lower, claimed.lower);
            EXPECT_LE(run.rows[e].upper, claimed.upper);
          }
        }
        if (p == 0 || planned == FirstRow::same) continue;
        ++left_out;
        const auto overflows = [&](FirstRow first) {
          return run_forward(stages, forward_rows(stages, first, before, s), s).overflows;
        };
        EXPECT_GT(overflows(FirstRow::same), 0) << "left out";
        if (planned == FirstRow::reduced || (s.tight && stages == 3)) continue;
        EXPECT_GT(overflows(FirstRow::reduced), 0) << "Barrett's reduction";
      }
    }
  }
  EXPECT_GT(left_out, 100);
}

int run_last_level(const ForwardRoundings& roundings, const Setting& s) {
  const ForwardBiases biases = s.tight ? forward_biases(3, true) : kForwardLastBiases;
  const Interval first{Wide{roundings.first}, Wide{roundings.first}};
  const Interval other{Wide{roundings.other}, Wide{roundings.other}};
  const LazyModulus<LazyIntervals> m = LazyIntervals::modulus_of(s.q);
  Interval x[kRows];
  for (int e = 0; e < kRows; ++e) x[e] = row_at(biases.row[e], s.q);
  LazyIntervals::overflows = 0;
  if (s.tight) {
    x[0] = row_at(s.bias, s.q);
    forward_last_level<LazyIntervals, true>(x, {}, first, other, m, NothingBetween{});
  } else {
    x[0] = LazyIntervals::fraction(first, {0, 0}, {});
    x[4] = LazyIntervals::fraction(other, {0, 0}, {});
    forward_last_level<LazyIntervals, false>(x, {}, first, other, m, NothingBetween{});
  }
  return LazyIntervals::overflows;
}

TEST(LazyForwardRanges, LastLevelsMakeResiduesAndNoRoundingCanChangeByOne) {
  for (const std::uint64_t q : primes()) {
    const Setting s{q};
    EXPECT_EQ(run_last_level(forward_roundings(s.tight), s), 0) << "q = " << q;
  }
  for (const std::uint64_t q : {kLargestLoose, kLargestTight}) {
    const Setting s{q};
    for (const int change : {-1, 1}) {
      ForwardRoundings wrong = forward_roundings(s.tight);
      wrong.first += change;
      EXPECT_GT(run_last_level(wrong, s), 0) << "first by " << change;
      wrong = forward_roundings(s.tight);
      wrong.other += change;
      EXPECT_GT(run_last_level(wrong, s), 0) << "other by " << change;
    }
  }
}

TEST(LazyForwardRanges, TightModuliNeedTheReductionsInside) {
  const Setting s{kSmallestTight};
  ASSERT_TRUE(s.tight);
  Rows8 rows = forward_rows(3, FirstRow::centred, {}, s);
  EXPECT_GT(run_forward(3, rows, s, false).overflows, 0);
  for (int e = 1; e < kRows; ++e) rows[e] = row_at(forward_biases(3, false).row[e], s.q);
  EXPECT_GT(run_forward(3, rows, s, false).overflows, 0);
}

TEST(LazyForwardRanges, NoBiasCanChangeByOne) {
  for (const auto& [stages, q] :
       {std::pair{3, kLargestLoose}, std::pair{2, kLargestTight}, std::pair{3, kLargestTight}}) {
    const Setting s{q};
    for (int e = 1; e < 1 << stages; ++e) {
      for (const int change : {-1, 1}) {
        Rows8 rows = forward_rows(stages, FirstRow::centred, {}, s);
        rows[e] = row_at(forward_biases(stages, s.tight).row[e] + change, q);
        EXPECT_GT(run_forward(stages, rows, s).overflows, 0)
            << stages << " stages, row " << e << " by " << change << ", q = " << q;
      }
    }
  }
}

TEST(LazyForwardRanges, TheNoteHasTheResults) {
  expect_note_has("Forward results", [](int stages, bool tight, std::uint64_t q) {
    const Setting s{.q = q, .tight = tight, .bias = tight ? 2 : 4};
    const FirstRow first = stages == 2 && !tight ? FirstRow::reduced : FirstRow::centred;
    return run_forward(stages, forward_rows(stages, first, {}, s), s);
  });
}

template <bool kResidues = false>
LevelRun run_inverse(int stages, bool tight, const Rows8& rows, std::uint64_t q) {
  return run_level(stages, tight, [&](auto k, auto is_tight_level) {
    constexpr int kCount = 1 << k();
    Interval x[kCount];
    std::copy_n(rows.begin(), kCount, x);
    Rows8 results = {};
    inverse_level<LazyIntervals, is_tight_level(), kResidues>(
        x, InverseRoots<LazyIntervals>{}, LazyIntervals::modulus_of(q),
        [&](auto j, const Interval& y) {
          LazyIntervals::expect_word(y);
          results[j] = y;
        },
        NothingBetween{});
    return results;
  });
}

/// Rows row(bias) of an inverse level, bias by bias.
template <typename Row>
Rows8 inverse_rows(int stages, bool tight, const Row& row) {
  Rows8 rows;
  for (int e = 0; e < kRows; ++e) rows[e] = row(inverse_biases(stages, tight).row[e]);
  return rows;
}
Rows8 inverse_rows(int stages, bool tight, std::uint64_t q) {
  return inverse_rows(stages, tight, [&](int bias) {
    return stages == 2 && !tight ? wide_row_at(bias, q) : row_at(bias, q);
  });
}

TEST(LazyInverseRanges, EveryProductInEveryLevelHasAWordToMultiply) {
  for (const std::uint64_t q : primes()) {
    const bool tight = is_tight(q);
    for (const int stages : {2, 3}) {
      SCOPED_TRACE(testing::Message() << stages << " stages, q = " << q);
      const LevelRun run = run_inverse(stages, tight, inverse_rows(stages, tight, q), q);
      EXPECT_EQ(run.overflows, 0);
      for (const Interval& row : run.rows) EXPECT_LT(row.upper, Wide{q} * (tight ? 4 : 8));
    }
    // Reduced operands are shifted into the first level.
    Rows8 rows;
    for (int e = 0; e < kRows; ++e) {
      rows[e] = shifted_row_at(inverse_input_biases(tight).row[e], q);
    }
    const LevelRun run = run_inverse<true>(3, tight, rows, q);
    EXPECT_EQ(run.overflows, 0) << "q = " << q;
    for (const Interval& row : run.rows) EXPECT_LT(row.upper, Wide{q} * (tight ? 4 : 8));
  }
}

TEST(LazyInverseRanges, NothingElseHasRoom) {
  const std::uint64_t q = kSmallestTight;
  ASSERT_TRUE(is_tight(q));
  for (const bool biases_of : {true, false}) {
    EXPECT_GT(run_inverse(3, false, inverse_rows(3, biases_of, q), q).overflows, 0)
        << "without the reductions inside";
  }
  for (const std::uint64_t largest : {kLargestLoose, kLargestTight}) {
    const bool tight = largest == kLargestTight;
    for (const int stages : {2, 3}) {
      SCOPED_TRACE(testing::Message() << stages << " stages, q = " << largest);
      // Row 0 of the previous level, without its product by 1.
      Rows8 unreduced;
      unreduced.fill({0, Wide{largest} * (tight ? 4 : 8) - 1});
      EXPECT_GT(run_inverse(stages, tight, unreduced, largest).overflows, 0);
      if (stages == 2 && !tight) continue;
      const auto wide = [&](int bias) { return wide_row_at(bias, largest); };
      EXPECT_GT(run_inverse(stages, tight, inverse_rows(stages, tight, wide), largest).overflows,
                0);
    }
    for (int e = 0; e < kRows; ++e) {
      for (const int change : {-1, 1}) {
        Rows8 rows = inverse_rows(3, tight, largest);
        rows[e] = row_at(inverse_biases(3, tight).row[e] + change, largest);
        EXPECT_GT(run_inverse(3, tight, rows, largest).overflows, 0)
            << "bias of row " << e << " by " << change << ", q = " << largest;
      }
    }
  }
}

TEST(LazyInverseRanges, TheNoteHasTheRows) {
  expect_note_has("Inverse rows", [](int stages, bool tight, std::uint64_t q) {
    return run_inverse(stages, tight, inverse_rows(stages, tight, q), q);
  });
}

TEST(LazyInverseRanges, TheScheduleHasEveryStageOnce) {
  for (int n = kMinLazyLogDegree; n <= 20; ++n) {
    const Schedule schedule = make_level_schedule(n);
    int stage = 0;
    for (int p = 0; p < schedule.pass_count; ++p) {
      const Pass& pass = schedule.passes[p];
      EXPECT_EQ(pass.first_stage, stage);
      EXPECT_TRUE(pass.row_stages == 2 || pass.row_stages == 3);
      EXPECT_EQ(pass.is_tail, p + 1 == schedule.pass_count);
      stage += pass.row_stages;
    }
    EXPECT_EQ(stage + kLevelLogLanes, n);
    // The first pass transposes whole groups.
    EXPECT_GE(block_words(schedule, schedule.passes[0]), kGroupWords);
  }
}

}  // namespace
}  // namespace ringlet::kernels
