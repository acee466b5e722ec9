// SPDX-License-Identifier: Apache-2.0
//
// Lesson 3 as a program for SEAL 4: the modulus switching chain.
#include <iostream>

#include "../lesson.hpp"
#include "seal/seal.h"

using namespace seal;

// Programs print identifiers with an operator of their own.
std::ostream& operator<<(std::ostream& stream, const parms_id_type& parms_id) {
  return stream << std::hex << parms_id[0] << ' ' << parms_id[1] << ' ' << parms_id[2] << ' '
                << parms_id[3] << std::dec;
}

namespace {

void run(lesson::Checks& checks) {
  EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::Create(8192, {40, 40, 40, 40, 48}));
  parms.set_plain_modulus(PlainModulus::Batching(8192, 20));
  SEALContext context(parms);

  for (auto data = context.key_context_data(); data; data = data->next_context_data()) {
    std::cout << "level " << data->chain_index() << ": " << data->parms().coeff_modulus().size()
              << " primes, " << data->total_coeff_modulus_bit_count() << " bits\n  "
              << data->parms_id() << '\n';
  }

  KeyGenerator keygen(context);
  RelinKeys relin_keys;
  PublicKey public_key;
  keygen.create_relin_keys(relin_keys);
  keygen.create_public_key(public_key);
  Encryptor encryptor(context, public_key);
  Evaluator evaluator(context);
  Decryptor decryptor(context, keygen.secret_key());

  const Plaintext plain("1x^4095 + 2");
  Ciphertext power;
  encryptor.encrypt(plain, power);
  evaluator.exponentiate_inplace(power, 4, relin_keys);
  Plaintext before;
  decryptor.decrypt(power, before);
  std::cout << "before: " << decryptor.invariant_noise_budget(power) << " bits\n";
  for (int step = 0; step < 2; ++step) {
    evaluator.mod_switch_to_next_inplace(power);
    std::cout << "one level down: " << decryptor.invariant_noise_budget(power) << " bits\n";
  }
  Plaintext after;
  decryptor.decrypt(power, after);
  checks.expect(before == after && before.to_string().find(" + 10") != std::string::npos,
                "the message has not changed");

  Ciphertext fresh;
  encryptor.encrypt(plain, fresh);
  checks.expect_refused("operands of different levels are refused",
                        [&] { evaluator.add_inplace(power, fresh); });
}

}  // namespace

int main() { return lesson::run(run); }
