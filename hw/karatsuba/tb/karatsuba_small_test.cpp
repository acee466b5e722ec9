// SPDX-License-Identifier: Apache-2.0
// Small accelerators of the same modules: products, and pauses at every place.

#include "Vkaratsuba_shallow.h"
#include "Vkaratsuba_small.h"
#include "Vkaratsuba_tiny.h"
#include "Vkaratsuba_wide.h"
#include "hw/karatsuba/tb/job_data.hpp"

namespace ringlet::hw {
namespace {

template <class Model>
class SmallAccelerator : public ::testing::Test {
 protected:
  /// A job of the largest modulus in every lane.
  JobData full_job() {
    const Shape& shape = simulation_.shape();
    return JobData::random(shape, shape.max_modulus_bits(), shape.lanes, rng_);
  }

  AcceleratorSimulation simulation_{std::make_unique<VerilatedDevice<Model>>()};
  std::mt19937_64 rng_{test::make_rng()};
};
using Models =
    ::testing::Types<Vkaratsuba_tiny, Vkaratsuba_small, Vkaratsuba_shallow, Vkaratsuba_wide>;
TYPED_TEST_SUITE(SmallAccelerator, Models);

TYPED_TEST(SmallAccelerator, SaysItsShape) {
  const Shape& shape = this->simulation_.shape();
  EXPECT_EQ(this->simulation_.read(Register::sub_polys), shape.sub_polys());
  EXPECT_EQ(this->simulation_.read(Register::coeffs), shape.coeffs());
  EXPECT_EQ(this->simulation_.read(Register::out_polys), shape.out_polys());
  EXPECT_EQ(this->simulation_.read(Register::out_coeffs), shape.out_coeffs());
  EXPECT_EQ(this->simulation_.read(Register::max_modulus_bits),
            static_cast<std::uint32_t>(shape.max_modulus_bits()));
}

TYPED_TEST(SmallAccelerator, MultipliesRandomPolynomials) {
  const Shape& shape = this->simulation_.shape();
  for (std::size_t i = 0; i < test::scaled(12); ++i) {
    const int bits = 2 + static_cast<int>(this->rng_() % unsigned(shape.max_modulus_bits() - 1));
    const int encryptions = 1 + static_cast<int>(i % unsigned(shape.lanes));
    const JobData data = JobData::random(shape, bits, encryptions, this->rng_);
    const Outcome run = this->simulation_.run(data.job, data.input);
    expect_right(run, data);
    EXPECT_EQ(run.products, shape.products());
    EXPECT_EQ(run.busy_cycles, shape.products() * shape.product_cycles());
  }
}

TYPED_TEST(SmallAccelerator, MultipliesTheLargestValues) {
  const Shape& shape = this->simulation_.shape();
  WideInteger all_ones{~std::uint64_t{0}, ~std::uint64_t{0}, 0};
  for (int b = shape.max_modulus_bits(); b < 128; ++b) {
    all_ones[1] &= ~(std::uint64_t{1} << (b - 64));
  }
  for (const WideInteger& q : {WideInteger{2, 0, 0}, WideInteger{3, 0, 0}, all_ones}) {
    const JobData data = JobData::largest(shape, q);
    expect_right(this->simulation_.run(data.job, data.input), data);
  }
}

TYPED_TEST(SmallAccelerator, ZerosGiveZeros) {
  const Shape& shape = this->simulation_.shape();
  const WideInteger q = random_modulus(shape.max_modulus_bits(), this->rng_);
  const JobData data = JobData::make(shape, q, Integers(shape.degree()), {Smalls(shape.degree())});
  const Outcome run = this->simulation_.run(data.job, data.input);
  expect_right(run, data);
  for (const Burst& burst : run.output) EXPECT_EQ(burst.slots, (std::array<std::uint32_t, 4>{}));
}

TYPED_TEST(SmallAccelerator, AnswersJoinToTheProduct) {
  const Shape& shape = this->simulation_.shape();
  const JobData data = this->full_job();
  const Outcome run = this->simulation_.run(data.job, data.input);
  const auto parts = unpack_output(shape, run.output);
  // The remaining post-recursions subtract residues: a multiple of q keeps the sums positive.
  WideInteger offset{};
  for (int i = 0; i < 1024; ++i) offset = add(offset, data.job.modulus);
  for (std::size_t lane = 0; lane < data.small.size(); ++lane) {
    Integers product = join(parts[lane], shape.recursions() - shape.post);
    for (WideInteger& value : product) value = add(value, offset);
    reduce(product, data.job.modulus);
    Integers wanted = multiply(data.key, data.small[lane]);
    reduce(wanted, data.job.modulus);
    EXPECT_EQ(product, wanted) << "lane " << lane;
  }
}

TYPED_TEST(SmallAccelerator, RandomBackPressureLosesNothing) {
  const JobData data = this->full_job();
  for (std::size_t i = 0; i < test::scaled(10); ++i) {
    const Traffic traffic = random_gaps(this->rng_, 240, 240);
    Job job = data.job;
    job.rx_closed = static_cast<std::uint8_t>(this->rng_() % 200);
    job.tx_closed = static_cast<std::uint8_t>(this->rng_() % 200);
    job.hold = static_cast<std::uint32_t>(this->rng_() % 64);
    SCOPED_TRACE(::testing::Message() << "gaps " << traffic.in_gaps << ", " << traffic.out_gaps);
    expect_right(this->simulation_.run(job, data.input, traffic), data);
  }
  expect_right(this->simulation_.run(data.job, data.input, {.alternate = true}), data);
}

TYPED_TEST(SmallAccelerator, OnePauseAnywhereLosesNothing) {
  const JobData data = this->full_job();
  // All positions of the smallest accelerator; some of the others, all of them in the long run.
  const std::size_t most = test::scaled(150);
  for (const bool input : {true, false}) {
    const std::size_t bursts = input ? data.input.size() : data.output.size();
    const std::size_t step = std::max<std::size_t>(1, bursts / most);
    for (std::size_t at = this->rng_() % step; at < bursts; at += step) {
      for (const std::uint64_t pause : {1, 2, 3, 40}) {
        Traffic traffic;
        (input ? traffic.pause_in_at : traffic.pause_out_at) = at;
        traffic.pause = pause;
        SCOPED_TRACE(::testing::Message() << (input ? "in " : "out ") << at << " for " << pause);
        expect_right(this->simulation_.run(data.job, data.input, traffic), data);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(SmallAccelerator, AHostThatTakesNothingStopsTheInput) {
  const Shape& shape = this->simulation_.shape();
  const JobData data = this->full_job();
  const Traffic traffic{.pause_out_at = 0, .pause = 20000};
  const Outcome run = this->simulation_.run(data.job, data.input, traffic);
  expect_right(run, data);
  EXPECT_GE(run.first_out, traffic.pause);
  if (shape.out_bursts() > 4 * this->simulation_.buffer_depth()) {
    EXPECT_GT(run.rx_stalls, 10000u) << "the input did not wait for the output";
  }
}

TYPED_TEST(SmallAccelerator, ThrottlesItsStreams) {
  JobData data = this->full_job();
  data.job.rx_closed = 128;
  const Outcome slow_in = this->simulation_.run(data.job, data.input);
  expect_right(slow_in, data);
  EXPECT_NEAR(static_cast<double>(slow_in.input_cycles()),
              2.0 * static_cast<double>(data.input.size()), 4.0);
  data.job.rx_closed = 0;
  data.job.tx_closed = 192;
  const Outcome slow_out = this->simulation_.run(data.job, data.input);
  expect_right(slow_out, data);
  EXPECT_GE(slow_out.output_cycles(), 4 * data.output.size() - 8);
}

TYPED_TEST(SmallAccelerator, HoldGivesAnAnswerWithoutGaps) {
  const Shape& shape = this->simulation_.shape();
  JobData data = this->full_job();
  data.job.hold = static_cast<std::uint32_t>(std::min<std::size_t>(
      shape.out_bursts(), this->simulation_.buffer_depth() - shape.out_coeffs() * 5));
  const Outcome run = this->simulation_.run(data.job, data.input);
  expect_right(run, data);
  if (shape.out_polys() == 1) {
    EXPECT_EQ(run.output_cycles(), data.output.size());
  }
}

TEST(TinyAccelerator, TwoPausesAtEveryPairOfPlaces) {
  AcceleratorSimulation simulation(std::make_unique<VerilatedDevice<Vkaratsuba_tiny>>());
  std::mt19937_64 rng = test::make_rng();
  const JobData data = JobData::random(simulation.shape(), 120, 2, rng);
  for (std::size_t in = 0; in < data.input.size(); ++in) {
    for (std::size_t out = 0; out < data.output.size(); ++out) {
      const Traffic traffic{.pause_in_at = in, .pause_out_at = out, .pause = 1 + rng() % 30};
      SCOPED_TRACE(::testing::Message() << in << ", " << out << " for " << traffic.pause);
      expect_right(simulation.run(data.job, data.input, traffic), data);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace ringlet::hw
