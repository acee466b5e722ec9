// SPDX-License-Identifier: Apache-2.0
#include "hw/karatsuba/tb/simulation.hpp"

#include <algorithm>
#include <utility>

#include "ringlet/base/error.hpp"

namespace ringlet::hw {
namespace {

constexpr unsigned kResetCycles = 4;
constexpr std::uint64_t kSilence = 100000;
constexpr std::uint64_t kGapScale = 256;
constexpr unsigned kModulusWords = 4;
constexpr std::size_t kHoldMargin = 16;

std::uint8_t byte_of(std::uint32_t word, unsigned index) {
  return static_cast<std::uint8_t>(word >> (8 * index));
}

Status status_of(std::uint32_t word) {
  Status status;
  status.state = static_cast<State>(word & 7);
  status.error = static_cast<JobError>((word >> 8) & 15);
  status.refused = ((word >> 16) & 1) != 0;
  return status;
}

bool is_over(const Status& status) {
  return status.state == State::done || status.state == State::failed;
}

}  // namespace

// The host's side of one job.
struct AcceleratorSimulation::Feed {
  const std::vector<Burst>& input;
  const Traffic& traffic;
  std::mt19937_64 random;
  Outcome run;
  std::uint64_t begin = 0;
  std::uint64_t last_progress = 0;
  std::uint64_t resume_in = 0, resume_out = 0;
  bool paused_in = false, paused_out = false;
  bool offered = false;
  Burst offer;

