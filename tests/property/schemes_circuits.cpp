// SPDX-License-Identifier: Apache-2.0
#include "support/circuits/ckks_circuit.hpp"
#include "support/circuits/exact_circuit.hpp"

// Random circuits, to the largest depth that a bound of the noise allows. CKKS against the same
// operations on complex numbers, within the bound of docs/notes/ckks_error_bound.md, which each
// ciphertext carries along; BFV and BGV against polynomials modulo X^N + 1 and t by FLINT, and
// against slots one by one, with noise and noise budget by big integers.

namespace ringlet::test {
namespace {

template <typename SchemeCircuit>
CircuitRun run_circuits(const char* test, SchemeType scheme,
                        const std::array<std::size_t, 4>& operations) {
  CircuitRun run(test, static_cast<std::uint64_t>(scheme));
  std::mt19937_64 rng(run.key_part() | static_cast<std::uint64_t>(scheme));
  const auto circuit = [&](const CircuitBench& bench, std::uint64_t seed) {
    const std::size_t degree = bench.context.ring().degree();
    SchemeCircuit one(bench, seed, run.statistics(), run.is_single());
    one.run(operations[degree > 8192 ? 0 : degree > 4096 ? 1 : degree > 1024 ? 2 : 3]);
  };
  if (scheme == SchemeType::ckks) {
    run(secure_ckks_sets(), toy_ckks_sets(25, rng), circuit);
  } else {
    run(secure_exact_sets(scheme), toy_exact_sets(scheme, 24, rng), circuit);
  }
  run.expect_common_operations();
  return run;
}

TEST(Circuits, Ckks) {
  CircuitRun run = run_circuits<CkksCircuit>("Circuits.Ckks", SchemeType::ckks, {10, 14, 18, 30});
  const CircuitStatistics& statistics = run.statistics();
  std::printf("  error / bound: median %.3f, 95 %% above %.3f, at most %.3f\n",
              statistics.quantile(0.5), statistics.quantile(0.05), statistics.quantile(1));
  run.expect_operations(
      "complex_conjugate; encode a complex constant; encode a real constant; encode an integer; "
      "encode complex slots; encode real slots; mod_reduce_to; mod_reduce_to_next; mod_switch of "
      "a plaintext; relinearize_and_rescale_to_next; rescale_to; rescale_to_next; rotate_vector; "
      "rotate_vector, composed");
  if (run.is_single()) return;
  // A bound that says nothing fails as well.
  EXPECT_GE(statistics.quantile(1), 0.1);
}

CircuitRun run_exact(const char* test, SchemeType scheme) {
  CircuitRun run = run_circuits<ExactCircuit>(test, scheme, {8, 12, 16, 30});
  const CircuitStatistics& statistics = run.statistics();
  std::printf("  log2(bound / noise): median %.1f, 95 %% below %.1f, at most %.1f\n",
              statistics.quantile(0.5), statistics.quantile(0.95), statistics.quantile(1));
  run.expect_operations(
      "exponentiate; multiply_many; multiply_plain by NTT form; multiply_plain by NTT form, "
      "mod_switch; multiply_plain in the other form; rotate_columns; rotate_rows; rotate_rows, "
      "composed");
  return run;
}

TEST(Circuits, Bfv) { run_exact("Circuits.Bfv", SchemeType::bfv); }

TEST(Circuits, Bgv) {
  run_exact("Circuits.Bgv", SchemeType::bgv)
      .expect_operations(
          "add with unequal factors; mod_reduce_to; mod_reduce_to_next; sub with unequal factors");
}

}  // namespace
}  // namespace ringlet::test
