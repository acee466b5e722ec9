// SPDX-License-Identifier: Apache-2.0
//
// Lesson 12: from requirements to a result that may be shown to others.
//
// Nobody should have to guess primes. Here the computation is declared first: its inputs, its
// products, sums and rotations, and its outputs. Then come two requirements: the number of correct
// bits, and the security. Together they determine, before anything is encrypted, the ring, the
// scale, every prime, exactly the necessary keys, the bytes that will travel and the running time.
//
// Then the result is shown to others, for example to the server that computed it. A result of CKKS
// carries the noise of its ciphertext: somebody who has both learns about the secret key. A
// SharingDecryptor floods the noise, for a number of results that is declared beforehand. The
// required bits take this into account.
//
// The data are petals of fifty irises (versicolor), length and width in centimetres: R. A. Fisher,
// "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7, 1936. The result
// is the line through them: how much width a petal gains per centimetre of length.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using ringlet::Circuit;
using ringlet::CircuitValue;
using ringlet::KnownVector;

constexpr std::size_t kFlowers = 50;
constexpr std::size_t kRow = 64;  // the next power of two: slots after the flowers hold 0

constexpr std::array<double, kFlowers> kLengths{
    4.7, 4.5, 4.9, 4.0, 4.6, 4.5, 4.7, 3.3, 4.6, 3.9, 3.5, 4.2, 4.0, 4.7, 3.6, 4.4, 4.5,
    4.1, 4.5, 3.9, 4.8, 4.0, 4.9, 4.7, 4.3, 4.4, 4.8, 5.0, 4.5, 3.5, 3.8, 3.7, 3.9, 5.1,
    4.5, 4.5, 4.7, 4.4, 4.1, 4.0, 4.4, 4.6, 4.0, 3.3, 4.2, 4.2, 4.2, 4.3, 3.0, 4.1};
constexpr std::array<double, kFlowers> kWidths{
    1.4, 1.5, 1.5, 1.3, 1.5, 1.3, 1.6, 1.0, 1.3, 1.4, 1.0, 1.5, 1.0, 1.4, 1.3, 1.4, 1.5,
    1.0, 1.5, 1.1, 1.8, 1.3, 1.5, 1.2, 1.3, 1.4, 1.4, 1.7, 1.5, 1.0, 1.1, 1.0, 1.2, 1.6,
    1.5, 1.6, 1.5, 1.3, 1.3, 1.3, 1.2, 1.4, 1.2, 1.0, 1.3, 1.2, 1.3, 1.3, 1.1, 1.3};

// 1. The computation, in all slots at once. Bounds of values are for the estimate of errors: it
//    would otherwise assume that sums grow with every addend.
CircuitValue mean(Circuit& circuit, CircuitValue a, double bound) {
  const CircuitValue result =
      circuit.multiply(sum_slots(circuit, a, kRow), KnownVector(1.0 / kFlowers));
  circuit.bound(result, bound);
  return result;
}

Circuit declare() {
  Circuit circuit(kRow);
  const CircuitValue lengths = circuit.input(6);
  const CircuitValue widths = circuit.input(2);
  const CircuitValue mean_length = mean(circuit, lengths, 5);
  const CircuitValue mean_width = mean(circuit, widths, 2);
  for (const auto& [other, mean_other] :
       {std::pair(widths, mean_width), std::pair(lengths, mean_length)}) {
    const CircuitValue products = mean(circuit, circuit.multiply(lengths, other), 25);
    const CircuitValue covariance =
        circuit.subtract(products, circuit.multiply(mean_length, mean_other));
    circuit.bound(covariance, 10);
    circuit.output(covariance);
  }
  return circuit;
}

