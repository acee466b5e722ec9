// SPDX-License-Identifier: Apache-2.0
#include "support/circuits/declared_circuit.hpp"

namespace ringlet::test {
namespace {

// Sums of values of all kinds: fresh, products, products of products, known factors.
Circuit mixed_circuit(std::size_t row_length) {
  Circuit circuit(row_length);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  const CircuitValue xy = circuit.multiply(x, y);
  const CircuitValue xyx = circuit.multiply(xy, x);
  KnownVector::Integers row{1, 2, 3, -1};
  row.resize(std::min(row_length, row.size()));
  const CircuitValue known = circuit.multiply(circuit.rotate(y, 1), KnownVector(row));
  circuit.output(circuit.add(xyx, xy));                       // a product and a lower one
  circuit.output(circuit.subtract(x, xyx));                   // a fresh value and a product
  circuit.output(circuit.add(circuit.rotate(known, 2), xy));  // two products
  circuit.output(circuit.add(circuit.conjugate(xy), circuit.negate(y)));
  circuit.output(circuit.multiply(circuit.add(xy, KnownVector(2)), KnownVector(3)));
  circuit.output(circuit.add(circuit.multiply(xyx, xyx), x));
  return circuit;
}

TEST(Circuit, KnowsDepthAndRotations) {
  const Circuit circuit = mixed_circuit(8);
  EXPECT_EQ(circuit.depth(), 3U);
  EXPECT_EQ(circuit.multiplicative_depth(), 3U);
  EXPECT_EQ(circuit.rotations(), (std::vector<int>{1, 2}));
  EXPECT_TRUE(circuit.uses_conjugation());
  EXPECT_EQ(circuit.inputs().size(), 2U);
  EXPECT_EQ(circuit.outputs().size(), 6U);
  // Values that no result needs do not count.
  const Circuit sum = circuit_of(8, [](Circuit& one, CircuitValue x) {
    one.multiply(one.rotate(x, 3), one.conjugate(x));
    return one.add(x, x);
  });
  EXPECT_EQ(sum.depth(), 0U);
  EXPECT_TRUE(sum.rotations().empty());
  EXPECT_FALSE(sum.uses_conjugation());
}

TEST(Circuit, RotationsOfOneValueAreOne) {
  Circuit circuit(8);
  const CircuitValue x = circuit.input();
  EXPECT_EQ(circuit.rotate(x, 3), circuit.rotate(x, -5));
  EXPECT_EQ(circuit.rotate(x, 16), x);
  EXPECT_EQ(circuit.rotate(x, 0), x);
}

TEST(Circuit, RunsInEveryScheme) {
  std::mt19937_64 rng(test_seed());
  for (const std::size_t length : {2, 4, 32}) {
    const Circuit circuit = mixed_circuit(length);
    CkksBench(64, 3).expect_run(circuit, rng, 1e-7);
    for (const SchemeType scheme : kExactSchemes)
      ExactBench(scheme, 64, 5).expect_run(circuit, rng);
  }
}

TEST(CircuitPlan, RescalesSumsOfProductsOnce) {
  Circuit circuit(8);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  circuit.output(
      circuit.add(circuit.multiply(x, y),
                  circuit.add(circuit.multiply(x, x), circuit.multiply(y, KnownVector(0.5)))));
  const CircuitPlan plan = ckks_plan(circuit, 1);
  EXPECT_EQ(plan.counts().multiplications, 2U);
  EXPECT_EQ(plan.counts().relinearizations, 1U);
  EXPECT_EQ(plan.counts().rescalings, 1U);
  EXPECT_EQ(plan.counts().key_switches(), 1U);
  EXPECT_TRUE(plan.galois_elements().empty());
}

TEST(CircuitPlan, HasOneScalePerLevel) {
  const Context context = CkksBench::context(64, 4);
  const CircuitPlan plan(mixed_circuit(8), context.parms(), 0x1p40);
  const auto primes = context.parms().data_primes();
  EXPECT_EQ(plan.scale_at(5), 0x1p40);
  for (std::size_t l = 4; l >= 2; --l) {
    const long double q = static_cast<long double>(primes[l].value());
    const long double above = plan.scale_at(l + 1);
    EXPECT_NEAR(static_cast<double>(above * above / q / plan.scale_at(l)), 1.0, 0x1p-50) << l;
  }
  for (const PlanStep& step : plan.steps()) {
    const double d = plan.scale_at(step.prime_count);
    EXPECT_TRUE(step.scale == d || step.scale == d * d ||
                step.operation == PlanOperation::switch_level)
        << static_cast<int>(step.operation);
  }
}

// A scale of 2^80 takes two primes of 40 bits a level.
TEST(CircuitPlan, TakesSeveralPrimesForLargeScales) {
  const EncryptionParameters parms = ckks(64, {50, 50, 40, 40, 40, 40, 40, 40, 50});
  const CircuitPlan plan(mixed_circuit(8), parms, 0x1p80);
  std::vector<std::size_t> counts;
  for (const PlanStep& step : plan.steps()) {
    if (step.operation == PlanOperation::multiply) counts.push_back(step.prime_count);
  }
  std::ranges::sort(counts);
  EXPECT_EQ(counts, (std::vector<std::size_t>{4, 6, 8}));
  EXPECT_EQ(plan.counts().rescalings % 2, 0U);
  const long double q = 1.0L * static_cast<long double>(parms.data_primes()[7].value()) *
                        static_cast<long double>(parms.data_primes()[6].value());
  EXPECT_NEAR(static_cast<double>(0x1p160L / q / plan.scale_at(6)), 1.0, 0x1p-50);

  std::mt19937_64 rng(test_seed());
  CkksBench(Context(parms, SecurityLevel::none), 0x1p80).expect_run(mixed_circuit(8), rng, 1e-12);
  const Circuit deep = circuit_of(8, [](Circuit& one, CircuitValue x) {
    for (int i = 0; i < 4; ++i) x = one.multiply(x, x);
    return x;
  });
  expect_refusal_of("CircuitPlan", {"depth 4", "depth of 3 at 2 primes a level", "9 data primes"},
                    [&] { CircuitPlan(deep, parms, 0x1p80); });
}

TEST(CircuitPlan, ListsExactlyTheKeys) {
  const CircuitPlan plan = ckks_plan(mixed_circuit(32), 3);
  const RingSpec ring = RingSpec::power_of_two(64);
  std::vector<std::uint64_t> expected{ring.galois_element_from_step(1),
                                      ring.galois_element_from_step(2), ring.conjugation_element()};
  std::ranges::sort(expected);
  EXPECT_TRUE(std::ranges::equal(plan.galois_elements(), expected));
  EXPECT_TRUE(plan.needs_relinearization());
}

TEST(CircuitPlan, RefusesWhatParametersDoNotAllow) {
  const EncryptionParameters shallow = CkksBench::context(64, 2).parms();
  const EncryptionParameters deep = CkksBench::context(64, 3).parms();
  EncryptionParameters exact = ExactBench::context(SchemeType::bfv, 64, 3).parms();
  const Circuit real =
      circuit_of(8, [](Circuit& one, CircuitValue x) { return one.multiply(x, KnownVector(0.5)); });
  const auto refused = [](std::initializer_list<std::string> parts, const Circuit& circuit,
                          const EncryptionParameters& parms, double scale) {
    expect_refusal_of("CircuitPlan", parts, [&] { CircuitPlan(circuit, parms, scale); });
  };
  refused({"depth 3", "depth of 2", "4 data primes"}, mixed_circuit(8), shallow, 0x1p40);
  refused({"row_length = 64", "N = 128"}, mixed_circuit(64), deep, 0x1p40);
  refused({"without a result"}, Circuit(8), deep, 0x1p40);
  for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e-310}) {
    refused({"scale = "}, mixed_circuit(8), deep, scale);
  }
  refused({"at the level of"}, mixed_circuit(8), deep, 0x1p30);
  refused({"integers"}, real, exact, 1);
  const auto times = [](std::size_t length, const KnownVector& factor) {
    return circuit_of(length,
                      [&](Circuit& one, CircuitValue x) { return one.multiply(x, factor); });
  };
  const KnownVector six(KnownVector::Integers(6, 1));
  refused({"6 slots", "row_length = 4"}, times(4, six), deep, 0x1p40);
  EXPECT_NO_THROW(CircuitPlan(times(4, six), exact));  // 6 of 8 slots in two rows
  exact.set_plain_modulus(Modulus(1009));
  refused({"1009"}, mixed_circuit(8), exact, 1);
  const auto square = [](Circuit& one, CircuitValue x) {
    return one.add(one.multiply(x, x), KnownVector(1));
  };
  refused({"products slot by slot", "1009", "modulo 128"}, circuit_of(2, square), exact, 1);
  refused({"known numbers in slots"}, times(8, six), exact, 1);
  refused({"known numbers in slots"},
          circuit_of(2, [](Circuit& one, CircuitValue x) { return one.add(x, KnownVector(1)); }),
          exact, 1);
  EXPECT_NO_THROW(CircuitPlan(circuit_of(1, square), exact));  // constant polynomials
  EXPECT_NO_THROW(CircuitPlan(times(8, KnownVector(3)), exact));
  EncryptionParameters without_keys = deep;
  without_keys.set_coeff_modulus(CoeffModulus::create(64, {50, 40, 40, 40}), {});
  refused({"key switches", "special prime"}, mixed_circuit(8), without_keys, 0x1p40);
}

