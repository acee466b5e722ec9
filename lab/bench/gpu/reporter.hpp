// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/line.hpp"
#include "gpu/rows.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::bench {

/// Passes lines to a sink, and remembers wrong results: they end a measurement, but only after
/// everything else was measured.
class Reporter {
 public:
  explicit Reporter(Sink sink) : sink_(std::move(sink)) {}

  void say(const Object& line) const { sink_(line.text()); }
  void note(const std::string& text) const { say(Line("note").add("text", text)); }
  void progress(const std::string& text, std::size_t done, std::size_t total) const {
    say(Line("progress").add("text", text).add("done", done).add("total", total));
  }
  /// Reports a row that a device or this version does not compute, and why.
  void refuse(const std::string& part, const std::string& row, const ErrorInfo& error) const {
    say(Line("refused")
            .add("part", part)
            .add("row", row)
            .add("reason", error.offending() + "; " + error.limit()));
  }
  /// Runs check(), whose RuntimeError is a wrong result. Returns whether there was none.
  bool is_right(const std::string& part, const std::string& row,
                const std::function<void()>& check);
  /// @throws RuntimeError with the first wrong result, if there was one.
  void throw_if_wrong() const;

 private:
  Sink sink_;
  std::size_t wrong_count_ = 0;
  ErrorDetails first_wrong_;
};

/// A job that is timed again and again.
struct Job {
  std::function<double()> sample;  ///< Seconds.
  std::vector<double> seconds = {};
};

/// Adds a sample to every job, job after job, in each of `rounds` rounds, so that other work of
/// the machine disturbs all jobs alike.
template <typename Jobs>
void sample_in_turn(Jobs& jobs, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Job& job : jobs) job.seconds.push_back(job.sample());
  }
}

/// Returns how many calls fill a block of `block_seconds`, at least one.
inline std::size_t calls_for(double seconds, double block_seconds) {
  constexpr double kMostCalls = 10000;
  const double calls = std::ceil(block_seconds / std::max(seconds, 1e-9));
  return static_cast<std::size_t>(std::clamp(calls, 1.0, kMostCalls));
}

/// Returns one meter for each row that make(row) could make, and reports the other rows. Making a
/// meter compiles kernels: on CUDA rows are made in parallel, because NVRTC allows that; runtimes
/// of OpenCL take one program at a time anyway.
/// @throws OutOfDeviceMemory.
template <typename Meter, typename Row, typename Make>
std::vector<std::pair<const Row*, std::unique_ptr<Meter>>> make_meters(const Device& device,
                                                                       std::span<const Row> rows,
                                                                       const std::string& part,
                                                                       const Reporter& reporter,
                                                                       const Make& make) {
  const auto when = device.info().api == "cuda" ? std::launch::async : std::launch::deferred;
  std::vector<std::future<std::unique_ptr<Meter>>> futures;
  std::vector<const Row*> there;
  for (const Row& row : rows) {
    if (!changes_something(row, device)) continue;
    there.push_back(&row);
    futures.push_back(std::async(when, [&make, &row] { return make(row); }));
  }
  std::vector<std::pair<const Row*, std::unique_ptr<Meter>>> meters;
  for (std::size_t i = 0; i < there.size(); ++i) {
    try {
      meters.emplace_back(there[i], futures[i].get());
    } catch (const OutOfDeviceMemory&) {
      throw;
    } catch (const RuntimeError& error) {
      reporter.refuse(part, there[i]->title, error);
    } catch (const InvalidArgument& error) {
      reporter.refuse(part, there[i]->title, error);
    }
  }
  return meters;
}

}  // namespace ringlet::bench
