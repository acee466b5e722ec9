// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/circuit_run.hpp"
#include "support/ckks_circuit_products.hpp"

// Random circuits of CKKS against the same operations on complex numbers, within the bound of
// docs/notes/ckks_error_bound.md, which each ciphertext carries along and which decides when a
// circuit ends.

namespace ringlet::test {
namespace {

constexpr std::size_t kToySets = 25;

TEST(Circuits, Ckks) {
  CircuitRun run("Circuits.Ckks", static_cast<std::uint64_t>(SchemeType::ckks));
  std::mt19937_64 rng(run.key_part() | static_cast<std::uint64_t>(SchemeType::ckks));
  const auto circuit = [&](const CircuitBench& bench, std::uint64_t seed) {
    CkksCircuit one(bench, seed, run.statistics(), run.is_single());
    const std::size_t degree = bench.context.ring().degree();
    one.run(degree > 8192 ? 6 : degree > 4096 ? 8 : degree > 1024 ? 12 : 30);
  };
  run(secure_ckks_sets(), toy_ckks_sets(kToySets, rng), circuit);
  const CircuitStatistics& statistics = run.statistics();
  std::printf("  error / bound: at most %.3f, on average %.4f\n", statistics.largest_ratio,
              statistics.ratio_sum / static_cast<double>(statistics.values_checked));
  if (run.is_single()) return;
  // A bound that says nothing fails as well.
  EXPECT_GE(statistics.largest_ratio, 0.05);
}

}  // namespace
}  // namespace ringlet::test
