// SPDX-License-Identifier: Apache-2.0
#include "hw/karatsuba/model/link.hpp"

#include "support/test.hpp"

namespace ringlet::hw {
namespace {

constexpr std::uint64_t kInputBursts = 145800;
constexpr std::uint64_t kOutputBursts = 129195;

LinkModel link_at(double mebibytes_per_second) {
  LinkModel link;
  link.mebibytes_per_second = mebibytes_per_second;
  return link;
}

TEST(Link, ReproducesThePaper) {
  EXPECT_EQ(kInputBursts * kBurstBytes, 2332800U);
  EXPECT_NEAR(microseconds_of_cycles(kInputBursts), 583.2, 1e-9);
  EXPECT_NEAR(microseconds_of_cycles(123019), 492.0, 0.1);
  EXPECT_NEAR(microseconds_of_cycles(kOutputBursts), 517.0, 0.3);
  EXPECT_NEAR(transfer_microseconds(link_at(3000), 2332800), 741.6, 0.05);
  EXPECT_NEAR(transfer_microseconds(link_at(2000), 2332800), 1112.4, 0.05);
}

TEST(Link, CountsLatencyAndPackets) {
  LinkModel link = link_at(1);
  EXPECT_EQ(transfer_microseconds(link, 0), 0);
  EXPECT_DOUBLE_EQ(transfer_microseconds(link, 1048576), 1e6);
  link.latency_us = 7;
  EXPECT_EQ(transfer_microseconds(link, 0), 0);
  EXPECT_DOUBLE_EQ(transfer_microseconds(link, 1048576), 1e6 + 7);
  link.packet_payload_bytes = 256;
  link.packet_overhead_bytes = 24;
  EXPECT_EQ(wire_bytes(link, 0), 0U);
  EXPECT_EQ(wire_bytes(link, 1), 25U);
  EXPECT_EQ(wire_bytes(link, 256), 280U);
  EXPECT_EQ(wire_bytes(link, 257), 305U);
  EXPECT_DOUBLE_EQ(transfer_microseconds(link, 1048576), 1e6 * (280.0 / 256) + 7);
}

TEST(Link, OverlapsTransfersAndComputation) {
  LinkModel link = link_at(3000);
  CardRun run{.input_bytes = kInputBursts * kBurstBytes,
              .output_bytes = kOutputBursts * kBurstBytes,
              .cycles = kInputBursts,
              .overlapped = true};
  const CardTime time = run_time(link, run);
  EXPECT_DOUBLE_EQ(time.total_us, time.input_us);
  EXPECT_GT(time.input_us, time.output_us);

  link.full_duplex = false;
  EXPECT_DOUBLE_EQ(run_time(link, run).total_us, time.input_us + time.output_us);
  run.overlapped = false;
  EXPECT_DOUBLE_EQ(run_time(link, run).total_us, time.input_us + time.compute_us + time.output_us);
  link.full_duplex = true;
  EXPECT_DOUBLE_EQ(run_time(link, run).total_us, time.input_us + time.compute_us + time.output_us);

  run.overlapped = true;
  run.cycles = 10 * kInputBursts;
  EXPECT_DOUBLE_EQ(run_time(link, run).total_us, 5832.0);
  EXPECT_DOUBLE_EQ(run_time(link, run, 2 * kClockHz).total_us, 2916.0);
}

TEST(Link, RefusesWhatIsNoLink) {
  EXPECT_THROW(transfer_microseconds(link_at(0), 1), InvalidArgument);
  EXPECT_THROW(transfer_microseconds(link_at(-1), 1), InvalidArgument);
  EXPECT_THROW(transfer_microseconds(link_at(std::numeric_limits<double>::quiet_NaN()), 1),
               InvalidArgument);
  LinkModel link;
  link.latency_us = -1;
  EXPECT_THROW(transfer_microseconds(link, 1), InvalidArgument);
  link.latency_us = 0;
  link.packet_overhead_bytes = 24;
  EXPECT_THROW(transfer_microseconds(link, 1), InvalidArgument);
  EXPECT_THROW(run_time(LinkModel{}, CardRun{}, 0), InvalidArgument);
}

}  // namespace
}  // namespace ringlet::hw
