// SPDX-License-Identifier: Apache-2.0
#include "ringlet/estimates/noise_estimator.hpp"

#include "ringlet/schemes/ckks_encoder.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "support/circuits/noise_meter.hpp"
#include "support/reference/ckks_model.hpp"

// Estimates of single operations against noise that is measured with the secret key; random
// circuits are in tests/property.

namespace ringlet::test {
namespace {

constexpr std::uint64_t kKeySeed = 11;

CircuitSet exact_set(SchemeType scheme, std::size_t degree = 1024, std::uint64_t t = 65537) {
  return {.name = "unit",
          .parms = shaped_parameters(scheme, degree, {{50, 50, 50}, {51, 51}, 2}, t)};
}

CircuitSet ckks_set(std::size_t degree = 1024) {
  return {.name = "unit",
          .parms = shaped_parameters(SchemeType::ckks, degree, {{55, 40, 40}, {56}}, 0),
          .scale = 0x1p40};
}

template <typename Call>
void refuses(Call&& call, const std::string& operation, const char* part) {
  const bool is_constructor = operation == "NoiseEstimator";
  expect_refusal(call, is_constructor ? operation : "NoiseEstimator::" + operation, {part});
}

/// A bench with an encryptor, and messages with random coefficients.
struct Lab {
  explicit Lab(const CircuitSet& set)
      : bench(set, kKeySeed),
        encryptor(bench.context, bench.public_key, bench.keygen.secret_key(),
                  RandomSource::for_testing(test_seed())),
        rng(test_seed()) {}

  std::vector<std::uint64_t> message() {
    return random_residues(bench.context.ring().degree(), bench.context.plain_modulus().value(),
                           rng);
  }
  static Plaintext plain_of(const std::vector<std::uint64_t>& words) {
    Plaintext plain(words.size());
    std::ranges::copy(words, plain.coefficients_for_writing().begin());
    return plain;
  }
  ParmsId level(std::size_t prime_count) const {
    const ContextData* data = bench.context.first_context_data();
    while (data->prime_count() != prime_count) data = data->next_context_data();
    return data->parms_id();
  }

  CircuitBench bench;
  Encryptor encryptor;
  std::mt19937_64 rng;
};

/// Compares the mean square of measured noise over several samples with the model's.
class MeanSquare {
 public:
  void add(const Lab& lab, const Ciphertext& encrypted, const NoiseEstimate& estimate) {
    const MeasuredNoise noise = measure_noise(lab.bench, encrypted);
    sum_ += noise.squares / static_cast<long double>(lab.bench.context.ring().degree());
    expected_ = estimate.rms_noise_bits();
    ++count_;
    EXPECT_GE(estimate.noise_bits(), std::log2(noise.largest));
  }
  /// The measured deviation is within `bits` of the model's, as base-2 logarithms.
  void expect_near(double bits) const {
    const long double measured = std::log2(sum_ / static_cast<long double>(count_)) / 2;
    EXPECT_NEAR(static_cast<double>(measured) - expected_, 0, bits);
  }

