// SPDX-License-Identifier: Apache-2.0
#include "support/declared_circuit.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using Exact = ClearCircuit<ResidueSlots>;
using Approximate = ClearCircuit<NumberSlots>;

// Sums of values of all kinds: fresh, products, products of products, known factors.
Circuit mixed_circuit(std::size_t row_length) {
  Circuit circuit(row_length);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  const CircuitValue xy = circuit.multiply(x, y);
  const CircuitValue xyx = circuit.multiply(xy, x);
  const CircuitValue known =
      circuit.multiply(circuit.rotate(y, 1), KnownVector(KnownVector::Integers{1, 2, 3, -1}));
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
}

TEST(Circuit, RotationsOfOneValueAreOne) {
  Circuit circuit(8);
  const CircuitValue x = circuit.input();
  EXPECT_EQ(circuit.rotate(x, 3), circuit.rotate(x, -5));
  EXPECT_EQ(circuit.rotate(x, 16), x);
  EXPECT_EQ(circuit.rotate(x, 0), x);
}

TEST(Circuit, IgnoresWhatNoResultNeeds) {
  Circuit circuit(8);
  const CircuitValue x = circuit.input();
  circuit.multiply(circuit.rotate(x, 3), circuit.conjugate(x));
  circuit.output(circuit.add(x, x));
  EXPECT_EQ(circuit.depth(), 0U);
  EXPECT_TRUE(circuit.rotations().empty());
  EXPECT_FALSE(circuit.uses_conjugation());
}

TEST(Circuit, RunsInCkks) {
  std::mt19937_64 rng(test_seed());
  const CkksBench bench(64, 3);
  for (const std::size_t length : {std::size_t{1}, std::size_t{4}, std::size_t{32}}) {
    const Circuit circuit = mixed_circuit(std::max<std::size_t>(length, 2));
    const std::vector<std::vector<Number>> inputs{random_numbers(circuit.row_length(), rng),
                                                  random_numbers(circuit.row_length(), rng)};
    const auto expected = Approximate(circuit, 1)(inputs);
    const auto actual = bench(circuit, inputs);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LE(largest_difference(actual[i], expected[i]), 1e-7) << "result " << i;
    }
  }
}

void run_exact(SchemeType scheme) {
  std::mt19937_64 rng(test_seed());
  const ExactBench bench(scheme, 64, 5);
  const std::uint64_t t = bench.context().plain_modulus().value();
  for (const std::size_t length : {std::size_t{4}, std::size_t{32}}) {
    const Circuit circuit = mixed_circuit(length);
    const std::vector<std::vector<std::uint64_t>> inputs{random_residues(2 * length, t, rng),
                                                         random_residues(2 * length, t, rng)};
    const auto expected = Exact(circuit, 2, bench.slots())(inputs);
    const auto actual = bench(circuit, inputs);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(actual[i], repeated_rows(expected[i], 32)) << "result " << i;
    }
  }
}

TEST(Circuit, RunsInBfv) { run_exact(SchemeType::bfv); }
TEST(Circuit, RunsInBgv) { run_exact(SchemeType::bgv); }

TEST(CircuitPlan, RescalesSumsOfProductsOnce) {
  Circuit circuit(8);
  const CircuitValue x = circuit.input();
  const CircuitValue y = circuit.input();
  const CircuitValue products =
      circuit.add(circuit.multiply(x, y),
                  circuit.add(circuit.multiply(x, x), circuit.multiply(y, KnownVector(0.5))));
  circuit.output(products);
  const CircuitPlan plan(circuit, CkksBench::context(64, 1, 40).parms(), 0x1p40);
  EXPECT_EQ(plan.counts().multiplications, 2U);
  EXPECT_EQ(plan.counts().relinearizations, 1U);
  EXPECT_EQ(plan.counts().rescalings, 1U);
  EXPECT_EQ(plan.counts().key_switches(), 1U);
  EXPECT_TRUE(plan.galois_elements().empty());
}

TEST(CircuitPlan, HasOneScalePerLevel) {
  const Context context = CkksBench::context(64, 4, 40);
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
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(64);
  parms.set_coeff_modulus(CoeffModulus::create(64, {50, 50, 40, 40, 40, 40, 40, 40, 50}));
  const Context context(parms, SecurityLevel::none);
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
  const CkksBench bench(context, 0x1p80);
  const std::vector<std::vector<Number>> inputs{random_numbers(8, rng), random_numbers(8, rng)};
  const auto expected = Approximate(mixed_circuit(8), 1)(inputs);
  const auto actual = bench(mixed_circuit(8), inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LE(largest_difference(actual[i], expected[i]), 1e-12) << "result " << i;
  }
  Circuit deep(8);
  CircuitValue x = deep.input();
  for (int i = 0; i < 4; ++i) x = deep.multiply(x, x);
  deep.output(x);
  expect_refusal_of("CircuitPlan", {"depth 4", "depth of 3 at 2 primes a level", "9 data primes"},
                    [&] { CircuitPlan(deep, parms, 0x1p80); });
}