/// Encrypts for runs with four data primes, at any level.
struct RunnerBench {
  Context context = CkksBench::context(64, 3);
  KeyGenerator keygen{context, RandomSource::for_testing(test_seed())};
  Encryptor encryptor{context, keygen.secret_key(), RandomSource::for_testing(test_seed() + 1)};
  CKKSEncoder encoder{context};
  Evaluator evaluator{context};

  Ciphertext encrypt(const std::vector<double>& slots, std::size_t primes = 4) const {
    const ContextData* level = context.first_context_data();
    while (level->prime_count() != primes) level = level->next_context_data();
    Plaintext plain;
    encoder.encode(slots, level->parms_id(), 0x1p40, plain);
    return encryptor.encrypt_symmetric(plain);
  }
};

TEST(CircuitRunner, NamesAllMissingKeys) {
  const RunnerBench bench;
  const CircuitRunner runner(mixed_circuit(8), bench.context, 0x1p40);
  std::array<Ciphertext, 2> inputs{bench.encrypt({0.5}), bench.encrypt({0.5})};
  CircuitKeys keys = runner.create_keys(bench.keygen);
  EXPECT_EQ(runner.run(bench.evaluator, inputs, keys).size(), 6U);
  keys.galois_keys = bench.keygen.create_galois_keys(std::vector<int>{1});
  keys.relin_keys = RelinKeys();
  const auto refused = [&](std::initializer_list<std::string> parts, std::size_t count) {
    expect_refusal_of("CircuitRunner::run", parts,
                      [&] { runner.run(bench.evaluator, std::span(inputs).first(count), keys); });
  };
  const RingSpec& ring = bench.context.ring();
  refused({"missing keys: relinearization", std::to_string(ring.galois_element_from_step(2)),
           std::to_string(ring.conjugation_element())},
          2);
  refused({"1 inputs", "2 inputs"}, 1);
  inputs[1].scale() = 0x1p39;
  refused({"(2^39)", "(2^40)"}, 2);
}

