// SPDX-License-Identifier: Apache-2.0
// The accelerator at the size of Migliore et al. (2017): its cycles and its answers.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>

#include <gtest/gtest.h>

#include "Vkaratsuba_full.h"
#include "hw/karatsuba/model/golden.hpp"
#include "hw/karatsuba/tb/device.hpp"
#include "hw/karatsuba/tb/job_data.hpp"
#include "hw/karatsuba/tb/simulation.hpp"
#include "support/values.hpp"

namespace ringlet::hw {
namespace {

// The paper's figures, as the notes of the design derive them.
constexpr std::size_t kInputCycles = 145800;
constexpr std::size_t kOutputCycles = 129195;
constexpr std::size_t kProducts = 19683;
constexpr std::size_t kProductCycles = 25;
constexpr double kTolerance = 0.02;
constexpr int kModulusBits = 125;

std::unique_ptr<Device> make_device() {
  return std::make_unique<VerilatedDevice<Vkaratsuba_full>>();
}

TEST(Karatsuba, HasThePapersShape) {
  const AcceleratorSimulation simulation(make_device());
  EXPECT_EQ(simulation.shape(), Shape{});
  EXPECT_EQ(simulation.shape().degree(), 2560u);
  EXPECT_EQ(simulation.shape().sub_polys(), 729u);
  EXPECT_EQ(simulation.shape().coeffs(), 40u);
  EXPECT_EQ(simulation.shape().out_polys(), 81u);
  EXPECT_EQ(simulation.shape().out_coeffs(), 319u);
  EXPECT_EQ(simulation.shape().product_floor(), 123019u);
  EXPECT_EQ(simulation.buffer_depth(), 65536u);
}

TEST(Karatsuba, TakesThePapersCycles) {
  AcceleratorSimulation simulation(make_device());
  std::mt19937_64 rng = test::make_rng();
  JobData data = JobData::random(simulation.shape(), kModulusBits, 4, rng);
  data.job.hold = hold_for_gapless_output(simulation.shape());
  const Outcome outcome = simulation.run(data.job, data.input);
  expect_right(outcome, data);
  const double floor = static_cast<double>(outcome.busy_cycles) / simulation.shape().units;
  std::printf(
      "input %llu cycles, output %llu, total %u, %u products, %.2f cycles per multiplier, "
      "use %.4f\n",
      static_cast<unsigned long long>(outcome.input_cycles()),
      static_cast<unsigned long long>(outcome.output_cycles()), outcome.cycles, outcome.products,
      floor, outcome.multiplier_use(simulation.shape()));
  EXPECT_NEAR(static_cast<double>(outcome.input_cycles()), kInputCycles, kTolerance * kInputCycles);
  EXPECT_NEAR(static_cast<double>(outcome.output_cycles()), kOutputCycles,
              kTolerance * kOutputCycles);
  EXPECT_EQ(outcome.rx_bursts, kInputCycles);
  EXPECT_EQ(outcome.tx_bursts, kOutputCycles);
  EXPECT_EQ(outcome.products, kProducts);
  EXPECT_EQ(outcome.busy_cycles, kProducts * kProductCycles);
  // Computation runs during the transfers: the job takes little longer than its input.
  EXPECT_LT(outcome.cycles, (1 + kTolerance) * kInputCycles);
  EXPECT_GE(outcome.multiplier_use(simulation.shape()), 0.82);
}

TEST(Karatsuba, HoldsNoLongerThanNeeded) {
  AcceleratorSimulation simulation(make_device());
  std::mt19937_64 rng = test::make_rng();
  JobData data = JobData::random(simulation.shape(), kModulusBits, 1, rng);
  const Outcome at_once = simulation.run(data.job, data.input);
  expect_right(at_once, data);
  data.job.hold = hold_for_gapless_output(simulation.shape());
  const Outcome held = simulation.run(data.job, data.input);
  expect_right(held, data);
  EXPECT_EQ(held.output_cycles(), kOutputCycles);
  EXPECT_LE(held.cycles, at_once.cycles + 32);
}

TEST(Karatsuba, MultipliesTheLargestValues) {
  AcceleratorSimulation simulation(make_device());
  const int bits = simulation.shape().max_modulus_bits();
  EXPECT_EQ(bits, 126);
  const WideInteger all_ones{~std::uint64_t{0}, (std::uint64_t{1} << (bits - 64)) - 1, 0};
  const JobData data = JobData::largest(simulation.shape(), all_ones);
  expect_right(simulation.run(data.job, data.input), data);
}

TEST(Karatsuba, AFullBufferStopsTheInput) {
  AcceleratorSimulation simulation(make_device());
  std::mt19937_64 rng = test::make_rng();
  const JobData data = JobData::random(simulation.shape(), kModulusBits, 2, rng);
  Traffic traffic;
  traffic.seed = rng();
  traffic.pause_out_at = 0;
  traffic.pause = 100000;
  traffic.out_gaps = 64;
  const Outcome outcome = simulation.run(data.job, data.input, traffic);
  expect_right(outcome, data);
  EXPECT_GT(outcome.rx_stalls, 10000u);
}

TEST(Karatsuba, AnErrorInTheMiddleAndTheNextJob) {
  AcceleratorSimulation simulation(make_device());
  std::mt19937_64 rng = test::make_rng();
  const JobData data = JobData::random(simulation.shape(), kModulusBits, 3, rng);
  std::vector<Burst> input(data.input.begin(),
                           data.input.begin() + 20000 + std::ptrdiff_t(rng() % 1000));
  input.back().last = true;
  const Outcome failed = simulation.run(data.job, input);
  EXPECT_EQ(failed.status.state, State::failed);
  EXPECT_EQ(failed.status.error, JobError::truncated);
  Traffic traffic;
  traffic.seed = rng();
  traffic.in_gaps = 40;
  traffic.out_gaps = 90;
  expect_right(simulation.run(data.job, data.input, traffic), data);
}

}  // namespace
}  // namespace ringlet::hw
