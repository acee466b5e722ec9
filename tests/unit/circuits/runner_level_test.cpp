// SPDX-License-Identifier: Apache-2.0
#include "support/declared_circuit.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

constexpr double kScale = 0x1p40;

// x^2 rotated by 1, plus x times 0.5.
Circuit square_and_rotate() {
  Circuit circuit(32);
  const CircuitValue x = circuit.input();
  circuit.output(circuit.add(circuit.rotate(circuit.multiply(x, x), 1),
                             circuit.multiply(x, KnownVector(0.5))));
  return circuit;
}

/// Encrypts at any level.
struct Bench {
  Context context = CkksBench::context(64, 3, 40);
  KeyGenerator keygen{context, RandomSource::for_testing(test_seed())};
  Encryptor encryptor{context, keygen.secret_key(), RandomSource::for_testing(test_seed() + 1)};
  CKKSEncoder encoder{context};
  Evaluator evaluator{context};

  Ciphertext encrypt(const std::vector<double>& slots, std::size_t primes) const {
    const ContextData* level = context.first_context_data();
    while (level->prime_count() != primes) level = level->next_context_data();
    Plaintext plain;
    encoder.encode(slots, level->parms_id(), kScale, plain);
    return encryptor.encrypt_symmetric(plain);
  }
};

TEST(RunnerLevel, RunsFromALowerLevel) {
  const Bench bench;
  const Circuit circuit = square_and_rotate();
  std::vector<double> slots(32);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = std::cos(static_cast<double>(i));
  for (const std::size_t primes : {4U, 3U, 2U}) {
    const CircuitRunner runner(circuit, bench.context, kScale, primes);
    EXPECT_EQ(runner.plan().input_prime_count(), primes);
    const Ciphertext input = bench.encrypt(slots, primes);
    const auto results =
        runner.run(bench.evaluator, std::span(&input, 1), runner.create_keys(bench.keygen));
    EXPECT_EQ(results[0].coeff_modulus_size(), primes - 1);
    const auto q = static_cast<double>(bench.context.parms().data_primes()[primes - 1].value());
    EXPECT_EQ(results[0].scale(), kScale * (kScale / q));
    std::vector<double> decoded;
    const Decryptor decryptor(bench.context, bench.keygen.secret_key());
    bench.encoder.decode(decryptor.decrypt(results[0]), decoded);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const double next = slots[(i + 1) % slots.size()];
      EXPECT_NEAR(decoded[i], next * next + 0.5 * slots[i], 1e-6) << primes << " " << i;
    }
  }
}

TEST(RunnerLevel, IsTheFirstUnlessSaid) {
  const Bench bench;
  const Circuit circuit = square_and_rotate();
  const CircuitRunner runner(circuit, bench.context, kScale);
  EXPECT_EQ(runner.plan().input_prime_count(), 4U);
}

TEST(RunnerLevel, RefusesInputsOfAnother) {
  const Bench bench;
  const Circuit circuit = square_and_rotate();
  const CircuitRunner lower(circuit, bench.context, kScale, 3);
  const CircuitRunner first(circuit, bench.context, kScale);
  const CircuitKeys keys = lower.create_keys(bench.keygen);
  const Ciphertext high = bench.encrypt({1.0}, 4);
  const Ciphertext low = bench.encrypt({1.0}, 3);
  expect_refusal_says("level of 3 data primes",
                      [&] { lower.run(bench.evaluator, std::span(&high, 1), keys); });
  expect_refusal_says("first level of 4 data primes",
                      [&] { first.run(bench.evaluator, std::span(&low, 1), keys); });
}

TEST(RunnerLevel, RefusesLevelsThatDoNotCarryTheCircuit) {
  const Bench bench;
  const Circuit circuit = square_and_rotate();
  expect_refusal("depth 1", [&] { CircuitRunner(circuit, bench.context, kScale, 1); });
  expect_refusal("5 data primes", [&] { CircuitRunner(circuit, bench.context, kScale, 5); });
}

TEST(RunnerLevel, ServesExactSchemesToo) {
  const Context context = ExactBench::context(SchemeType::bgv, 64, 4, 17);
  const KeyGenerator keygen(context, RandomSource::for_testing(test_seed()));
  const Encryptor encryptor(context, keygen.secret_key(),
                            RandomSource::for_testing(test_seed() + 1));
  const BatchEncoder encoder(context);
  const Evaluator evaluator(context);
  Circuit circuit(32);
  const CircuitValue x = circuit.input();
  circuit.output(circuit.rotate(circuit.multiply(x, x), 3));
  const CircuitRunner runner(circuit, context, 1, 3);
  std::vector<std::uint64_t> slots(64);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = 7 * i + 1;
  Plaintext plain;
  encoder.encode(slots, plain);
  Ciphertext input = encryptor.encrypt_symmetric(plain);
  evaluator.mod_switch_to_next_inplace(input);
  const auto results = runner.run(evaluator, std::span(&input, 1), runner.create_keys(keygen));
  std::vector<std::uint64_t> decoded;
  encoder.decode(Decryptor(context, keygen.secret_key()).decrypt(results[0]), decoded);
  const std::uint64_t t = context.plain_modulus().value();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint64_t moved = slots[i / 32 * 32 + (i % 32 + 3) % 32];
    EXPECT_EQ(decoded[i], moved * moved % t) << i;
  }
}

}  // namespace
}  // namespace ringlet::test
