// SPDX-License-Identifier: Apache-2.0
#include "support/circuits/tracing_bench.hpp"

namespace ringlet::test {
namespace {

// Sums of products, a rotation, known vectors, a product of products.
Circuit small_circuit(std::size_t row_length) {
  Circuit circuit(row_length);
  const CircuitValue x = circuit.input(1.5);  // more than the square root of 2
  const CircuitValue y = circuit.input(1.5);
  const CircuitValue xy = circuit.multiply(x, y);
  circuit.bound(xy, 2);
  const CircuitValue known =
      circuit.multiply(circuit.rotate(y, 1), KnownVector(KnownVector::Integers{1, 2, 3, -1}));
  circuit.output(circuit.add(circuit.multiply(xy, x), circuit.negate(y)));
  circuit.output(circuit.subtract(circuit.conjugate(xy), known));
  circuit.output(circuit.add(circuit.multiply(circuit.multiply(xy, KnownVector(3)), xy),
                             KnownVector(KnownVector::Integers{5})));
  return circuit;
}

KnownVector known(const std::vector<Number>& slots) {
  KnownVector::Numbers numbers;
  for (const Number& z : slots) {
    numbers.emplace_back(static_cast<double>(z.real()), static_cast<double>(z.imag()));
  }
  return KnownVector(std::move(numbers));
}
KnownVector known(const std::vector<std::uint64_t>& rows) {
  return KnownVector(KnownVector::Integers(rows.begin(), rows.end()));
}

/// Expects one step for each input and step of the plan. The estimate of each is that of
/// estimate_noise and not below the measurement.
void expect_plan(const TracingBench& bench, const Circuit& circuit, double scale) {
  const EncryptionParameters& parms = bench.context.parms();
  const CircuitPlan plan(circuit, parms, scale);
  const std::vector<NoiseEstimate> estimates = estimate_noise(circuit, plan, parms);
  const bool is_ckks = bench.context.scheme() == SchemeType::ckks;
  ASSERT_EQ(bench.tracer.log().size(), estimates.size());
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const TraceStep& step = bench.tracer.log()[i];
    EXPECT_EQ(step.estimated_bits, is_ckks ? estimates[i].error_bits() : estimates[i].noise_bits())
        << to_string(step);
    EXPECT_EQ(step.prime_count, estimates[i].prime_count()) << to_string(step);
    EXPECT_EQ(step.size, estimates[i].size()) << to_string(step);
    EXPECT_EQ(step.scale, estimates[i].scale()) << to_string(step);
    EXPECT_TRUE(step.is_right && step.is_within_estimate) << to_string(step);
  }
}

/// Expects the results in the clear, both under encryption and beside it.
template <typename Slots>
void expect_trace(TracingBench bench, const Slots& slots, std::size_t length, double scale) {
  const Circuit circuit = small_circuit(length);
  std::mt19937_64 rng = make_rng(length);
  const std::vector inputs{slots.random(Slots::kRows * length, rng),
                           slots.random(Slots::kRows * length, rng)};
  const auto expected = ClearCircuit(circuit, slots)(inputs);
  const auto results =
      bench.tracer.trace(circuit, std::vector{known(inputs[0]), known(inputs[1])}, scale);
  ASSERT_EQ(results.size(), expected.size());
  const typename Slots::Encoder encoder(bench.context);
  for (std::size_t i = 0; i < results.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "length " << length << ", result " << i);
    const Plaintext plain = bench.decryptor.decrypt(results[i].ciphertext());
    slots.expect_equal(slots.decode(encoder, plain), expected[i], 1e-7);
    slots.expect_equal(slots.traced(results[i]), expected[i], 1e-14);
  }
  expect_plan(bench, circuit, scale);
}

TEST(TracingCircuit, TracesAllSchemes) {
  for (const std::size_t length : {4, 32}) {
    expect_trace(ckks_bench(), NumberSlots(), length, kTracedScale);
    for (const SchemeType scheme : kExactSchemes) {
      const TracingBench bench = exact_bench(scheme, 6);
      const ResidueSlots slots(bench.context.plain_modulus().value());
      expect_trace(exact_bench(scheme, 6), slots, length, 1);
    }
  }
}

// With scales of 2^80 a level has two primes of 40 bits.
TEST(TracingCircuit, TracesLevelsOfSeveralPrimes) {
  TracingBench bench = ckks_bench(9);
  const Circuit circuit = small_circuit(32);
  std::mt19937_64 rng = make_rng();
  const std::vector inputs{known(random_numbers(32, rng)), known(random_numbers(32, rng))};
  bench.tracer.trace(circuit, inputs, 0x1p80);
  expect_plan(bench, circuit, 0x1p80);
  EXPECT_LT(bench.last().measured_bits, -40);
}