TEST(CircuitPlan, ListsExactlyTheKeys) {
  const Context context = CkksBench::context(64, 3, 40);
  const CircuitPlan plan(mixed_circuit(32), context.parms(), 0x1p40);
  const RingSpec ring = context.ring();
  std::vector<std::uint64_t> expected{ring.galois_element_from_step(1),
                                      ring.galois_element_from_step(2), ring.conjugation_element()};
  std::ranges::sort(expected);
  EXPECT_TRUE(std::ranges::equal(plan.galois_elements(), expected));
  EXPECT_TRUE(plan.needs_relinearization());
}

TEST(CircuitPlan, RefusesWhatParametersDoNotAllow) {
  const EncryptionParameters shallow = CkksBench::context(64, 2, 40).parms();
  expect_refusal_of("CircuitPlan", {"depth 3", "depth of 2", "4 data primes"},
                    [&] { CircuitPlan(mixed_circuit(8), shallow, 0x1p40); });
  const EncryptionParameters deep = CkksBench::context(64, 3, 40).parms();
  expect_refusal_of("CircuitPlan", {"row_length = 64", "N = 128"},
                    [&] { CircuitPlan(mixed_circuit(64), deep, 0x1p40); });
  expect_refusal_of("CircuitPlan", {"without a result"},
                    [&] { CircuitPlan(Circuit(8), deep, 0x1p40); });
  for (const double scale : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 1e-310}) {
    expect_refusal_of("CircuitPlan", {"scale = "},
                      [&] { CircuitPlan(mixed_circuit(8), deep, scale); });
  }
  expect_refusal_of("CircuitPlan", {"at the level of"},
                    [&] { CircuitPlan(mixed_circuit(8), deep, 0x1p30); });
  EncryptionParameters exact = ExactBench::context(SchemeType::bfv, 64, 3, 17).parms();
  Circuit real(8);
  real.output(real.multiply(real.input(), KnownVector(0.5)));
  expect_refusal_of("CircuitPlan", {"integers"}, [&] { CircuitPlan(real, exact); });
  exact.set_plain_modulus(Modulus(1000));
  expect_refusal_of("CircuitPlan", {"1000"}, [&] { CircuitPlan(mixed_circuit(8), exact); });
  EncryptionParameters without_keys(SchemeType::ckks);
  without_keys.set_poly_modulus_degree(64);
  const auto primes = CoeffModulus::create(64, {50, 40, 40, 40});
  without_keys.set_coeff_modulus(primes, {});
  expect_refusal_of("CircuitPlan", {"key switches", "special prime"},
                    [&] { CircuitPlan(mixed_circuit(8), without_keys, 0x1p40); });
}

TEST(CircuitRunner, NamesAllMissingKeys) {
  const Context context = CkksBench::context(64, 3, 40);
  const CircuitRunner runner(mixed_circuit(8), context, 0x1p40);
  const KeyGenerator keygen(context, RandomSource::for_testing(test_seed()));
  const Evaluator evaluator(context);
  const CKKSEncoder encoder(context);
  Plaintext plain;
  encoder.encode(0.5, 0x1p40, plain);
  const Encryptor encryptor(context, keygen.secret_key(), RandomSource::for_testing(test_seed()));
  std::array<Ciphertext, 2> inputs{encryptor.encrypt_symmetric(plain),
                                   encryptor.encrypt_symmetric(plain)};
  CircuitKeys keys = runner.create_keys(keygen);
  EXPECT_EQ(runner.run(evaluator, inputs, keys).size(), 6U);
  keys.galois_keys = keygen.create_galois_keys(std::vector<int>{1});
  keys.relin_keys = RelinKeys();
  expect_refusal_of(
      "CircuitRunner::run",
      {"missing keys: relinearization", std::to_string(context.ring().galois_element_from_step(2)),
       std::to_string(context.ring().conjugation_element())},
      [&] { runner.run(evaluator, inputs, keys); });
  expect_refusal_of("CircuitRunner::run", {"1 inputs", "2 inputs"},
                    [&] { runner.run(evaluator, std::span(inputs).first(1), keys); });
  inputs[1].scale() = 0x1p39;
  expect_refusal_of("CircuitRunner::run", {"(2^39)", "(2^40)"},
                    [&] { runner.run(evaluator, inputs, keys); });
}

