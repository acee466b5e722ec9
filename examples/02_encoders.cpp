// SPDX-License-Identifier: Apache-2.0
//
// Lesson 2: many numbers in one ciphertext.
//
// A plaintext is a polynomial with thousands of coefficients; a program that uses only the constant
// one wastes all others. Encoders put a vector into it, such that sums and products of ciphertexts
// act on every entry at once. BatchEncoder encodes integers modulo t (BFV, BGV), CKKSEncoder real
// and complex numbers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

constexpr std::size_t kDegree = 4096;

// Brightens the encrypted grey values of an image: g -> 3*g - 200.
void integers(lesson::Checks& checks) {
  // Batching needs a prime t = 1 modulo 2N; default_parameters takes one of 20 bits.
  const ringlet::Context context(ringlet::default_parameters(ringlet::SchemeType::bfv, kDegree));
  const ringlet::BatchEncoder encoder(context);
  std::printf("BatchEncoder: %zu slots in 2 rows, integers modulo %llu\n", encoder.slot_count(),
              static_cast<unsigned long long>(context.plain_modulus().value()));

  std::vector<std::int64_t> pixels(encoder.slot_count());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<std::int64_t>((i * i) % 256);
  }
  ringlet::Plaintext plain;
  encoder.encode(pixels, plain);
  const ringlet::KeyGenerator keygen(context);
  const ringlet::Encryptor encryptor(context, keygen.create_public_key());
  ringlet::Ciphertext image = encryptor.encrypt(plain);

  // Known vectors are encoded too, but not encrypted.
  const ringlet::Evaluator evaluator(context);
  ringlet::Plaintext gain;
  ringlet::Plaintext offset;
  encoder.encode(std::vector<std::int64_t>(encoder.slot_count(), 3), gain);
  encoder.encode(std::vector<std::int64_t>(encoder.slot_count(), -200), offset);
  evaluator.multiply_plain_inplace(image, gain);
  evaluator.add_plain_inplace(image, offset);

  ringlet::Decryptor decryptor(context, keygen.secret_key());
  std::vector<std::int64_t> result;
  encoder.decode(decryptor.decrypt(image), result);
  std::printf("pixels 1, 2, 3: %lld, %lld, %lld\n", static_cast<long long>(result[1]),
              static_cast<long long>(result[2]), static_cast<long long>(result[3]));
  bool all = true;
  for (std::size_t i = 0; i < pixels.size(); ++i) all = all && result[i] == 3 * pixels[i] - 200;
  checks.expect(all, "every pixel, exactly");
}

// The same with real numbers: exact to about nine digits here, depending on the scale.
void reals(lesson::Checks& checks) {
  const ringlet::Context context(
      ringlet::default_parameters(ringlet::SchemeType::ckks, 2 * kDegree));
  const ringlet::CKKSEncoder encoder(context);
  const double scale = std::pow(2.0, 40);
  std::printf("CKKSEncoder: %zu slots, scale 2^40\n", encoder.slot_count());

  std::vector<double> wave(encoder.slot_count());
  for (std::size_t i = 0; i < wave.size(); ++i) wave[i] = std::sin(0.01 * static_cast<double>(i));
  ringlet::Plaintext plain;
  encoder.encode(wave, scale, plain);
  const ringlet::KeyGenerator keygen(context);
  const ringlet::Encryptor encryptor(context, keygen.create_public_key());
  ringlet::Ciphertext signal = encryptor.encrypt(plain);

  // One number for all slots needs no vector.
  const ringlet::Evaluator evaluator(context);
  encoder.encode(0.5, signal.parms_id(), scale, plain);
  evaluator.multiply_plain_inplace(signal, plain);
  evaluator.rescale_to_next_inplace(signal);

  ringlet::Decryptor decryptor(context, keygen.secret_key());
  std::vector<double> result;
  encoder.decode(decryptor.decrypt(signal), result);
  double error = 0;
  for (std::size_t i = 0; i < wave.size(); ++i) {
    error = std::max(error, std::abs(result[i] - 0.5 * wave[i]));
  }
  std::printf("slot 100: %.6f\n", result[100]);
  checks.expect(error < 1e-6, "every slot, within 1e-6");
}

void run(lesson::Checks& checks) {
  integers(checks);
  reals(checks);
}

}  // namespace

int main() { return lesson::run(run); }