// Tracing shows circuits that CircuitRunner refuses.
TEST(TracingCircuit, ShowsWhereACircuitFails) {
  const Circuit circuit = circuit_of(32, [](Circuit& one, CircuitValue x) {
    for (int i = 0; i < 4; ++i) x = one.multiply(x, x);
    return x;
  });
  TracingBench bench = exact_bench(SchemeType::bfv, 2);
  EXPECT_THROW(CircuitRunner(circuit, bench.context), InvalidArgument);
  bench.tracer.trace(circuit, std::vector{known(random_rows(bench.context, 1))});
  EXPECT_TRUE(bench.tracer.log().front().is_right);
  EXPECT_FALSE(bench.last().is_right) << to_string(bench.tracer.log());
}

TEST(TracingCircuit, MarksInputsAboveTheDeclaredBound) {
  const Circuit circuit =
      circuit_of(32, [](Circuit& one, CircuitValue x) { return one.multiply(x, x); }, 0.5);
  TracingBench bench = ckks_bench();
  // Slots are 2^13 times the bound, so the error is above the estimate from the bound.
  const std::vector<KnownVector> inputs{KnownVector(4096.0)};
  bench.tracer.trace(circuit, inputs, kTracedScale);
  const TraceStep& step = bench.tracer.log()[1];
  EXPECT_EQ(step.operation, "square");
  EXPECT_FALSE(step.is_within_estimate) << to_string(bench.tracer.log());
  EXPECT_NE(step.advice.find("declare the true bound"), std::string::npos) << step.advice;
}

TEST(TracingCircuit, TakesTheKeysThatItIsGiven) {
  const Circuit circuit = circuit_of(
      32, [](Circuit& one, CircuitValue x) { return one.rotate(one.multiply(x, x), 3); });
  TracingBench bench = ckks_bench();
  const CircuitRunner runner(circuit, bench.context, kTracedScale);
  const std::vector<KnownVector> inputs{KnownVector(0.5)};
  bench.tracer.trace(circuit, inputs, runner.create_keys(bench.keygen), kTracedScale);
  EXPECT_TRUE(bench.last().is_right);
  bench.tracer.trace(circuit, inputs, runner.create_keys(nameless_keys(bench.context)),
                     kTracedScale);
  EXPECT_FALSE(bench.last().is_right);
  const std::size_t steps = bench.tracer.log().size();
  expect_refusal("", [&] { bench.tracer.trace(circuit, inputs, CircuitKeys(), kTracedScale); });
  EXPECT_EQ(bench.tracer.log().size(), steps);
}

// --------------------------------------------------------------------------------- log and text

TEST(TraceText, AlignsColumns) {
  TraceStep first;
  first.number = 9;
  first.result = "x";
  first.operation = "encrypt";
  first.prime_count = 3;
  first.size = 2;
  first.scale = 0x1p40;
  first.measured_bits = -30.25;
  first.estimated_bits = -28.75;
  first.magnitude = 1.5;
  TraceStep second = first;
  second.number = 10;
  second.result = "t10";
  second.operation = "multiply";
  second.operands = "x, y";
  second.size = 3;
  second.scale = 0x1p80;
  second.measured_bits = -9;
  second.lost_bits = 21.25;
  second.is_right = false;
  second.advice = "do this";
  const std::vector<TraceStep> steps{first, second};
  EXPECT_EQ(to_string(steps),
            " #  result = operation(operands)  primes  size    scale  error  estimate  lost  "
            "largest  verdict\n"
            " 9  x = encrypt()                      3     2  2^40.00  -30.2     -28.8        "
            "    1.5  ok\n"
            "10  t10 = multiply(x, y)               3     3  2^80.00   -9.0     -28.8  21.2  "
            "    1.5  WRONG: do this\n");
  EXPECT_EQ(
      to_string(second),
      "t10 = multiply(x, y)  primes 3  size 3  scale 2^80.00  error 2^-9.0  estimate 2^-28.8  "
      "lost 21.2  largest 1.5  WRONG: do this");
  second.is_right = true;
  second.is_within_estimate = false;
  second.budget_bits = 0.04;
  EXPECT_EQ(to_string(second),
            "t10 = multiply(x, y)  primes 3  size 3  noise 2^-9.0  estimate 2^-28.8  budget 0.0  "
            "lost 21.2  ABOVE ESTIMATE: do this");
  EXPECT_EQ(to_string(std::span<const TraceStep>()),
            "#  result = operation(operands)  primes  size  scale  error  estimate  lost  largest  "
            "verdict\n");
}

