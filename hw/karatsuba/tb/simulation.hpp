// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "hw/karatsuba/model/golden.hpp"
#include "hw/karatsuba/model/shape.hpp"
#include "hw/karatsuba/tb/device.hpp"

namespace ringlet::hw {

/// Addresses of the registers, in words of 32 bits (README.md).
enum class Register : std::uint8_t {
  identity = 0,
  shape0 = 1,
  shape1 = 2,
  sub_polys = 3,
  coeffs = 4,
  out_polys = 5,
  out_coeffs = 6,
  max_modulus_bits = 7,
  command = 8,
  status = 9,
  job_sub_polys = 10,
  job_coeffs = 11,
  job_encryptions = 12,
  job_hold = 13,
  rx_closed = 14,
  tx_closed = 15,
  modulus = 16,
  buffer_depth = 20,
  cycles = 24,
  rx_bursts = 25,
  tx_bursts = 26,
  products = 27,
  busy_cycles = 28,
  rx_stalls = 29,
  tx_stalls = 30,
};

inline constexpr std::uint32_t kIdentity = 0x4b415241;
inline constexpr std::uint32_t kStart = 1;
inline constexpr std::uint32_t kAbort = 2;

enum class State : std::uint8_t { idle = 0, running = 1, done = 2, failed = 3, draining = 4 };

enum class JobError : std::uint8_t {
  none = 0,
  shape = 1,
  encryptions = 2,
  modulus = 3,
  hold = 4,
  truncated = 5,
  too_long = 6,
  malformed = 7,
  overflow = 8,
  aborted = 9,
};

struct Status {
  State state = State::idle;
  JobError error = JobError::none;
  /// A command or description came while a job ran, and was ignored.
  bool refused = false;
};

/// A job as the host describes it.
struct Job {
  WideInteger modulus{};
  int encryptions = 4;
  /// Bursts of the answer that wait in the buffer before the first is sent.
  std::uint32_t hold = 0;
  /// Cycles of 256 in which the card shuts its streams: a slower link.
  std::uint8_t rx_closed = 0;
  std::uint8_t tx_closed = 0;
};

inline constexpr std::size_t kNowhere = ~std::size_t{0};

/// The behaviour of the host's two ends.
struct Traffic {
  std::uint64_t seed = 0;
  /// Cycles of 256, at random, in which the host has no burst, and in which it takes none.
  unsigned in_gaps = 0;
  unsigned out_gaps = 0;
  /// A pause of this many cycles before the burst of that number, on either side.
  std::size_t pause_in_at = kNowhere;
  std::size_t pause_out_at = kNowhere;
  std::uint64_t pause = 0;
  /// Input in even cycles, output in odd ones.
  bool alternate = false;
  /// The host sends kAbort before the burst of that number.
  std::size_t abort_at = kNowhere;
};

/// What happened in one job. Cycle numbers count from the start command.
struct Outcome {
  Status status;
  std::vector<Burst> output;
  std::uint64_t first_in = 0, last_in = 0, first_out = 0, last_out = 0;
  /// Bursts that were sent to the card, before and after an error.
  std::size_t sent = 0;
  /// An offered burst changed or vanished before it was taken.
  bool unstable = false;
  /// Counters of the card.
  std::uint32_t cycles = 0, rx_bursts = 0, tx_bursts = 0, products = 0, busy_cycles = 0;
  std::uint32_t rx_stalls = 0, tx_stalls = 0;

  /// Cycles from the first to the last burst of each stream, both included.
  std::uint64_t input_cycles() const { return last_in - first_in + 1; }
  std::uint64_t output_cycles() const { return last_out - first_out + 1; }
  /// Share of the job's cycles in which a multiplier works.
  double multiplier_use(const Shape& shape) const {
    return static_cast<double>(busy_cycles) / shape.units / static_cast<double>(cycles);
  }
};

/// Drives a simulated accelerator as a host would: registers, one stream in, one out.
class AcceleratorSimulation {
 public:
  /// Resets the device. @throws RuntimeError if it does not identify itself as one.
  explicit AcceleratorSimulation(std::unique_ptr<Device> device);

  const Shape& shape() const noexcept { return shape_; }
  std::uint32_t buffer_depth() const noexcept { return buffer_depth_; }
  /// Cycles simulated so far.
  std::uint64_t ticks() const noexcept { return ticks_; }

  std::uint32_t read(Register address, unsigned offset = 0);
  void write(Register address, std::uint32_t value, unsigned offset = 0);
  Status status();

  /// Describes a job and its shape, as this accelerator has it, without starting it.
  void describe(const Job& job);
  /// Starts the described job; then streams `input` in and the answer out until the job is over.
  /// @throws RuntimeError if for a long time nothing happens.
  Outcome stream(const std::vector<Burst>& input, const Traffic& traffic = {});
  /// describe() and stream().
  Outcome run(const Job& job, const std::vector<Burst>& input, const Traffic& traffic = {});

 private:
  struct Feed;
  void tick();
  void drive_input(Feed& feed);
  void drive_output(Feed& feed);
  void collect(Feed& feed);
  void read_counters(Outcome& run);

  std::unique_ptr<Device> device_;
  Pins pins_;
  Shape shape_;
  std::uint32_t buffer_depth_ = 0;
  std::uint64_t ticks_ = 0;
};

/// Bursts that must wait in the buffer so that the answer leaves without a gap, if the input has
/// none. The answer is made at the pace of the input: without these bursts the sender would wait.
std::uint32_t hold_for_gapless_output(const Shape& shape);

}  // namespace ringlet::hw
