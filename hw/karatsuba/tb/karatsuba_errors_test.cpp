// SPDX-License-Identifier: Apache-2.0
// Tests mistakes of a host: the status shows every error, and the next job is right.

#include "Vkaratsuba_shallow.h"
#include "Vkaratsuba_tiny.h"
#include "hw/karatsuba/tb/job_data.hpp"

namespace ringlet::hw {
namespace {

class AcceleratorErrors : public ::testing::Test {
 protected:
  AcceleratorErrors() : data_(JobData::random(simulation_.shape(), 125, 2, rng_)) {}

  void expect_failed(const Outcome& run, JobError error) {
    EXPECT_EQ(run.status.state, State::failed);
    EXPECT_EQ(run.status.error, error);
    EXPECT_FALSE(run.unstable);
  }
  void expect_next_job_right(const Traffic& traffic = {}) {
    expect_right(simulation_.run(data_.job, data_.input, traffic), data_);
  }
  /// Random pauses let errors meet every state of the pipeline.
  Traffic random_traffic() { return random_gaps(rng_, 128, 255); }

  AcceleratorSimulation simulation_{std::make_unique<VerilatedDevice<Vkaratsuba_tiny>>()};
  std::mt19937_64 rng_{test::make_rng()};
  JobData data_;
};

TEST_F(AcceleratorErrors, TruncatedStreams) {
  for (std::size_t length = 1; length < data_.input.size(); ++length) {
    for (const bool gaps : {false, true}) {
      SCOPED_TRACE(::testing::Message() << length << " bursts");
      std::vector<Burst> input(data_.input.begin(),
                               data_.input.begin() + static_cast<std::ptrdiff_t>(length));
      input.back().last = true;
      const Traffic traffic = gaps ? random_traffic() : Traffic{};
      expect_failed(simulation_.run(data_.job, input, traffic), JobError::truncated);
      expect_next_job_right(traffic);
    }
  }
}

TEST_F(AcceleratorErrors, StreamsThatAreTooLong) {
  for (std::size_t extra = 1; extra < 70; extra += 1 + extra / 4) {
    SCOPED_TRACE(::testing::Message() << extra << " bursts more");
    std::vector<Burst> input = data_.input;
    input.back().last = false;
    input.resize(input.size() + extra, data_.input.front());
    input.back().last = true;
    const Outcome run = simulation_.run(data_.job, input, random_traffic());
    expect_failed(run, JobError::too_long);
    EXPECT_EQ(run.sent, input.size()) << "the rest of the stream was not taken";
    expect_next_job_right();
  }
}

TEST_F(AcceleratorErrors, BurstsWithBitsThatMustBeZero) {
  struct Case {
    std::size_t at;
    unsigned slot, bit;
  };
  // Bits above the chunk, above the small coefficient and in the unused slots, and a small
  // coefficient in a burst of a lane that does not exist.
  for (const Case& wrong :
       {Case{0, 0, 27}, Case{7, 0, 31}, Case{3, 1, 2}, Case{21, 1, 31}, Case{12, 2, 0},
        Case{59, 3, 31}, Case{33, 3, 0}, Case{2, 1, 0}, Case{4, 1, 0}, Case{59, 1, 1}}) {
    SCOPED_TRACE(::testing::Message()
                 << "burst " << wrong.at << ", slot " << wrong.slot << ", bit " << wrong.bit);
    std::vector<Burst> input = data_.input;
    input[wrong.at].slots[wrong.slot] |= std::uint32_t{1} << wrong.bit;
    const Outcome run = simulation_.run(data_.job, input, random_traffic());
    expect_failed(run, JobError::malformed);
    EXPECT_EQ(run.sent, input.size());
    expect_next_job_right();
  }
}

TEST_F(AcceleratorErrors, ALaneThatTheJobDoesNotUse) {
  Job job = data_.job;
  job.encryptions = 1;
  expect_failed(simulation_.run(job, data_.input), JobError::malformed);
  expect_next_job_right();
}

TEST_F(AcceleratorErrors, KeysThatLeaveTheirChunks) {
  std::vector<Burst> input = data_.input;
  for (Burst& burst : input) burst.slots[0] = (std::uint32_t{1} << 27) - 1;
  expect_failed(simulation_.run(data_.job, input), JobError::overflow);
  expect_next_job_right();
}

TEST_F(AcceleratorErrors, JobsForAnotherAccelerator) {
  struct Case {
    Register address;
    std::uint32_t value;
    JobError error;
  };
  const auto too_much = static_cast<std::uint32_t>(simulation_.buffer_depth());
  for (const Case& wrong : {Case{Register::job_sub_polys, 729, JobError::shape},
                            Case{Register::job_sub_polys, 0, JobError::shape},
                            Case{Register::job_coeffs, 40, JobError::shape},
                            Case{Register::job_coeffs, 5, JobError::shape},
                            Case{Register::job_encryptions, 0, JobError::encryptions},
                            Case{Register::job_encryptions, 3, JobError::encryptions},
                            Case{Register::job_encryptions, 0xffffffff, JobError::encryptions},
                            Case{Register::job_hold, too_much, JobError::hold},
                            Case{Register::job_hold, 0xffffffff, JobError::hold}}) {
    SCOPED_TRACE(::testing::Message() << "register " << int(wrong.address) << ": " << wrong.value);
    simulation_.describe(data_.job);
    simulation_.write(wrong.address, wrong.value);
    const Outcome run = simulation_.stream(data_.input);
    expect_failed(run, wrong.error);
    EXPECT_EQ(run.sent, 0u);
    EXPECT_TRUE(run.output.empty());
    expect_next_job_right();
  }
}

TEST_F(AcceleratorErrors, ModuliOutOfRange) {
  const int bits = simulation_.shape().max_modulus_bits();
  std::vector<WideInteger> moduli{{0, 0, 0}, {1, 0, 0}};
  if (bits < 128) moduli.push_back({0, std::uint64_t{1} << (bits - 64), 0});
  for (const WideInteger& q : moduli) {
    Job job = data_.job;
    job.modulus = q;
    expect_failed(simulation_.run(job, data_.input), JobError::modulus);
    expect_next_job_right();
  }
}

TEST_F(AcceleratorErrors, CommandsDuringAJobAreRefused) {
  simulation_.describe(data_.job);
  simulation_.write(Register::command, kStart);
  simulation_.write(Register::modulus, 5);
  Status status = simulation_.status();
  EXPECT_EQ(status.state, State::running);
  EXPECT_TRUE(status.refused);
  // The running job goes on: the second start changes nothing but the mark.
  const Outcome run = simulation_.stream(data_.input);
  EXPECT_TRUE(run.status.refused);
  ASSERT_EQ(run.output, data_.output);
  expect_next_job_right();
  EXPECT_FALSE(simulation_.status().refused);
}

TEST_F(AcceleratorErrors, AbortsAnywhere) {
  for (std::size_t at = 0; at <= data_.input.size(); ++at) {
    SCOPED_TRACE(::testing::Message() << "before burst " << at);
    Traffic traffic = random_traffic();
    traffic.abort_at = at;
    const Outcome run = simulation_.run(data_.job, data_.input, traffic);
    expect_failed(run, JobError::aborted);
    // The card takes and discards the rest of the input.
    EXPECT_EQ(simulation_.status().state, State::failed);
    expect_next_job_right(traffic.out_gaps % 2 == 0 ? Traffic{} : random_traffic());
  }
}

TEST_F(AcceleratorErrors, BurstsAfterTheLastWaitForAnotherJob) {
  std::vector<Burst> input = data_.input;
  input.resize(input.size() + 10, data_.input.front());
  const Outcome outcome = simulation_.run(data_.job, input);
  EXPECT_EQ(outcome.status.state, State::done);
  EXPECT_EQ(outcome.sent, data_.input.size());
  EXPECT_EQ(outcome.output, data_.output);
  expect_next_job_right();
}

TEST_F(AcceleratorErrors, AnUnknownCommandDoesNothing) {
  simulation_.write(Register::command, 77);
  EXPECT_EQ(simulation_.status().state, State::idle);
  simulation_.write(Register::command, kAbort);
  EXPECT_EQ(simulation_.status().state, State::idle);
  EXPECT_EQ(simulation_.status().error, JobError::none);
  expect_next_job_right();
}

// An accelerator that answers while the input still comes: errors meet a full pipeline and a burst
// that the host has not taken.
TEST(AcceleratorErrorsWhileAnswering, TruncatedStreamsAndAborts) {
  AcceleratorSimulation simulation(std::make_unique<VerilatedDevice<Vkaratsuba_shallow>>());
  std::mt19937_64 rng = test::make_rng();
  const JobData data = JobData::random(simulation.shape(), 125, 1, rng);
  std::size_t answered = 0;
  for (std::size_t i = 0; i < test::scaled(60); ++i) {
    const std::size_t length = 1 + rng() % (data.input.size() - 1);
    SCOPED_TRACE(::testing::Message() << length << " bursts");
    Traffic traffic = random_gaps(rng, 64, 127);
    traffic.out_gaps += 128;
    std::vector<Burst> input = data.input;
    JobError error = JobError::aborted;
    if (i % 2 == 0) {
      input.resize(length);
      input.back().last = true;
      error = JobError::truncated;
    } else {
      traffic.abort_at = length;
    }
    const Outcome outcome = simulation.run(data.job, input, traffic);
    EXPECT_EQ(outcome.status.state, State::failed);
    EXPECT_EQ(outcome.status.error, error);
    EXPECT_FALSE(outcome.unstable);
    // The answer before the error is right.
    ASSERT_LE(outcome.output.size(), data.output.size());
    EXPECT_TRUE(std::equal(outcome.output.begin(), outcome.output.end(), data.output.begin()));
    answered += outcome.output.empty() ? 0 : 1;
    expect_right(simulation.run(data.job, data.input, {}), data);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(answered, test::scaled(60) / 4) << "too few errors came while the card answered";
}

}  // namespace
}  // namespace ringlet::hw
