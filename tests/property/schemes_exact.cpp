// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/circuit_run.hpp"
#include "support/exact_circuit_products.hpp"

// Random circuits of BFV and BGV against polynomials modulo X^N + 1 and t by FLINT, and against
// slots one by one. A bound of the noise decides when a circuit ends, at the largest depth that the
// parameters allow; the noise budget is checked against it.

namespace ringlet::test {
namespace {

constexpr std::size_t kToySets = 24;

void run_circuits(const char* test, SchemeType scheme) {
  CircuitRun run(test, static_cast<std::uint64_t>(scheme));
  std::mt19937_64 rng(run.key_part() | static_cast<std::uint64_t>(scheme));
  const auto circuit = [&](const CircuitBench& bench, std::uint64_t seed) {
    ExactCircuit one(bench, seed, run.statistics(), run.is_single());
    const std::size_t degree = bench.context.ring().degree();
    one.run(degree > 8192 ? 6 : degree > 4096 ? 8 : degree > 1024 ? 12 : 30);
  };
  run(secure_exact_sets(scheme), toy_exact_sets(scheme, kToySets, rng), circuit);
  const CircuitStatistics& statistics = run.statistics();
  std::printf("  bits of budget above the bound: %.0f to %.0f, on average %.1f\n",
              statistics.least_ratio, statistics.largest_ratio,
              statistics.ratio_sum / static_cast<double>(statistics.values_checked));
}

TEST(Circuits, Bfv) { run_circuits("Circuits.Bfv", SchemeType::bfv); }

TEST(Circuits, Bgv) { run_circuits("Circuits.Bgv", SchemeType::bgv); }

}  // namespace
}  // namespace ringlet::test
