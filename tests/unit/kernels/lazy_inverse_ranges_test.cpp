// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy_inverse_level.hpp"
#include "kernels/ntt/lazy_inverse_table.hpp"
#include "support/lazy_intervals.hpp"
#include "support/ntt_reference.hpp"
#include "support/test.hpp"

// The ranges of the lazy inverse transform: its own levels run on intervals in place of vectors.

namespace ringlet::kernels {
namespace {

using test::Intervals;
using test::ntt_prime_next_to;
using test::row_at;
using test::Wide;
using test::wide_row_at;

using Interval = Intervals::Vec;
constexpr int kRows = kLevelRows;

/// How many products of a level had operands beyond a word, and where its rows are before their
/// outer factors.
struct LevelRun {
  int overflows = 0;
  std::array<Interval, kRows> rows = {};
};

template <int K, bool kTight>
LevelRun run_level(const std::array<Interval, kRows>& rows, std::uint64_t q) {
  constexpr int kCount = 1 << K;
  Interval x[kCount];
  std::copy_n(rows.begin(), kCount, x);
  LevelRun run;
  Intervals::overflows = 0;
  inverse_level<Intervals, kTight>(
      x, InverseRoots<Intervals>{}, Intervals::modulus_of(q),
      [&](auto j, const Interval& y) {
        Intervals::expect_word(y);
        run.rows[j] = y;
      },
      NothingBetween{});
  run.overflows = Intervals::overflows;
  return run;
}

LevelRun run_level(int stages, bool tight, const std::array<Interval, kRows>& rows,
                   std::uint64_t q) {
  if (stages == 2) return tight ? run_level<2, true>(rows, q) : run_level<2, false>(rows, q);
  return tight ? run_level<3, true>(rows, q) : run_level<3, false>(rows, q);
}

std::array<Interval, kRows> rows_of(int stages, bool tight, std::uint64_t q) {
  std::array<Interval, kRows> rows;
  for (int e = 0; e < kRows; ++e) {
    const int bias = inverse_biases(stages, tight).row[e];
    rows[e] = stages == 2 && !tight ? wide_row_at(bias, q) : row_at(bias, q);
  }
  return rows;
}

std::vector<std::uint64_t> primes() {
  std::vector<std::uint64_t> found;
  for (const int bits : {20, 30, 40, 48, 49, 50}) {
    for (const bool below : {true, false}) {
      const std::uint64_t q = ntt_prime_next_to(std::uint64_t{1} << bits, 64, below);
      if (q < kLazyModulusLimit) found.push_back(q);
    }
  }
  return found;
}

TEST(LazyInverseRanges, EveryProductInEveryLevelHasAWordToMultiply) {
  for (const std::uint64_t q : primes()) {
    const bool tight = is_tight(q);
    for (const int stages : {2, 3}) {
      SCOPED_TRACE(testing::Message() << stages << " stages, q = " << q);
      const LevelRun run = run_level(stages, tight, rows_of(stages, tight, q), q);
      EXPECT_EQ(run.overflows, 0);
      for (const Interval& row : run.rows) {
        EXPECT_LT(row.upper, Wide{q} * (tight ? 4 : 8));
      }
    }
  }
}

TEST(LazyInverseRanges, ReducedOperandsAreShiftedIntoTheFirstLevel) {
  for (const std::uint64_t q : primes()) {
    if (is_tight(q)) continue;
    std::array<Interval, kRows> rows;
    for (int e = 0; e < kRows; ++e) {
      const Wide shift = Wide{kInverseInputBiases.row[e]} * q;
      rows[e] = {shift, shift + q - 1};
    }
    EXPECT_EQ(run_level(3, false, rows, q).overflows, 0) << "q = " << q;
  }
}

TEST(LazyInverseRanges, TightModuliNeedTheReductionsInside) {
  const std::uint64_t q = ntt_prime_next_to(std::uint64_t{1} << 49, 64, false);
  ASSERT_TRUE(is_tight(q));
  EXPECT_GT(run_level(3, false, rows_of(3, true, q), q).overflows, 0);
  EXPECT_GT(run_level(3, false, rows_of(3, false, q), q).overflows, 0);
}

TEST(LazyInverseRanges, WideRowsAreForLevelsOfTwoStagesAndLooseModuli) {
  const std::uint64_t loose = ntt_prime_next_to(std::uint64_t{1} << 49, 64, true);
  const std::uint64_t tight = ntt_prime_next_to(std::uint64_t{1} << 50, 64, true);
  for (const auto& [stages, q] : {std::pair{3, loose}, std::pair{2, tight}, std::pair{3, tight}}) {
    std::array<Interval, kRows> rows;
    for (int e = 0; e < kRows; ++e) {
      rows[e] = wide_row_at(inverse_biases(stages, q == tight).row[e], q);
    }
    EXPECT_GT(run_level(stages, q == tight, rows, q).overflows, 0)
        << stages << " stages, q = " << q;
  }
}

TEST(LazyInverseRanges, RowsThatNothingReducedAreTooWide) {
  for (const std::uint64_t q : {ntt_prime_next_to(std::uint64_t{1} << 49, 64, true),
                                ntt_prime_next_to(std::uint64_t{1} << 50, 64, true)}) {
    const bool tight = is_tight(q);
    for (const int stages : {2, 3}) {
      // Row 0 of the level before, without its product by 1.
      const Wide width = Wide{q} * (tight ? 4 : 8);
      std::array<Interval, kRows> rows;
      rows.fill({0, width - 1});
      EXPECT_GT(run_level(stages, tight, rows, q).overflows, 0) << stages << " stages, q = " << q;
    }
  }
}

TEST(LazyInverseRanges, NoBiasCanChangeByOne) {
  const std::uint64_t loose = ntt_prime_next_to(std::uint64_t{1} << 49, 64, true);
  const std::uint64_t tight = ntt_prime_next_to(std::uint64_t{1} << 50, 64, true);
  for (const std::uint64_t q : {loose, tight}) {
    for (int e = 0; e < kRows; ++e) {
      for (const int change : {-1, 1}) {
        auto rows = rows_of(3, q == tight, q);
        rows[e] = row_at(inverse_biases(3, q == tight).row[e] + change, q);
        EXPECT_GT(run_level(3, q == tight, rows, q).overflows, 0)
            << "row " << e << " by " << change << ", q = " << q;
      }
    }
  }
}

TEST(LazyInverseRanges, TheNoteHasTheRows) {
  constexpr std::uint64_t q = (std::uint64_t{1} << 40) + 15;
  const auto table = test::table_of_lazy_note("Inverse rows");
  for (const auto& line : table) {
    const auto stages = static_cast<int>(line[0]);
    const bool tight = line[1] == 4;
    const auto row = static_cast<std::size_t>(line[2]);
    SCOPED_TRACE(testing::Message() << stages << " stages, row " << row);
    const Interval y = run_level(stages, tight, rows_of(stages, tight, q), q).rows[row];
    // Half a q stands for (q - 1)/2.
    EXPECT_NEAR(line[3] * static_cast<double>(q), static_cast<double>(y.lower), kRows);
    EXPECT_NEAR(line[4] * static_cast<double>(q), static_cast<double>(y.upper), kRows);
  }
  EXPECT_EQ(table.size(), std::size_t{2 * 4 + 2 * kRows});
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
    // Whole groups are transposed.
    EXPECT_GE(block_words(schedule, schedule.passes[0]), kGroupWords);
  }
}

}  // namespace
}  // namespace ringlet::kernels
