// SPDX-License-Identifier: Apache-2.0
#include "support/circuit_run.hpp"
#include "support/exact_circuit.hpp"
#include "support/test.hpp"

// Random circuits of BFV and BGV against polynomials modulo X^N + 1 and t by FLINT, and against
// slots one by one. A bound of the noise decides when a circuit ends, at the largest depth that the
// parameters allow; noise and noise budget are checked against big integers.

namespace ringlet::test {
namespace {

constexpr std::size_t kToySets = 24;

CircuitRun run_circuits(const char* test, SchemeType scheme) {
  CircuitRun run(test, static_cast<std::uint64_t>(scheme));
  std::mt19937_64 rng(run.key_part() | static_cast<std::uint64_t>(scheme));
  const auto circuit = [&](const CircuitBench& bench, std::uint64_t seed) {
    ExactCircuit one(bench, seed, run.statistics(), run.is_single());
    const std::size_t degree = bench.context.ring().degree();
    one.run(degree > 8192 ? 8 : degree > 4096 ? 12 : degree > 1024 ? 16 : 30);
  };
  run(secure_exact_sets(scheme), toy_exact_sets(scheme, kToySets, rng), circuit);
  const CircuitStatistics& statistics = run.statistics();
  std::printf("  log2(bound / noise): median %.1f, 95 %% below %.1f, at most %.1f\n",
              statistics.quantile(0.5), statistics.quantile(0.95), statistics.quantile(1));
  run.expect_common_operations();
  run.expect_operations(
      "exponentiate; multiply_many; multiply_plain by NTT form; multiply_plain by NTT form, "
      "mod_switch; multiply_plain in the other form; rotate_columns; rotate_rows; rotate_rows, "
      "composed");
  return run;
}

TEST(Circuits, Bfv) { run_circuits("Circuits.Bfv", SchemeType::bfv); }

TEST(Circuits, Bgv) {
  const CircuitRun run = run_circuits("Circuits.Bgv", SchemeType::bgv);
  run.expect_operations(
      "add with unequal factors; mod_reduce_to; mod_reduce_to_next; sub with unequal factors");
}

}  // namespace
}  // namespace ringlet::test
