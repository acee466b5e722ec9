// SPDX-License-Identifier: Apache-2.0
//
// Lesson 5 as a program for SEAL 4: a polynomial of encrypted numbers, 6.1 + 0.25*t + 0.032*t^2.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include "../lesson.hpp"
#include "seal/seal.h"

using namespace seal;

namespace {

double largest_error(const std::vector<double>& temperatures,
                     const std::vector<double>& pressures) {
  double error = 0;
  for (std::size_t i = 0; i < pressures.size(); ++i) {
    const double x = temperatures[i];
    error = std::max(error, std::abs(pressures[i] - (6.1 + 0.25 * x + 0.032 * x * x)));
  }
  return error;
}

void run(lesson::Checks& checks) {
  EncryptionParameters parms(scheme_type::ckks);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::Create(8192, {60, 40, 40, 60}));
  SEALContext context(parms);
  const double scale = pow(2.0, 40);

  KeyGenerator keygen(context);
  PublicKey public_key;
  RelinKeys relin_keys;
  keygen.create_public_key(public_key);
  keygen.create_relin_keys(relin_keys);
  Encryptor encryptor(context, public_key);
  Evaluator evaluator(context);
  Decryptor decryptor(context, keygen.secret_key());
  CKKSEncoder encoder(context);

  std::vector<double> temperatures(encoder.slot_count());
  for (std::size_t i = 0; i < temperatures.size(); ++i) {
    temperatures[i] = 15.0 + 15.0 * std::sin(0.01 * static_cast<double>(i));
  }
  Plaintext plain;
  encoder.encode(temperatures, scale, plain);
  Ciphertext t;
  encryptor.encrypt(plain, t);

  // t^2, then 0.032 * t^2, one level lower each.
  Ciphertext result;
  evaluator.square(t, result);
  evaluator.relinearize_inplace(result, relin_keys);
  evaluator.rescale_to_next_inplace(result);
  encoder.encode(0.032, scale, plain);
  evaluator.mod_switch_to_inplace(plain, result.parms_id());
  evaluator.multiply_plain_inplace(result, plain);
  evaluator.rescale_to_next_inplace(result);

  // 0.25 * t at the same level. Scales are near 2^40, not equal: they are set where the difference
  // is meant to be ignored.
  Ciphertext linear;
  encoder.encode(0.25, scale, plain);
  evaluator.multiply_plain(t, plain, linear);
  evaluator.rescale_to_next_inplace(linear);
  evaluator.mod_switch_to_inplace(linear, result.parms_id());
  checks.expect_refused("operands of different scales are refused",
                        [&] { evaluator.add_inplace(result, linear); });
  result.scale() = scale;
  linear.scale() = scale;
  evaluator.add_inplace(result, linear);
  encoder.encode(6.1, result.parms_id(), scale, plain);
  evaluator.add_plain_inplace(result, plain);

  std::vector<double> pressures;
  decryptor.decrypt(result, plain);
  encoder.decode(plain, pressures);
  std::cout << "at " << temperatures[0] << " degrees: " << pressures[0] << " hPa\n";
  checks.expect(largest_error(temperatures, pressures) < 1e-2, "every slot, within 1e-2");
}

}  // namespace

int main() { return lesson::run(run); }