 private:
  long double sum_ = 0;
  double expected_ = 0;
  int count_ = 0;
};

// The variance is off by up to a fifth: the secret is one sample.
constexpr double kClose = 0.15;
constexpr int kSamples = 24;

class ExactNoiseEstimates : public ::testing::TestWithParam<SchemeType> {};
INSTANTIATE_TEST_SUITE_P(, ExactNoiseEstimates, ::testing::Values(SchemeType::bfv, SchemeType::bgv),
                         scheme_name);

TEST_P(ExactNoiseEstimates, FreshNoiseHasTheVarianceOfTheModel) {
  Lab lab(exact_set(GetParam()));
  const NoiseEstimator& estimator = lab.bench.estimator;
  for (const std::size_t primes : {3, 2, 1}) {
    SCOPED_TRACE(primes);
    const ParmsId level = lab.level(primes);
    MeanSquare secret;
    MeanSquare published;
    for (int k = 0; k < kSamples; ++k) {
      secret.add(lab, lab.encryptor.encrypt_zero_symmetric(level),
                 estimator.encrypt_zero_symmetric(primes));
      published.add(lab, lab.encryptor.encrypt_zero(level), estimator.encrypt_zero(primes));
    }
    secret.expect_near(kClose);
    published.expect_near(kClose);
  }
}

TEST_P(ExactNoiseEstimates, MessagesAddTheirShare) {
  Lab lab(exact_set(GetParam()));
  const NoiseEstimator& estimator = lab.bench.estimator;
  MeanSquare known;
  MeanSquare uniform;
  for (int k = 0; k < kSamples; ++k) {
    const auto words = lab.message();
    const Ciphertext encrypted = lab.encryptor.encrypt_symmetric(Lab::plain_of(words));
    known.add(lab, encrypted, estimator.encrypt_symmetric(estimator.known_plain(words)));
    uniform.add(lab, encrypted, estimator.encrypt_symmetric(estimator.uniform_plain()));
  }
  known.expect_near(kClose / 3);
  uniform.expect_near(kClose / 3);
}

TEST_P(ExactNoiseEstimates, WithoutSpecialPrimeThePublicKeyCostsMore) {
  CircuitSet set = exact_set(GetParam());
  set.parms = shaped_parameters(GetParam(), 1024, {{50, 50}, {}}, 65537);
  Lab lab(set);
  MeanSquare top;
  MeanSquare below;
  for (int k = 0; k < kSamples; ++k) {
    top.add(lab, lab.encryptor.encrypt_zero(), lab.bench.estimator.encrypt_zero());
    below.add(lab, lab.encryptor.encrypt_zero(lab.level(1)), lab.bench.estimator.encrypt_zero(1));
  }
  top.expect_near(2 * kClose);  // the key's error is one sample as well
  below.expect_near(kClose);
}

TEST_P(ExactNoiseEstimates, ProductsKeySwitchesAndDivisionsHaveTheVarianceOfTheModel) {
  Lab lab(exact_set(GetParam(), 4096));
  const NoiseEstimator& estimator = lab.bench.estimator;
  const Evaluator& evaluator = lab.bench.evaluator;
  MeanSquare product;
  MeanSquare relinearized;
  MeanSquare lower;
  MeanSquare deeper;
  for (int k = 0; k < kSamples / 3; ++k) {
    Ciphertext x[3];
    std::vector<NoiseEstimate> e;
    for (Ciphertext& a : x) {
      const auto words = lab.message();
      a = lab.encryptor.encrypt(Lab::plain_of(words));
      e.push_back(estimator.encrypt(estimator.known_plain(words)));
    }
    Ciphertext a = result_of(evaluator, &Evaluator::multiply, x[0], x[1]);
    NoiseEstimate of_a = estimator.multiply(e[0], e[1]);
    product.add(lab, a, of_a);
    evaluator.relinearize_inplace(a, lab.bench.relin_keys);
    of_a = estimator.relinearize(of_a);
    relinearized.add(lab, a, of_a);
    evaluator.multiply_inplace(a, x[2]);
    of_a = estimator.multiply(of_a, e[2]);
    deeper.add(lab, a, of_a);
    EXPECT_FALSE(of_a.has_dependent_operands());
    evaluator.mod_switch_to_inplace(x[0], lab.level(1));
    lower.add(lab, x[0], estimator.mod_switch_to(e[0], 1));
  }
  product.expect_near(2 * kClose);
  relinearized.expect_near(2 * kClose);
  // Without the factor 3! of the secret's sixth moment, the noise would be 1.3 bits above.
  deeper.expect_near(3 * kClose);
  lower.expect_near(kClose);
}

TEST_P(ExactNoiseEstimates, KeySwitchesOfLittleNoiseHaveTheVarianceOfTheModel) {
  Lab lab(exact_set(GetParam(), 2048));
  const NoiseEstimator& estimator = lab.bench.estimator;
  MeanSquare noise;
  for (int k = 0; k < kSamples; ++k) {
    Ciphertext a = lab.encryptor.encrypt_zero_symmetric();
    lab.bench.evaluator.apply_galois_inplace(a, 3, lab.bench.galois_keys);
    noise.add(lab, a, estimator.apply_galois(estimator.encrypt_zero_symmetric()));
  }
  noise.expect_near(kClose);
}

// x times its conjugate is |x|^2 at every root. The mean of that is one coefficient, sqrt(N) times
// as large as the others.
TEST_P(ExactNoiseEstimates, ConjugatesAreCounted) {
  Lab lab(exact_set(GetParam(), 8192));
  const NoiseEstimator& estimator = lab.bench.estimator;
  for (int k = 0; k < 3; ++k) {
    const Ciphertext x = lab.encryptor.encrypt_zero_symmetric();
    const NoiseEstimate of_x = estimator.encrypt_zero_symmetric();
    Ciphertext y;
    lab.bench.evaluator.apply_galois(x, lab.bench.context.ring().conjugation_element(),
                                     lab.bench.galois_keys, y);
    lab.bench.evaluator.multiply_inplace(y, x);
    const NoiseEstimate product = estimator.multiply(estimator.apply_galois(of_x), of_x);
    EXPECT_TRUE(product.has_dependent_operands());
    EXPECT_GE(product.noise_bits(), std::log2(measure_noise(lab.bench, y).largest));
  }
}

TEST_P(ExactNoiseEstimates, FactorsGrowNoiseByTheirSizeAtTheRoots) {
  const NoiseEstimator estimator(exact_set(GetParam()).parms);
  const NoiseEstimate fresh = estimator.encrypt_zero_symmetric();
  const std::uint64_t one = 1;
  const NoiseEstimate same = estimator.multiply_plain(fresh, estimator.known_plain({&one, 1}));
  EXPECT_NEAR(same.noise_bits(), fresh.noise_bits(), 1e-6);
  // 100 * X^5 is 100 in absolute value at every root; 65537 - 100 stands for -100.
  std::vector<std::uint64_t> monomial(6);
  for (const std::uint64_t word : {100, 65537 - 100}) {
    monomial[5] = word;
    const PlainEstimate factor = estimator.known_plain(monomial);
    EXPECT_NEAR(factor.size().largest, 100, 1e-6);
    EXPECT_NEAR(factor.size().rms, 100, 1e-6);
    EXPECT_NEAR(factor.size().quartic_mean, 100, 1e-6);
    const double grown = estimator.multiply_plain(fresh, factor).noise_bits();
    EXPECT_NEAR(grown - fresh.noise_bits(), std::log2(100), 1e-6);
  }
  // 1 + X + ... + X^(N-1) is 2/(1 - zeta) at zeta: N*2/pi where zeta is nearest to 1.
  const std::vector<std::uint64_t> ones(1024, 1);
  const PlainEstimate peak = estimator.known_plain(ones);
  EXPECT_NEAR(peak.size().largest, 1 / std::sin(std::numbers::pi / 2048), 1e-3);
  EXPECT_NEAR(peak.size().rms, 32, 1e-6);
  EXPECT_LT(estimator.multiply_plain(fresh, peak).spread(), 3);
  EXPECT_NEAR(fresh.spread(), 1024, 1e-6);
}

// The product by a known factor of -1 counts as x does: its sum with x may be twice x.
TEST_P(ExactNoiseEstimates, MultiplesOfAnOperandAddAsItDoes) {
  const NoiseEstimator estimator(exact_set(GetParam()).parms);
  const NoiseEstimate x = estimator.encrypt(estimator.uniform_plain());
  const double twice = estimator.add(x, x).noise_bits();
  const std::vector<std::uint64_t> minus_one{65536};
  const NoiseEstimate negated = estimator.multiply_plain(x, estimator.known_plain(minus_one));
  EXPECT_NEAR(estimator.add(x, negated).noise_bits(), twice, 1e-6);
  EXPECT_NEAR(estimator.sub(negated, x).noise_bits(), twice, 1e-6);
  // 1 + X^7 + X^9 differs in size at each root, and x*(1 + X^7 + X^9) + x holds x twice.
  std::vector<std::uint64_t> few(10);
  few[0] = few[7] = few[9] = 1;
  const NoiseEstimate several = estimator.multiply_plain(x, estimator.known_plain(few));
  const double grown = estimator.add(several, x).rms_noise_bits() - x.rms_noise_bits();
  EXPECT_GE(grown, std::log2(6.0) / 2);
  EXPECT_LE(grown, std::log2(1 + std::sqrt(3.0)) + 1e-6);
}

TEST_P(ExactNoiseEstimates, DependenceIsKnownByTheEncryptions) {
  const NoiseEstimator estimator(exact_set(GetParam()).parms);
  const NoiseEstimate x = estimator.encrypt(estimator.uniform_plain());
  const NoiseEstimate y = estimator.encrypt(estimator.uniform_plain());
  const PlainEstimate p = estimator.uniform_plain();
  EXPECT_FALSE(estimator.add(x, y).has_dependent_operands());
  EXPECT_FALSE(estimator.multiply(x, y).has_dependent_operands());
  EXPECT_TRUE(estimator.square(x).has_dependent_operands());
  EXPECT_TRUE(estimator.add(x, estimator.multiply(x, y)).has_dependent_operands());
  EXPECT_EQ(estimator.add(x, estimator.multiply(x, y)).size(), 3u);
  EXPECT_TRUE(estimator.sub(estimator.negate(x), x).has_dependent_operands());
  EXPECT_TRUE(estimator.multiply(estimator.relinearize(x), x).has_dependent_operands());
  EXPECT_FALSE(estimator.multiply_plain(x, p).has_dependent_operands());
  EXPECT_TRUE(estimator.multiply(estimator.multiply_plain(x, p), estimator.multiply_plain(y, p))
                  .has_dependent_operands());
  // For one operand deviations add, for two independent ones variances.
  EXPECT_NEAR(estimator.add(x, x).noise_bits() - x.noise_bits(), 1, 1e-6);
  EXPECT_NEAR(estimator.add(x, y).rms_noise_bits() - x.rms_noise_bits(), 0.5, 1e-6);
}

TEST_P(ExactNoiseEstimates, BudgetIsWhatTheModulusLeaves) {
  Lab lab(exact_set(GetParam(), 4096));
  const NoiseEstimator& estimator = lab.bench.estimator;
  const auto words = lab.message();
  Ciphertext a = lab.encryptor.encrypt(Lab::plain_of(words));
  NoiseEstimate of_a = estimator.encrypt(estimator.known_plain(words));
  for (int k = 0; k < 6 && of_a.fits(); ++k) {
    const int budget = lab.bench.decryptor.invariant_noise_budget(a);
    EXPECT_LE(of_a.budget_bits(), budget + 1) << k;
    EXPECT_GT(of_a.budget_bits(), 0) << k;
    of_a = estimator.relinearize(estimator.square(of_a));
    lab.bench.evaluator.square_inplace(a);
    lab.bench.evaluator.relinearize_inplace(a, lab.bench.relin_keys);
  }
  EXPECT_FALSE(of_a.fits());
  EXPECT_LE(of_a.budget_bits(), 0);
  EXPECT_THROW(of_a.error_bits(), LogicError);
}

TEST_P(ExactNoiseEstimates, MoreCertaintyCostsNoise) {
  const EncryptionParameters parms = exact_set(GetParam()).parms;
  double before = 0;
  for (const double bits : {1.0, 24.0, 40.0, 128.0, 1000.0}) {
    const double noise = NoiseEstimator(parms, bits).encrypt_zero().noise_bits();
    EXPECT_GT(noise, before) << bits;
    before = noise;
  }
  for (const double bits : {0.0, 0.5, 1001.0, std::nan("")}) {
    refuses([&] { NoiseEstimator(parms, bits); }, "NoiseEstimator", "failure_bits");
  }
}

TEST_P(ExactNoiseEstimates, WrongOperandsAreRefused) {
  const NoiseEstimator estimator(exact_set(GetParam()).parms);
  const NoiseEstimator other(exact_set(GetParam()).parms);
  const NoiseEstimate x = estimator.encrypt_zero();
  refuses([&] { estimator.add(x, estimator.mod_switch_to_next(x)); }, "add", "levels of 3 and 2");
  refuses([&] { estimator.multiply(x, other.encrypt_zero()); }, "multiply", "another");
  refuses([&] { estimator.add_plain(x, other.uniform_plain()); }, "add_plain", "another");
  refuses([&] { estimator.encrypt_zero(0); }, "encrypt_zero", "0 primes");
  refuses([&] { estimator.encrypt_zero(4); }, "encrypt_zero", "4 primes");
  refuses([&] { estimator.encrypt(estimator.uniform_plain(), 2); }, "encrypt", "levels");
  refuses([&] { estimator.mod_switch_to(estimator.encrypt_zero(2), 3); }, "mod_switch_to", "3");
  refuses([&] { estimator.mod_switch_to_next(estimator.encrypt_zero(1)); }, "mod_switch_to", "0");
  refuses([&] { estimator.rescale_to_next(x); }, "rescale_to", "scheme");
  refuses([&] { estimator.apply_galois(estimator.square(x)); }, "apply_galois", "size = 3");
  refuses([&] { estimator.exponentiate(x, 0); }, "exponentiate", "exponent = 0");
  refuses([&] { estimator.add_many({}); }, "add_many", "no operands");
  refuses([&] { estimator.encode(1, 1); }, "encode", "scheme");
  refuses([&] { estimator.bounded_plain({1, 2, 0}); }, "bounded_plain", "rms = 2");
  const std::vector<std::uint64_t> large{65537};
  refuses([&] { estimator.known_plain(large); }, "known_plain", "65537");
  refuses([&] { estimator.known_plain(std::vector<std::uint64_t>(1025)); }, "known_plain", "1025");
  NoiseEstimate product = x;
  for (int k = 0; k < 14; ++k) product = estimator.multiply(product, x);
  EXPECT_EQ(product.size(), 16u);
  refuses([&] { estimator.multiply(product, x); }, "multiply", "size 17");
}

TEST(NoiseEstimator, KeySwitchingNeedsSpecialPrimes) {
  const NoiseEstimator estimator(shaped_parameters(SchemeType::bfv, 1024, {{50, 50}, {}}, 65537));
  const NoiseEstimate x = estimator.encrypt_zero();
  EXPECT_EQ(estimator.apply_galois(x, 0).size(), 2u);
  refuses([&] { estimator.apply_galois(x); }, "apply_galois", "without special primes");
  refuses([&] { estimator.relinearize(estimator.square(x)); }, "relinearize",
          "without special primes");
  refuses([&] { estimator.mod_reduce_to_next(x); }, "mod_reduce_to", "scheme = bfv");
}

// Modulo Phi_m, a product of independent operands has noise below its estimate.
TEST(NoiseEstimator, HoldsForGeneralRings) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const EncryptionParameters parms =
        parameters_of(scheme, RingSpec::cyclotomic(1155), {50, 50, 50}, {51}, 2);
    const Context context(parms, SecurityLevel::none);
    KeyGenerator keygen(context, RandomSource::for_testing(kKeySeed));
    const PublicKey public_key = keygen.create_public_key();
    const Encryptor encryptor(context, public_key, RandomSource::for_testing(test_seed()));
    const Evaluator evaluator(context);
    Decryptor decryptor(context, keygen.secret_key());
    const NoiseEstimator estimator(parms);
    const double bits = context.first_context_data()->total_coeff_modulus_bit_count();
    Ciphertext x = encryptor.encrypt_zero();
    NoiseEstimate of_x = estimator.encrypt_zero();
    for (int k = 0; k < 2; ++k) {
      const double measured = bits - 1 - decryptor.invariant_noise_budget(x);
      EXPECT_GE(of_x.noise_bits(), measured - 1) << to_string(scheme) << k;
      EXPECT_LE(of_x.noise_bits(), measured + 16) << to_string(scheme) << k;
      evaluator.multiply_inplace(x, encryptor.encrypt_zero());
      of_x = estimator.multiply(of_x, estimator.encrypt_zero());
    }
  }
}

