// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

// Two operations timed in turn, block by block, so that what the machine does meanwhile meets both
// alike; and what came out in the layout of Google Benchmark.

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

/// Calls that fill a block of so many microseconds, long against the clock's resolution; at least
/// one.
template <typename Operation>
std::int64_t calls_per_block(const Operation& operation, double block_microseconds) {
  time_block(operation, 2);
  const double one = std::max(time_block(operation, 4), 1e-6);
  return static_cast<std::int64_t>(std::max(1.0, std::ceil(block_microseconds / one)));
}

/// One of two operations: what is timed and how long its calls took, in microseconds.
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

  /// `counters` are further members, such as "\"ratio\": 1.5".
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

}  // namespace ringlet::bench
