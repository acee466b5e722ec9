// SPDX-License-Identifier: Apache-2.0
#include "hw/karatsuba/study/splits.hpp"

#include "support/test.hpp"

namespace ringlet::hw {
namespace {

// Bursts of both buffers of the paper's interface: Table 1 counts (65,536 + 592) * 128 bits.
constexpr std::uint64_t kPaperOtherBursts = 592;
constexpr std::uint64_t kPaperInterfaceBits = 8464384;

TEST(Splits, ReproduceThePaperAtThreeAndFive) {
  const SplitRow row = split_row(3, 5);
  EXPECT_EQ(row.input_polynomials, 729U);
  EXPECT_EQ(row.input_bursts, 145800U);
  EXPECT_EQ(row.input_bytes, 2332800U);
  EXPECT_EQ(row.output_polynomials, 81U);
  EXPECT_EQ(row.output_bursts, 129195U);
  EXPECT_EQ(row.products, 19683U);
  EXPECT_EQ(row.product_cycles, 25U);
  EXPECT_EQ(row.multipliers, 4U);
  EXPECT_EQ(row.multiplier_cycles, 123019U);
  EXPECT_EQ(row.dsp, 80U);
  EXPECT_EQ(row.cycles, 145800U);
  EXPECT_EQ(row.fifo_bursts, 65536U);
  EXPECT_EQ((row.fifo_bursts + kPaperOtherBursts) * 128, kPaperInterfaceBits);
  EXPECT_NEAR(row.ideal_us, 741.6, 0.05);
  EXPECT_NEAR(row.shared_us, 1112.4, 0.05);
}

// Section 3.3.5: "for fewer than three pre-recursions [...] multipliers are unused 25% of the
// time".
TEST(Splits, LeaveMultipliersIdleBelowThree) {
  EXPECT_NEAR(split_row(2, 5).multiplier_use, 0.75, 0.001);
  EXPECT_NEAR(split_row(1, 5).multiplier_use, 0.75, 0.001);
  EXPECT_GT(split_row(3, 5).multiplier_use, 0.84);
}

// Section 3.3.4: five is the first number of post-recursions whose output is shorter than the
// input.
TEST(Splits, OutputFitsTheInputFromFive) {
  const SplitRow three = split_row(3, 3);
  EXPECT_GT(three.output_bursts, three.input_bursts);
  EXPECT_EQ(three.output_bursts, 729U * 79 * 5);
  const SplitRow four = split_row(3, 4);
  EXPECT_GT(four.output_bursts, four.input_bursts);
  EXPECT_LT(split_row(3, 5).output_bursts, split_row(3, 5).input_bursts);
}

TEST(Splits, FollowTheDegree) {
  // Software splits into three times as many polynomials; the card's work on each stays.
  const SplitRow row = split_row(3, 5, {.recursions = 10});
  EXPECT_EQ(split_row(3, 5).degree, 2560U);
  EXPECT_EQ(row.degree, 5120U);
  EXPECT_EQ(row.input_bursts, 3 * split_row(3, 5).input_bursts);
  EXPECT_EQ(row.output_bursts, 3 * split_row(3, 5).output_bursts);
  EXPECT_EQ(row.multipliers, 4U);
}

// The definition: software's recursions split polynomials one after another.
TEST(Splits, AgreeWithSplittingStepByStep) {
  for (unsigned pre = 0; pre <= 9; ++pre) {
    std::uint64_t polynomials = 1;
    std::uint64_t coefficients = 2560;
    for (unsigned done = 9; done > pre; --done) {
      polynomials *= 3;
      coefficients /= 2;
    }
    std::uint64_t result_coefficients = 9;
    std::uint64_t results = 19683;
    for (unsigned done = 0; done < pre; ++done) {
      result_coefficients = 2 * result_coefficients + 1;
      results /= 3;
    }
    const SplitRow row = split_row(pre, pre);
    EXPECT_EQ(row.input_bursts, polynomials * coefficients * 5) << pre;
    EXPECT_EQ(row.output_bursts, results * result_coefficients * 5) << pre;
    EXPECT_GE(row.multipliers * row.input_bursts, row.products * row.product_cycles);
    EXPECT_LT((row.multipliers - 1) * row.input_bursts, row.products * row.product_cycles);
  }
  EXPECT_EQ(split_row(9, 9).input_bursts, 2560U * 5);
  EXPECT_EQ(split_row(9, 9).output_bursts, 5119U * 5);
}

TEST(Splits, TellSoftwareTimesOnlyWhereMeasured) {
  SoftwareTimes times;
  times.pre[6] = 12.5;
  times.post[4] = 80;
  const SplitRow measured = split_row(3, 5, {}, times);
  EXPECT_EQ(measured.software_pre_us, 12.5);
  EXPECT_EQ(measured.software_post_us, 80.0);
  const SplitRow other = split_row(2, 6, {}, times);
  EXPECT_FALSE(other.software_pre_us.has_value());
  EXPECT_FALSE(other.software_post_us.has_value());
}

TEST(Splits, CoverTheirRangesAndRefuseOthers) {
  const std::vector<SplitRow> rows = split_table({1, 5}, {3, 7});
  ASSERT_EQ(rows.size(), 25U);
  EXPECT_EQ(rows.front().pre, 1U);
  EXPECT_EQ(rows.back().post, 7U);
  EXPECT_THROW(split_row(10, 5), InvalidArgument);
  EXPECT_THROW(split_row(3, 10), InvalidArgument);
}

}  // namespace
}  // namespace ringlet::hw