TEST(CircuitRunner, RefusesSumsUnderTwoSecretKeys) {
  const RunnerBench bench;
  const KeyGenerator other(bench.context, RandomSource::for_testing(test_seed() + 2));
  Circuit circuit(8);
  const CircuitValue x = circuit.multiply(circuit.input(1.0), 0.25);
  circuit.output(circuit.add(x, circuit.multiply(circuit.input(1.0), 0.5)));
  const CircuitRunner runner(circuit, bench.context, 0x1p40);
  std::array<Ciphertext, 2> inputs{bench.encrypt({0.5}), bench.encrypt({0.5})};
  EXPECT_EQ(runner.run(bench.evaluator, inputs, {}).size(), 1U);
  Plaintext plain;
  bench.encoder.encode(0.5, bench.context.first_parms_id(), 0x1p40, plain);
  inputs[1] = Encryptor(bench.context, other.secret_key()).encrypt_symmetric(plain);
  expect_refusal_of("Evaluator::add", {"belongs to secret key"},
                    [&] { runner.run(bench.evaluator, inputs, {}); });
}

TEST(CircuitRunner, StopsWhereProgressThrows) {
  const RunnerBench bench;
  const CircuitRunner runner(mixed_circuit(8), bench.context, 0x1p40);
  const std::array<Ciphertext, 2> inputs{bench.encrypt({0.5}), bench.encrypt({0.5})};
  const CircuitKeys keys = runner.create_keys(bench.keygen);
  std::size_t last = 0;
  runner.run(bench.evaluator, inputs, keys, [&](std::size_t done, std::size_t total) {
    EXPECT_GT(done, last);
    EXPECT_EQ(total, runner.plan().steps().size());
    last = done;
  });
  EXPECT_EQ(last, runner.plan().steps().size());
  const auto stop = [](std::size_t done, std::size_t) {
    if (done >= 3) throw std::runtime_error("stopped");
  };
  EXPECT_THROW(runner.run(bench.evaluator, inputs, keys, stop), std::runtime_error);
}