// 2. The requirements, and the parameters that follow from them.
ringlet::ParameterSuggestion choose(const Circuit& circuit, const ringlet::SharingPolicy& policy) {
  ringlet::ParameterRequest request;
  request.precision_bits = 12;
  request.sharing = policy;
  const ringlet::ParameterSuggestion suggestion = suggest_parameters(circuit, request);
  std::printf("depth %zu, %zu key switches, %zu Galois keys\n", circuit.depth(),
              suggestion.counts.key_switches(), suggestion.galois_key_count);
  std::printf("N = %zu, %zu + %zu primes, %d bits of %d that 128 bits of security allow\n",
              suggestion.parms.poly_modulus_degree(), suggestion.parms.data_primes().size(),
              suggestion.parms.special_primes().size(), suggestion.modulus_bits,
              suggestion.modulus_bits_limit);
  std::printf("scale 2^%.0f, shared results right to %.1f bits\n", std::log2(suggestion.scale),
              suggestion.precision_bits);
  std::printf("an input has %.2f MB, a result %.2f MB, all keys %.1f MB\n",
              static_cast<double>(suggestion.input.saved) * 1e-6,
              static_cast<double>(suggestion.result.saved) * 1e-6,
              static_cast<double>(suggestion.relin_keys.saved_seeded +
                                  suggestion.galois_keys.saved_seeded) *
                  1e-6);
  const ringlet::PredictedTimes times = predict_times(circuit, suggestion.parms, suggestion.scale);
  std::printf("expected: %.0f ms for the keys, %.0f ms for a run\n", times.keys * 1e3,
              times.circuit * 1e3);
  return suggestion;
}

ringlet::Ciphertext encrypt(const ringlet::Context& context, const ringlet::Encryptor& encryptor,
                            std::span<const double> row, double scale) {
  const ringlet::CKKSEncoder encoder(context);
  // Rows of the ring are longer than those of the circuit, which they repeat.
  std::vector<double> slots(encoder.slot_count());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i] = i % kRow < row.size() ? row[i % kRow] : 0.0;
  }
  ringlet::Plaintext plain;
  encoder.encode(slots, scale, plain);
  return encryptor.encrypt(plain);
}

double covariance_in_the_clear(std::span<const double> x, std::span<const double> y) {
  double products = 0, sum_x = 0, sum_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += x[i] * y[i];
    sum_x += x[i];
    sum_y += y[i];
  }
  const auto n = static_cast<double>(x.size());
  return products / n - sum_x / n * (sum_y / n);
}

void lesson_body(lesson::Checks& checks) {
  const Circuit circuit = declare();
  const ringlet::SharingPolicy policy{.decryptions = 2};
  const ringlet::ParameterSuggestion suggestion = choose(circuit, policy);

  // 3. The client: a context, exactly the keys of the circuit, two ciphertexts.
  const ringlet::Context context(suggestion.parms);
  const ringlet::KeyGenerator generator(context);
  const ringlet::CircuitRunner runner(circuit, context, suggestion.scale);
  const ringlet::CircuitKeys keys = runner.create_keys(generator);
  checks.expect(save(keys.galois_keys).size() == suggestion.galois_keys.saved_seeded,
                "Galois keys have the bytes that were announced");
  const ringlet::Encryptor encryptor(context, generator.create_public_key());
  const std::array inputs{encrypt(context, encryptor, kLengths, suggestion.scale),
                          encrypt(context, encryptor, kWidths, suggestion.scale)};

  // 4. The server, which has the keys of the circuit and no secret.
  const ringlet::Evaluator evaluator(context);
  const std::vector<ringlet::Ciphertext> results = runner.run(evaluator, inputs, keys);

  // 5. The client shares the two declared results. A third one is refused.
  ringlet::SharingDecryptor sharing(context, generator.secret_key(), policy);
  const ringlet::CKKSEncoder encoder(context);
  std::array<double, 2> shared{};
  double right_bits = 1e9;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const ringlet::SharedResult result = sharing.decrypt(results[i], suggestion.noise_bits, 10);
    std::vector<double> slots;
    encoder.decode(result.plaintext, slots);
    shared[i] = slots[0];
    right_bits = std::min(right_bits, result.precision_bits());
  }
  const double bound = std::exp2(-right_bits);
  const double expected = covariance_in_the_clear(kLengths, kWidths);
  const double expected_square = covariance_in_the_clear(kLengths, kLengths);
  std::printf("shared: covariance %.5f (in the clear %.5f), variance %.5f (%.5f)\n", shared[0],
              expected, shared[1], expected_square);
  std::printf("a petal one centimetre longer is %.3f cm wider\n", shared[0] / shared[1]);
  checks.expect(right_bits >= 12, "results are right to the bits that were asked for");
  checks.expect(std::abs(shared[0] - expected) <= bound, "covariance of length and width");
  checks.expect(std::abs(shared[1] - expected_square) <= bound, "variance of the length");
  checks.expect(std::abs(shared[0] / shared[1] - 0.331) < 0.01, "the slope of the line");
  checks.expect_refused<std::logic_error>(
      "a third result is refused", [&] { sharing.decrypt(results[0], suggestion.noise_bits, 10); });
}

}  // namespace

int main() { return lesson::run(lesson_body); }
