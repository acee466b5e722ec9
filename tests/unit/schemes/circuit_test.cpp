// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernel_selection.hpp"
#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"

namespace ringlet::test {
namespace {

constexpr double kScale = 0x1p40;

// Uses every operation of the Evaluator at least once.
std::vector<Ciphertext> run_every_operation(const Ckks& ckks, const Slots& x, const Slots& y,
                                            double scale) {
  const Evaluator& e = ckks.evaluator;
  std::vector<Ciphertext> results{ckks.encrypt(x, scale), ckks.encrypt(y, scale)};
  const Plaintext p = ckks.encode(x, scale);
  Ciphertext c = results[0];
  const auto keep = [&] { results.push_back(c); };
  e.multiply_inplace(c, results[1]), keep();
  e.relinearize_inplace(c, ckks.relin_keys), keep();
  e.rescale_to_next_inplace(c), keep();
  e.rotate_vector_inplace(c, 7, ckks.galois_keys), keep();
  e.complex_conjugate_inplace(c, ckks.galois_keys), keep();
  e.mod_switch_to_next_inplace(c), keep();
  c = results[1];
  e.square_inplace(c), keep();
  c = results[1];
  e.add_plain_inplace(c, p), keep();
  e.multiply_plain_inplace(c, p), keep();
  e.negate_inplace(c), keep();
  e.rescale_to_inplace(c, ckks.context.last_parms_id()), keep();
  c = results[0];
  e.sub_inplace(c, results[1]), keep();
  e.sub_plain_inplace(c, p), keep();
  const std::uint64_t element = 2 * ckks.context.ring().degree() - 3;
  const GaloisKeys keys = ckks.keygen.create_galois_keys_for_elements({element});
  e.apply_galois_inplace(c, element, keys), keep();
  e.add_inplace(c, results[1]), keep();
  e.mod_switch_to_inplace(c, ckks.context.last_parms_id()), keep();
  return results;
}

// Every table that this processor has, and every algorithm of its transforms.
std::set<std::string> available_selections() {
  std::set<std::string> selections{""};
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (!kernel.available) continue;
    selections.insert(kernel.table);
    if (kernel.operation == "ntt") selections.insert(kernel.table + "/" + kernel.algorithm);
  }
  return selections;
}

TEST(Circuit, TheSameBitsWithEveryKernel) {
  // 49 bits and below run on 52-bit kernels, 60 bits on 64-bit ones.
  const std::vector<std::vector<int>> chains{{60, 45, 40, 60}, {49, 45, 40, 49}, {30, 29, 28, 30}};
  for (const std::size_t degree : {16, 256, 2048}) {
    auto rng = test::make_rng(degree);
    const Slots x = test::random_slots(degree / 2, rng);
    const Slots y = test::random_slots(degree / 2, rng);
    for (const auto& bits : chains) {
      std::vector<Snapshot> expected;
      std::size_t compared = 0;
      for (const std::string& selection : available_selections()) {
        SCOPED_TRACE(selection);
        std::vector<Snapshot> actual;
        try {
          const Ckks ckks(test::toy_context(degree, bits, KernelSelection(selection)));
          const double scale = std::ldexp(1.0, bits[2]);
          for (const Ciphertext& c : run_every_operation(ckks, x, y, scale)) actual.emplace_back(c);
        } catch (const InvalidArgument& error) {
          // An algorithm that is named exactly may refuse a prime or a degree outside its range.
          ASSERT_NE(selection.find('/'), std::string::npos) << error.what();
          continue;
        }
        if (expected.empty()) expected = actual;
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t i = 0; i < actual.size(); ++i) {
          ASSERT_EQ(actual[i], expected[i]) << "result " << i << ", degree " << degree;
        }
        ++compared;
      }
      EXPECT_GE(compared, 2u);
    }
  }
}