TEST(NoiseEstimator, CkksErrorsOfSlots) {
  Lab lab(ckks_set());
  const NoiseEstimator& estimator = lab.bench.estimator;
  const CKKSEncoder encoder(lab.bench.context);
  const double scale = lab.bench.set.scale;
  ModelSlots slots(encoder.slot_count());
  for (auto& z : slots) {
    z = std::polar(1.0, static_cast<double>(lab.rng() % 4096));
  }
  Plaintext plain;
  encoder.encode(std::span<const std::complex<double>>(slots), scale, plain);
  const NoiseEstimate fresh = estimator.encrypt(estimator.encode(scale, 1));
  EXPECT_EQ(fresh.scale(), scale);
  const Ciphertext x = lab.encryptor.encrypt(plain);
  const Ciphertext y = lab.encryptor.encrypt(plain);
  const auto expect_close = [&](const Ciphertext& a, const ModelSlots& expected,
                                const NoiseEstimate& estimate) {
    ModelSlots decoded;
    encoder.decode(lab.bench.decryptor.decrypt(a), decoded);
    const double error = std::log2(largest(decoded - expected));
    EXPECT_GE(estimate.error_bits(), error);
    EXPECT_LE(estimate.error_bits(), error + 4);
    EXPECT_EQ(estimate.precision_bits(), -estimate.error_bits());
    EXPECT_EQ(estimate.scale(), a.scale());
    EXPECT_TRUE(estimate.fits());
  };
  expect_close(x, slots, fresh);
  Ciphertext product = result_of(lab.bench.evaluator, &Evaluator::multiply, x, y);
  NoiseEstimate of_product =
      estimator.multiply(fresh, estimator.encrypt(estimator.encode(scale, 1)));
  expect_close(product, slots * slots, of_product);
  lab.bench.evaluator.relinearize_and_rescale_to_next_inplace(product, lab.bench.relin_keys);
  of_product = estimator.relinearize_and_rescale_to_next(of_product);
  expect_close(product, slots * slots, of_product);
}