TEST(CircuitRunner, TellsOfEncodedVectorsAndStopsWhereProgressThrows) {
  for (const bool is_ckks : {true, false}) {
    const Context context =
        is_ckks ? CkksBench::context(64, 3) : ExactBench::context(SchemeType::bfv, 64, 4);
    const double scale = is_ckks ? 0x1p40 : 1;
    const Circuit circuit = mixed_circuit(8);
    std::size_t last = 0;
    const CircuitRunner runner(circuit, context, scale, 0,
                               [&](std::size_t done, std::size_t total) {
                                 EXPECT_EQ(done, ++last);
                                 EXPECT_LE(done, total);
                               });
    EXPECT_EQ(last, runner.plan().steps().size());
    EXPECT_EQ(runner.byte_count(), CircuitRunner(circuit, context, scale).byte_count());
    const auto stop = [](std::size_t done, std::size_t) {
      if (done == 2) throw std::runtime_error("stopped");
    };
    EXPECT_THROW(CircuitRunner(circuit, context, scale, 0, stop), std::runtime_error);
  }
}

TEST(CircuitRunner, ComposesRotationsOfTheKeysThatAreThere) {
  const RunnerBench bench;
  for (const std::size_t length : {8U, 32U}) {
    Circuit circuit(length);
    const CircuitValue x = circuit.input();
    std::vector<int> steps;
    for (std::size_t i = 1; i < length; ++i) steps.push_back(static_cast<int>(i));
    for (const int step : steps) circuit.output(circuit.rotate(x, step));
    // This rotates a product by known slots, whose estimate goes slot by slot.
    const KnownVector ones(KnownVector::Numbers(length, 1));
    steps.push_back(-1);
    circuit.output(circuit.rotate(circuit.multiply(x, ones), -1));
    const CircuitKeys keys{{}, bench.keygen.create_galois_keys()};
    const auto has_key = [&](std::uint64_t element) { return keys.galois_keys.has_key(element); };
    const CircuitRunner runner(circuit, bench.context, 0x1p40, 0, {}, has_key);
    EXPECT_LT(runner.plan().counts().automorphisms, 2 * length);
    std::vector<double> row(length);
    for (std::size_t i = 0; i < length; ++i) row[i] = std::cos(static_cast<double>(i));
    const Ciphertext input = bench.encrypt(repeated_rows(row, 32, 1));
    const auto results = runner.run(bench.evaluator, std::span(&input, 1), keys);
    const Decryptor decryptor(bench.context, bench.keygen.secret_key());
    for (std::size_t k = 0; k < steps.size(); ++k) {
      std::vector<double> decoded;
      bench.encoder.decode(decryptor.decrypt(results[k]), decoded);
      for (std::size_t i = 0; i < 32; ++i) {
        const std::size_t place = (i + length + static_cast<std::size_t>(steps[k])) % length;
        EXPECT_NEAR(decoded[i], row[place], 1e-6) << steps[k] << " " << i;
      }
    }
  }
}

