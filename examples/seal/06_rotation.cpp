// SPDX-License-Identifier: Apache-2.0
//
// Lesson 6 as a program for SEAL 4: rotations of rows, columns and vectors.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

#include "../lesson.hpp"
#include "seal/seal.h"

using namespace seal;

namespace {

void rows_and_columns(scheme_type scheme, lesson::Checks& checks) {
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(8192));
  parms.set_plain_modulus(PlainModulus::Batching(8192, 20));
  SEALContext context(parms);
  KeyGenerator keygen(context);
  PublicKey public_key;
  GaloisKeys galois_keys;
  keygen.create_public_key(public_key);
  keygen.create_galois_keys(std::vector<int>{3, 0}, galois_keys);
  Encryptor encryptor(context, public_key);
  Evaluator evaluator(context);
  Decryptor decryptor(context, keygen.secret_key());
  BatchEncoder encoder(context);

  const std::size_t row = encoder.slot_count() / 2;
  std::vector<std::uint64_t> matrix(encoder.slot_count());
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = i;
  Plaintext plain;
  encoder.encode(matrix, plain);
  Ciphertext moved;
  encryptor.encrypt(plain, moved);
  evaluator.rotate_rows_inplace(moved, 3, galois_keys);
  evaluator.rotate_columns_inplace(moved, galois_keys);
  std::vector<std::uint64_t> result;
  decryptor.decrypt(moved, plain);
  encoder.decode(plain, result);
  bool all = true;
  for (std::size_t i = 0; i < row; ++i) {
    all =
        all && result[i] == matrix[row + (i + 3) % row] && result[row + i] == matrix[(i + 3) % row];
  }
  checks.expect(all, "rows by three, then swapped");
  checks.expect_refused("a rotation without its key is refused",
                        [&] { evaluator.rotate_rows_inplace(moved, 5, galois_keys); });
}

void inner_product(lesson::Checks& checks) {
  EncryptionParameters parms(scheme_type::ckks);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::Create(8192, {50, 40, 40, 50}));
  SEALContext context(parms);
  KeyGenerator keygen(context);
  PublicKey public_key;
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  keygen.create_public_key(public_key);
  keygen.create_relin_keys(relin_keys);
  keygen.create_galois_keys(galois_keys);
  Encryptor encryptor(context, public_key);
  Evaluator evaluator(context);
  Decryptor decryptor(context, keygen.secret_key());
  CKKSEncoder encoder(context);

  std::vector<double> a(encoder.slot_count());
  std::vector<double> b(encoder.slot_count());
  double expected = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = 1.0 / static_cast<double>(i + 1);
    b[i] = std::cos(static_cast<double>(i));
    expected += a[i] * b[i];
  }
  Plaintext plain;
  Ciphertext product;
  Ciphertext factor;
  encoder.encode(a, pow(2.0, 40), plain);
  encryptor.encrypt(plain, product);
  encoder.encode(b, pow(2.0, 40), plain);
  encryptor.encrypt(plain, factor);
  evaluator.multiply_inplace(product, factor);
  evaluator.relinearize_inplace(product, relin_keys);
  evaluator.rescale_to_next_inplace(product);
  Ciphertext rotated;
  for (auto step = static_cast<int>(encoder.slot_count() / 2); step > 0; step /= 2) {
    evaluator.rotate_vector(product, step, galois_keys, rotated);
    evaluator.add_inplace(product, rotated);
  }
  evaluator.complex_conjugate_inplace(product, galois_keys);  // real numbers stay as they are

  std::vector<double> result;
  decryptor.decrypt(product, plain);
  encoder.decode(plain, result);
  std::cout << "inner product: " << result[0] << ", in the clear " << expected << '\n';
  checks.expect(std::abs(result[0] - expected) < 1e-4, "inner product within 1e-4");
}

void run(lesson::Checks& checks) {
  rows_and_columns(scheme_type::bfv, checks);
  rows_and_columns(scheme_type::bgv, checks);
  inner_product(checks);
}

}  // namespace

int main() { return lesson::run(run); }
