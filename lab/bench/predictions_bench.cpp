// SPDX-License-Identifier: Apache-2.0
#include <complex>

#include "ringlet/ringlet.hpp"
#include "standard.hpp"

// Compares predicted times of circuits with the least times of their runs, in one process, in turn.
// Exits with 1 if a prediction is off by more than a quarter.

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

// A matrix with 16 diagonals as sums of rotations, each times a vector; then a square.
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

/// The least of the times that it receives.
class Least {
 public:
  // Calls twice: the first call restores the caches after other work.
  template <typename Call>
  void time(const Call& call) {
    for (int turn = 0; turn < 2; ++turn) {
      const auto start = std::chrono::steady_clock::now();
      call();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      tell(taken.count());
    }
  }
  void tell(double seconds) { least_ = std::min(least_, seconds); }
  double seconds() const { return least_; }

 private:
  double least_ = std::numeric_limits<double>::infinity();
};

/// One kind of work: its predicted and its measured time.
struct Part {
  const char* name;
  Least predicted;
  Least measured;
  double ratio() const { return predicted.seconds() / measured.seconds(); }
  bool is_close() const { return std::abs(ratio() - 1) <= kLargestDeviation; }
};

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
  const Decryptor decryptor(context, generator.secret_key());
  const Evaluator evaluator(context);
  Plaintext message(context.ring().degree());
  if (one.scheme == SchemeType::ckks) {
    CKKSEncoder(context).encode(0.5, suggestion.scale, message);
  } else {
    message.coefficients_for_writing()[0] = 1;
  }

  Part circuit{"run", {}, {}};
  Part all_keys{"keys", {}, {}};
  Part encryption{"encrypt", {}, {}};
  Part decryption{"decrypt", {}, {}};
  Ciphertext input;
  std::vector<Ciphertext> results;
  Plaintext plain;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 4 == 0) {
      const PredictedTimes times = predict_times(one.circuit, suggestion.parms, suggestion.scale);
      circuit.predicted.tell(times.circuit);
      all_keys.predicted.tell(times.keys);
      encryption.predicted.tell(times.encrypt);
      decryption.predicted.tell(times.decrypt);
      all_keys.measured.time([&] {
        generator.create_public_key();
        runner.create_keys(generator);
      });
    }
    encryption.measured.time([&] { encryptor.encrypt(message, input); });
    circuit.measured.time([&] { results = runner.run(evaluator, std::span(&input, 1), keys); });
    decryption.measured.time([&] { decryptor.decrypt(results[0], plain); });
  }
  bool is_close = true;
  std::printf("%-20s N = %6zu, %2zu + %zu primes\n", one.name.c_str(),
              suggestion.parms.poly_modulus_degree(), suggestion.parms.data_primes().size(),
              suggestion.parms.special_primes().size());
  for (const Part& part : {circuit, all_keys, encryption, decryption}) {
    std::printf("  %-8s predicted %9.3f ms  measured %9.3f ms  %.2f%s\n", part.name,
                part.predicted.seconds() * 1e3, part.measured.seconds() * 1e3, part.ratio(),
                part.is_close() ? "" : "  off by more than 25 %");
    is_close = is_close && part.is_close();
  }
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
