// SPDX-License-Identifier: Apache-2.0
// The accelerator at the size of Migliore et al. (2017): its cycles and its answers.

#include "Vkaratsuba_full.h"
#include "hw/karatsuba/tb/job_data.hpp"

namespace ringlet::hw {
namespace {

// The paper's figures, as the notes of the design derive them.
constexpr std::size_t kInputCycles = 145800;
constexpr std::size_t kOutputCycles = 129195;
constexpr std::size_t kProducts = 19683;
constexpr std::size_t kProductCycles = 25;
// Our figures: from start to last burst, with the hold for a gapless answer and without it.
constexpr std::size_t kJobCycles = 148114;
constexpr std::size_t kCyclesWithoutHold = 148098;
constexpr int kModulusBits = 125;

class Karatsuba : public ::testing::Test {
 protected:
  JobData random_job(int encryptions) {
    return JobData::random(shape_, kModulusBits, encryptions, rng_);
  }

  AcceleratorSimulation simulation_{std::make_unique<VerilatedDevice<Vkaratsuba_full>>()};
  const Shape& shape_ = simulation_.shape();
  std::mt19937_64 rng_{test::make_rng()};
};

TEST_F(Karatsuba, HasThePapersShape) {
  EXPECT_EQ(shape_, Shape{});
  EXPECT_EQ(shape_.degree(), 2560u);
  EXPECT_EQ(shape_.sub_polys(), 729u);
  EXPECT_EQ(shape_.coeffs(), 40u);
  EXPECT_EQ(shape_.out_polys(), 81u);
  EXPECT_EQ(shape_.out_coeffs(), 319u);
  EXPECT_EQ(shape_.product_floor(), 123019u);
  EXPECT_EQ(simulation_.buffer_depth(), 65536u);
}

TEST_F(Karatsuba, TakesThePapersCycles) {
  JobData data = random_job(4);
  data.job.hold = hold_for_gapless_output(shape_);
  const Outcome outcome = simulation_.run(data.job, data.input);
  expect_right(outcome, data);
  const double floor = static_cast<double>(outcome.busy_cycles) / shape_.units;
  std::printf(
      "input %llu cycles, output %llu, total %u, %u products, %.2f cycles per multiplier, "
      "use %.4f\n",
      static_cast<unsigned long long>(outcome.input_cycles()),
      static_cast<unsigned long long>(outcome.output_cycles()), outcome.cycles, outcome.products,
      floor, outcome.multiplier_use(shape_));
  EXPECT_EQ(outcome.input_cycles(), kInputCycles);
  EXPECT_EQ(outcome.output_cycles(), kOutputCycles);
  EXPECT_EQ(outcome.rx_bursts, kInputCycles);
  EXPECT_EQ(outcome.tx_bursts, kOutputCycles);
  EXPECT_EQ(outcome.products, kProducts);
  EXPECT_EQ(outcome.busy_cycles, kProducts * kProductCycles);
  // Computation runs during the transfers: the job takes little longer than its input.
  EXPECT_EQ(outcome.cycles, kJobCycles);
  EXPECT_NEAR(outcome.multiplier_use(shape_), 0.831, 0.0005);
}

TEST_F(Karatsuba, ASlowerLinkTakesTheCyclesOfItsShutGates) {
  for (const auto& [shut, cycles] :
       {std::pair{std::uint8_t{55}, 187992u}, {std::uint8_t{122}, 280839u}}) {
    JobData data = random_job(1);
    data.job.hold = hold_for_gapless_output(shape_);
    data.job.rx_closed = shut;
    EXPECT_EQ(simulation_.run(data.job, data.input).cycles, cycles)
        << int{shut} << " of 256 cycles";
  }
}

TEST_F(Karatsuba, HoldsNoLongerThanNeeded) {
  JobData data = random_job(1);
  const Outcome at_once = simulation_.run(data.job, data.input);
  expect_right(at_once, data);
  data.job.hold = hold_for_gapless_output(shape_);
  const Outcome held = simulation_.run(data.job, data.input);
  expect_right(held, data);
  EXPECT_EQ(held.output_cycles(), kOutputCycles);
  EXPECT_EQ(at_once.cycles, kCyclesWithoutHold);
  EXPECT_EQ(held.cycles, kJobCycles);
}

TEST_F(Karatsuba, MultipliesTheLargestValues) {
  const int bits = shape_.max_modulus_bits();
  EXPECT_EQ(bits, 126);
  const WideInteger all_ones{~std::uint64_t{0}, (std::uint64_t{1} << (bits - 64)) - 1, 0};
  const JobData data = JobData::largest(shape_, all_ones);
  expect_right(simulation_.run(data.job, data.input), data);
}

TEST_F(Karatsuba, AFullBufferStopsTheInput) {
  const JobData data = random_job(2);
  const Traffic traffic{.seed = rng_(), .out_gaps = 64, .pause_out_at = 0, .pause = 100000};
  const Outcome outcome = simulation_.run(data.job, data.input, traffic);
  expect_right(outcome, data);
  EXPECT_GT(outcome.rx_stalls, 10000u);
}

TEST_F(Karatsuba, AnErrorInTheMiddleAndTheNextJob) {
  const JobData data = random_job(3);
  std::vector<Burst> input(data.input.begin(),
                           data.input.begin() + 20000 + std::ptrdiff_t(rng_() % 1000));
  input.back().last = true;
  const Outcome failed = simulation_.run(data.job, input);
  EXPECT_EQ(failed.status.state, State::failed);
  EXPECT_EQ(failed.status.error, JobError::truncated);
  const Traffic traffic{.seed = rng_(), .in_gaps = 40, .out_gaps = 90};
  expect_right(simulation_.run(data.job, data.input, traffic), data);
}

}  // namespace
}  // namespace ringlet::hw
