// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy_ranges.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/ntt/schedule.hpp"
#include "ringlet/modular.hpp"
#include "support/ntt_reference.hpp"
#include "support/values.hpp"

// The ranges of the lazy transforms, from their arithmetic alone: intervals are taken through the
// stages of a Schedule and compared with what the kernels rely on and with the tables of
// docs/notes/lazy52.md.

namespace ringlet::kernels {
namespace {

using test::make_rng;
using test::ntt_prime_next_to;
using Wide = __int128;

constexpr int kLogLanes = 3;
constexpr int kMaxRowStages = 4;

struct Interval {  // [lower, upper], integers
  Wide lower;
  Wide upper;
};

bool fits_word(const Interval& x) { return x.lower >= 0 && x.upper < Wide{kLazyWord}; }

/// The stages of a forward transform one after the other, in the order of its passes.
std::vector<int> stages_of(const Schedule& schedule) {
  std::vector<int> stages;
  for (int p = 0; p < schedule.pass_count; ++p) {
    const Pass& pass = schedule.passes[p];
    const int count = pass.row_stages + (pass.is_tail ? schedule.log_lanes : 0);
    for (int u = 0; u < count; ++u) stages.push_back(pass.first_stage + u);
  }
  return stages;
}

/// Where values are after every stage of the forward transform of operands in [0, factor*q); none
/// if some value that is multiplied or reduced does not fit a word.
std::optional<std::vector<Interval>> forward_intervals(const Schedule& schedule, std::uint64_t q,
                                                       const ForwardStages& stages,
                                                       std::uint64_t bias, int factor) {
  Interval x{0, Wide{q} * factor - 1};
  std::vector<Interval> after;
  for (const int s : stages_of(schedule)) {
    if (!fits_word(x)) return std::nullopt;  // one half of all values is multiplied
    Interval start = x;
    if (s == 0 && factor == 1) {
      start = {x.lower + bias, x.upper + bias};
    } else if (s == 0 || stages.reduces(s)) {
      start = {Wide{bias}, Wide{bias} + 2 * Wide{q} - 1};
    }
    const Wide half = (q - 1) / 2;
    x = {start.lower - half, start.upper + half};
    after.push_back(x);
  }
  if (!fits_word(x)) return std::nullopt;
  return after;
}

/// Primes just below and just above the largest q of every K, and some others.
std::vector<std::uint64_t> primes_for(std::size_t degree) {
  std::vector<std::uint64_t> primes;
  for (std::uint64_t half_units = 8; half_units < 60; ++half_units) {
    for (const bool below : {true, false}) {
      const std::uint64_t q = ntt_prime_next_to(2 * kLazyWord / half_units, degree, below);
      if (q < kLazyModulusLimit) primes.push_back(q);
    }
  }
  for (const int bits : {30, 40, 45}) {
    primes.push_back(ntt_prime_next_to(std::uint64_t{1} << bits, degree, true));
  }
  return primes;
}

TEST(LazyRanges, EveryForwardStageIsWhereTheKernelsExpectIt) {
  for (int n = kLogLanes + 1; n <= 20; ++n) {
    const Schedule schedule = make_schedule(n, kLogLanes, kMaxRowStages);
    ASSERT_EQ(stages_of(schedule).size(), static_cast<std::size_t>(n));
    for (const std::uint64_t q : primes_for(std::size_t{1} << n)) {
      const int per_reduction = stages_per_reduction(q);
      const ForwardStages stages = forward_stages(n, per_reduction);
      for (const int factor : {1, 2, 4}) {
        SCOPED_TRACE(testing::Message() << "N = 2^" << n << ", q = " << q << ", x" << factor);
        const auto after =
            forward_intervals(schedule, q, stages, forward_bias(q, per_reduction), factor);
        ASSERT_TRUE(after.has_value());
        for (int s = 0; s < n; ++s) {
          const LazyInterval claimed = forward_interval(q, per_reduction, s % per_reduction + 1);
          EXPECT_GE((*after)[s].lower, Wide{claimed.lower});
          EXPECT_LT((*after)[s].upper, Wide{claimed.upper});
          EXPECT_LE(claimed.upper, kLazyWord);
        }
      }
    }
  }
}

TEST(LazyRanges, NoForwardReductionCanBeLeftOut) {
  int left_out = 0;
  for (const int n : {8, 12, 16, 20}) {
    const Schedule schedule = make_schedule(n, kLogLanes, kMaxRowStages);
    for (const std::uint64_t q : primes_for(std::size_t{1} << n)) {
      const int per_reduction = stages_per_reduction(q);
      const ForwardStages stages = forward_stages(n, per_reduction);
      for (int s = 0; s + per_reduction < n; ++s) {
        if (!stages.reduces(s)) continue;
        ForwardStages fewer = stages;
        fewer.reducing &= ~(std::uint32_t{1} << s);
        EXPECT_FALSE(
            forward_intervals(schedule, q, fewer, forward_bias(q, per_reduction), 1).has_value())
            << "N = 2^" << n << ", q = " << q << " without the reduction of stage " << s;
        ++left_out;
      }
    }
  }
  EXPECT_GT(left_out, 100);
}

TEST(LazyRanges, NoMoreForwardStagesCanShareAReduction) {
  int raised = 0;
  constexpr int n = 20;
  const Schedule schedule = make_schedule(n, kLogLanes, kMaxRowStages);
  for (const std::uint64_t q : primes_for(std::size_t{1} << n)) {
    const int more = stages_per_reduction(q) + 1;
    if (2 * more > n) continue;  // too few stages to see it
    // One stage more alone may be an odd number that has to take the larger bias of the next.
    for (const int per_reduction : {more, more + 1}) {
      EXPECT_FALSE(forward_intervals(schedule, q, forward_stages(n, per_reduction),
                                     forward_bias(q, per_reduction), 1)
                       .has_value())
          << "q = " << q << " with K = " << per_reduction;
      ++raised;
    }
  }
  EXPECT_GT(raised, 20);
}

/// y*w mod q as the kernels take it, in integers: centred with `rounding` and a half, else as it
/// is.
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

/// How many of many products, those at the edges among them, are not the residue.
int wrong_products(std::uint64_t rounding) {
  int wrong = 0;
  auto rng = make_rng();
  for (const std::uint64_t q : primes_for(1024)) {
    const Modulus modulus(q);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t w = i % 4 == 0   ? q - 1 - rng() % 3
                              : i % 4 == 1 ? 1 + rng() % 3
                                           : rng() % q;
      const std::uint64_t y = i % 3 == 0   ? kLazyWord - 1 - rng() % 4
                              : i % 3 == 1 ? (rng() % (kLazyWord / q)) * q + rng() % 3
                                           : rng() % kLazyWord;
      const std::uint64_t residue = modulus.multiply(modulus.reduce(y), w);
      const Wide centred = residue > q / 2 ? Wide{residue} - Wide{q} : Wide{residue};
      wrong += product_by_fraction(y, w, q, rounding, false) != Wide{residue} ? 1 : 0;
      wrong += product_by_fraction(y, w, q, rounding, true) != centred ? 1 : 0;
    }
  }
  return wrong;
}

TEST(LazyRanges, ProductsByFractionsAreTheResiduesThemselves) {
  EXPECT_EQ(wrong_products(kFractionRounding), 0);
}

TEST(LazyRanges, ProductsByFractionsNeedTheirRounding) {
  EXPECT_GT(wrong_products(0), 0);
  EXPECT_GT(wrong_products(kFractionRounding - 1), 0);
}

/// Rows "| K | stages | lower | upper |" below the heading `section` of the note.
std::vector<std::vector<double>> table_of_note(const std::string& section) {
  std::ifstream note(RINGLET_SOURCE_DIR "/docs/notes/lazy52.md");
  std::vector<std::vector<double>> rows;
  bool inside = false;
  for (std::string line; std::getline(note, line);) {
    if (line.starts_with("#")) inside = line.find(section) != std::string::npos;
    if (!inside || !line.starts_with("| ")) continue;
    std::replace(line.begin(), line.end(), '|', ' ');
    std::istringstream cells(line);
    std::vector<double> row;
    for (double value = 0; cells >> value;) row.push_back(value);
    if (row.size() == 4) rows.push_back(row);
  }
  return rows;
}

TEST(LazyRanges, TheNoteHasTheForwardIntervals) {
  const auto rows = table_of_note("Forward intervals");
  std::size_t expected_rows = 0;
  for (const int per_reduction : {2, 3, 4, 5, 6, 7, 8, 10, 14}) {
    expected_rows += static_cast<std::size_t>(per_reduction);
  }
  ASSERT_EQ(rows.size(), expected_rows);
  constexpr std::uint64_t q = (std::uint64_t{1} << 40) + 15;
  for (const auto& row : rows) {
    const auto since = static_cast<int>(row[1]);
    const LazyInterval interval = forward_interval(q, static_cast<int>(row[0]), since);
    SCOPED_TRACE(testing::Message() << "K = " << row[0] << ", stage " << since);
    // Half a q stands for (q - 1)/2.
    EXPECT_NEAR(row[2] * static_cast<double>(q), static_cast<double>(interval.lower), since);
    EXPECT_NEAR(row[3] * static_cast<double>(q), static_cast<double>(interval.upper), since);
  }
}

}  // namespace
}  // namespace ringlet::kernels
