// SPDX-License-Identifier: Apache-2.0
// At which level a plan has values rotated, and what it rescales before.

#include "circuits/diagonals.hpp"
#include "ringlet/circuit_plan.hpp"
#include "support/declared_circuit.hpp"
#include "support/environment.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kLevels = 5;

CircuitPlan ckks_plan(const Circuit& circuit) {
  return {circuit, CkksBench::context(64, kLevels, 40).parms(), 0x1p40};
}

// Primes of the results of all rotations and conjugates.
std::vector<std::size_t> rotated_primes(const CircuitPlan& plan) {
  std::vector<std::size_t> primes;
  for (const PlanStep& step : plan.steps()) {
    if (step.operation == PlanOperation::rotate || step.operation == PlanOperation::conjugate) {
      primes.push_back(step.prime_count);
    }
  }
  return primes;
}

void expect_same(const Circuit& circuit, std::mt19937_64& rng) {
  static const CkksBench ckks(64, kLevels);
  static const ExactBench bfv(SchemeType::bfv, 64, 9);
  static const ExactBench bgv(SchemeType::bgv, 64, 9);
  std::vector<std::vector<Number>> numbers;
  std::vector<std::vector<std::uint64_t>> residues;
  for (std::size_t i = 0; i < circuit.inputs().size(); ++i) {
    numbers.push_back(random_numbers(circuit.row_length(), rng));
    residues.push_back(random_residues(2 * circuit.row_length(), bfv.slots().t.n, rng));
  }
  const auto expected = ClearCircuit<NumberSlots>(circuit, 1)(numbers);
  const auto actual = ckks(circuit, numbers);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LE(largest_difference(actual[i], expected[i]), 1e-6) << "result " << i;
  }
  auto exact = ClearCircuit<ResidueSlots>(circuit, 2, bfv.slots())(residues);
  for (auto& rows : exact) rows = repeated_rows(rows, 32);
  EXPECT_EQ(bfv(circuit, residues), exact);
  EXPECT_EQ(bgv(circuit, residues), exact);
}

TEST(RotationLevels, AProductIsRescaledOnceBeforeItIsRotatedForProducts) {
  std::mt19937_64 rng(test_seed());
  Circuit circuit(32);
  const CircuitValue x = circuit.input(1.5);
  const CircuitValue xx = circuit.multiply(x, x);
  std::vector<CircuitValue> terms;
  for (const int step : {1, 2, 3, 4}) {
    terms.push_back(circuit.multiply(circuit.rotate(xx, step), KnownVector(0.25)));
    terms.push_back(circuit.multiply(circuit.rotate(xx, step), xx));
  }
  circuit.output(circuit.sum(terms));
  const CircuitPlan plan = ckks_plan(circuit);
  EXPECT_EQ(rotated_primes(plan), (std::vector<std::size_t>(4, kLevels)));
  EXPECT_EQ(plan.counts().rescalings, 2U);
  EXPECT_EQ(plan.counts().hoisted, 3U);
  EXPECT_EQ(plan.counts().relinearizations, 2U);
}

TEST(RotationLevels, AProductThatIsRotatedForSumsIsRescaledAfterThem) {
  std::mt19937_64 rng(test_seed());
  Circuit circuit(32);
  const CircuitValue x = circuit.input(1.5);
  CircuitValue sum = circuit.multiply(x, x);
  for (const int step : {4, 2, 1}) sum = circuit.add(sum, circuit.rotate(sum, step));
  circuit.output(sum);
  const CircuitPlan plan = ckks_plan(circuit);
  EXPECT_EQ(rotated_primes(plan), (std::vector<std::size_t>(3, kLevels + 1)));
  EXPECT_EQ(plan.counts().rescalings, 1U);
  EXPECT_EQ(plan.counts().relinearizations, 1U);
  expect_same(circuit, rng);
}

