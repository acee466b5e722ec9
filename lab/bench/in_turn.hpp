// SPDX-License-Identifier: Apache-2.0
#pragma once

// Times two operations in turn, block by block, so that disturbances of the machine meet both.
// Writes results in the layout of Google Benchmark.

#include "standard.hpp"

namespace ringlet::bench {

/// Microseconds per call of `operation`, over `count` calls.
template <typename Operation>
double time_block(const Operation& operation, std::int64_t count) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < count; ++i) operation();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() /
         static_cast<double>(count);
}

/// The number of calls, at least one, that fill a block of `microseconds`; a block is long against
/// the clock's resolution.
template <typename Operation>
std::int64_t calls_per_block(const Operation& operation, double block_microseconds) {
  time_block(operation, 2);
  const double one = std::max(time_block(operation, 4), 1e-6);
  return static_cast<std::int64_t>(std::max(1.0, std::ceil(block_microseconds / one)));
}

/// One of two operations, with its name and the times of its calls in microseconds.
struct Side {
  std::string name;
  std::function<void()> run;
  std::vector<double> samples = {};

  double min() const { return *std::min_element(samples.begin(), samples.end()); }
  double median() const {
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

/// Adds `blocks` samples to both sides, in turn.
inline void time_in_turn(Side& a, Side& b, int blocks, double block_microseconds) {
  const std::int64_t a_calls = calls_per_block(a.run, block_microseconds);
  const std::int64_t b_calls = calls_per_block(b.run, block_microseconds);
  for (int i = 0; i < blocks; ++i) {
    a.samples.push_back(time_block(a.run, a_calls));
    b.samples.push_back(time_block(b.run, b_calls));
  }
}

/// Entries in the layout of Google Benchmark, with `min` and `median` in microseconds.
class JsonEntries {
 public:
  std::size_t size() const { return entries_.size(); }

  /// Adds an entry; `counters` are further members, such as "\"ratio\": 1.5".
  void add(const std::string& name, const Side& side, const std::string& counters) {
    const std::string median = std::to_string(side.median());
    entries_.push_back("    {\"name\": \"" + name + "\", \"run_type\": \"iteration\", " +
                       "\"iterations\": " + std::to_string(side.samples.size()) +
                       ", \"real_time\": " + median + ", \"cpu_time\": " + median +
                       ", \"time_unit\": \"us\", \"min\": " + std::to_string(side.min()) +
                       ", \"median\": " + median + ", " + counters + "}");
  }

  /// `context` holds the members of the file's context.
  /// @throws std::runtime_error if the file cannot be written.
  void write(const std::string& path, const std::string& context) const {
    std::ofstream file(path);
    file << "{\n  \"context\": {" << context << "},\n  \"benchmarks\": [\n";
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      file << entries_[i] << (i + 1 < entries_.size() ? ",\n" : "\n");
    }
    file << "  ]\n}\n";
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
  }

 private:
  std::vector<std::string> entries_;
};

/// Rows of two sides timed in turn, with a target for how many times as fast the first one is.
class ComparedRows {
 public:
  struct Setting {
    std::string what;  ///< The prefix of the entries' names.
    std::string filter;
    std::string json_file;
    int blocks;
    double block_microseconds;
    int retries = 0;  ///< Repetitions for a row that misses its target.
  };

  explicit ComparedRows(Setting setting) : setting_(std::move(setting)) {
    std::printf("%-36s %-22s %10s %10s  %-22s %10s %10s  %6s %6s  %6s\n", "microseconds", "kernel",
                "min", "median", "baseline", "min", "median", "min/", "median/", "target");
  }

  bool wants(const std::string& row) const {
    return row.find(setting_.filter) != std::string::npos;
  }

  /// Compares two sides; no target if `target` is 0. `more(side)` gives further JSON members.
  void compare(const std::string& row, Side kernel, Side baseline, double target,
               const std::function<std::string(const Side&)>& more = nullptr) {
    if (!wants(row)) return;
    const auto ratio = [&] { return baseline.min() / kernel.min(); };
    for (int i = 0; i == 0 || (i <= setting_.retries && ratio() < target); ++i) {
      time_in_turn(kernel, baseline, setting_.blocks, setting_.block_microseconds);
    }
    const bool missed = ratio() < target;
    missed_ += missed ? 1 : 0;
    std::printf("%-36s %-22s %10.3f %10.3f  %-22s %10.3f %10.3f  %6.3f %6.3f ", row.c_str(),
                kernel.name.c_str(), kernel.min(), kernel.median(), baseline.name.c_str(),
                baseline.min(), baseline.median(), ratio(), baseline.median() / kernel.median());
    target == 0 ? std::printf("%6s", "-")
                : std::printf("%6.2f  %s", target, missed ? "MISSED" : "met");
    std::puts(more ? ("  " + more(kernel) + " against " + more(baseline)).c_str() : "");
    std::fflush(stdout);
    for (const Side* side : {&kernel, &baseline}) {
      entries_.add(setting_.what + "/" + row + "/" + side->name, *side,
                   (more ? more(*side) + ", " : "") + "\"ratio\": " + std::to_string(ratio()) +
                       ", \"target\": " + std::to_string(target));
    }
  }

  /// Returns the exit status. `context` holds the members of the file's context.
  int finish(const std::string& context = "") const {
    std::printf("targets missed: %d\n", missed_);
    if (!setting_.json_file.empty()) entries_.write(setting_.json_file, context);
    return missed_ == 0 ? 0 : 1;
  }

 private:
  Setting setting_;
  JsonEntries entries_;
  int missed_ = 0;
};

}  // namespace ringlet::bench