// x -> x^2 at every level down to the last, against the same powers in the clear.
void expect_squares_to_the_last_level(const Ckks& ckks, std::size_t expected_levels) {
  auto rng = test::make_rng();
  const test::NoiseBound noise(ckks.context);
  Slots x(ckks.encoder.slot_count());
  std::uniform_real_distribution<double> angle(0, 6.28318);
  for (auto& slot : x) slot = std::polar(1.0, angle(rng));  // stays on the unit circle
  Ciphertext c = ckks.encrypt(x, kScale);
  double error = noise.fresh();  // times the scale
  std::size_t levels = 0;
  while (ckks.level(c).next_context_data() != nullptr) {
    const ContextData& level = ckks.level(c);
    const auto q = static_cast<double>(level.coeff_modulus().back().value());
    error = 2 * error * c.scale() + error * error + noise.key_switch(level);
    error = error / q + noise.rounding();
    ckks.evaluator.square_inplace(c);
    ckks.evaluator.relinearize_inplace(c, ckks.relin_keys);
    ckks.evaluator.rescale_to_next_inplace(c);
    for (auto& slot : x) slot *= slot;
    ++levels;
    SCOPED_TRACE(levels);
    expect_close(ckks.decrypt(c), x, error / c.scale() + 0x1p-40);
  }
  EXPECT_EQ(levels, expected_levels);
  test::expect_refusal<InvalidArgument>([&] { ckks.evaluator.rescale_to_next_inplace(c); },
                                        "Evaluator::rescale_to_next", {"last level"});
}

TEST(Circuit, SquaresDownToTheLastLevelOfALongChain) {
  expect_squares_to_the_last_level(Ckks(256, {50, 40, 40, 40, 40, 40, 40, 40, 40, 40, 60}), 9);
}

TEST(Circuit, SquaresDownToTheLastLevelWithRealParameters) {
  expect_squares_to_the_last_level(
      Ckks(Context(test::ckks(8192, std::vector<int>{60, 40, 40, 60}))), 2);
  expect_squares_to_the_last_level(
      Ckks(Context(test::ckks(16384, std::vector<int>{60, 40, 40, 40, 40, 40, 40, 60}))), 6);
}

TEST(Circuit, RealParametersRotateAndAddUp) {
  // The inner product of 8192/2 slots with weights: what a linear model does.
  const Ckks ckks(Context(test::ckks(8192, std::vector<int>{60, 40, 40, 60})));
  auto rng = test::make_rng();
  const test::NoiseBound noise(ckks.context);
  const std::size_t slots = ckks.encoder.slot_count();
  const Slots x = test::random_slots(slots, rng);
  const Slots w = test::random_slots(slots, rng);
  Complex expected = 0;
  for (std::size_t j = 0; j < slots; ++j) expected += x[j] * w[j];

  Ciphertext sum = ckks.encrypt(x, kScale);
  ckks.evaluator.multiply_plain_inplace(sum, ckks.encode(w, kScale));
  ckks.evaluator.rescale_to_next_inplace(sum);
  const auto q =
      static_cast<double>(ckks.context.first_context_data()->coeff_modulus().back().value());
  double error = (2 * std::sqrt(2.0) * noise.fresh() * kScale) / q + noise.rounding();
  Ciphertext turned;
  for (std::size_t step = 1; step < slots; step *= 2) {
    ckks.evaluator.rotate_vector(sum, static_cast<int>(step), ckks.galois_keys, turned);
    ckks.evaluator.add_inplace(sum, turned);
    error = 2 * error + noise.key_switch(ckks.level(sum));
  }
  expect_close(ckks.decrypt(sum), Slots(slots, expected), error / sum.scale());
}

TEST(Circuit, OneEvaluatorServesThreads) {
  const Ckks ckks(1024, {50, 40, 40, 60});
  auto rng = test::make_rng();
  const Slots x = test::random_slots(512, rng);
  const Ciphertext a = ckks.encrypt(x, kScale);
  const Ciphertext b = ckks.encrypt(x, kScale);
  const auto circuit = [&] {
    Ciphertext c;
    ckks.evaluator.multiply(a, b, c);
    ckks.evaluator.relinearize_inplace(c, ckks.relin_keys);
    ckks.evaluator.rescale_to_next_inplace(c);
    ckks.evaluator.rotate_vector_inplace(c, 3, ckks.galois_keys);
    Slots slots;
    ckks.encoder.decode(ckks.decryptor.decrypt(c), slots);
    Plaintext plain;
    ckks.encoder.encode(slots, c.parms_id(), c.scale(), plain);
    ckks.evaluator.add_plain_inplace(c, plain);
    return Snapshot(c);
  };
  const Snapshot expected = circuit();
  std::atomic<int> same = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) same += circuit() == expected ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(same, 40);
}

}  // namespace
}  // namespace ringlet::test
