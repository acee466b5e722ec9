// SPDX-License-Identifier: Apache-2.0
//
// Lesson 2 as a program for SEAL 4: vectors of integers and of real numbers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

#include "../lesson.hpp"
#include "seal/seal.h"

using namespace seal;

namespace {

void integers(lesson::Checks& checks) {
  EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(4096));
  parms.set_plain_modulus(PlainModulus::Batching(4096, 20));
  SEALContext context(parms);
  std::cout << "batching: " << std::boolalpha
            << context.first_context_data()->qualifiers().using_batching << '\n';

  BatchEncoder encoder(context);
  KeyGenerator keygen(context);
  PublicKey public_key;
  keygen.create_public_key(public_key);
  Encryptor encryptor(context, public_key);
  Evaluator evaluator(context);
  Decryptor decryptor(context, keygen.secret_key());

  std::vector<std::int64_t> pixels(encoder.slot_count());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<std::int64_t>((i * i) % 256);
  }
  Plaintext plain;
  Plaintext gain;
  Plaintext offset;
  encoder.encode(pixels, plain);
  encoder.encode(std::vector<std::int64_t>(encoder.slot_count(), 3), gain);
  encoder.encode(std::vector<std::int64_t>(encoder.slot_count(), -200), offset);
  Ciphertext image;
  encryptor.encrypt(plain, image);
  evaluator.multiply_plain_inplace(image, gain);
  evaluator.add_plain_inplace(image, offset);

  std::vector<std::int64_t> result;
  decryptor.decrypt(image, plain);
  encoder.decode(plain, result);
  bool all = true;
  for (std::size_t i = 0; i < pixels.size(); ++i) all = all && result[i] == 3 * pixels[i] - 200;
  checks.expect(all, "every pixel, exactly");
}

void reals(lesson::Checks& checks) {
  EncryptionParameters parms(scheme_type::ckks);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::Create(8192, {60, 40, 40, 60}));
  SEALContext context(parms);
  CKKSEncoder encoder(context);
  KeyGenerator keygen(context);
  PublicKey public_key;
  keygen.create_public_key(public_key);
  Encryptor encryptor(context, public_key);
  Evaluator evaluator(context);
  Decryptor decryptor(context, keygen.secret_key());

  const double scale = pow(2.0, 40);
  std::vector<double> wave(encoder.slot_count());
  for (std::size_t i = 0; i < wave.size(); ++i) wave[i] = std::sin(0.01 * static_cast<double>(i));
  Plaintext plain;
  Plaintext half;
  encoder.encode(wave, scale, plain);
  encoder.encode(0.5, scale, half);
  Ciphertext signal;
  encryptor.encrypt(plain, signal);
  evaluator.multiply_plain_inplace(signal, half);
  evaluator.rescale_to_next_inplace(signal);

  std::vector<double> result;
  decryptor.decrypt(signal, plain);
  encoder.decode(plain, result);
  double error = 0;
  for (std::size_t i = 0; i < wave.size(); ++i) {
    error = std::max(error, std::abs(result[i] - 0.5 * wave[i]));
  }
  checks.expect(error < 1e-6, "every slot, within 1e-6");
}

void run(lesson::Checks& checks) {
  integers(checks);
  reals(checks);
}

}  // namespace

int main() { return lesson::run(run); }