// Noise of BFV is the same on every machine. NoiseEstimator gives the estimates.
TEST(TraceText, ShowsASmallCircuit) {
  const Context context = ExactBench::context(SchemeType::bfv, 64, 2);
  const KeyGenerator keygen(context, RandomSource::for_testing(1));
  TracingEvaluator tracer(context, keygen.secret_key(), RandomSource::for_testing(2));
  const TracedCiphertext x = tracer.encrypt(std::vector<std::uint64_t>{1, 2, 3}, "x");
  const TracedCiphertext y = tracer.add_plain(x, 5);
  TracedCiphertext z = tracer.multiply(x, y);
  z.set_label("x*(x+5)");
  tracer.mod_switch_to_next(z);
  std::array<char, 600> expected{};
  const auto log = tracer.log();
  std::snprintf(
      expected.data(), expected.size(),
      "#  result = operation(operands)      primes  size  noise  estimate  budget  lost  verdict\n"
      "1  x = encrypt()                          2     2   19.2  %8.1f    77.8        ok\n"
      "2  t2 = add_plain(x, 5)                   2     2   19.2  %8.1f    77.8   0.0  ok\n"
      "3  t3 = multiply(x, t2)                   2     3   41.6  %8.1f    55.4  22.3  ok\n"
      "4  t4 = mod_switch_to_next(x*(x+5))       1     3   22.7  %8.1f    25.3  30.1  ok\n",
      log[0].estimated_bits, log[1].estimated_bits, log[2].estimated_bits, log[3].estimated_bits);
  EXPECT_EQ(to_string(log), expected.data());
}

TEST(TracingEvaluator, KeepsALogAndTellsASink) {
  TracingBench bench = ckks_bench();
  std::vector<std::string> seen;
  bench.tracer.set_sink([&seen](const TraceStep& step) { seen.push_back(to_string(step)); });
  TracedCiphertext x = bench.tracer.encrypt(std::vector<double>{1}, kTracedScale);
  EXPECT_EQ(x.label(), "t1");
  x.set_label("my x");
  bench.tracer.set_sink({});
  bench.tracer.add(x, x);
  ASSERT_EQ(bench.tracer.log().size(), 2U);
  EXPECT_EQ(bench.last().operands, "my x, my x");
  EXPECT_EQ(bench.last().result, "t2");
  EXPECT_EQ(bench.last().number, 2U);
  EXPECT_NEAR(*bench.last().lost_bits, 1, 1e-6);
  EXPECT_FALSE(bench.tracer.log().front().lost_bits.has_value());
  EXPECT_EQ(seen, std::vector<std::string>{to_string(bench.tracer.log().front())});

  bench.tracer.clear_log();
  EXPECT_TRUE(bench.tracer.log().empty());
  bench.tracer.set_sink([](const TraceStep&) { throw std::runtime_error("full"); });
  EXPECT_THROW(bench.tracer.negate(x), std::runtime_error);
  EXPECT_TRUE(bench.tracer.log().empty());
  bench.tracer.set_sink({});
  EXPECT_EQ(bench.tracer.negate(x).label(), "t3");
}

// ------------------------------------------------------------------------------------- refusals

TEST(TracingEvaluator, RefusesWhatItCannotTrace) {
  const Context polynomials =
      context_of(parameters_of(SchemeType::bgv, RingSpec::power_of_two(64), {40}, {40}, 16));
  const KeyGenerator polynomial_keys(polynomials);
  expect_refusal("without batching",
                 [&] { const TracingEvaluator tracer(polynomials, polynomial_keys.secret_key()); });
  const Context context = CkksBench::context(64, 1);
  const KeyGenerator keygen(context);
  expect_refusal("", [&] { const TracingEvaluator tracer(context, SecretKey()); });
  expect_refusal("failure_bits = 0", [&] {
    const TracingEvaluator tracer(context, keygen.secret_key(), RandomSource(), 0);
  });
}

