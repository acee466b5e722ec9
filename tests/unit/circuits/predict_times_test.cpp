// SPDX-License-Identifier: Apache-2.0
#include "support/declared_circuit.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

// Whether the times are right is what lab/bench/predictions_bench.cpp measures.

namespace ringlet::test {
namespace {

Circuit all_operations(std::size_t row_length) {
  Circuit circuit(row_length);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.negate(circuit.conjugate(circuit.multiply(x, x)));
  std::vector<CircuitValue> turned;
  for (int step = 1; step < 8; ++step) turned.push_back(circuit.rotate(x, step));
  const CircuitValue sum = circuit.add(circuit.sum(turned), KnownVector(2));
  const CircuitValue scaled = circuit.multiply(sum, KnownVector(KnownVector::Integers{1, 2}));
  circuit.output(circuit.subtract(circuit.multiply(y, circuit.rotate(y, 1)), x));
  circuit.output(circuit.add(scaled, x));
  return circuit;
}

void expect_all_steps(const Context& context, double scale) {
  const Circuit circuit = all_operations(16);
  const CircuitPlan plan(circuit, context.parms(), scale);
  for (const std::size_t key_bytes : {std::size_t{1}, std::size_t{1} << 28}) {
    const PredictedTimes times = predict_times(circuit, context.parms(), scale, key_bytes);
    std::size_t steps = 0;
    double seconds = 0;
    for (const PredictedStep& step : times.steps) {
      EXPECT_GT(step.seconds, 0);
      steps += step.count;
      seconds += step.seconds;
    }
    EXPECT_EQ(steps, plan.steps().size());
    EXPECT_DOUBLE_EQ(times.circuit, seconds);
    EXPECT_GT(times.keys, 0);
    EXPECT_GT(times.encrypt, 0);
    EXPECT_GT(times.decrypt, 0);
  }
}

TEST(PredictTimes, TimesEveryStepOfCkks) {
  const Context context = CkksBench::context(64, 3, 40);
  expect_all_steps(context, 0x1p40);
}

TEST(PredictTimes, TimesEveryStepOfBfvAndBgv) {
  expect_all_steps(ExactBench::context(SchemeType::bfv, 64, 4, 17), 1);
  expect_all_steps(ExactBench::context(SchemeType::bgv, 64, 4, 17), 1);
}

TEST(PredictTimes, TakesCircuitsWithoutKeys) {
  Circuit circuit(2);
  const CircuitValue x = circuit.input();
  circuit.output(circuit.add(x, x));
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(64);
  parms.set_coeff_modulus(CoeffModulus::create(64, {50}), {});
  const PredictedTimes times = predict_times(circuit, parms, 0x1p30);
  ASSERT_EQ(times.steps.size(), 1U);
  EXPECT_EQ(times.steps[0].operation, PlanOperation::add);
  EXPECT_EQ(times.steps[0].count, 1U);
}

TEST(PredictTimes, RefusesWhatAPlanRefuses) {
  const Context context = CkksBench::context(64, 1, 40);
  expect_refusal_of("CircuitPlan", {"depth 2"},
                    [&] { predict_times(all_operations(16), context.parms(), 0x1p40); });
}

}  // namespace
}  // namespace ringlet::test