// Only the rounding of the factor matters: its scale is low, and x is close to 1.
TEST(NoiseEstimator, ComplexConstantsAreRoundedInThreeCoefficients) {
  Lab lab(ckks_set());
  const NoiseEstimator& estimator = lab.bench.estimator;
  const CKKSEncoder encoder(lab.bench.context);
  constexpr double kScale = 0x1p10;
  const NoiseEstimate one = estimator.encrypt(estimator.encode(lab.bench.set.scale, 1));
  const double estimated =
      estimator.multiply_plain(one, estimator.encode_constant(kScale, 1)).error_bits();
  double largest_error = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const std::complex<double> z = std::polar(1.0, static_cast<double>(lab.rng() % 65536));
    Plaintext plain;
    ModelSlots decoded;
    encoder.encode(z, kScale, plain);
    encoder.decode(plain, decoded);
    for (const auto& slot : decoded) largest_error = std::max(largest_error, std::abs(slot - z));
  }
  // At most sqrt(3)/2 unless rounding has a tie; two coefficients would give sqrt(1/2).
  EXPECT_GE(largest_error * kScale, 0.8);
  EXPECT_LE(largest_error * kScale, 0.8661);
  EXPECT_GE(estimated, std::log2(largest_error));
  EXPECT_LE(estimated, std::log2(largest_error) + 1);
}

