// SPDX-License-Identifier: Apache-2.0
#include "support/circuit_run.hpp"
#include "support/ckks_circuit.hpp"
#include "support/test.hpp"

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
    one.run(degree > 8192 ? 10 : degree > 4096 ? 14 : degree > 1024 ? 18 : 30);
  };
  run(secure_ckks_sets(), toy_ckks_sets(kToySets, rng), circuit);
  const CircuitStatistics& statistics = run.statistics();
  std::printf("  error / bound: median %.3f, 95 %% above %.3f, at most %.3f\n",
              statistics.quantile(0.5), statistics.quantile(0.05), statistics.quantile(1));
  run.expect_common_operations();
  run.expect_operations(
      "complex_conjugate; encode a complex constant; encode a real constant; encode an integer; "
      "encode complex slots; encode real slots; mod_reduce_to; mod_reduce_to_next; mod_switch of "
      "a plaintext; relinearize_and_rescale_to_next; rescale_to; rescale_to_next; rotate_vector; "
      "rotate_vector, composed");
  if (run.is_single()) return;
  // A bound that says nothing fails as well.
  EXPECT_GE(statistics.quantile(1), 0.1);
}

}  // namespace
}  // namespace ringlet::test
