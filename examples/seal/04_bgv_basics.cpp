// SPDX-License-Identifier: Apache-2.0
//
// Lesson 4 as a program for SEAL 4: BGV, and modulus switching after each product.
#include <cstdint>
#include <iostream>
#include <vector>

#include "../lesson.hpp"
#include "seal/seal.h"

using namespace seal;

namespace {

void run(lesson::Checks& checks) {
  EncryptionParameters parms(scheme_type::bgv);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::Create(8192, {48, 38, 38, 38, 49}));
  parms.set_plain_modulus(PlainModulus::Batching(8192, 20));
  SEALContext context(parms);
  const std::uint64_t t = context.first_context_data()->parms().plain_modulus().value();

  KeyGenerator keygen(context);
  RelinKeys relin_keys;
  PublicKey public_key;
  keygen.create_relin_keys(relin_keys);
  keygen.create_public_key(public_key);
  Encryptor encryptor(context, public_key);
  Evaluator evaluator(context);
  Decryptor decryptor(context, keygen.secret_key());
  BatchEncoder encoder(context);

  std::vector<std::uint64_t> x(encoder.slot_count());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i + 1;
  Plaintext plain;
  encoder.encode(x, plain);
  Ciphertext high;
  encryptor.encrypt(plain, high);
  Ciphertext low = high;
  for (int squaring = 1; squaring <= 3; ++squaring) {
    evaluator.square_inplace(high);
    evaluator.relinearize_inplace(high, relin_keys);
    evaluator.square_inplace(low);
    evaluator.relinearize_inplace(low, relin_keys);
    if (squaring < 3) evaluator.mod_switch_to_next_inplace(low);
    std::cout << "squaring " << squaring << ": " << decryptor.invariant_noise_budget(high)
              << " bits at the first level, " << decryptor.invariant_noise_budget(low)
              << " bits going down\n";
  }

  std::vector<std::uint64_t> slots;
  decryptor.decrypt(low, plain);
  encoder.decode(plain, slots);
  bool all = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint64_t power = x[i] % t;
    for (int squaring = 0; squaring < 3; ++squaring) power = power * power % t;
    all = all && slots[i] == power;
  }
  checks.expect(all, "x^8 going down");
  checks.expect(decryptor.invariant_noise_budget(low) > decryptor.invariant_noise_budget(high),
                "going down leaves more budget");
}

}  // namespace

int main() { return lesson::run(run); }
