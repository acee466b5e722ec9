// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/schedule.hpp"

#include "kernels/ntt/radix2/table.hpp"
#include "support/test.hpp"

namespace ringlet::kernels {
namespace {

using Visit = std::tuple<int, std::size_t>;  // first stage of the pass, block

struct Recorder {
  std::vector<Visit> visits;
  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    for (std::size_t b = first_block; b < first_block + block_count; ++b) {
      visits.emplace_back(pass.first_stage, b);
    }
  }
};

struct Shape {
  int log_lanes;
  int max_row_stages;
};
constexpr Shape kShapes[] = {{0, 1}, {0, 3}, {2, 2}, {2, 3}, {3, 1}, {3, 3}, {3, 4}};

/// The lane layout of the AVX-512 policies.
constexpr LaneLayout kEightLanes{3, {2, 4, 8}, {{0, 1}, {0, 2, 1, 3}, {0, 4, 2, 6, 1, 5, 3, 7}}};
constexpr int kMaxRowStages = 4;

/// Calls body(schedule, shape) for all shapes and degrees up to 2^most.
template <typename Body>
void for_each_schedule(int most, Body body) {
  for (const Shape& shape : kShapes) {
    for (int n = shape.log_lanes + 1; n <= most; ++n) {
      SCOPED_TRACE(testing::Message() << "log2 N = " << n << ", " << (1 << shape.log_lanes)
                                      << " lanes, up to " << shape.max_row_stages << " stages");
      body(make_schedule(n, shape.log_lanes, shape.max_row_stages), shape);
    }
  }
}

TEST(Schedule, PassesCoverEveryRowStageOnceAndNoPassIsWasted) {
  for_each_schedule(20, [](const Schedule& s, const Shape& shape) {
    const int most = shape.max_row_stages;
    const int far = std::min(most, kMaxFarStages);
    const int row_passes = s.pass_count - 1;
    int stage = 0;
    for (int p = 0; p < s.pass_count; ++p) {
      EXPECT_EQ(s.passes[p].first_stage, stage);
      EXPECT_GE(s.passes[p].row_stages, 1);
      EXPECT_LE(s.passes[p].row_stages, p + 1 < row_passes ? far : most);
      EXPECT_EQ(s.passes[p].is_tail, p == row_passes);
      stage += s.passes[p].row_stages;
    }
    EXPECT_EQ(stage, s.log_degree - shape.log_lanes);
    const Pass& tail = s.passes[row_passes];
    EXPECT_EQ(tail.row_stages, std::min(stage, most)) << "the largest pass";
    EXPECT_EQ(row_words(s, tail), std::size_t{1} << shape.log_lanes) << "consecutive vectors";
    // With one pass less, passes would have more stages than they may.
    const int before_tail = stage - tail.row_stages;
    const int most_with_less = row_passes < 2 ? 0 : most + (row_passes - 2) * far;
    EXPECT_EQ(before_tail == 0, row_passes == 0);
    EXPECT_TRUE(row_passes == 0 || before_tail > most_with_less);
  });
}

int pass_of(const Schedule& s, int stage) {
  int p = 0;
  while (s.passes[p].first_stage != stage) ++p;
  return p;
}

TEST(Schedule, WalksVisitEachBlockOnceAndAfterWhatItReads) {
  for_each_schedule(16, [](const Schedule& s, const Shape&) {
    Recorder forward;
    Recorder inverse;
    walk_forward(s, forward);
    walk_inverse(s, inverse);
    std::set<Visit> all;
    for (int p = 0; p < s.pass_count; ++p) {
      for (std::size_t b = 0; b >> s.passes[p].first_stage == 0; ++b) {
        all.emplace(s.passes[p].first_stage, b);
      }
    }
    const auto parent = [&s](int p, std::size_t block) {
      const Pass& above = s.passes[p - 1];
      return Visit(above.first_stage, block >> above.row_stages);
    };
    std::set<Visit> done;
    for (const auto& [stage, block] : forward.visits) {
      const int p = pass_of(s, stage);
      ASSERT_TRUE(p == 0 || done.contains(parent(p, block)));
      ASSERT_TRUE(done.emplace(stage, block).second);
    }
    EXPECT_EQ(done, all);
    done.clear();
    std::map<Visit, int> children;
    for (const auto& [stage, block] : inverse.visits) {
      const int p = pass_of(s, stage);
      if (p + 1 < s.pass_count) {
        ASSERT_EQ((children[{stage, block}]), 1 << s.passes[p].row_stages);
      }
      if (p > 0) ++children[parent(p, block)];
      ASSERT_TRUE(done.emplace(stage, block).second);
    }
    EXPECT_EQ(done, all);
  });
}

TEST(Schedule, EightLaneTablesHoldAboutTwoWordsPerCoefficientAndDirection) {
  const Radix2Shape shape{kEightLanes, 52, kMaxRowStages};
  for (int n = 10; n <= 20; ++n) {
    const std::size_t words = radix2_table_bytes(n, shape) / 8;
    EXPECT_GE(words, std::size_t{4} << n);
    EXPECT_LE(words, (std::size_t{9} << n) / 2 + 256);
  }
}

TEST(Schedule, RecordsKeepVectorLoadsOfTheTailAligned) {
  for (int k = 1; k <= kMaxRowStages; ++k) {
    EXPECT_EQ(record_words({0, k, false}, kEightLanes) % 8, 0U);
    const Pass tail{0, k, true};
    std::size_t offset = tree_words(tail);
    for (int v = 0; v < 3; ++v) {
      const std::size_t load = std::size_t{2} << v;  // words that one load of this stage reads
      EXPECT_EQ(offset % load, 0U);
      offset += lane_words(kEightLanes, v) << (k - 1);
    }
    EXPECT_EQ(offset, record_words(tail, kEightLanes));
    EXPECT_EQ(offset % 8, 0U);
  }
}

/// Records the visits of walk_fused, of the forward and of the inverse stream; the tail is in both.
struct FusedRecorder {
  Recorder there, back;
  void forward(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    EXPECT_FALSE(pass.is_tail);
    there(pass, first_block, block_count);
  }
  void tail(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    EXPECT_TRUE(pass.is_tail);
    there(pass, first_block, block_count);
    back(pass, first_block, block_count);
  }
  void inverse(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    EXPECT_FALSE(pass.is_tail);
    back(pass, first_block, block_count);
  }
};

TEST(Schedule, FusedWalksKeepTheOrderOfBothStreamsOfTwiddles) {
  for_each_schedule(16, [](const Schedule& s, const Shape&) {
    Recorder forward;
    Recorder inverse;
    FusedRecorder fused;
    walk_forward(s, forward);
    walk_inverse(s, inverse);
    walk_fused(s, fused);
    EXPECT_EQ(fused.there.visits, forward.visits);
    EXPECT_EQ(fused.back.visits, inverse.visits);
  });
}

}  // namespace
}  // namespace ringlet::kernels
