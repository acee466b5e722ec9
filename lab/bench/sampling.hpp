// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include "in_turn.hpp"
#include "ringlet/arith/modulus.hpp"

namespace ringlet::bench {

/// Every available kernel of an operation is benchmarked at primes of these widths.
inline constexpr int kPrimeBits[] = {30, 49, 60};
/// Lengths, from one that fits the first-level cache to one that does not.
inline constexpr std::size_t kDegrees[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};

/// Residues modulo q that are the same on every run.
inline void fill(std::span<std::uint64_t> values, const Modulus& q, std::uint64_t seed) {
  std::uint64_t state = seed;
  for (auto& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = q.reduce(state);
  }
}

/// The duration of a block in microseconds.
inline constexpr double kBlockMicroseconds = 200;

/// Reports the fastest and the median block, per operation and in the benchmark's time unit
/// (microseconds), as the counters `min` and `median` next to Google Benchmark's mean.
inline void report(benchmark::State& state, std::vector<double> samples) {
  if (samples.empty()) return;
  std::sort(samples.begin(), samples.end());
  state.counters["min"] = samples.front();
  state.counters["median"] = samples[samples.size() / 2];
}

/// Runs `operation` in blocks and reports them.
template <typename Operation>
void run_in_blocks(benchmark::State& state, const Operation& operation) {
  const benchmark::IterationCount count = calls_per_block(operation, kBlockMicroseconds);
  std::vector<double> samples;
  while (state.KeepRunningBatch(count)) samples.push_back(time_block(operation, count));
  report(state, samples);
}

/// The same, with a block of `other` after each block of `operation`, so that disturbances of the
/// machine meet both. The fastest block of `other` is the counter `separate`, and `ratio` is
/// separate / min.
template <typename Operation, typename Other>
void run_in_turns(benchmark::State& state, const Operation& operation, const Other& other) {
  const benchmark::IterationCount count = calls_per_block(operation, kBlockMicroseconds);
  const benchmark::IterationCount other_count = calls_per_block(other, kBlockMicroseconds);
  std::vector<double> samples;
  std::vector<double> others;
  while (state.KeepRunningBatch(count)) {
    samples.push_back(time_block(operation, count));
    others.push_back(time_block(other, other_count));
  }
  report(state, samples);
  if (others.empty()) return;
  state.counters["separate"] = *std::min_element(others.begin(), others.end());
  state.counters["ratio"] = state.counters["separate"] / state.counters["min"];
}

/// Registers a benchmark in microseconds.
template <typename Body>
void register_benchmark(const std::string& name, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMicrosecond);
}

/// Runs the registered benchmarks; returns the exit status of the program.
inline int run_all(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace ringlet::bench
