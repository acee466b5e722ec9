// SPDX-License-Identifier: Apache-2.0
#include "support/circuits/noise_meter.hpp"
#include "support/circuits/tracing_bench.hpp"

namespace ringlet::test {
namespace {

std::vector<std::complex<double>> random_slots(std::uint64_t stream) {
  std::mt19937_64 rng = make_rng(stream);
  std::vector<std::complex<double>> slots;
  for (const Number& z : random_numbers(32, rng)) {
    slots.emplace_back(static_cast<double>(z.real()), static_cast<double>(z.imag()));
  }
  return slots;
}

std::vector<Number> precise(std::span<const std::complex<double>> slots) {
  return {slots.begin(), slots.end()};
}

/// Expects a right step, with the error of Decryptor and CKKSEncoder against `expected`.
TracedCiphertext expect_error(const TracingBench& bench, TracedCiphertext traced,
                              const std::vector<Number>& expected) {
  const TraceStep& step = bench.last();
  const auto decoded =
      NumberSlots::decode(CKKSEncoder(bench.context), bench.decryptor.decrypt(traced.ciphertext()));
  EXPECT_NEAR(step.measured_bits, std::log2(largest_difference(decoded, expected)), 1e-2)
      << step.operation;
  EXPECT_LE(largest_difference(precise(traced.numbers()), expected), 1e-14) << step.operation;
  EXPECT_EQ(step.scale, traced.ciphertext().scale()) << step.operation;
  EXPECT_TRUE(step.is_right && step.is_within_estimate) << to_string(step);
  EXPECT_EQ(step.advice, "");
  EXPECT_FALSE(step.budget_bits.has_value());
  return traced;
}

TracedCiphertext expect_noise(const TracingBench& bench, TracedCiphertext traced,
                              const std::vector<std::uint64_t>& expected) {
  const TraceStep& step = bench.last();
  const MeasuredNoise noise =
      measure_noise(bench.context, bench.keygen.secret_key(), traced.ciphertext());
  EXPECT_NEAR(step.measured_bits, std::log2(noise.largest), 1e-9) << step.operation;
  // The Decryptor counts whole bits.
  const ContextData& level = *bench.context.get_context_data(traced.ciphertext().parms_id());
  const int noise_bits = static_cast<int>(std::floor(step.measured_bits)) + 1;
  EXPECT_EQ(bench.decryptor.invariant_noise_budget(traced.ciphertext()),
            std::max(0, level.total_coeff_modulus_bit_count() - noise_bits - 1));
  EXPECT_NEAR(step.budget_bits.value() + step.measured_bits + 1,
              static_cast<double>(std::log2(modulus_of(level))), 1e-9);
  const Plaintext plain = bench.decryptor.decrypt(traced.ciphertext());
  EXPECT_EQ(ResidueSlots::decode(BatchEncoder(bench.context), plain), expected) << step.operation;
  EXPECT_TRUE(std::ranges::equal(traced.residues(), expected)) << step.operation;
  EXPECT_TRUE(step.is_right && step.is_within_estimate) << to_string(step);
  EXPECT_EQ(step.advice, "");
  return traced;
}

/// The first wrong step, which the log must have.
const TraceStep& first_wrong(const TracingBench& bench) {
  return *std::ranges::find(bench.tracer.log(), false, &TraceStep::is_right);
}

// ---------------------------------------------------------------------------------------- CKKS

TEST(TracingEvaluator, MeasuresOperationsOfCkks) {
  TracingBench bench = ckks_bench();
  TracingEvaluator& tracer = bench.tracer;
  const auto x_slots = random_slots(1);
  const auto y_slots = random_slots(2);
  const std::vector<Number> x = precise(x_slots);
  const std::vector<Number> y = precise(y_slots);
  const auto product = zip(x, y, NumberSlots::multiply);

  const TracedCiphertext tx = expect_error(bench, tracer.encrypt(x_slots, kTracedScale, "x"), x);
  const TracedCiphertext ty = expect_error(bench, tracer.encrypt(y_slots, kTracedScale, "y"), y);
  expect_error(bench, tracer.negate(tx), zip(x, x, [](Number z, Number) { return -z; }));
  expect_error(bench, tracer.add(tx, ty), zip(x, y, NumberSlots::add));
  expect_error(bench, tracer.sub(tx, ty), zip(x, y, NumberSlots::subtract));
  expect_error(bench, tracer.square(tx), zip(x, x, NumberSlots::multiply));
  const TracedCiphertext xy = expect_error(bench, tracer.multiply(tx, ty), product);
  EXPECT_EQ(bench.last().size, 3U);
  const TracedCiphertext small =
      expect_error(bench, tracer.relinearize(xy, bench.relin_keys), product);
  expect_error(bench, tracer.rescale_to_next(small), product);
  const TracedCiphertext low =
      expect_error(bench, tracer.relinearize_and_rescale_to_next(xy, bench.relin_keys), product);
  EXPECT_EQ(bench.last().prime_count, 3U);
  expect_error(bench, tracer.mod_switch_to_next(low), product);
  expect_error(bench, tracer.mod_switch_to(low, bench.context.last_parms_id()), product);
  EXPECT_EQ(bench.last().prime_count, 1U);
  expect_error(bench, tracer.complex_conjugate(low, bench.galois_keys),
               NumberSlots::conjugate(product));
  for (const int steps : {0, 1, 5, -3, 31}) {
    std::vector<Number> rotated = product;
    std::ranges::rotate(rotated, rotated.begin() + (steps + 32) % 32);
    expect_error(bench, tracer.rotate_vector(low, steps, bench.galois_keys), rotated);
  }
}

TEST(TracingEvaluator, MeasuresKnownVectorsOfCkks) {
  TracingBench bench = ckks_bench();
  TracingEvaluator& tracer = bench.tracer;
  const auto slots = random_slots(1);
  const std::vector<Number> x = precise(slots);
  const TracedCiphertext tx = tracer.encrypt(slots, kTracedScale, "x");
  const auto with_all = [&](Number known, const auto& f) {
    return zip(x, std::vector<Number>(x.size(), known), f);
  };
  expect_error(bench, tracer.add_plain(tx, 0.75), with_all(0.75, NumberSlots::add));
  expect_error(bench, tracer.multiply_plain(tx, -3), with_all(-3, NumberSlots::multiply));
  EXPECT_EQ(bench.last().scale, kTracedScale);
  expect_error(bench, tracer.multiply_plain(tx, std::complex<double>(0.5, -0.25), kTracedScale),
               with_all(Number(0.5L, -0.25L), NumberSlots::multiply));
  EXPECT_EQ(bench.last().scale, kTracedScale * kTracedScale);
  // Missing values are 0.
  std::vector<Number> known(x.size());
  known[0] = 2;
  known[1] = -1;
  const KnownVector two_values(std::vector<double>{2, -1});
  expect_error(bench, tracer.multiply_plain(tx, two_values, kTracedScale),
               zip(x, known, NumberSlots::multiply));
  expect_error(bench, tracer.add_plain(tx, two_values), zip(x, known, NumberSlots::add));
  EXPECT_EQ(bench.last().operands, "x, [2 values]");
}

TEST(TracingEvaluator, EstimatesOfCkksAreThoseOfTheEstimator) {
  TracingBench bench = ckks_bench();
  const NoiseEstimator& estimator = bench.estimator;
  const auto expect_step = [&bench](const NoiseEstimate& expected) {
    EXPECT_EQ(bench.last().estimated_bits, expected.error_bits()) << bench.last().operation;
    EXPECT_EQ(bench.last().magnitude_bound, expected.magnitude()) << bench.last().operation;
    EXPECT_GE(expected.error_bits(), bench.last().measured_bits) << bench.last().operation;
  };
  const std::vector<double> slots{0.5, -2.0, 1.0};
  const TracedCiphertext x = bench.tracer.encrypt(slots, kTracedScale, "x");
  const NoiseEstimate ex = estimator.encrypt(estimator.encode(kTracedScale, 2.0));
  expect_step(ex);
  const TracedCiphertext square = bench.tracer.square(x);
  expect_step(estimator.square(ex));
  const TracedCiphertext low =
      bench.tracer.relinearize_and_rescale_to_next(square, bench.relin_keys);
  const NoiseEstimate elow = estimator.relinearize_and_rescale_to_next(estimator.square(ex));
  expect_step(elow);
  bench.tracer.add_plain(low, 0.25);
  expect_step(estimator.add_plain(elow, estimator.encode(elow.scale(), 0.25)));
  bench.tracer.multiply_plain(low, 5);
  expect_step(estimator.multiply_plain(elow, estimator.encode_integer(5)));
  // 3 = 4 - 1 takes two keys if keys are only for powers of two.
  bench.tracer.rotate_vector(low, 3, bench.galois_keys);
  expect_step(estimator.apply_galois(elow, 2));
  bench.tracer.rotate_vector(low, 3, bench.keygen.create_galois_keys(std::vector<int>{3}));
  expect_step(estimator.apply_galois(elow, 1));
  bench.tracer.add(bench.tracer.with_magnitude(low, 1.5), low);
  expect_step(estimator.add(estimator.with_magnitude(elow, 1.5), elow));
  const TracedCiphertext other = bench.tracer.with_scale(low, kTracedScale);
  expect_step(estimator.with_scale(elow, kTracedScale));
  EXPECT_NEAR(other.numbers()[1].real(), 4 * elow.scale() / kTracedScale, 1e-14);
}

// A scale changed by hand keeps the polynomial: here every slot is off by half of itself.
TEST(TracingEvaluator, MarksScalesThatWereChangedByHand) {
  TracingBench bench = ckks_bench();
  TracedCiphertext x = bench.tracer.encrypt(random_slots(1), kTracedScale, "x");
  x.ciphertext().scale() *= 2;
  bench.tracer.inspect(x);
  EXPECT_FALSE(bench.last().is_right);
  EXPECT_FALSE(bench.last().is_within_estimate);
  EXPECT_NE(
      bench.last().advice.find("the scale of x was set by hand to 2^41.00, which multiplies its "
                               "message by 0.5"),
      std::string::npos)
      << bench.last().advice;
  EXPECT_NE(to_string(bench.last()).find("WRONG: the scale"), std::string::npos);

  // Programs often do this after rescaling by a prime that is not the scale.
  TracedCiphertext y = bench.tracer.encrypt(random_slots(2), kTracedScale, "y");
  y.ciphertext().scale() *= 1 + 0x1p-20;
  bench.tracer.negate(y);
  EXPECT_TRUE(bench.last().is_right);
  EXPECT_FALSE(bench.last().is_within_estimate);
  EXPECT_NEAR(bench.last().measured_bits, -20, 1.5);
  EXPECT_NE(to_string(bench.last()).find("ABOVE ESTIMATE: the scale of y"), std::string::npos);

  // Two scales made equal by hand can be added, and later steps continue.
  TracedCiphertext z = bench.tracer.encrypt(random_slots(3), kTracedScale * (1 + 0x1p-18), "z");
  z.ciphertext().scale() = y.ciphertext().scale();
  const TracedCiphertext sum = bench.tracer.add(y, z);
  EXPECT_FALSE(bench.last().is_within_estimate);
  EXPECT_EQ(bench.last().scale, y.ciphertext().scale());
  bench.tracer.multiply(sum, sum);
  EXPECT_NE(bench.last().advice.find("an operand was so already"), std::string::npos);
}

TEST(TracingEvaluator, MarksMessagesOfCkksThatOutgrowTheModulus) {
  TracingBench bench = ckks_bench();
  // One prime of 50 bits, a scale of 40 bits and slots of 2^9 or more exceed q/2.
  TracedCiphertext x = bench.tracer.encrypt(std::vector<double>(32, 1.0), kTracedScale, "x");
  x = bench.tracer.mod_switch_to(x, bench.context.last_parms_id());
  for (int i = 0; i < 8; ++i) x = bench.tracer.add(x, x);
  EXPECT_TRUE(bench.last().is_right) << to_string(bench.tracer.log());
  for (int i = 8; i < 12; ++i) x = bench.tracer.add(x, x);
  EXPECT_FALSE(bench.last().is_right) << to_string(bench.tracer.log());
  EXPECT_EQ(bench.last().magnitude, 4096);
  EXPECT_FALSE(x.estimate().fits());
  EXPECT_NE(first_wrong(bench).advice.find("pass half the modulus"), std::string::npos);
  EXPECT_NE(bench.last().advice.find("an operand was so already"), std::string::npos);
}

TEST(TracingEvaluator, MarksErrorsThatReachTheMessage) {
  TracingBench bench = ckks_bench();
  bench.tracer.encrypt(std::vector<double>(32, 1.0), 0x1p6, "x");
  EXPECT_TRUE(bench.last().is_within_estimate);
  EXPECT_FALSE(bench.last().is_right) << to_string(bench.last());
  EXPECT_NE(bench.last().advice.find("use a larger scale"), std::string::npos);
}

TEST(TracingEvaluator, MarksKeysOfAnotherSecret) {
  TracingBench bench = ckks_bench();
  const TracedCiphertext x = bench.tracer.encrypt(random_slots(1), kTracedScale, "x");
  bench.tracer.relinearize(bench.tracer.square(x),
                           nameless_keys(bench.context).create_relin_keys());
  EXPECT_FALSE(bench.last().is_right);
  EXPECT_NE(bench.last().advice.find("keys of another secret"), std::string::npos)
      << bench.last().advice;
}

// --------------------------------------------------------------------------------- BFV and BGV

void measure_exact(SchemeType scheme) {
  TracingBench bench = exact_bench(scheme);
  TracingEvaluator& tracer = bench.tracer;
  const ResidueSlots t(bench.context.plain_modulus().value());
  const auto add = [&t](auto a, auto b) { return t.add(a, b); };
  const auto multiply = [&t](auto a, auto b) { return t.multiply(a, b); };
  const std::vector<std::uint64_t> x = random_rows(bench.context, 1);
  const std::vector<std::uint64_t> y = random_rows(bench.context, 2);
  const std::vector<std::uint64_t> zero(x.size());
  const auto product = zip(x, y, multiply);

  const TracedCiphertext tx = expect_noise(bench, tracer.encrypt(x, "x"), x);
  const TracedCiphertext ty = expect_noise(bench, tracer.encrypt(y, "y"), y);
  const auto subtract = [&t](auto a, auto b) { return t.subtract(a, b); };
  expect_noise(bench, tracer.negate(tx), zip(zero, x, subtract));
  expect_noise(bench, tracer.add(tx, ty), zip(x, y, add));
  expect_noise(bench, tracer.sub(tx, ty), zip(x, y, subtract));
  expect_noise(bench, tracer.square(tx), zip(x, x, multiply));
  const TracedCiphertext xy = expect_noise(bench, tracer.multiply(tx, ty), product);
  const TracedCiphertext small =
      expect_noise(bench, tracer.relinearize(xy, bench.relin_keys), product);
  const TracedCiphertext low = expect_noise(bench, tracer.mod_switch_to_next(small), product);
  EXPECT_EQ(bench.last().prime_count, 3U);
  expect_noise(bench, tracer.mod_switch_to(small, low.ciphertext().parms_id()), product);
  expect_noise(bench, tracer.exponentiate(tx, 3, bench.relin_keys),
               zip(zip(x, x, multiply), x, multiply));
  expect_noise(bench, tracer.rotate_columns(low, bench.galois_keys),
               ResidueSlots::conjugate(product));
  for (const int steps : {0, 1, 7, -2}) {
    std::vector<std::uint64_t> rotated = product;
    for (const std::ptrdiff_t row : {0, 32}) {
      std::rotate(rotated.begin() + row, rotated.begin() + row + (steps + 32) % 32,
                  rotated.begin() + row + 32);
    }
    expect_noise(bench, tracer.rotate_rows(low, steps, bench.galois_keys), rotated);
  }
  const KnownVector::Integers known{-1, 3, 70000};
  std::vector<std::uint64_t> residues = t.known(KnownVector(known));
  residues.resize(x.size());
  expect_noise(bench, tracer.add_plain(tx, KnownVector(known)), zip(x, residues, add));
  expect_noise(bench, tracer.multiply_plain(tx, KnownVector(known)), zip(x, residues, multiply));
  const std::vector<std::uint64_t> minus_two(x.size(), t.t.n - 2);
  expect_noise(bench, tracer.multiply_plain(low, -2), zip(product, minus_two, multiply));
  expect_noise(bench, tracer.add_plain(low, -2), zip(product, minus_two, add));
  const TracedCiphertext signed_slots = tracer.encrypt(std::vector<std::int64_t>{-5, 6}, "s");
  EXPECT_EQ(signed_slots.residues()[0], t.t.n - 5);
  EXPECT_EQ(signed_slots.residues()[1], 6U);
}

TEST(TracingEvaluator, MeasuresOperationsOfBfv) { measure_exact(SchemeType::bfv); }
TEST(TracingEvaluator, MeasuresOperationsOfBgv) { measure_exact(SchemeType::bgv); }

void compare_estimates(SchemeType scheme) {
  TracingBench bench = exact_bench(scheme);
  const NoiseEstimator& estimator = bench.estimator;
  const auto expect_step = [&bench](const NoiseEstimate& expected) {
    EXPECT_EQ(bench.last().estimated_bits, expected.noise_bits()) << bench.last().operation;
    EXPECT_GE(expected.noise_bits(), bench.last().measured_bits) << bench.last().operation;
  };
  const TracedCiphertext x = bench.tracer.encrypt(random_rows(bench.context, 1), "x");
  const NoiseEstimate ex = estimator.encrypt(estimator.uniform_plain());
  expect_step(ex);
  const TracedCiphertext square = bench.tracer.square(x);
  expect_step(estimator.square(ex));
  const TracedCiphertext small = bench.tracer.relinearize(square, bench.relin_keys);
  const NoiseEstimate esmall = estimator.relinearize(estimator.square(ex));
  expect_step(esmall);
  bench.tracer.mod_switch_to_next(small);
  expect_step(estimator.mod_switch_to_next(esmall));
  bench.tracer.exponentiate(x, 3, bench.relin_keys);
  expect_step(estimator.exponentiate(ex, 3));
  bench.tracer.rotate_rows(small, 3, bench.galois_keys);
  expect_step(estimator.apply_galois(esmall, 2));
  const std::vector<std::uint64_t> known = random_rows(bench.context, 2);
  Plaintext plain;
  BatchEncoder(bench.context).encode(known, plain);
  const KnownVector values(KnownVector::Integers(known.begin(), known.end()));
  bench.tracer.multiply_plain(small, values);
  expect_step(estimator.multiply_plain(esmall, estimator.known_plain(plain.coefficients())));
  bench.tracer.add_plain(small, 9);
  const std::uint64_t nine = 9;
  expect_step(estimator.add_plain(esmall, estimator.known_plain({&nine, 1})));
}

TEST(TracingEvaluator, EstimatesOfBfvAreThoseOfTheEstimator) { compare_estimates(SchemeType::bfv); }
TEST(TracingEvaluator, EstimatesOfBgvAreThoseOfTheEstimator) { compare_estimates(SchemeType::bgv); }

// Squares again and again: without budget the message is wrong, and the step reports it.
void go_too_deep(SchemeType scheme) {
  TracingBench bench = exact_bench(scheme, 3);
  TracedCiphertext x = bench.tracer.encrypt(random_rows(bench.context, 1), "x");
  bool was_right = true;
  for (int i = 0; i < 6; ++i) {
    x = bench.tracer.relinearize(bench.tracer.square(x), bench.relin_keys);
    const TraceStep& step = bench.last();
    const int budget = bench.decryptor.invariant_noise_budget(x.ciphertext());
    if (step.is_right) {
      EXPECT_TRUE(was_right);
    } else {
      EXPECT_EQ(budget, 0);
      EXPECT_LT(*step.budget_bits, 2);
      EXPECT_FALSE(x.estimate().fits());
    }
    was_right = step.is_right;
  }
  EXPECT_FALSE(was_right);
  EXPECT_NE(first_wrong(bench).advice.find("past the modulus: use more primes"), std::string::npos);
  EXPECT_NE(bench.last().advice.find("an operand was so already"), std::string::npos);
}

TEST(TracingEvaluator, MarksTooDeepCircuitsOfBfv) { go_too_deep(SchemeType::bfv); }
TEST(TracingEvaluator, MarksTooDeepCircuitsOfBgv) { go_too_deep(SchemeType::bgv); }

TEST(TracingEvaluator, MarksCiphertextsThatWereExchanged) {
  TracingBench bench = exact_bench(SchemeType::bgv);
  const TracedCiphertext x = bench.tracer.encrypt(random_rows(bench.context, 1), "x");
  TracedCiphertext y = bench.tracer.encrypt(random_rows(bench.context, 2), "y");
  y.ciphertext() = x.ciphertext();
  bench.tracer.inspect(y);
  EXPECT_FALSE(bench.last().is_right);
  EXPECT_TRUE(bench.last().is_within_estimate);
  EXPECT_NE(bench.last().advice.find("not explained"), std::string::npos) << bench.last().advice;
  TracedCiphertext z = bench.tracer.mod_switch_to_next(x);
  z.ciphertext().correction_factor() = 1;
  bench.tracer.inspect(z);
  EXPECT_FALSE(bench.last().is_right);
  EXPECT_NE(bench.last().advice.find("correction factor"), std::string::npos);
}

}  // namespace
}  // namespace ringlet::test
