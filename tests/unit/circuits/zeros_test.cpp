// SPDX-License-Identifier: Apache-2.0
#include "support/circuits/declared_circuit.hpp"

namespace ringlet::test {
namespace {

TEST(CircuitRunner, LeavesOutWhatEncodesToZero) {
  std::mt19937_64 rng(test_seed());
  const auto run = [&](const KnownVector& zero, const auto& bench, bool is_exact = true) {
    Circuit circuit(8);
    const CircuitValue x = circuit.input();
    const CircuitValue y = circuit.input();
    const CircuitValue none = circuit.multiply(circuit.rotate(circuit.multiply(x, y), 3), zero);
    circuit.output(circuit.add(none, x));
    circuit.output(circuit.subtract(circuit.add(none, circuit.negate(none)), y));
    circuit.output(circuit.add(circuit.subtract(y, y), circuit.add(x, none)));
    const PlanCounts counts = bench.plan(circuit).counts();
    EXPECT_EQ(counts.multiplications + counts.known_multiplications + counts.automorphisms, 0U);
    // Known numbers that are added to 0 are known factors.
    const CircuitValue three = circuit.add(none, KnownVector(3));
    circuit.output(circuit.multiply(three, y));
    circuit.output(circuit.add(circuit.multiply(x, y), three));
    bench.expect_run(circuit, rng);
    if (!is_exact) return;
    // Whether it is so for any parameters, or for these, and in the middle of a circuit, too.
    const CircuitValue one = circuit.subtract(circuit.add(x, KnownVector(1)), circuit.add(x, none));
    for (const CircuitValue value : {three, circuit.multiply(one, y)}) {
      Circuit other = circuit;
      expect_refusal("known numbers alone", [&] {
        other.output(value);
        bench.plan(other);
      });
    }
  };
  run(KnownVector(0.0), CkksBench(64, 3));
  run(KnownVector(KnownVector::Numbers{0x1p-60, -0x1p-61}), CkksBench(64, 3), false);
  for (const SchemeType scheme : kExactSchemes) {
    const ExactBench bench(scheme, 64, 4);
    const auto t = static_cast<std::int64_t>(bench.slots().t.n);
    run(KnownVector(-t), bench);
    run(KnownVector(KnownVector::Integers{-t, 0, 2 * t}), bench);
  }
}

TEST(Circuit, FindsResultsThatAreZeroWhateverTheInputsHold) {
  Circuit c(8);
  const CircuitValue x = c.input();
  const CircuitValue y = c.input();
  const CircuitValue minus = c.negate(x);
  const CircuitValue zero = c.multiply(x, KnownVector(0));
  const CircuitValue same = c.add(c.add(zero, x), KnownVector(0));
  for (const CircuitValue value :
       {zero, c.subtract(x, x), c.add(minus, x), c.add(x, c.negate(c.negate(minus))),
        c.subtract(c.negate(x), minus), c.subtract(same, x), c.add(c.subtract(zero, x), x),
        c.add(zero, zero), c.subtract(zero, zero), c.negate(zero), c.rotate(zero, 1),
        c.conjugate(zero), c.multiply(x, zero), c.multiply(zero, x),
        c.multiply(zero, KnownVector(2)), c.add(zero, KnownVector(0)),
        c.subtract(c.multiply(x, KnownVector(-2)), c.add(minus, minus)),
        c.subtract(c.multiply(x, y), c.multiply(y, x)),
        c.subtract(c.subtract(c.multiply(c.add(x, y), c.subtract(x, y)), c.multiply(x, x)),
                   c.negate(c.multiply(y, y)))}) {
    expect_refusal_of("Circuit::output", {"0 whatever"}, [&] { c.output(value); });
  }
  const CircuitValue one = c.subtract(c.add(x, KnownVector(1)), x);
  for (const CircuitValue value :
       {one, c.negate(one), c.rotate(one, 1), c.conjugate(one), c.add(one, one),
        c.multiply(one, c.add(zero, KnownVector(2.5))), c.multiply(one, KnownVector(0.1)),
        c.add(zero, KnownVector(1)), c.subtract(c.add(y, one), y),
        c.subtract(c.rotate(c.add(x, one), 2), c.rotate(x, 2)),
        c.subtract(c.multiply(x, KnownVector(KnownVector::Numbers{1, 2})),
                   c.multiply(c.subtract(x, one), KnownVector(KnownVector::Numbers{1, 2})))}) {
    expect_refusal_of("Circuit::output", {"known numbers"}, [&] { c.output(value); });
  }
  EXPECT_TRUE(c.outputs().empty());
  for (const CircuitValue value :
       {c.add(x, x), c.add(minus, minus), c.subtract(x, minus), c.add(zero, x),
        c.subtract(x, c.rotate(x, 1)), c.subtract(x, c.conjugate(x)), c.multiply(one, x),
        c.subtract(c.multiply(x, y), c.multiply(x, x)),
        c.subtract(c.multiply(x, KnownVector(0x1p53 + 2)), c.multiply(x, KnownVector(0x1p53))),
        c.subtract(c.multiply(x, KnownVector((1L << 53) + 1)),
                   c.multiply(x, KnownVector(1L << 53))),
        c.subtract(c.multiply(x, KnownVector(KnownVector::Integers{1, 2})),
                   c.multiply(x, KnownVector(KnownVector::Integers{2, 1})))}) {
    EXPECT_NO_THROW(c.output(value)) << value.index;
  }
  // As many results as values: each is looked at once.
  for (int i = 0; i < 200000; ++i) c.output(c.add(same, x));
}

TEST(CircuitRunner, RefusesResultsThatAreZero) {
  const auto product = [](const KnownVector& factor) {
    return circuit_of(8, [&](Circuit& one, CircuitValue x) { return one.multiply(x, factor); });
  };
  expect_refusal_of("Circuit::output", {"0 whatever"}, [&] { product(KnownVector(0)); });
  const CkksBench ckks(64, 3);
  for (const KnownVector& factor :
       {KnownVector(KnownVector::Numbers{0x1p-50, -0x1p-52}), KnownVector(0x1p-42)}) {
    expect_refusal_of("CircuitPlan", {"0 at scale"}, [&] { ckks.plan(product(factor)); });
  }
  const ExactBench bfv(SchemeType::bfv, 64, 4);
  const auto t = static_cast<std::int64_t>(bfv.slots().t.n);
  for (const KnownVector& factor : {KnownVector(t), KnownVector(KnownVector::Integers{-t, t})}) {
    expect_refusal_of("CircuitPlan", {"0 modulo " + std::to_string(t)},
                      [&] { bfv.plan(product(factor)); });
  }
  // What is small and not nothing is computed, wherever rounding leaves it.
  std::mt19937_64 rng(test_seed());
  for (const double factor : {0x1p-41, 0x1p-43, 0x1p-48}) {
    const auto sum = circuit_of(8, [&](Circuit& one, CircuitValue x) {
      return one.add(one.multiply(x, KnownVector(factor)), KnownVector(0.5));
    });
    EXPECT_NO_THROW(ckks.expect_run(sum, rng)) << factor;
  }
  bfv.expect_run(product(KnownVector(t + 1)), rng);
}

}  // namespace
}  // namespace ringlet::test