TEST(CircuitRunner, StopsWhereProgressThrows) {
  const Context context = CkksBench::context(64, 3, 40);
  const CircuitRunner runner(mixed_circuit(8), context, 0x1p40);
  const KeyGenerator keygen(context, RandomSource::for_testing(test_seed()));
  const CKKSEncoder encoder(context);
  Plaintext plain;
  encoder.encode(0.5, 0x1p40, plain);
  const Encryptor encryptor(context, keygen.secret_key(), RandomSource::for_testing(test_seed()));
  const std::array<Ciphertext, 2> inputs{encryptor.encrypt_symmetric(plain),
                                         encryptor.encrypt_symmetric(plain)};
  const CircuitKeys keys = runner.create_keys(keygen);
  const Evaluator evaluator(context);
  std::size_t last = 0;
  runner.run(evaluator, inputs, keys, [&](std::size_t done, std::size_t total) {
    EXPECT_GT(done, last);
    EXPECT_EQ(total, runner.plan().steps().size());
    last = done;
  });
  EXPECT_EQ(last, runner.plan().steps().size());
  const auto stop = [](std::size_t done, std::size_t) {
    if (done >= 3) throw std::runtime_error("stopped");
  };
  EXPECT_THROW(runner.run(evaluator, inputs, keys, stop), std::runtime_error);
}

TEST(CircuitRunner, TellsOfEncodedVectorsAndStopsWhereProgressThrows) {
  for (const bool is_ckks : {true, false}) {
    const Context context =
        is_ckks ? CkksBench::context(64, 3, 40) : ExactBench::context(SchemeType::bfv, 64, 4, 17);
    const double scale = is_ckks ? 0x1p40 : 1;
    const Circuit circuit = mixed_circuit(8);
    std::size_t last = 0;
    std::size_t calls = 0;
    const CircuitRunner runner(circuit, context, scale, 0,
                               [&](std::size_t done, std::size_t total) {
                                 EXPECT_EQ(done, last + 1);
                                 EXPECT_LE(done, total);
                                 last = done;
                                 ++calls;
                               });
    EXPECT_EQ(last, runner.plan().steps().size());
    EXPECT_EQ(calls, last);
    EXPECT_EQ(runner.byte_count(), CircuitRunner(circuit, context, scale).byte_count());
    const auto stop = [](std::size_t done, std::size_t) {
      if (done == 2) throw std::runtime_error("stopped");
    };
    EXPECT_THROW(CircuitRunner(circuit, context, scale, 0, stop), std::runtime_error);
  }
}

TEST(CircuitRunner, RefusesFactorsThatEncodeToZero) {
  const Context ckks = CkksBench::context(64, 3, 40);
  const Context bfv = ExactBench::context(SchemeType::bfv, 64, 4, 17);
  const auto t = static_cast<std::int64_t>(bfv.plain_modulus().value());
  const auto product = [](const KnownVector& factor) {
    Circuit circuit(8);
    circuit.output(circuit.multiply(circuit.input(), factor));
    return circuit;
  };
  const KnownVector::Numbers tiny{0x1p-50, -0x1p-52};
  for (const KnownVector& factor : {KnownVector(tiny), KnownVector(0x1p-42), KnownVector(0)}) {
    expect_refusal_of("CircuitRunner", {"a known factor that is 0", "2^"},
                      [&] { CircuitRunner(product(factor), ckks, 0x1p40); });
  }
  EXPECT_NO_THROW(CircuitRunner(product(KnownVector(0x1p-40)), ckks, 0x1p40));
  for (const KnownVector& factor : {KnownVector(t), KnownVector(KnownVector::Integers{-t, t})}) {
    expect_refusal_of("CircuitRunner", {"modulo the plain modulus", std::to_string(t)},
                      [&] { CircuitRunner(product(factor), bfv); });
  }
  EXPECT_NO_THROW(CircuitRunner(product(KnownVector(t + 1)), bfv));
}

TEST(KnownVector, RefusesWhatIsNoVector) {
  expect_refusal_of("KnownVector", {"no numbers"},
                    [] { KnownVector vector{KnownVector::Integers{}}; });
  expect_refusal_of("KnownVector", {"not finite"},
                    [] { KnownVector vector(std::numeric_limits<double>::infinity()); });
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

}  // namespace
}  // namespace ringlet::test