  bool gap(unsigned of_256) { return of_256 != 0 && random() % kGapScale < of_256; }
};

AcceleratorSimulation::AcceleratorSimulation(std::unique_ptr<Device> device)
    : device_(std::move(device)) {
  pins_.power_on = true;
  for (unsigned i = 0; i < kResetCycles; ++i) tick();
  pins_.power_on = false;
  tick();
  if (read(Register::identity) != kIdentity) {
    throw_runtime_error({"simulation of the accelerator", "another identity register",
                         "that of karatsuba_top", "simulate karatsuba_top"});
  }
  const std::uint32_t counts = read(Register::shape0);
  const std::uint32_t widths = read(Register::shape1);
  shape_.leaf = byte_of(counts, 0);
  shape_.software = byte_of(counts, 1);
  shape_.pre = byte_of(counts, 2);
  shape_.post = byte_of(counts, 3);
  shape_.chunk_bits = byte_of(widths, 0);
  shape_.chunks = byte_of(widths, 1);
  shape_.units = byte_of(widths, 2);
  shape_.lanes = byte_of(widths, 3);
  buffer_depth_ = read(Register::buffer_depth);
}

void AcceleratorSimulation::tick() {
  device_->tick(pins_);
  ++ticks_;
}

std::uint32_t AcceleratorSimulation::read(Register address, unsigned offset) {
  pins_.host_address = static_cast<std::uint8_t>(static_cast<unsigned>(address) + offset);
  tick();
  return pins_.host_read_data;
}

void AcceleratorSimulation::write(Register address, std::uint32_t value, unsigned offset) {
  pins_.host_address = static_cast<std::uint8_t>(static_cast<unsigned>(address) + offset);
  pins_.host_write_data = value;
  pins_.host_write = true;
  tick();
  pins_.host_write = false;
}

Status AcceleratorSimulation::status() { return status_of(read(Register::status)); }

void AcceleratorSimulation::describe(const Job& job) {
  write(Register::job_sub_polys, static_cast<std::uint32_t>(shape_.sub_polys()));
  write(Register::job_coeffs, static_cast<std::uint32_t>(shape_.coeffs()));
  write(Register::job_encryptions, static_cast<std::uint32_t>(job.encryptions));
  write(Register::job_hold, job.hold);
  write(Register::rx_closed, job.rx_closed);
  write(Register::tx_closed, job.tx_closed);
  for (unsigned word = 0; word < kModulusWords; ++word) {
    write(Register::modulus, static_cast<std::uint32_t>(job.modulus[word / 2] >> (32 * (word % 2))),
          word);
  }
}

void AcceleratorSimulation::drive_input(Feed& feed) {
  const Traffic& traffic = feed.traffic;
  const std::uint64_t now = ticks_ - feed.begin;
  // A burst that was offered stays until it is taken.
  if (pins_.in_valid) return;
  const std::size_t at = feed.run.sent;
  if (at >= feed.input.size()) return;
  if (at == traffic.pause_in_at && !feed.paused_in) {
    feed.paused_in = true;
    feed.resume_in = now + traffic.pause;
  }
  if (now < feed.resume_in || feed.gap(traffic.in_gaps)) return;
  if (traffic.alternate && now % 2 != 0) return;
  pins_.in_valid = true;
  pins_.in_data = feed.input[at].slots;
  pins_.in_last = feed.input[at].last;
}

void AcceleratorSimulation::drive_output(Feed& feed) {
  const Traffic& traffic = feed.traffic;
  const std::uint64_t now = ticks_ - feed.begin;
  if (feed.run.output.size() == traffic.pause_out_at && !feed.paused_out) {
    feed.paused_out = true;
    feed.resume_out = now + traffic.pause;
  }
  pins_.out_ready =
      now >= feed.resume_out && !feed.gap(traffic.out_gaps) && !(traffic.alternate && now % 2 == 0);
}

void AcceleratorSimulation::collect(Feed& feed) {
  Outcome& run = feed.run;
  const std::uint64_t now = ticks_ - feed.begin;
  const bool sends = pins_.in_valid && pins_.in_ready;
  const bool takes = pins_.out_valid && pins_.out_ready;
  const Burst offer{pins_.out_data, pins_.out_last};
  if (feed.offered && (!pins_.out_valid || offer != feed.offer)) run.unstable = true;
  feed.offered = pins_.out_valid && !takes;
  feed.offer = offer;
  if (takes) {
    if (run.output.empty()) run.first_out = now;
    run.last_out = now;
    run.output.push_back(offer);
  }
  if (sends) {
    if (run.sent == 0) run.first_in = now;
    run.last_in = now;
    ++run.sent;
  }
  if (sends || takes) feed.last_progress = ticks_;
  tick();
  if (sends) pins_.in_valid = false;
}

Outcome AcceleratorSimulation::stream(const std::vector<Burst>& input, const Traffic& traffic) {
  Feed feed{input, traffic, std::mt19937_64(traffic.seed), {}, 0, 0, 0, 0, false, false, false, {}};
  feed.run.output.reserve(shape_.out_bursts());
  write(Register::command, kStart);
  feed.begin = ticks_;
  feed.last_progress = ticks_;
  feed.run.status = status();
  bool aborted = false;
  while (!is_over(feed.run.status)) {
    drive_input(feed);
    drive_output(feed);
    if (!aborted && feed.run.sent == traffic.abort_at) {
      pins_.host_write = aborted = true;
      pins_.host_write_data = kAbort;
      pins_.host_address = static_cast<std::uint8_t>(Register::command);
    }
    collect(feed);
    pins_.host_write = false;
    pins_.host_address = static_cast<std::uint8_t>(Register::status);
    feed.run.status = status_of(pins_.host_read_data);
    if (ticks_ - feed.last_progress > kSilence + traffic.pause) {
      throw_runtime_error({"simulation of the accelerator", "no burst moves",
                           "100000 cycles without one", "look at the state of the device"});
    }
  }
  pins_.in_valid = false;
  pins_.out_ready = false;
  feed.run.status = status();
  read_counters(feed.run);
  return std::move(feed.run);
}

void AcceleratorSimulation::read_counters(Outcome& run) {
  run.cycles = read(Register::cycles);
  run.rx_bursts = read(Register::rx_bursts);
  run.tx_bursts = read(Register::tx_bursts);
  run.products = read(Register::products);
  run.busy_cycles = read(Register::busy_cycles);
  run.rx_stalls = read(Register::rx_stalls);
  run.tx_stalls = read(Register::tx_stalls);
}

Outcome AcceleratorSimulation::run(const Job& job, const std::vector<Burst>& input,
                                   const Traffic& traffic) {
  describe(job);
  return stream(input, traffic);
}

std::uint32_t hold_for_gapless_output(const Shape& shape) {
  // A product of `burst` bursts is made every `period` cycles. Without a gap, the last one may be
  // sent while it is made: by then the stream is (period - burst) * (products - 1) late.
  const std::size_t products = shape.out_polys();
  const std::size_t bursts = shape.out_bursts() / products;
  const std::size_t period = shape.in_bursts() / products;
  if (period <= bursts) return static_cast<std::uint32_t>(kHoldMargin);
  const std::size_t late = (period - bursts) * (products - 1);
  return static_cast<std::uint32_t>(late / period * bursts + std::min(late % period, bursts) +
                                    kHoldMargin);
}

}  // namespace ringlet::hw
