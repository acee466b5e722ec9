// SPDX-License-Identifier: Apache-2.0
// Batch retrieval: each slot asks for a row of its own. Four ciphertexts hold the bits of all row
// numbers; products of bits and of their complements select the rows.
#include <cstdio>
#include <cstdlib>

#include "seal/seal.h"

using namespace seal;

constexpr std::size_t kDegree = 8192;
constexpr std::size_t kBits = 4, kRows = std::size_t{1} << kBits;

int main() {
  EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(kDegree);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(kDegree));
  parms.set_plain_modulus(PlainModulus::Batching(kDegree, 20));
  const auto context = std::make_shared<SEALContext>(parms);
  KeyGenerator keygen(*context);
  RelinKeys keys;
  keygen.create_relin_keys(keys);
  Encryptor encryptor(*context, keygen.secret_key());
  Evaluator evaluator(*context);
  Decryptor decryptor(*context, keygen.secret_key());
  BatchEncoder encoder(*context);

  // The client's numbers, and the slots of each bit.
  std::vector<std::uint64_t> wanted(kDegree), slots(kDegree), found;
  for (std::size_t i = 0; i < kDegree; ++i) wanted[i] = i * i % 31 % kRows;
  std::vector<Ciphertext> bits(kBits), complements(kBits);
  Plaintext plain, one("1");
  for (std::size_t bit = 0; bit < kBits; ++bit) {
    for (std::size_t i = 0; i < kDegree; ++i) slots[i] = wanted[i] >> bit & 1;
    encoder.encode(slots, plain);
    encryptor.encrypt_symmetric(plain, bits[bit]);
    evaluator.negate(bits[bit], complements[bit]);
    evaluator.add_plain_inplace(complements[bit], one);
  }

  // The server: a row's selector is 1 in the slots that want this row. It hides the row's value,
  // which every slot shares.
  const auto value_of = [](std::size_t row) { return 1000 + 17 * row; };
  std::vector<Ciphertext> terms(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    std::vector<Ciphertext> factors;
    for (std::size_t bit = 0; bit < kBits; ++bit) {
      factors.push_back((row >> bit & 1) != 0 ? bits[bit] : complements[bit]);
    }
    evaluator.multiply_many(factors, keys, terms[row]);
    Plaintext value(std::size_t{1});
    value[0] = value_of(row);
    evaluator.multiply_plain_inplace(terms[row], value);
  }
  Ciphertext answer;
  evaluator.add_many(terms, answer);
  const int budget = decryptor.invariant_noise_budget(answer);

  decryptor.decrypt(answer, plain);
  encoder.decode(plain, found);
  bool good = budget > 0;
  for (std::size_t i = 0; i < kDegree; ++i) good = good && found[i] == value_of(wanted[i]);

  // A bit equals its square: the server's proof that it was asked for a row that exists.
  Ciphertext squared;
  evaluator.exponentiate(bits[0], 2, keys, squared);
  evaluator.sub_inplace(squared, bits[0]);
  decryptor.decrypt(squared, plain);
  good = good && plain.is_zero();
  std::printf("%zu answers with a budget of %d bits: %s\n", kDegree, budget,
              good ? "right" : "wrong");
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
