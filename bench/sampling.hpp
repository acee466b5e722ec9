// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "ringlet/modulus.hpp"

namespace ringlet::bench {

/// Every available kernel of an operation is benchmarked at primes of these widths.
inline constexpr int kPrimeBits[] = {30, 49, 60};
/// Lengths, from one that stays in the first cache to one that does not.
inline constexpr std::size_t kDegrees[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};

/// Residues modulo q that are the same on every run.
inline void fill(std::span<std::uint64_t> values, const Modulus& q, std::uint64_t seed) {
  std::uint64_t state = seed;
  for (auto& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = q.reduce(state);
  }
}

/// Runs `operation` in blocks that are long against the clock's resolution and reports the fastest
/// and the median block, per operation and in the benchmark's time unit (microseconds), as the
/// counters `min` and `median` next to Google Benchmark's mean.
template <typename Operation>
void run_in_blocks(benchmark::State& state, const Operation& operation) {
  using Clock = std::chrono::steady_clock;
  const auto time_block = [&](benchmark::IterationCount count) {
    const auto start = Clock::now();
    for (benchmark::IterationCount i = 0; i < count; ++i) operation();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count() /
           static_cast<double>(count);
  };
  constexpr double kBlockMicroseconds = 200;
  time_block(2);
  const double one = time_block(4);
  const auto count =
      static_cast<benchmark::IterationCount>(std::max(1.0, std::ceil(kBlockMicroseconds / one)));
  std::vector<double> samples;
  while (state.KeepRunningBatch(count)) samples.push_back(time_block(count));
  if (samples.empty()) return;
  std::sort(samples.begin(), samples.end());
  state.counters["min"] = samples.front();
  state.counters["median"] = samples[samples.size() / 2];
}

/// Registers a benchmark in microseconds.
template <typename Body>
void register_benchmark(const std::string& name, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMicrosecond);
}

/// Runs what was registered; returns the exit status of the program.
inline int run_all(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace ringlet::bench
