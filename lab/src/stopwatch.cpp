// SPDX-License-Identifier: Apache-2.0
#include "stopwatch.hpp"

#include "bindings/core/interrupts.hpp"

namespace ringlet::python {
namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Measures cycles per second by a chain of dependent additions, each of which takes one cycle on
// every processor of the last decades. The barrier keeps the compiler from folding the chain.
double measure_clock() {
  constexpr int kBlocks = 4096;
  constexpr int kAdditions = 32;
  std::uint64_t sum = 1;
  std::uint64_t term = 3;
  asm volatile("" : "+r"(term));
  const auto start = Clock::now();
  for (int block = 0; block < kBlocks; ++block) {
#pragma GCC unroll 32
    for (int i = 0; i < kAdditions; ++i) {
      sum += term;
      asm volatile("" : "+r"(sum));
    }
  }
  return kBlocks * kAdditions / nanoseconds_since(start) * 1e9;
}

}  // namespace

AlignedVector<std::uint64_t> make_words(std::size_t size, std::uint64_t end, std::uint64_t seed) {
  AlignedVector<std::uint64_t> words(size);
  std::uint64_t state = 0x9e3779b97f4a7c15U * seed;
  for (auto& word : words) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    // The low bits of such a sequence have short periods.
    word = state ^ (state >> 29U);
    if (end != 0) word %= end;
  }
  return words;
}

std::size_t Stopwatch::add(Job job) {
  entries_.push_back({std::move(job), 0, {}});
  return entries_.size() - 1;
}

// Ctrl-C ends the measurement between two blocks, where it disturbs none.
void Stopwatch::run(int rounds, double block_ns) {
  Interrupts interrupts;
  for (Entry& entry : entries_) {
    interrupts.check();
    if (entry.repetitions == 0) calibrate(entry, block_ns);
  }
  for (int round = 0; round < rounds; ++round) {
    for (Entry& entry : entries_) {
      interrupts.check();
      entry.job(1);  // fetches its data into the caches
      entry.times_ns.push_back(timed(entry.job, entry.repetitions));
    }
    clock_hz_.push_back(measure_clock());
  }
}

void Stopwatch::run_alone(int times, std::uint64_t warm_up, std::uint64_t calls) {
  Interrupts interrupts;
  for (Entry& entry : entries_) {
    for (int i = 0; i < times; ++i) {
      interrupts.check();
      entry.job(warm_up);
      entry.times_ns.push_back(timed(entry.job, calls));
    }
    clock_hz_.push_back(measure_clock());
  }
}

double Stopwatch::timed(const Job& job, std::uint64_t repetitions) {
  const auto start = Clock::now();
  job(repetitions);
  return nanoseconds_since(start) / static_cast<double>(repetitions);
}

// Blocks are long against the resolution of the clock.
void Stopwatch::calibrate(Entry& entry, double block_ns) {
  entry.job(1);
  const double once = std::max(timed(entry.job, 2), 1.0);
  entry.repetitions = static_cast<std::uint64_t>(std::max(1.0, std::ceil(block_ns / once)));
}

}  // namespace ringlet::python
