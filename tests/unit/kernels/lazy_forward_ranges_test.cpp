// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy_forward_level.hpp"
#include "kernels/ntt/lazy_forward_plan.hpp"
#include "support/lazy_intervals.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"

// The ranges of the lazy forward transform: its own levels run on intervals in place of vectors.

namespace ringlet::kernels {
namespace {

using test::Intervals;
using test::ntt_prime_next_to;
using test::row_at;
using test::Wide;
using test::wide_row_at;
using Interval = Intervals::Vec;
constexpr int kRows = kLevelRows;
using Rows8 = std::array<Interval, kRows>;

/// A modulus and where its levels are centred.
struct Setting {
  std::uint64_t q;
  bool tight = is_tight(q);
  int bias = forward_levels(make_level_schedule(12), q).bias;

  Interval centre() const {
    const Wide value = Wide{bias} * q - q / 2;
    return {value, value};
  }
};

/// How many operands of a level were beyond a word, and where its results are.
struct LevelRun {
  int overflows = 0;
  Rows8 rows = {};
};

template <int K, bool kTight>
LevelRun run_level(const Rows8& rows, const Setting& s) {
  Interval x[1 << K];
  std::copy_n(rows.begin(), 1 << K, x);
  LevelRun run;
  Intervals::overflows = 0;
  forward_level<Intervals, kTight>(x, ForwardRoots<Intervals>{}, s.centre(),
                                   Intervals::modulus_of(s.q), NothingBetween{});
  for (const Interval& y : x) Intervals::expect_word(y);
  std::copy_n(x, 1 << K, run.rows.begin());
  run.overflows = Intervals::overflows;
  return run;
}

LevelRun run_level(int stages, const Rows8& rows, const Setting& s) {
  if (stages == 2) return s.tight ? run_level<2, true>(rows, s) : run_level<2, false>(rows, s);
  return s.tight ? run_level<3, true>(rows, s) : run_level<3, false>(rows, s);
}

/// Rows of a level; `before` is where row 0 comes from.
Rows8 rows_of(int stages, FirstRow first, const Interval& before, const Setting& s) {
  Rows8 rows;
  const ForwardBiases biases = forward_biases(stages, s.tight);
  for (int e = 0; e < kRows; ++e) rows[e] = row_at(biases.row[e], s.q);
  const Wide shift = Wide{s.bias} * s.q;
  switch (first) {
    case FirstRow::same:
      rows[0] = before;
      break;
    case FirstRow::reduced:
      rows[0] = wide_row_at(s.bias, s.q);
      break;
    case FirstRow::centred:
      rows[0] = row_at(s.bias, s.q);
      break;
    case FirstRow::shifted:
      rows[0] = {shift, shift + s.q - 1};
      if (stages == 3) {
        const Wide partner = Wide{forward_partner_bias(s.tight)} * s.q;
        rows[4] = {partner, partner + s.q - 1};
      }
  }
  return rows;
}

/// Where the plan puts the results of level p.
Interval results_of(const ForwardLevels& levels, int p, std::uint64_t q) {
  const LazyInterval interval = forward_interval(levels, p, q);
  return {Wide{interval.lower}, Wide{interval.upper} - 1};
}

int run_last_level(const ForwardBiases& biases, const ForwardRoundings& roundings,
                   const Setting& s) {
  const Interval first{Wide{roundings.first}, Wide{roundings.first}};
  const Interval other{Wide{roundings.other}, Wide{roundings.other}};
  const LazyModulus<Intervals> m = Intervals::modulus_of(s.q);
  Interval x[kRows];
  for (int e = 0; e < kRows; ++e) x[e] = row_at(biases.row[e], s.q);
  Intervals::overflows = 0;
  if (s.tight) {
    x[0] = row_at(s.bias, s.q);
    forward_last_level<Intervals, true>(x, {}, first, other, m, NothingBetween{});
  } else {
    x[0] = Intervals::fraction(first, {0, 0}, {});
    x[4] = Intervals::fraction(other, {0, 0}, {});
    forward_last_level<Intervals, false>(x, {}, first, other, m, NothingBetween{});
  }
  return Intervals::overflows;
}

ForwardBiases last_biases(bool tight) {
  return tight ? forward_biases(3, true) : kForwardLastBiases;
}

std::vector<std::uint64_t> primes() {
  std::vector<std::uint64_t> found;
  for (std::uint64_t units = 4; units < 40; ++units) {
    for (const bool below : {true, false}) {
      const std::uint64_t q = ntt_prime_next_to(kLazyWord / units, 64, below);
      if (q < kLazyModulusLimit) found.push_back(q);
    }
  }
  for (const int bits : {20, 30, 40}) {
    found.push_back(ntt_prime_next_to(std::uint64_t{1} << bits, 64, true));
  }
  return found;
}

const std::uint64_t kLargestLoose = ntt_prime_next_to(std::uint64_t{1} << 49, 64, true);
const std::uint64_t kLargestTight = ntt_prime_next_to(std::uint64_t{1} << 50, 64, true);

TEST(LazyForwardRanges, EveryLevelIsWhereThePlanPutsIt) {
  for (int n = kMinLazyLogDegree; n <= 20; ++n) {
    const Schedule schedule = make_level_schedule(n);
    for (const std::uint64_t q : primes()) {
      const Setting s{q};
      const ForwardLevels levels = forward_levels(schedule, q);
      ASSERT_EQ(levels.bias, s.bias);
      for (int p = 0; p <= schedule.pass_count; ++p) {
        const Interval before = p == 0 ? Interval{} : results_of(levels, p - 1, q);
        const int stages = level_stages(schedule, p);
        const Interval claimed = results_of(levels, p, q);
        std::vector<FirstRow> firsts = {levels.first_row[p]};
        if (s.tight) {  // the kernel has nothing else for them
          EXPECT_TRUE(firsts[0] == FirstRow::shifted || firsts[0] == FirstRow::centred);
        }
        if (p == 0) firsts.push_back(FirstRow::centred);  // operands beyond q
        for (const FirstRow first : firsts) {
          SCOPED_TRACE(testing::Message() << "N = 2^" << n << ", q = " << q << ", level " << p);
          const LevelRun run = run_level(stages, rows_of(stages, first, before, s), s);
          EXPECT_EQ(run.overflows, 0);
          for (int e = 0; e < 1 << stages; ++e) {
            EXPECT_GE(run.rows[e].lower, claimed.lower);
            EXPECT_LE(run.rows[e].upper, claimed.upper);
          }
        }
        EXPECT_GE(claimed.lower, 0);
        EXPECT_LT(claimed.upper, Wide{kLazyWord});
      }
    }
  }
}

TEST(LazyForwardRanges, LastLevelsMakeResidues) {
  for (const std::uint64_t q : primes()) {
    const Setting s{q};
    EXPECT_EQ(run_last_level(last_biases(s.tight), forward_roundings(s.tight), s), 0)
        << "q = " << q;
  }
}

TEST(LazyForwardRanges, NoRoundingOfALastLevelCanChangeByOne) {
  for (const std::uint64_t q : {kLargestLoose, kLargestTight}) {
    const Setting s{q};
    const ForwardRoundings right = forward_roundings(s.tight);
    for (const int change : {-1, 1}) {
      ForwardRoundings wrong = right;
      wrong.first += change;
      EXPECT_GT(run_last_level(last_biases(s.tight), wrong, s), 0) << "first by " << change;
      wrong = right;
      wrong.other += change;
      EXPECT_GT(run_last_level(last_biases(s.tight), wrong, s), 0) << "other by " << change;
    }
  }
}

TEST(LazyForwardRanges, NoReductionCanBeLeftOut) {
  int left_out = 0;
  for (const int n : {7, 10, 12, 16, 20}) {
    const Schedule schedule = make_level_schedule(n);
    for (const std::uint64_t q : primes()) {
      const Setting s{q};
      const ForwardLevels levels = forward_levels(schedule, q);
      for (int p = 1; p <= schedule.pass_count; ++p) {
        if (levels.first_row[p] == FirstRow::same) continue;
        const int stages = level_stages(schedule, p);
        const Interval before = results_of(levels, p - 1, q);
        EXPECT_GT(run_level(stages, rows_of(stages, FirstRow::same, before, s), s).overflows, 0)
            << "N = 2^" << n << ", q = " << q << ", level " << p;
        ++left_out;
        if (levels.first_row[p] == FirstRow::reduced) continue;
        const Rows8 rows = rows_of(stages, FirstRow::reduced, before, s);
        EXPECT_TRUE(run_level(stages, rows, s).overflows > 0 || (s.tight && stages == 3))
            << "N = 2^" << n << ", q = " << q << ", level " << p << " with Barrett's reduction";
      }
    }
  }
  EXPECT_GT(left_out, 100);
}

TEST(LazyForwardRanges, TightModuliNeedTheReductionsInside) {
  const Setting s{ntt_prime_next_to(std::uint64_t{1} << 49, 64, false)};
  ASSERT_TRUE(s.tight);
  Rows8 rows = rows_of(3, FirstRow::centred, {}, s);
  EXPECT_GT((run_level<3, false>(rows, s).overflows), 0);
  for (int e = 1; e < kRows; ++e) rows[e] = row_at(forward_biases(3, false).row[e], s.q);
  EXPECT_GT((run_level<3, false>(rows, s).overflows), 0);
}

TEST(LazyForwardRanges, NoBiasCanChangeByOne) {
  for (const auto& [stages, q] :
       {std::pair{3, kLargestLoose}, std::pair{2, kLargestTight}, std::pair{3, kLargestTight}}) {
    const Setting s{q};
    for (int e = 1; e < 1 << stages; ++e) {
      for (const int change : {-1, 1}) {
        Rows8 rows = rows_of(stages, FirstRow::centred, {}, s);
        rows[e] = row_at(forward_biases(stages, s.tight).row[e] + change, q);
        EXPECT_GT(run_level(stages, rows, s).overflows, 0)
            << stages << " stages, row " << e << " by " << change << ", q = " << q;
      }
    }
  }
}

TEST(LazyForwardRanges, TheNoteHasTheResults) {
  const auto table = test::table_of_lazy_note("Forward results");
  constexpr std::uint64_t q = (std::uint64_t{1} << 40) + 15;
  for (const auto& line : table) {
    const auto stages = static_cast<int>(line[0]);
    const Setting s{.q = q, .tight = line[1] == 4, .bias = static_cast<int>(line[1]) / 2};
    const FirstRow first = stages == 2 && !s.tight ? FirstRow::reduced : FirstRow::centred;
    const auto row = static_cast<std::size_t>(line[2]);
    SCOPED_TRACE(testing::Message() << stages << " stages, row " << row);
    const Interval y = run_level(stages, rows_of(stages, first, {}, s), s).rows[row];
    // Half a q stands for (q - 1)/2.
    EXPECT_NEAR(line[3] * static_cast<double>(q), static_cast<double>(y.lower), kRows);
    EXPECT_NEAR(line[4] * static_cast<double>(q), static_cast<double>(y.upper), kRows);
  }
  EXPECT_EQ(table.size(), std::size_t{2 * 4 + 2 * kRows});
}

}  // namespace
}  // namespace ringlet::kernels
