// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/schedule.hpp"

#include "kernels/ntt/radix2_table.hpp"
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

/// What the AVX-512 policies use.
constexpr LaneLayout kEightLanes{3, {2, 4, 8}, {{0, 1}, {0, 2, 1, 3}, {0, 4, 2, 6, 1, 5, 3, 7}}};
constexpr int kMaxRowStages = 4;

TEST(Schedule, PassesCoverEveryRowStageOnceAndEndWithTheTail) {
  for (const Shape& shape : kShapes) {
    for (int n = shape.log_lanes + 1; n <= 20; ++n) {
      const Schedule s = make_schedule(n, shape.log_lanes, shape.max_row_stages);
      int stage = 0;
      for (int p = 0; p < s.pass_count; ++p) {
        EXPECT_EQ(s.passes[p].first_stage, stage);
        EXPECT_GE(s.passes[p].row_stages, 1);
        EXPECT_LE(s.passes[p].row_stages, shape.max_row_stages);
        EXPECT_EQ(s.passes[p].is_tail, p == s.pass_count - 1);
        stage += s.passes[p].row_stages;
      }
      EXPECT_EQ(stage, n - shape.log_lanes);
    }
  }
}

TEST(Schedule, TheTailIsTheLargestPassAndNoPassIsWasted) {
  for (const Shape& shape : kShapes) {
    for (int n = shape.log_lanes + 1; n <= 20; ++n) {
      const Schedule s = make_schedule(n, shape.log_lanes, shape.max_row_stages);
      const int row_stages = n - shape.log_lanes;
      EXPECT_EQ(s.passes[s.pass_count - 1].row_stages, std::min(row_stages, shape.max_row_stages));
      // A pass less would have to take more stages than it may.
      const int far = std::min(shape.max_row_stages, kMaxFarStages);
      const int row_passes = s.pass_count - 1;
      const int most_with_less = row_passes < 2 ? 0 : shape.max_row_stages + (row_passes - 2) * far;
      const int before_tail = row_stages - s.passes[s.pass_count - 1].row_stages;
      if (row_passes > 0) {
        EXPECT_GT(before_tail, most_with_less);
      }
      EXPECT_EQ(before_tail == 0, row_passes == 0);
      for (int p = 0; p + 1 < row_passes; ++p) EXPECT_LE(s.passes[p].row_stages, far);
    }
  }
}

TEST(Schedule, TheTailWorksOnConsecutiveVectors) {
  for (const Shape& shape : kShapes) {
    for (int n = shape.log_lanes + 1; n <= 20; ++n) {
      const Schedule s = make_schedule(n, shape.log_lanes, shape.max_row_stages);
      EXPECT_EQ(row_words(s, s.passes[s.pass_count - 1]), std::size_t{1} << shape.log_lanes);
    }
  }
}

TEST(Schedule, ForwardVisitsEachBlockOnceAndAfterItsParents) {
  for (const Shape& shape : kShapes) {
    for (int n = shape.log_lanes + 1; n <= 16; ++n) {
      const Schedule s = make_schedule(n, shape.log_lanes, shape.max_row_stages);
      Recorder recorder;
      walk_forward(s, recorder);
      std::vector<std::vector<bool>> done(static_cast<std::size_t>(s.pass_count));
      for (int p = 0; p < s.pass_count; ++p) {
        done[static_cast<std::size_t>(p)].resize(std::size_t{1} << s.passes[p].first_stage);
      }
      for (const auto& [stage, block] : recorder.visits) {
        int p = 0;
        while (s.passes[p].first_stage != stage) ++p;
        ASSERT_FALSE(done[static_cast<std::size_t>(p)][block]);
        if (p > 0) {
          EXPECT_TRUE(done[static_cast<std::size_t>(p - 1)][block >> s.passes[p - 1].row_stages]);
        }
        done[static_cast<std::size_t>(p)][block] = true;
      }
      for (const auto& blocks : done) {
        for (const bool block : blocks) EXPECT_TRUE(block);
      }
    }
  }
}

TEST(Schedule, InverseVisitsEachBlockOnceAndAfterItsChildren) {
  for (const Shape& shape : kShapes) {
    for (int n = shape.log_lanes + 1; n <= 16; ++n) {
      const Schedule s = make_schedule(n, shape.log_lanes, shape.max_row_stages);
      Recorder recorder;
      walk_inverse(s, recorder);
      std::vector<std::vector<int>> children(static_cast<std::size_t>(s.pass_count));
      for (int p = 0; p < s.pass_count; ++p) {
        children[static_cast<std::size_t>(p)].resize(std::size_t{1} << s.passes[p].first_stage);
      }
      std::size_t total = 0;
      for (const auto& [stage, block] : recorder.visits) {
        int p = 0;
        while (s.passes[p].first_stage != stage) ++p;
        if (p + 1 < s.pass_count) {
          ASSERT_EQ(children[static_cast<std::size_t>(p)][block], 1 << s.passes[p].row_stages);
        }
        if (p > 0) {
          ++children[static_cast<std::size_t>(p - 1)][block >> s.passes[p - 1].row_stages];
        }
        ++total;
      }
      std::size_t expected = 0;
      for (int p = 0; p < s.pass_count; ++p) expected += std::size_t{1} << s.passes[p].first_stage;
      EXPECT_EQ(total, expected);
    }
  }
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

/// What walk_fused visits on the way there and on the way back; the tail belongs to both.
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
  for (const Shape& shape : kShapes) {
    for (int n = shape.log_lanes + 1; n <= 16; ++n) {
      const Schedule s = make_schedule(n, shape.log_lanes, shape.max_row_stages);
      Recorder forward;
      Recorder inverse;
      FusedRecorder fused;
      walk_forward(s, forward);
      walk_inverse(s, inverse);
      walk_fused(s, fused);
      EXPECT_EQ(fused.there.visits, forward.visits) << "log2 N = " << n;
      EXPECT_EQ(fused.back.visits, inverse.visits) << "log2 N = " << n;
    }
  }
}

}  // namespace
}  // namespace ringlet::kernels
