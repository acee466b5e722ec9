// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "ringlet/ringlet.hpp"

// Predicted times of circuits beside least times of their runs, in one process, in turn. Exits with
// 1 if a prediction is off by more than a quarter.

namespace ringlet {
namespace {

constexpr double kLargestDeviation = 0.25;
constexpr int kRounds = 32;

struct Case {
  std::string name;
  SchemeType scheme;
  Circuit circuit;
  double precision_bits;
};

// Sums of rotations, each times a vector: a matrix with 16 diagonals, then a square.
Circuit rotations_and_square() {
  Circuit circuit(1024);
  const CircuitValue x = circuit.input();
  std::vector<CircuitValue> terms;
  for (int step = 0; step < 16; ++step) {
    terms.push_back(circuit.multiply(circuit.rotate(x, step),
                                     KnownVector(KnownVector::Integers{1, -1, step % 2})));
  }
  const CircuitValue sum = circuit.sum(terms);
  circuit.output(circuit.multiply(sum, sum));
  return circuit;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const SchemeType scheme : {SchemeType::ckks, SchemeType::bfv, SchemeType::bgv}) {
    const std::string name = to_string(scheme);
    for (const std::size_t depth : {1U, 3U, 5U, 8U}) {
      all.push_back({name + " depth " + std::to_string(depth), scheme, depth_circuit(depth), 20});
    }
    all.push_back({name + " 16 rotations", scheme, rotations_and_square(), 15});
  }
  return all;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool is_predicted(const Case& one) {
  ParameterRequest request;
  request.scheme = one.scheme;
  request.precision_bits = one.precision_bits;
  const ParameterSuggestion suggestion = suggest_parameters(one.circuit, request);
  const Context context(suggestion.parms);
  const KeyGenerator generator(context);
  const CircuitRunner runner(one.circuit, context, suggestion.scale);
  const CircuitKeys keys = runner.create_keys(generator);
  const Encryptor encryptor(context, generator.create_public_key());
  Ciphertext input = encryptor.encrypt_zero();
  if (one.scheme == SchemeType::ckks) input.scale() = suggestion.scale;
  const Evaluator evaluator(context);

  double predicted = std::numeric_limits<double>::infinity();
  double measured = predicted;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 4 == 0) {
      const PredictedTimes times = predict_times(one.circuit, suggestion.parms, suggestion.scale);
      predicted = std::min(predicted, times.circuit);
    }
    const auto start = std::chrono::steady_clock::now();
    runner.run(evaluator, std::span(&input, 1), keys);
    measured = std::min(measured, seconds_since(start));
  }
  const double ratio = predicted / measured;
  const bool is_close = std::abs(ratio - 1) <= kLargestDeviation;
  std::printf("%-20s N = %6zu, %2zu + %zu primes  predicted %9.3f ms  measured %9.3f ms  %.2f%s\n",
              one.name.c_str(), suggestion.parms.poly_modulus_degree(),
              suggestion.parms.data_primes().size(), suggestion.parms.special_primes().size(),
              predicted * 1e3, measured * 1e3, ratio, is_close ? "" : "  off by more than 25 %");
  std::fflush(stdout);
  return is_close;
}

}  // namespace
}  // namespace ringlet

int main() {
  bool is_close = true;
  for (const auto& one : ringlet::cases()) is_close = ringlet::is_predicted(one) && is_close;
  return is_close ? 0 : 1;
}
