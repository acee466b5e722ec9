// SPDX-License-Identifier: Apache-2.0
//
// Lesson 1 as a program for SEAL 4: exact arithmetic on encrypted integers, and noise budgets.
#include <cstdint>
#include <iostream>
#include <vector>

#include "../lesson.hpp"
#include "seal/seal.h"

using namespace seal;

namespace {

// n * sum(x^2) - (sum x)^2 of eight encrypted ages.
void run(lesson::Checks& checks) {
  EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(8192));
  parms.set_plain_modulus(1032193);
  SEALContext context(parms);
  std::cout << "parameters: " << context.parameter_error_message() << '\n';

  KeyGenerator keygen(context);
  PublicKey public_key;
  RelinKeys relin_keys;
  keygen.create_public_key(public_key);
  keygen.create_relin_keys(relin_keys);
  Encryptor encryptor(context, public_key);
  Decryptor decryptor(context, keygen.secret_key());
  Evaluator evaluator(context);

  const std::vector<std::uint64_t> ages{71, 38, 44, 90, 27, 63, 55, 81};
  std::vector<Ciphertext> encrypted(ages.size());
  for (std::size_t i = 0; i < ages.size(); ++i) {
    encryptor.encrypt(Plaintext(util::uint_to_hex_string(&ages[i], 1)), encrypted[i]);
  }
  std::cout << "fresh: " << decryptor.invariant_noise_budget(encrypted[0]) << " bits\n";

  Ciphertext sum;
  evaluator.add_many(encrypted, sum);
  std::vector<Ciphertext> squares(encrypted.size());
  for (std::size_t i = 0; i < encrypted.size(); ++i) evaluator.square(encrypted[i], squares[i]);
  Ciphertext spread;
  evaluator.add_many(squares, spread);
  std::cout << "size of a product: " << spread.size() << '\n';
  evaluator.relinearize_inplace(spread, relin_keys);
  std::cout << "relinearized: " << spread.size() << '\n';
  evaluator.multiply_plain_inplace(spread, Plaintext("8"));
  evaluator.square_inplace(sum);
  evaluator.relinearize_inplace(sum, relin_keys);
  evaluator.sub_inplace(spread, sum);
  std::cout << "result: " << decryptor.invariant_noise_budget(spread) << " bits\n";

  Plaintext answer;
  decryptor.decrypt(spread, answer);
  std::uint64_t total = 0;
  std::uint64_t total_of_squares = 0;
  for (const std::uint64_t age : ages) {
    total += age;
    total_of_squares += age * age;
  }
  std::cout << "spread: 0x" << answer.to_string() << '\n';
  checks.expect(answer[0] == ages.size() * total_of_squares - total * total, "spread");

  checks.expect_refused<std::logic_error>("a transparent result is refused",
                                          [&] { evaluator.sub_inplace(spread, spread); });
}

}  // namespace

int main() { return lesson::run(run); }
