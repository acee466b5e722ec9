// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/slot_sums.hpp"
#include "support/circuits/declared_circuit.hpp"

// Estimates of sums of slots: noises of different slots are uncorrelated, unless the value is such
// a sum itself.

namespace ringlet::test {
namespace {

constexpr std::size_t kRow = 4096;

struct Case {
  const char* name;
  std::function<CircuitValue(Circuit&, CircuitValue)> value;
  double above;  // bits by which the estimate may exceed the measured error
};

CircuitValue product_of_neighbours(Circuit& circuit, CircuitValue x) {
  return circuit.multiply(circuit.add(x, circuit.rotate(x, 1)), x);
}

const Case kCases[] = {
    {"a sum of slots", [](Circuit& c, CircuitValue x) { return sum_slots(c, x, kRow); }, 8},
    {"of a product",
     [](Circuit& c, CircuitValue x) { return sum_slots(c, c.multiply(x, x), kRow); }, 8},
    {"of a product with its conjugate",
     [](Circuit& c, CircuitValue x) { return sum_slots(c, c.multiply(x, c.conjugate(x)), kRow); },
     13},
    {"of a product of dependent slots",
     [](Circuit& c, CircuitValue x) { return sum_slots(c, product_of_neighbours(c, x), kRow); },
     13},
    {"of equal slots",
     [](Circuit& c, CircuitValue x) { return sum_slots(c, sum_slots(c, x, kRow), kRow); }, 8},
    {"of equal slots that were rescaled",
     [](Circuit& c, CircuitValue x) {
       const CircuitValue sum = sum_slots(c, x, kRow);
       c.bound(sum, 512);
       return sum_slots(c, c.multiply(sum, KnownVector(1.0 / 64)), kRow);
     },
     11},
    {"an image added to itself",
     [](Circuit& c, CircuitValue x) {
       CircuitValue sum = c.rotate(x, 3);
       for (int i = 0; i < 8; ++i) sum = c.add(sum, c.rotate(c.rotate(sum, 5), -5));
       return sum;
     },
     8},
};

TEST(NoiseOfSums, IsAboveTheErrorAndCloseToIt) {
  std::mt19937_64 rng(test_seed());
  const CkksBench bench(toy_context(2 * kRow, {56, 40, 40, 60}), 0x1p40);
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.name);
    const Circuit circuit = circuit_of(kRow, one.value);
    double error = 0;
    for (int i = 0; i < 3; ++i) error = std::max(error, bench.expect_run(circuit, rng, 1e-2));
    const auto bits = [&](CircuitInputs inputs) {
      return estimate_results(circuit, bench.plan(circuit), bench.context().parms(),
                              kApproximateFailureBits, inputs)[0]
          .error_bits();
    };
    const double estimate = bits(CircuitInputs::independent);
    EXPECT_GT(estimate, std::log2(error));
    EXPECT_LT(estimate, std::log2(error) + one.above);
    EXPECT_GE(bits(CircuitInputs::any), estimate);
    EXPECT_LE(bits(CircuitInputs::symmetric), estimate);
  }
}

}  // namespace
}  // namespace ringlet::test