TEST(TracingEvaluator, RefusesOperandsAndKeepsItsLog) {
  TracingBench ckks = ckks_bench();
  TracingBench other = ckks_bench();
  TracingEvaluator& tracer = ckks.tracer;
  const TracedCiphertext x = tracer.encrypt(std::vector<double>{1}, kTracedScale, "x");
  TracedCiphertext left = other.tracer.encrypt(std::vector<double>{1}, kTracedScale, "y");
  const TracedCiphertext low = tracer.mod_switch_to_next(x);
  const std::string log = to_string(tracer.log());
  expect_refusal("another trace", [&] { tracer.add(x, left); });
  const TracedCiphertext taken = std::move(left);
  expect_refusal("moved from", [&] { tracer.negate(left); });  // NOLINT: that is the point
  EXPECT_TRUE(left.numbers().empty() && left.residues().empty());
  expect_refusal("at different levels, operands [level ", [&] { tracer.add(x, low); });
  expect_refusal("33 values", [&] { tracer.encrypt(std::vector<double>(33), kTracedScale); });
  expect_refusal("33 values",
                 [&] { tracer.multiply_plain(x, KnownVector(std::vector<std::int64_t>(33, 1))); });
  expect_refusal("scheme ckks", [&] { tracer.encrypt(std::vector<std::uint64_t>{1}); });
  expect_refusal("scheme ckks", [&] { tracer.encrypt(std::vector<std::int64_t>{1}); });
  expect_refusal("scale", [&] { tracer.with_scale(x, 0); });
  expect_refusal("magnitude = -1", [&] { tracer.with_magnitude(x, -1); });
  expect_refusal<LogicError>("ckks", [&] { tracer.rotate_rows(x, 1, ckks.galois_keys); });
  expect_refusal<LogicError>("", [&] { tracer.sub(x, x); });
  const TracedCiphertext last = tracer.mod_switch_to(x, ckks.context.last_parms_id());
  tracer.clear_log();
  expect_refusal("", [&] { tracer.rescale_to_next(last); });
  expect_refusal("", [&] { tracer.mod_switch_to_next(last); });
  expect_refusal("", [&] { tracer.mod_switch_to(last, ckks.context.first_parms_id()); });
  EXPECT_TRUE(tracer.log().empty());
  EXPECT_NE(log.find("mod_switch_to_next(x)"), std::string::npos);
}

TEST(TracingEvaluator, RefusesNumbersForIntegers) {
  TracingBench bench = exact_bench(SchemeType::bfv);
  TracingEvaluator& tracer = bench.tracer;
  const TracedCiphertext x = tracer.encrypt(std::vector<std::uint64_t>{1}, "x");
  const std::uint64_t t = bench.context.plain_modulus().value();
  expect_refusal("scheme bfv", [&] { tracer.encrypt(std::vector<double>{1}, 1); });
  expect_refusal("", [&] { tracer.encrypt(std::vector<std::uint64_t>{t}); });
  expect_refusal("numbers for scheme bfv", [&] { tracer.add_plain(x, 0.5); });
  expect_refusal("scale = 2", [&] { tracer.multiply_plain(x, 3, 2); });
  expect_refusal("", [&] { tracer.with_scale(x, 2); });
  expect_refusal("", [&] { tracer.with_magnitude(x, 2); });
  expect_refusal("exponent", [&] { tracer.exponentiate(x, 0, bench.relin_keys); });
  EXPECT_EQ(tracer.log().size(), 1U);
}

TEST(TracingCircuit, RefusesInputsAndKeepsTheLog) {
  TracingBench bench = exact_bench(SchemeType::bgv, 6);
  const Circuit circuit = small_circuit(4);
  const KnownVector good(KnownVector::Integers(8, 1));
  using Inputs = std::vector<KnownVector>;
  bench.tracer.encrypt(std::vector<std::uint64_t>{1}, "x");
  expect_refusal("1 inputs", [&] { bench.tracer.trace(circuit, Inputs{good}); });
  const KnownVector long_rows(KnownVector::Integers(9, 1));
  expect_refusal("an input of 9 values",
                 [&] { bench.tracer.trace(circuit, Inputs{good, long_rows}); });
  expect_refusal("numbers", [&] { bench.tracer.trace(circuit, Inputs{good, KnownVector(0.5)}); });
  EXPECT_EQ(bench.tracer.log().size(), 1U);
  // The numbering of steps continues.
  EXPECT_EQ(bench.tracer.encrypt(std::vector<std::uint64_t>{1}).label(), "t2");
  TracingBench too_small = exact_bench(SchemeType::bgv, 2);
  expect_refusal("", [&] { too_small.tracer.trace(circuit, Inputs{good, good}); });
}

}  // namespace
}  // namespace ringlet::test
