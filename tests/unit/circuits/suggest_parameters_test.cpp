// SPDX-License-Identifier: Apache-2.0
#include "circuits/plan/parameter_search.hpp"
#include "support/circuits/declared_circuit.hpp"

namespace ringlet::test {
namespace {

TEST(SuggestParameters, GivesWhatAContextTakes) {
  const ParameterSuggestion suggestion = suggest_parameters(2, {.precision_bits = 20});
  const Context context(suggestion.parms);  // checks primes, digits and security
  EXPECT_EQ(context.first_context_data()->prime_count(), 3U);
  EXPECT_EQ(suggestion.modulus_bits, context.key_context_data()->total_coeff_modulus_bit_count());
  EXPECT_EQ(suggestion.modulus_bits_limit,
            max_modulus_bits(suggestion.parms.poly_modulus_degree()));
  EXPECT_EQ(suggestion.counts.multiplications, 2U);
  EXPECT_EQ(suggestion.counts.key_switches(), 3U);
  EXPECT_EQ(suggestion.galois_key_count, 1U);
}

TEST(SuggestParameters, SizesAreThoseOfObjects) {
  for (const SchemeType scheme : {SchemeType::ckks, SchemeType::bfv, SchemeType::bgv}) {
    const ParameterSuggestion suggestion = suggest_parameters(1, {.scheme = scheme});
    const Context context(suggestion.parms);
    const KeyGenerator keygen(context, RandomSource::for_testing(test_seed()));
    const CircuitRunner runner(depth_circuit(1), context, suggestion.scale);
    const CircuitKeys keys = runner.create_keys(keygen);
    EXPECT_EQ(suggestion.relin_keys.payload, keys.relin_keys.byte_count());
    EXPECT_EQ(suggestion.galois_keys.payload, keys.galois_keys.byte_count());
    EXPECT_EQ(suggestion.public_key.payload, keygen.create_public_key().byte_count());
    EXPECT_EQ(suggestion.relin_keys.saved_seeded, save(keys.relin_keys).size());
    EXPECT_EQ(suggestion.galois_keys.saved_seeded, save(keys.galois_keys).size());
    const Encryptor encryptor(context, keygen.secret_key(), RandomSource::for_testing(test_seed()));
    Ciphertext input = encryptor.encrypt_zero_symmetric();
    EXPECT_EQ(suggestion.input.payload, input.byte_count());
    if (scheme == SchemeType::ckks) input.scale() = suggestion.scale;
    const Evaluator evaluator(context);
    const auto results = runner.run(evaluator, std::span(&input, 1), keys);
    EXPECT_EQ(suggestion.result.payload, results[0].byte_count());
  }
}

TEST(SuggestParameters, MorePrecisionTakesNoFewerBits) {
  int last = 0;
  for (const double precision : {5.0, 15.0, 25.0, 35.0}) {
    const int bits = suggest_parameters(1, {.precision_bits = precision}).modulus_bits;
    EXPECT_GT(bits, last);
    last = bits;
  }
}

TEST(SuggestParameters, HoldsTheSlotsThatAreWanted) {
  const auto degree_of = [](const ParameterRequest& request) {
    return suggest_parameters(0, request).parms.poly_modulus_degree();
  };
  EXPECT_EQ(degree_of({.precision_bits = 10, .slots = 5000}), 16384U);
  EXPECT_EQ(degree_of({.scheme = SchemeType::bfv, .slots = 5000}), 8192U);
}

TEST(SuggestParameters, TakesThePlainModulusThatIsWanted) {
  const auto t_of = [](const ParameterRequest& request) {
    return suggest_parameters(1, request).parms.plain_modulus();
  };
  EXPECT_EQ(t_of({.scheme = SchemeType::bfv, .plain_modulus = 65537}), 65537U);
  EXPECT_EQ(Modulus(t_of({.scheme = SchemeType::bfv, .plain_bits = 30})).bit_count(), 30);
}

TEST(SuggestParameters, LargestSlotsMakeRoomInTheFirstPrime) {
  for (const double magnitude : {1.0, 8.0, 1000.0, 1024.0, 0x1p20}) {
    Circuit circuit(2);
    circuit.output(circuit.multiply(circuit.input(2 * magnitude), KnownVector(0.5)));
    const ParameterSuggestion found = suggest_parameters(circuit, {.precision_bits = 10});
    // Half of the prime holds the slots, and less than an eighth does not.
    const double room = static_cast<double>(found.parms.data_primes()[0].value()) / found.scale;
    EXPECT_GT(room, 2 * magnitude);
    EXPECT_LT(room, 8 * magnitude);
  }
}

// Where no operation adds noise, that of the public key alone decides.
TEST(SuggestParameters, InputsOfTheSecretKeyTakeSmallerScales) {
  const Circuit sum = circuit_of(2, [](Circuit& one, CircuitValue x) { return one.add(x, x); });
  const double of_public = suggest_parameters(sum, {.precision_bits = 20}).scale;
  const ParameterSuggestion found =
      suggest_parameters(sum, {.precision_bits = 20, .symmetric_inputs = true});
  EXPECT_LE(found.scale, of_public / 16);
  EXPECT_GE(found.precision_bits, 20);
}

// 64 bits of statistical security cost more than 40 bits of noise: the scale exceeds 60 bits.
TEST(SuggestParameters, MakesRoomForSharedResults) {
  const ParameterRequest request{.precision_bits = 10, .sharing = SharingPolicy{.decryptions = 4}};
  const Circuit circuit = depth_circuit(1);
  const ParameterSuggestion suggestion = suggest_parameters(circuit, request);
  EXPECT_GT(suggestion.scale, 0x1p60);
  const Context context(suggestion.parms);
  const KeyGenerator keygen(context, RandomSource::for_testing(test_seed()));
  const CircuitRunner runner(circuit, context, suggestion.scale);
  const CircuitKeys keys = runner.create_keys(keygen);
  const CKKSEncoder encoder(context);
  const Encryptor encryptor(context, keygen.create_public_key(),
                            RandomSource::for_testing(test_seed() + 1));
  std::vector<double> slots(encoder.slot_count());
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = i % 2 == 0 ? -0.5 : 0.75;
  Plaintext plain;
  encoder.encode(slots, suggestion.scale, plain);
  const Evaluator evaluator(context);
  const Ciphertext input = encryptor.encrypt(plain);
  const Ciphertext result = runner.run(evaluator, std::span(&input, 1), keys)[0];
  SharingDecryptor sharing(context, keygen.secret_key(), *request.sharing,
                           RandomSource::for_testing(test_seed() + 2));
  const SharedResult shared = sharing.decrypt(result, suggestion.noise_bits);
  EXPECT_GE(shared.precision_bits(), 10);
  EXPECT_NEAR(shared.precision_bits(), suggestion.precision_bits, 0.1);
  std::vector<double> decoded;
  encoder.decode(shared.plaintext, decoded);
  double error = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const double x = slots[(i + 1) % 2];
    error = std::max(error, std::abs(decoded[i] - x * x));
  }
  EXPECT_LE(error, std::exp2(-10));
  EXPECT_LE(error, std::exp2(shared.error_bits));
  EXPECT_GE(error, std::exp2(shared.error_bits - 3)) << "the flooding is missing";
}

TEST(SuggestParameters, RefusesWhatNoRingDoes) {
  expect_refusal_of("suggest_parameters", {"depth 60 to 40 bits", "N = 131072"},
                    [] { suggest_parameters(60, {.precision_bits = 40}); });
  const ParameterRequest small{.precision_bits = 30, .degree = 4096};
  expect_refusal_of("suggest_parameters", {"depth 1 to 30 bits", "N = 4096 gives"},
                    [&] { suggest_parameters(1, small); });
  const ParameterRequest exact{.scheme = SchemeType::bfv,
                               .plain_bits = 60,
                               .level = SecurityLevel::tc256,
                               .table = SecurityTable::he_standard_2018};
  expect_refusal_of("suggest_parameters", {"depth 10", "476 bits at N = 32768"},
                    [&] { suggest_parameters(10, exact); });
}

// An error names slots that are declared too large, or not at all, where they are the reason.
TEST(SuggestParameters, SaysWhereMagnitudesAreTheReason) {
  const auto powers = [](double magnitude, std::size_t depth, bool bounds) {
    Circuit circuit(2);
    CircuitValue x = circuit.input(magnitude);
    for (std::size_t i = 0; i < depth; ++i) {
      x = circuit.multiply(x, x);
      if (bounds) circuit.bound(x, magnitude);
    }
    circuit.output(x);
    return circuit;
  };
  const auto refused = [&](double magnitude, std::size_t depth, double precision,
                           std::initializer_list<std::string> parts) {
    expect_refusal_of("suggest_parameters", parts, [&] {
      suggest_parameters(powers(magnitude, depth, false), {.precision_bits = precision});
    });
  };
  refused(1000, 3, 20,
          {"depth 3 with slots above 1 to 20 bits", "N = 131072 gives at most -36",
           "bounds of inputs and values", "divide large inputs"});
  refused(10, 3, 20, {"depth 3 with slots above 1 to 20 bits", "N = 131072 gives at most 16"});
  EXPECT_NO_THROW(suggest_parameters(powers(10, 3, true), {.precision_bits = 20}));
  EXPECT_NO_THROW(suggest_parameters(powers(1, 3, false), {.precision_bits = 20}));
  // This magnitude alone fills the whole modulus.
  refused(1e308, 0, 20, {"depth 0 with slots above 1", "which is too small", "bounds of inputs"});
  // Magnitudes are not the reason, or not the only one: small slots would be refused too.
  refused(1, 60, 40, {"depth 60 to 40 bits", "use a circuit of smaller depth"});
  for (const double magnitude : {1.5, 1000.0}) {
    expect_refusal_of("Circuit", {"value ", "slots up to infinity", "smaller magnitudes"}, [&] {
      suggest_parameters(powers(magnitude, 60, false), {.precision_bits = 40});
    });
  }
}

// Only results need room: sums before them may exceed the modulus. Diagonals add up to more than
// any row of the matrix does.
TEST(SuggestParameters, LeavesRoomForResultsAlone) {
  std::mt19937_64 rng(1);
  std::normal_distribution<double> normal;
  struct Case {
    std::size_t columns;
    double factor;
    double bound;
    std::size_t degree;
  };
  for (const auto& [columns, factor, bound, degree] : {Case{64, 0.9, 0, 4096},
                                                       {64, 0.95, 0, 4096},
                                                       {64, 1, 0, 4096},
                                                       {64, 1.05, 0, 4096},
                                                       {128, 1, 500, 8192}}) {
    Circuit circuit(columns);
    std::vector<double> entries(64 * columns);
    for (double& entry : entries) entry = factor * normal(rng);
    const CircuitValue y = matrix_vector(circuit, circuit.input(), {64, columns, entries});
    if (bound > 0) circuit.bound(y, bound);
    circuit.output(y);
    const ParameterSuggestion found = suggest_parameters(circuit, {.precision_bits = 10});
    EXPECT_EQ(found.parms.poly_modulus_degree(), degree);
    EXPECT_NO_THROW(CircuitRunner(circuit, Context(found.parms), found.scale));
  }
}

// A declared magnitude below 1 is kept, and the error does not blame large slots.
TEST(SuggestParameters, SmallSlotsAreNotTakenForLargeOnes) {
  const Circuit circuit =
      circuit_of(2, [](Circuit& one, CircuitValue x) { return one.multiply(x, x); }, 0x1p-20);
  expect_refusal_of("suggest_parameters",
                    {"depth 1 to 20 bits", "N = 2048", "use a circuit of smaller depth"},
                    [&] { suggest_parameters(circuit, {.degree = 2048}); });
}

TEST(SuggestParameters, RefusesRequestsThatAreNone) {
  const auto refused = [](const char* text, const ParameterRequest& request,
                          std::size_t depth = 1) {
    expect_refusal_of("suggest_parameters", {text}, [&] { suggest_parameters(depth, request); });
  };
  refused("scheme = none", {.scheme = SchemeType::none});
  refused("precision_bits = 45", {.precision_bits = 45});
  refused("precision_bits = 0", {.precision_bits = 0});
  refused("precision_bits = nan", {.precision_bits = std::nan("")});
  refused("level none", {.level = SecurityLevel::none});
  refused("reproduction", {.level = SecurityLevel::reproduction});
  refused("degree = 1000", {.degree = 1000});
  refused("degree = 512", {.degree = 512});
  refused("slots = 70000", {.slots = 70000});
  refused("degree = 4096", {.slots = 4096, .degree = 4096});
  refused("depth = 65", {}, 65);
  refused("plain_bits = 61", {.scheme = SchemeType::bgv, .plain_bits = 61});
  refused("sharing for bfv",
          {.scheme = SchemeType::bfv, .sharing = SharingPolicy{.decryptions = 1}});
  refused("symmetric_inputs for bfv", {.scheme = SchemeType::bfv, .symmetric_inputs = true});
  refused("inputs of the secret key for shared results",
          {.sharing = SharingPolicy{.decryptions = 1}, .symmetric_inputs = true});
  expect_refusal_of("suggest_parameters", {"without a result"},
                    [] { suggest_parameters(Circuit(2), ParameterRequest()); });
}

TEST(ScalePrimes, KeepTheScaleOfEveryLevel) {
  for (const std::size_t degree : {std::size_t{1024}, std::size_t{16384}, std::size_t{131072}}) {
    for (const int bits : {30, 40, 49, 58}) {
      const auto primes = circuits::scale_primes(degree, 59.5, bits, 20);
      ASSERT_EQ(primes.size(), 21U);
      long double scale = std::exp2(static_cast<long double>(bits));
      for (std::size_t i = 20; i > 0; --i) {
        scale *= scale / static_cast<long double>(primes[i].value());
        EXPECT_LE(std::abs(std::log2(scale) - bits), bits == 30 ? 0.3 : 0.01) << degree;
        EXPECT_EQ(primes[i].value() % (2 * degree), 1U);
        EXPECT_TRUE(is_prime(primes[i].value()));
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(primes[i].value(), primes[j].value());
      }
    }
  }
}

TEST(CheckResultsDecrypt, RefusesBeyondTheDeclaredProbability) {
  const Circuit shallow = depth_circuit(1);
  const Circuit deep = depth_circuit(6);
  for (const SchemeType scheme : kExactSchemes) {
    const Context context = ExactBench::context(scheme, 1024, 2, 20);
    EXPECT_NO_THROW(CircuitRunner(shallow, context));
    if (scheme == SchemeType::bfv) {
      expect_refusal_of("Circuit", {"result 0", "bits too large to decrypt", "2^-128"},
                        [&] { CircuitRunner(deep, context); });
    }
  }
  // A message of 2^20 alone does not fit a last prime of ten bits above the scale.
  const auto large = [](int products) {
    Circuit circuit(2);
    CircuitValue x = circuit.input(1e6);
    for (int i = 0; i < products; ++i) x = circuit.multiply(x, KnownVector(1.0));
    circuit.output(x);
    return circuit;
  };
  const Context context = CkksBench::context(64, 2);
  EXPECT_NO_THROW(CircuitRunner(large(1), context, 0x1p40));
  expect_refusal_of("Circuit", {"slots up to"}, [&] { CircuitRunner(large(2), context, 0x1p40); });
}

}  // namespace
}  // namespace ringlet::test
