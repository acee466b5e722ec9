// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/base/aligned.hpp"

namespace ringlet::python {

/// Values in [0, end), or any words if end is 0; the same for the same seed.
AlignedVector<std::uint64_t> make_words(std::size_t size, std::uint64_t end, std::uint64_t seed);

/// Times jobs against each other: every round runs one block of every job, so that a slow phase of
/// the machine meets all of them.
class Stopwatch {
 public:
  /// Runs a job `repetitions` times.
  using Job = std::function<void(std::uint64_t repetitions)>;

  /// Adds a job and returns its index.
  std::size_t add(Job job);
  std::size_t size() const { return entries_.size(); }

  /// Runs `rounds` more rounds of blocks, each of at least `block_ns` nanoseconds.
  /// @throws nanobind::python_error KeyboardInterrupt at Ctrl-C, as run_alone does too.
  void run(int rounds, double block_ns);

  /// Runs one job after the other: `times` times `warm_up` calls and then `calls` in one block.
  /// Measures the clock after each job.
  void run_alone(int times, std::uint64_t warm_up, std::uint64_t calls);

  /// Nanoseconds per call of a job, one entry per round.
  const std::vector<double>& times_ns(std::size_t index) const { return entries_[index].times_ns; }
  /// Cycles per second, measured once per round by a chain of dependent additions.
  const std::vector<double>& clock_hz() const { return clock_hz_; }

 private:
  struct Entry {
    Job job;
    std::uint64_t repetitions;
    std::vector<double> times_ns;
  };

  static double timed(const Job& job, std::uint64_t repetitions);
  static void calibrate(Entry& entry, double block_ns);

  std::vector<Entry> entries_;
  std::vector<double> clock_hz_;
};

}  // namespace ringlet::python
