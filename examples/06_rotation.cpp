// SPDX-License-Identifier: Apache-2.0
//
// Lesson 6: moving slots.
//
// Products act slot by slot: numbers that shall meet in one slot must first be rotated there. A
// rotation is an automorphism of the ring followed by a key switch, with its own Galois key. Keys
// for the powers of two allow every rotation, in a few steps; a key for exactly the wanted rotation
// needs one step.
#include <cmath>
#include <cstdint>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using ringlet::Ciphertext;

// BFV and BGV: slots are a matrix of two rows.
void rows_and_columns(lesson::Checks& checks) {
  const ringlet::Context context(ringlet::default_parameters(ringlet::SchemeType::bfv, 8192));
  const ringlet::BatchEncoder encoder(context);
  const std::size_t row = encoder.slot_count() / 2;
  std::vector<std::uint64_t> matrix(encoder.slot_count());
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = i;
  ringlet::Plaintext plain;
  encoder.encode(matrix, plain);

  const ringlet::KeyGenerator keygen(context);
  const ringlet::Encryptor encryptor(context, keygen.create_public_key());
  // One key for three steps to the left and one (named 0) for the swap of the rows.
  const ringlet::GaloisKeys keys = keygen.create_galois_keys(std::vector<int>{3, 0});
  const ringlet::Evaluator evaluator(context);
  ringlet::Decryptor decryptor(context, keygen.secret_key());

  Ciphertext moved = encryptor.encrypt(plain);
  evaluator.rotate_rows_inplace(moved, 3, keys);
  evaluator.rotate_columns_inplace(moved, keys);
  std::vector<std::uint64_t> result;
  encoder.decode(decryptor.decrypt(moved), result);
  std::printf(
      "first row now begins with %llu, %llu, %llu\n", static_cast<unsigned long long>(result[0]),
      static_cast<unsigned long long>(result[1]), static_cast<unsigned long long>(result[2]));
  bool all = true;
  for (std::size_t i = 0; i < row; ++i) {
    all =
        all && result[i] == matrix[row + (i + 3) % row] && result[row + i] == matrix[(i + 3) % row];
  }
  checks.expect(all, "rows by three, then swapped");

  checks.expect_refused("a rotation without its key is refused",
                        [&] { evaluator.rotate_rows_inplace(moved, 5, keys); });
}

// CKKS: the inner product of two vectors, with log2 of their length rotations.
void inner_product(lesson::Checks& checks) {
  const ringlet::Context context(ringlet::default_parameters(ringlet::SchemeType::ckks, 8192));
  const ringlet::CKKSEncoder encoder(context);
  const double scale = std::pow(2.0, 40);
  std::vector<double> a(encoder.slot_count());
  std::vector<double> b(encoder.slot_count());
  double expected = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = 1.0 / static_cast<double>(i + 1);
    b[i] = std::cos(static_cast<double>(i));
    expected += a[i] * b[i];
  }
  ringlet::Plaintext plain;
  encoder.encode(a, scale, plain);
  const ringlet::KeyGenerator keygen(context);
  const ringlet::Encryptor encryptor(context, keygen.create_public_key());
  Ciphertext product = encryptor.encrypt(plain);
  encoder.encode(b, scale, plain);
  const Ciphertext encrypted_b = encryptor.encrypt(plain);

  const ringlet::RelinKeys relin_keys = keygen.create_relin_keys();
  const ringlet::GaloisKeys keys = keygen.create_galois_keys();  // all powers of two
  const ringlet::Evaluator evaluator(context);
  evaluator.multiply_inplace(product, encrypted_b);
  evaluator.relinearize_inplace(product, relin_keys);
  evaluator.rescale_to_next_inplace(product);
  // Each step doubles the number of products whose sum every slot holds.
  Ciphertext rotated;
  for (auto step = static_cast<int>(encoder.slot_count() / 2); step > 0; step /= 2) {
    evaluator.rotate_vector(product, step, keys, rotated);
    evaluator.add_inplace(product, rotated);
  }

  ringlet::Decryptor decryptor(context, keygen.secret_key());
  std::vector<double> result;
  encoder.decode(decryptor.decrypt(product), result);
  std::printf("inner product: %.5f, in the clear %.5f\n", result[0], expected);
  checks.expect(std::abs(result[0] - expected) < 1e-4, "inner product within 1e-4");
}

void run(lesson::Checks& checks) {
  rows_and_columns(checks);
  inner_product(checks);
}

}  // namespace

int main() { return lesson::run(run); }
