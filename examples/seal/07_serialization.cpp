// SPDX-License-Identifier: Apache-2.0
//
// Lesson 7 as a program for SEAL 4: a client and a server that share nothing but streams.
#include <cmath>
#include <iostream>
#include <sstream>
#include <vector>

#include "../lesson.hpp"
#include "seal/seal.h"

using namespace seal;

namespace {

struct Streams {
  std::stringstream parameters;
  std::stringstream keys;  // relinearization keys, then Galois keys
  std::stringstream data;
  std::stringstream answer;
};

// Computes the mean of all squares; the server sees only streams.
void serve(Streams& streams) {
  EncryptionParameters parms;
  parms.load(streams.parameters);
  SEALContext context(parms);
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  relin_keys.load(context, streams.keys);
  galois_keys.load(context, streams.keys);
  Ciphertext sum;
  sum.load(context, streams.data);

  Evaluator evaluator(context);
  CKKSEncoder encoder(context);
  evaluator.square_inplace(sum);
  evaluator.relinearize_inplace(sum, relin_keys);
  evaluator.rescale_to_next_inplace(sum);
  Ciphertext rotated;
  for (auto step = static_cast<int>(encoder.slot_count() / 2); step > 0; step /= 2) {
    evaluator.rotate_vector(sum, step, galois_keys, rotated);
    evaluator.add_inplace(sum, rotated);
  }
  Plaintext weight;
  encoder.encode(1.0 / static_cast<double>(encoder.slot_count()), sum.parms_id(), pow(2.0, 30),
                 weight);
  evaluator.multiply_plain_inplace(sum, weight);
  sum.save(streams.answer);
}

void run(lesson::Checks& checks) {
  Streams streams;
  EncryptionParameters parms(scheme_type::ckks);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::Create(8192, {50, 40, 40, 50}));
  parms.save(streams.parameters);
  SEALContext context(parms);
  KeyGenerator keygen(context);
  CKKSEncoder encoder(context);

  std::vector<double> values(encoder.slot_count());
  double mean = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(0.002 * static_cast<double>(i));
    mean += values[i] * values[i] / static_cast<double>(values.size());
  }
  Plaintext plain;
  encoder.encode(values, pow(2.0, 40), plain);

  // Without a destination, keys and symmetric encryptions are Serializable: they save the seed of
  // their random half instead of this half.
  Encryptor encryptor(context, keygen.secret_key());
  Ciphertext whole;
  encryptor.encrypt_symmetric(plain, whole);
  std::stringstream unseeded;
  const auto whole_bytes = whole.save(unseeded, compr_mode_type::none);
  const auto seeded_bytes =
      encryptor.encrypt_symmetric(plain).save(streams.data, compr_mode_type::none);
  std::cout << "ciphertext: " << seeded_bytes << " bytes by its seed, " << whole_bytes
            << " whole\n";
  keygen.create_relin_keys().save(streams.keys);
  keygen.create_galois_keys().save(streams.keys);

  serve(streams);
  Ciphertext answer;
  answer.load(context, streams.answer);
  Decryptor decryptor(context, keygen.secret_key());
  std::vector<double> result;
  decryptor.decrypt(answer, plain);
  encoder.decode(plain, result);
  std::cout << "mean square: " << result[0] << ", in the clear " << mean << '\n';
  checks.expect(std::abs(result[0] - mean) < 1e-5, "mean square within 1e-5");

  unseeded.seekg(0);
  std::string bytes = unseeded.str();
  bytes[20] = static_cast<char>(bytes[20] ^ 1);  // within the identifier of the parameters
  std::stringstream damaged(bytes);
  checks.expect_refused<std::logic_error>("a ciphertext of other parameters is refused",
                                          [&] { answer.load(context, damaged); });
}

}  // namespace

int main() { return lesson::run(run); }
