// SPDX-License-Identifier: Apache-2.0
//
// Lesson 13: where did my precision go?
//
// A result is off by more than it should be. Which operation did that? A TracingEvaluator is an
// Evaluator for debugging: it holds the secret key and computes everything three times: on
// ciphertexts, on estimates of their noise and in the clear. After every operation it prints what
// the ciphertext holds beside what it should hold. Its output is only for the owner of the key.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using ringlet::Circuit;
using ringlet::CircuitValue;
using ringlet::KnownVector;
using ringlet::TracedCiphertext;
using ringlet::TraceStep;
using ringlet::TracingEvaluator;

constexpr double kScale = 0x1p40;

void print(const char* title, const TracingEvaluator& tracer) {
  std::printf("%s\n%s\n", title, ringlet::to_string(tracer.log()).c_str());
}

bool all_as_expected(const TracingEvaluator& tracer) {
  return std::ranges::all_of(
      tracer.log(), [](const TraceStep& step) { return step.is_right && step.is_within_estimate; });
}

ringlet::Context ckks_context() {
  ringlet::EncryptionParameters parms(ringlet::SchemeType::ckks);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(ringlet::CoeffModulus::create(8192, {50, 40, 40, 50}));
  return ringlet::Context(parms);
}

// 1. A declared circuit, x^3 + x/2: one line for each step of its plan. "error" is log2 of how far
//    the worst slot is off, "lost" what the step cost in bits. Encryption and rescaling round, and
//    that is what is seen here; a larger scale makes both smaller.
void trace_circuit(lesson::Checks& checks) {
  Circuit circuit(4096);
  const CircuitValue x = circuit.input(1);
  const CircuitValue cube = circuit.multiply(circuit.multiply(x, x), x);
  circuit.output(circuit.add(cube, circuit.multiply(x, KnownVector(0.5))));

  const ringlet::Context context = ckks_context();
  const ringlet::KeyGenerator keygen(context);
  TracingEvaluator tracer(context, keygen.secret_key());
  tracer.trace(circuit, std::vector<KnownVector>{KnownVector(std::vector<double>{0.5, -0.75, 1})},
               kScale);
  print("x^3 + x/2, as its plan computes it", tracer);
  checks.expect(all_as_expected(tracer), "every step of the circuit is within its estimate");
}

// 2. The same by hand, in a frequent style: the scales of the addends nearly agree, so the
//    program sets them equal. The message is then off by the difference.
void trace_by_hand(lesson::Checks& checks) {
  const ringlet::Context context = ckks_context();
  const ringlet::KeyGenerator keygen(context);
  const ringlet::RelinKeys keys = keygen.create_relin_keys();
  TracingEvaluator tracer(context, keygen.secret_key());
  const std::vector<double> slots{0.5, -0.75, 1};
  const TracedCiphertext x = tracer.encrypt(slots, kScale, "x");
  TracedCiphertext square = tracer.relinearize_and_rescale_to_next(tracer.square(x), keys);
  square.set_label("x^2");
  const TracedCiphertext low = tracer.mod_switch_to_next(x);
  TracedCiphertext cube =
      tracer.relinearize_and_rescale_to_next(tracer.multiply(square, low), keys);
  cube.set_label("x^3");
  TracedCiphertext half = tracer.rescale_to_next(tracer.multiply_plain(low, 0.5, kScale));
  half.set_label("x/2");
  cube.ciphertext().scale() = kScale;
  half.ciphertext().scale() = kScale;
  checks.expect(all_as_expected(tracer),
                "every step before the scales are set is within its estimate");
  tracer.add(cube, half);
  print("the same by hand, with scales that are set", tracer);
  checks.expect(!tracer.log().back().is_within_estimate, "the scale that was set shows");
}

// 3. BFV computes exactly, until the noise budget is spent.
void trace_too_deep(lesson::Checks& checks) {
  ringlet::EncryptionParameters parms(ringlet::SchemeType::bfv);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus(ringlet::CoeffModulus::create(4096, {35, 35, 36}));
  parms.set_plain_modulus(ringlet::PlainModulus::batching(4096, 20));
  const ringlet::Context context(parms);
  const ringlet::KeyGenerator keygen(context);
  const ringlet::RelinKeys keys = keygen.create_relin_keys();
  TracingEvaluator tracer(context, keygen.secret_key());
  const std::vector<std::uint64_t> slots{1, 2, 3};
  TracedCiphertext x = tracer.encrypt(slots, "x");
  for (int i = 0; i < 3; ++i) x = tracer.relinearize(tracer.square(x), keys);
  print("x^8 in BFV, with primes for less", tracer);
  const auto log = tracer.log();
  const auto wrong = std::ranges::find(log, false, &TraceStep::is_right);
  checks.expect(wrong != log.end() && wrong->operation == "square",
                "the square is found that the budget does not cover");
}

}  // namespace

int main() {
  return lesson::run([](lesson::Checks& checks) {
    trace_circuit(checks);
    trace_by_hand(checks);
    trace_too_deep(checks);
  });
}