TEST(NoiseEstimator, CkksRefusals) {
  const NoiseEstimator estimator(ckks_set().parms);
  const NoiseEstimate x = estimator.encrypt(estimator.encode(0x1p40, 1));
  refuses([&] { estimator.add(x, estimator.square(x)); }, "add", "scales");
  refuses([&] { estimator.add_plain(x, estimator.encode(1, 1)); }, "add_plain", "scales");
  refuses([&] { estimator.encode(0, 1); }, "encode", "scale = 0");
  refuses([&] { estimator.encode(1, -1); }, "encode", "magnitude = -1");
  refuses([&] { estimator.encode(1, 1, 2); }, "encode", "rms = 2");
  refuses([&] { estimator.uniform_plain(); }, "uniform_plain", "scheme = ckks");
  refuses([&] { estimator.multiply_many(std::vector{x, x}); }, "multiply_many", "scheme = ckks");
  EXPECT_THROW(x.budget_bits(), LogicError);
  // This message fills the modulus.
  EXPECT_TRUE(estimator.with_magnitude(x, 0x1p30).fits());
  EXPECT_FALSE(estimator.with_magnitude(estimator.mod_switch_to(x, 1), 0x1p20).fits());
  EXPECT_EQ(estimator.with_scale(x, 0x1p39).magnitude(), 2);
  EXPECT_EQ(estimator.with_scale(x, 0x1p39).rms(), 2 * x.rms());
}