TEST(RotationLevels, RotationsAreMadeWhereTheyAreAskedFor) {
  std::mt19937_64 rng(test_seed());
  Circuit circuit(32);
  const CircuitValue x = circuit.input(1.5);
  const CircuitValue y = circuit.input(1.5);
  CircuitValue deep = circuit.multiply(x, x);
  deep = circuit.multiply(deep, x);  // depth 2
  const CircuitValue rotated = circuit.rotate(y, 1);
  circuit.output(circuit.multiply(deep, rotated));
  circuit.output(circuit.multiply(deep, circuit.rotate(y, 5)));
  circuit.output(circuit.multiply(deep, circuit.conjugate(y)));
  const CircuitPlan plan = ckks_plan(circuit);
  EXPECT_EQ(rotated_primes(plan), (std::vector<std::size_t>(3, kLevels - 1)));
  // x^2, x brought down for x^3, x^3, y brought down once, three results.
  EXPECT_EQ(plan.counts().rescalings, 7U);
  expect_same(circuit, rng);
  // One that is wanted higher up keeps all of them there: they share their digits.
  circuit.output(circuit.multiply(circuit.rotate(y, 7), x));
  const std::vector<std::size_t> primes = rotated_primes(ckks_plan(circuit));
  EXPECT_EQ(std::ranges::count(primes, kLevels + 1), 3);
  EXPECT_EQ(std::ranges::count(primes, kLevels - 1), 1);
  expect_same(circuit, rng);
}

TEST(RotationLevels, SumsWithProductsAreStillRelinearizedOnce) {
  std::mt19937_64 rng(test_seed());
  Circuit circuit(32);
  const CircuitValue x = circuit.input(1.5);
  const CircuitValue y = circuit.input(1.5);
  const CircuitValue xx = circuit.multiply(x, x);
  CircuitValue sum = circuit.multiply(circuit.multiply(xx, x), y);
  sum = circuit.add(sum, circuit.multiply(circuit.rotate(y, 3), KnownVector(3)));
  sum = circuit.add(sum, circuit.rotate(x, 2));
  sum = circuit.add(sum, circuit.multiply(xx, xx));
  circuit.output(sum);
  // x^2, x^3, and the sum.
  EXPECT_EQ(ckks_plan(circuit).counts().relinearizations, 3U);
  expect_same(circuit, rng);
}

// Operations on any values there are, as long as these stay small enough for CKKS and of depth 4.
// Nothing is negative, so that nothing cancels: a zero that is computed is refused.
Circuit random_circuit(std::mt19937_64& rng) {
  Circuit circuit(std::size_t{4} << (rng() % 4));
  std::vector<CircuitValue> values{circuit.input(1.5), circuit.input(1.5), circuit.input(1.5)};
  for (std::size_t i = 0; i < 24; ++i) {
    const CircuitValue a = values[rng() % values.size()];
    const CircuitValue b = values[rng() % values.size()];
    const int steps = static_cast<int>(rng() % 64) - 32;
    CircuitValue made = a;
    switch (rng() % 8) {
      case 0:
      case 1:
        made = circuit.rotate(a, steps);
        break;
      case 2:
        made = circuit.conjugate(a);
        break;
      case 3:
        made = circuit.multiply(a, KnownVector(rng() % 2 == 0 ? 2 : 3));
        break;
      case 4:
        made = circuit.multiply(a, KnownVector(KnownVector::Integers{1, 3, 2}));
        break;
      case 5:
        made = circuit.multiply(a, b);
        break;
      case 6:
        made = circuit.add(a, b);
        break;
      default:
        made = circuit.add(a, circuit.rotate(b, steps));
    }
    Circuit result = circuit;
    result.output(made);
    if (result.depth() <= 4 && circuits::magnitude_of(circuit, made) < 100) values.push_back(made);
  }
  for (std::size_t i = 0; i < 3; ++i) circuit.output(values[values.size() - 1 - i]);
  return circuit;
}

TEST(RotationLevels, OfRandomCircuits) {
  std::mt19937_64 rng(test_seed());
  for (std::size_t i = 0; i < std::min<std::size_t>(scaled(15), 1000); ++i) {
    SCOPED_TRACE(i);
    const Circuit circuit = random_circuit(rng);
    expect_same(circuit, rng);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ringlet::test