// x^2 rotated by 1, plus x times 0.5.
Circuit square_and_rotate() {
  return circuit_of(32, [](Circuit& one, CircuitValue x) {
    return one.add(one.rotate(one.multiply(x, x), 1), one.multiply(x, KnownVector(0.5)));
  });
}

TEST(RunnerLevel, RunsFromALowerLevel) {
  const RunnerBench bench;
  const Circuit circuit = square_and_rotate();
  EXPECT_EQ(CircuitRunner(circuit, bench.context, 0x1p40).plan().input_prime_count(), 4U);
  const Decryptor decryptor(bench.context, bench.keygen.secret_key());
  std::vector<double> slots(32);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = std::cos(static_cast<double>(i));
  for (const std::size_t primes : {4U, 3U, 2U}) {
    const CircuitRunner runner(circuit, bench.context, 0x1p40, primes);
    EXPECT_EQ(runner.plan().input_prime_count(), primes);
    const Ciphertext input = bench.encrypt(slots, primes);
    const auto results =
        runner.run(bench.evaluator, std::span(&input, 1), runner.create_keys(bench.keygen));
    EXPECT_EQ(results[0].coeff_modulus_size(), primes - 1);
    const auto q = static_cast<double>(bench.context.parms().data_primes()[primes - 1].value());
    EXPECT_EQ(results[0].scale(), 0x1p40 * (0x1p40 / q));
    std::vector<double> decoded;
    bench.encoder.decode(decryptor.decrypt(results[0]), decoded);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const double next = slots[(i + 1) % slots.size()];
      EXPECT_NEAR(decoded[i], next * next + 0.5 * slots[i], 1e-6) << primes << " " << i;
    }
  }
}

TEST(RunnerLevel, RefusesInputsOfAnotherAndLevelsThatDoNotCarryTheCircuit) {
  const RunnerBench bench;
  const Circuit circuit = square_and_rotate();
  const auto run = [&](std::size_t runner_primes, std::size_t primes) {
    const CircuitRunner runner(circuit, bench.context, 0x1p40, runner_primes);
    const Ciphertext input = bench.encrypt({1.0}, primes);
    runner.run(bench.evaluator, std::span(&input, 1), runner.create_keys(bench.keygen));
  };
  expect_refusal_says("level of 3 data primes", [&] { run(3, 4); });
  expect_refusal_says("first level of 4 data primes", [&] { run(0, 3); });
  expect_refusal("depth 1", [&] { CircuitRunner(circuit, bench.context, 0x1p40, 1); });
  expect_refusal("5 data primes", [&] { CircuitRunner(circuit, bench.context, 0x1p40, 5); });
}

