// SPDX-License-Identifier: Apache-2.0
#include "gpu/meters/server_meter.hpp"

namespace ringlet::bench {
namespace {

constexpr std::size_t kDegree = 8192;
constexpr std::size_t kSlots = kDegree / 2;
constexpr std::size_t kFeatures = 32;
constexpr std::size_t kRows = kSlots / kFeatures;
constexpr double kScale = 0x1p30;

Context make_context() {
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(kDegree);
  parms.set_coeff_modulus(CoeffModulus::create(kDegree, {44, 30, 30, 30, 30, 50}));
  return Context(parms);
}

/// Returns a number between -1 and 1.
double made_up(std::size_t i) { return std::cos(static_cast<double>(i * i)); }

Circuit make_circuit() {
  std::vector<double> weights(kSlots);
  for (std::size_t i = 0; i < kSlots; ++i) weights[i] = made_up(i / kRows) / kFeatures;
  Circuit circuit(kSlots);
  CircuitValue score = circuit.multiply(circuit.input(1), KnownVector(std::span(weights)));
  for (std::size_t step = kSlots / 2; step >= kRows; step /= 2) {
    score = circuit.add(score, circuit.rotate(score, static_cast<int>(step)));
    circuit.bound(score, 1);
  }
  circuit.output(score);
  circuit.output(
      polynomial(circuit, score, Polynomial::power({0.5, 0.9, 0, -0.7, 0, 0.4, 0, -0.1})));
  return circuit;
}

}  // namespace

ServerHost::ServerHost(std::size_t count)
    : context(make_context()),
      keygen(context),
      runner(make_circuit(), context, kScale),
      keys(runner.create_keys(keygen)) {
  const Encryptor encryptor(context, keygen.create_public_key());
  const CKKSEncoder encoder(context);
  std::vector<double> values(kSlots);
  for (std::size_t i = 0; i < kSlots; ++i) values[i] = made_up(i);
  Plaintext plain;
  encoder.encode(values, kScale, plain);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(encryptor.encrypt(plain));
}

ServerMeter::ServerMeter(std::shared_ptr<const ServerHost> host, const Device& device)
    : host_(std::move(host)), evaluator_(host_->context, device), keys_(host_->keys) {}

double ServerMeter::seconds() {
  // Copies whose words are only on the host: the device has nothing of an earlier call.
  const std::vector<Ciphertext> rows = host_->rows;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  answers_.clear();
  for (const Ciphertext& row : rows) {
    for (Ciphertext& answer : host_->runner.run(evaluator_, std::span(&row, 1), keys_)) {
      answers_.push_back(std::move(answer));
    }
  }
  for (const Ciphertext& answer : answers_) answer.view(0);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace ringlet::bench
