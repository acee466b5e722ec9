// SPDX-License-Identifier: Apache-2.0
#include "support/declared_circuit.hpp"
#include "support/test.hpp"

// What a plan puts off: products of sums, and products by known vectors.

namespace ringlet::test {
namespace {

constexpr std::size_t kLevels = 6;

PlanCounts ckks_counts(const Circuit& circuit) {
  return CircuitPlan(circuit, CkksBench::context(64, kLevels, 40).parms(), 0x1p40).counts();
}

// x^8 by three squarings.
CircuitValue eighth(Circuit& circuit, CircuitValue x) {
  for (int i = 0; i < 3; ++i) x = circuit.multiply(x, x);
  return x;
}

void expect_runs(const Circuit& circuit) {
  std::mt19937_64 rng(test_seed());
  const CkksBench ckks(64, kLevels);
  std::vector<std::vector<Number>> numbers;
  std::vector<std::vector<std::uint64_t>> residues;
  const ExactBench bfv(SchemeType::bfv, 64, 9);
  const ExactBench bgv(SchemeType::bgv, 64, 9);
  const std::uint64_t t = bfv.context().plain_modulus().value();
  for (std::size_t i = 0; i < circuit.inputs().size(); ++i) {
    numbers.push_back(random_numbers(circuit.row_length(), rng));
    residues.push_back(random_residues(2 * circuit.row_length(), t, rng));
  }
  const auto expected = ClearCircuit<NumberSlots>(circuit, 1)(numbers);
  const auto actual = ckks(circuit, numbers);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LE(largest_difference(actual[i], expected[i]), 1e-6) << "result " << i;
  }
  const auto exact = ClearCircuit<ResidueSlots>(circuit, 2, bfv.slots())(residues);
  EXPECT_EQ(bfv(circuit, residues), exact);
  EXPECT_EQ(bgv(circuit, residues), exact);
}

TEST(Placement, ProductsOfASumAreRelinearizedOnce) {
  Circuit circuit(32);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  const CircuitValue deep = circuit.multiply(eighth(circuit, x), y);
  circuit.output(circuit.subtract(circuit.add(circuit.multiply(x, y), deep), x));
  // x^2, x^4, x^8, and the sum of two products of depths 1 and 4.
  EXPECT_EQ(ckks_counts(circuit).relinearizations, 4U);
  EXPECT_EQ(circuit.depth(), 4U);
  expect_runs(circuit);
}

TEST(Placement, AProductThatIsTakenTwiceIsNotPutOff) {
  Circuit circuit(32);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  const CircuitValue xy = circuit.multiply(x, y);
  circuit.output(circuit.add(xy, circuit.multiply(eighth(circuit, x), y)));
  circuit.output(circuit.multiply(xy, y));
  EXPECT_EQ(ckks_counts(circuit).relinearizations, 6U);
  expect_runs(circuit);
}

TEST(Placement, KnownProductsTakeTheScaleThatIsMissing) {
  Circuit circuit(32);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  const CircuitValue x8 = eighth(circuit, x);
  const auto row = [](std::int64_t first) {
    return KnownVector(KnownVector::Integers{first, 3, 5});
  };
  const CircuitValue sum =
      circuit.add(circuit.multiply(y, row(7)), circuit.multiply(x, KnownVector(9)));
  circuit.output(circuit.multiply(sum, x8));
  const PlanCounts counts = ckks_counts(circuit);
  // x^2, x^4, x^8, the sum at the level of x^4, and the product: no value is brought down.
  EXPECT_EQ(counts.rescalings, 5U);
  EXPECT_EQ(counts.relinearizations, 4U);
  expect_runs(circuit);
}

TEST(Placement, AProductForKnownFactorsAloneKeepsThreeParts) {
  Circuit circuit(32);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  std::array<CircuitValue, 3> terms{};
  const std::array<CircuitValue, 3> products{circuit.multiply(x, y), circuit.multiply(x, x),
                                             circuit.multiply(y, y)};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto factor = static_cast<std::int64_t>(i) + 2;
    terms[i] = circuit.multiply(products[i], KnownVector(KnownVector::Integers{factor, 1, -4}));
  }
  circuit.output(circuit.sum(terms));
  EXPECT_EQ(ckks_counts(circuit).relinearizations, 1U);
  expect_runs(circuit);
}

TEST(Placement, AFormOfTwoPartsThatIsThereServesSumsToo) {
  Circuit circuit(32);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  const CircuitValue xy = circuit.multiply(x, y);
  const CircuitValue a = circuit.add(xy, x);
  const CircuitValue b = circuit.add(circuit.multiply(xy, KnownVector(3)), y);
  circuit.output(circuit.rotate(xy, 1));
  circuit.output(circuit.multiply(a, b));
  // x y, and the product.
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const CircuitPlan plan(circuit, ExactBench::context(scheme, 64, 9, 17).parms());
    EXPECT_EQ(plan.counts().relinearizations, 2U);
  }
  EXPECT_EQ(ckks_counts(circuit).relinearizations, 2U);
  expect_runs(circuit);
}

TEST(Placement, AValueForProductsAndSumsIsRelinearizedOnce) {
  Circuit circuit(32);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  const CircuitValue xy = circuit.multiply(x, y);
  circuit.output(circuit.multiply(xy, xy));
  circuit.output(circuit.add(circuit.multiply(xy, KnownVector(2)), x));
  circuit.output(circuit.multiply(circuit.add(xy, KnownVector(1)), y));
  // x y, its square, and the last product.
  EXPECT_EQ(ckks_counts(circuit).relinearizations, 3U);
  expect_runs(circuit);
}

}  // namespace
}  // namespace ringlet::test
