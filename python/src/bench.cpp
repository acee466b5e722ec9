// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arguments.hpp"
#include "bindings.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/error.hpp"
#include "ringlet/ntt.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Times of one kernel at one degree and modulus, one entry per round.
struct NttTiming {
  std::string kernel;
  std::vector<double> forward_ns;
  std::vector<double> inverse_ns;
};

struct NttMeasurement {
  std::vector<NttTiming> timings;
  std::vector<double> clock_hz;  // one entry per round
};

// Cycles per second from a chain of dependent additions, each of which takes one cycle on every
// processor of the last decades. The barrier keeps the compiler from folding the chain.
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

// A plan and its buffer, run in blocks that are long against the resolution of the clock.
class Candidate {
 public:
  Candidate(std::size_t degree, const Modulus& q, const std::string& kernels)
      : plan_(degree, q, KernelSelection(kernels)), values_(degree) {
    std::uint64_t state = 0x9e3779b97f4a7c15U;
    for (auto& value : values_) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      value = q.reduce(state);
    }
  }

  const Ntt& plan() const { return plan_; }

  template <bool kForward>
  double run(std::uint64_t repetitions) {
    const std::span<std::uint64_t> values(values_);
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < repetitions; ++i) {
      if constexpr (kForward) {
        plan_.forward(values);
      } else {
        plan_.inverse(values);
      }
    }
    return nanoseconds_since(start) / static_cast<double>(repetitions);
  }

  void calibrate(double block_ns) {
    run<true>(2);
    run<false>(2);
    forward_repetitions_ = repetitions(block_ns, run<true>(4));
    inverse_repetitions_ = repetitions(block_ns, run<false>(4));
  }

  double forward_round() { return run<true>(forward_repetitions_); }
  double inverse_round() { return run<false>(inverse_repetitions_); }

 private:
  static std::uint64_t repetitions(double block_ns, double one_ns) {
    return static_cast<std::uint64_t>(std::max(1.0, std::ceil(block_ns / one_ns)));
  }

  Ntt plan_;
  AlignedVector<std::uint64_t> values_;
  std::uint64_t forward_repetitions_ = 1;
  std::uint64_t inverse_repetitions_ = 1;
};

// Every round runs one block of every candidate, so that a slow spell of the machine meets all of
// them alike.
NttMeasurement measure(std::vector<Candidate>& candidates, int rounds, double block_ns) {
  NttMeasurement result;
  for (auto& candidate : candidates) {
    candidate.calibrate(block_ns);
    result.timings.push_back({candidate.plan().kernel_name(), {}, {}});
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      result.timings[i].forward_ns.push_back(candidates[i].forward_round());
      result.timings[i].inverse_ns.push_back(candidates[i].inverse_round());
    }
    result.clock_hz.push_back(measure_clock());
  }
  return result;
}

NttMeasurement measure_ntt(const Integer& degree, const Integer& modulus,
                           const std::vector<std::string>& kernels, const Integer& rounds,
                           double block_us) {
  const char* operation = "measure_ntt";
  const std::size_t n = degree.word(operation, "degree");
  const Modulus q(modulus.word(operation, "modulus"));
  const int count = rounds.number(operation, "rounds");
  constexpr double kShortestBlock = 200;
  constexpr double kLongestBlock = 1e6;
  if (count < 1) {
    throw_invalid_argument(
        {operation, "rounds = " + std::to_string(count), "rounds >= 1", "ask for 1 or more"});
  }
  if (!(block_us >= kShortestBlock && block_us <= kLongestBlock)) {
    throw_invalid_argument({operation, "block_us = " + std::to_string(block_us),
                            "200 <= block_us <= 1000000",
                            "use blocks that are long against the clock's resolution"});
  }
  const nb::gil_scoped_release unlocked;
  std::vector<Candidate> candidates;
  candidates.reserve(kernels.size());
  for (const auto& kernel : kernels) candidates.emplace_back(n, q, kernel);
  return measure(candidates, count, block_us * 1e3);
}

}  // namespace

void bind_bench(nb::module_& module) {
  nb::class_<NttTiming>(module, "NttTiming", "Times of one kernel, one entry per round.")
      .def_ro("kernel", &NttTiming::kernel, "\"table/algorithm\" of what ran.")
      .def_ro("forward_ns", &NttTiming::forward_ns, "Nanoseconds per forward transform.")
      .def_ro("inverse_ns", &NttTiming::inverse_ns, "Nanoseconds per inverse transform.");
  nb::class_<NttMeasurement>(module, "NttMeasurement", "Kernels measured against each other.")
      .def_ro("timings", &NttMeasurement::timings, "One entry per kernel.")
      .def_ro("clock_hz", &NttMeasurement::clock_hz,
              "Cycles per second, measured once per round by a chain of dependent additions.");
  module.def("measure_ntt", &measure_ntt, "degree"_a, "modulus"_a, "kernels"_a, "rounds"_a = 100,
             "block_us"_a = 300.0,
             "Times in-place transforms with outputs in [0, q). Each round runs a block of every "
             "kernel.\n`kernels` are selections such as \"scalar64/radix2\".");
}

}  // namespace ringlet::python