TEST(RunnerLevel, ServesExactSchemesToo) {
  const Context context = ExactBench::context(SchemeType::bgv, 64, 4);
  const KeyGenerator keygen(context, RandomSource::for_testing(test_seed()));
  const Encryptor encryptor(context, keygen.secret_key(),
                            RandomSource::for_testing(test_seed() + 1));
  const BatchEncoder encoder(context);
  const Evaluator evaluator(context);
  const Circuit circuit = circuit_of(
      32, [](Circuit& one, CircuitValue x) { return one.rotate(one.multiply(x, x), 3); });
  const CircuitRunner runner(circuit, context, 1, 3);
  const ResidueSlots slots(context.plain_modulus().value());
  std::vector<std::uint64_t> rows(64);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = 7 * i + 1;
  Ciphertext input = encryptor.encrypt_symmetric(slots.encode(encoder, rows, 1));
  evaluator.mod_switch_to_next_inplace(input);
  const auto results = runner.run(evaluator, std::span(&input, 1), runner.create_keys(keygen));
  const Decryptor decryptor(context, keygen.secret_key());
  EXPECT_EQ(slots.decode(encoder, decryptor.decrypt(results[0])),
            ClearCircuit(circuit, slots)({rows})[0]);
}

TEST(KnownVector, RefusesWhatIsNoVector) {
  expect_refusal_of("KnownVector", {"no numbers"},
                    [] { KnownVector vector{KnownVector::Integers{}}; });
  expect_refusal_of("KnownVector", {"not finite"}, [] { KnownVector vector(HUGE_VAL); });
  Circuit circuit(2);
  const CircuitValue x = circuit.input();
  expect_refusal_of("Circuit::multiply", {"5 slots"}, [&] {
    circuit.multiply(x, KnownVector(KnownVector::Integers{1, 2, 3, 4, 5}));
  });
  expect_refusal_of("Circuit::add", {"value 7"}, [&] { circuit.add(x, CircuitValue{7}); });
  expect_refusal_of("Circuit::input", {"magnitude"}, [&] { circuit.input(-1); });
  expect_refusal_of("Circuit", {"row_length = 3"}, [] { Circuit odd(3); });
  EXPECT_EQ(circuit.nodes().size(), 1U);
}

// A circuit of all operations. lab/bench/predictions_bench.cpp measures how close times are.
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

TEST(PredictTimes, TimesEveryStep) {
  const Circuit circuit = all_operations(16);
  for (const SchemeType scheme : {SchemeType::ckks, SchemeType::bfv, SchemeType::bgv}) {
    const bool is_ckks = scheme == SchemeType::ckks;
    const Context context =
        is_ckks ? CkksBench::context(64, 3) : ExactBench::context(scheme, 64, 4);
    const double scale = is_ckks ? 0x1p40 : 1;
    for (const std::size_t key_bytes : {std::size_t{1}, std::size_t{1} << 28}) {
      const PredictedTimes times = predict_times(circuit, context.parms(), scale, key_bytes);
      std::size_t steps = 0;
      double seconds = 0;
      for (const PredictedStep& step : times.steps) {
        EXPECT_GT(step.seconds, 0);
        steps += step.count;
        seconds += step.seconds;
      }
      EXPECT_EQ(steps, CircuitPlan(circuit, context.parms(), scale).steps().size());
      EXPECT_DOUBLE_EQ(times.circuit, seconds);
      for (const double part :
           {times.context, times.keys, times.encode, times.encrypt, times.decrypt, times.decode}) {
        EXPECT_GT(part, 0);
      }
    }
  }
}

TEST(PredictTimes, TakesCircuitsWithoutKeys) {
  const Circuit circuit = circuit_of(2, [](Circuit& one, CircuitValue x) { return one.add(x, x); });
  const EncryptionParameters parms = ckks(64, {50});
  const PredictedTimes times = predict_times(circuit, parms, 0x1p30);
  ASSERT_EQ(times.steps.size(), 1U);
  EXPECT_EQ(times.steps[0].operation, PlanOperation::add);
  EXPECT_EQ(times.steps[0].count, 1U);
}

TEST(PredictTimes, RefusesWhatAPlanRefuses) {
  const EncryptionParameters parms = CkksBench::context(64, 1).parms();
  expect_refusal_of("CircuitPlan", {"depth 2"},
                    [&] { predict_times(all_operations(16), parms, 0x1p40); });
}

}  // namespace
}  // namespace ringlet::test