TEST(NoiseEstimator, OneSlotLeavesNoiseAtOneSlot) {
  const NoiseEstimator estimator(ckks_set().parms);
  const NoiseEstimate x = estimator.encrypt(estimator.encode(0x1p40, 1));
  const double rms = 1 / std::sqrt(512.0);
  const NoiseEstimate y = estimator.multiply_plain(estimator.with_magnitude(x, 0x1p-20),
                                                   estimator.encode(0x1p40, 1, rms));
  EXPECT_NEAR(y.spread(), 2, 0.1);
  EXPECT_NEAR(x.spread(), 1024, 1e-6);
}

// Of eight masks one is 1 at each slot.
TEST(NoiseEstimator, ASumOfMaskedImagesHasTheNoiseOfOne) {
  const NoiseEstimator estimator(ckks_set().parms);
  const NoiseEstimate x = estimator.encrypt(estimator.encode(0x1p40, 1));
  const PlainEstimate mask = estimator.encode(0x1p40, 1);
  const auto sum_of = [&](const NoiseEstimate& a) {
    return estimator.add_many(std::vector(8, estimator.multiply_plain(a, mask)));
  };
  const double gain = 0x1p40 + 8 * estimator.rounding_bound(mask);
  const NoiseEstimate rest = sum_of(estimator.without_noise(x));
  EXPECT_NEAR(estimator.with_noise_of(rest, std::vector<NoisePart>{{x, gain}}).noise_bits(),
              x.noise_bits() + 40, 0.1);
  EXPECT_NEAR(sum_of(x).noise_bits(), x.noise_bits() + 43, 0.1);
  const NoiseEstimator exact(shaped_parameters(SchemeType::bfv, 64, {{40}, {41}}, 257));
  const NoiseEstimate y = exact.encrypt_zero();
  refuses([&] { exact.without_noise(y); }, "without_noise", "scheme = bfv");
  refuses([&] { exact.with_noise_of(y, std::vector<NoisePart>{{y, 1}}); }, "with_noise_of",
          "scheme = bfv");
  refuses([&] { exact.rounding_bound(exact.uniform_plain()); }, "rounding_bound", "scheme = bfv");
}

// Noise far beyond every modulus stays there.
TEST(NoiseEstimator, NeverForgetsNoiseBeyondTheModulus) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const std::uint64_t t = PlainModulus::batching(1024, 20).value();
    const NoiseEstimator estimator(shaped_parameters(scheme, 1024, {{40, 40, 40}, {41}}, t));
    NoiseEstimate x = estimator.encrypt(estimator.uniform_plain());
    EXPECT_TRUE(x.fits());
    double last = x.noise_bits();
    for (int i = 0; i < 40; ++i) {
      x = estimator.relinearize(estimator.square(x));
      EXPECT_GE(x.noise_bits(), last - 1e-6) << i;
      EXPECT_TRUE(std::isfinite(x.noise_bits())) << i;
      last = x.noise_bits();
    }
    EXPECT_FALSE(x.fits());
  }
}

}  // namespace
}  // namespace ringlet::test
