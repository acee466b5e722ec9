// SPDX-License-Identifier: Apache-2.0
// Squares 1.5 under encryption, and sends it through a file.
#include <cmath>
#include <iostream>
#include <vector>

#include <ringlet/ringlet.hpp>

int main() {
  ringlet::EncryptionParameters parameters(ringlet::SchemeType::ckks);
  parameters.set_poly_modulus_degree(8192);
  parameters.set_coeff_modulus(ringlet::CoeffModulus::create(8192, {50, 40, 40, 50}));
  const ringlet::Context context(parameters);
  const ringlet::KeyGenerator keys(context);
  const ringlet::CKKSEncoder encoder(context);

  ringlet::Plaintext plain;
  encoder.encode(std::vector<double>{1.5}, std::pow(2.0, 40), plain);
  ringlet::Ciphertext cipher;
  ringlet::Encryptor(context, keys.create_public_key()).encrypt(plain, cipher);
  const ringlet::Evaluator evaluator(context);
  evaluator.square_inplace(cipher);
  evaluator.relinearize_inplace(cipher, keys.create_relin_keys());
  evaluator.rescale_to_next_inplace(cipher);

  const auto file = ringlet::save(cipher, ringlet::Compression::zstd);
  cipher = ringlet::load<ringlet::Ciphertext>(context, file);

  std::vector<double> result;
  ringlet::Decryptor(context, keys.secret_key()).decrypt(cipher, plain);
  encoder.decode(plain, result);
  std::cout << "1.5^2 = " << result[0] << '\n';
  return std::abs(result[0] - 2.25) < 1e-4 ? 0 : 1;
}
