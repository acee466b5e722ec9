// SPDX-License-Identifier: Apache-2.0
// A linear layer on encrypted inputs: diagonals times rotations, then a square. Scales and levels
// are set by hand, and keys are made for the rotations that the layer needs.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "seal/seal.h"

using namespace seal;

constexpr std::size_t kWidth = 16;

struct Layer {
  std::vector<std::vector<double>> weights{kWidth, std::vector<double>(kWidth)};
  std::vector<double> bias = std::vector<double>(kWidth);

  double square_of_row(std::size_t i, const std::vector<double>& input) const {
    double sum = bias[i];
    for (std::size_t j = 0; j < kWidth; ++j) sum += weights[i][j] * input[j];
    return sum * sum;
  }
};

// Every block of kWidth slots repeats the vector, so that rotations wrap around.
std::vector<double> repeated(const std::vector<double>& values, std::size_t slot_count) {
  std::vector<double> slots(slot_count);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = values[i % kWidth];
  return slots;
}

int main() {
  EncryptionParameters parms(scheme_type::ckks);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(CoeffModulus::Create(8192, {50, 40, 40, 50}));
  const SEALContext context(parms);
  KeyGenerator keygen(context);
  std::vector<int> steps;
  for (std::size_t d = 1; d < kWidth; ++d) steps.push_back(static_cast<int>(d));
  GaloisKeys galois_keys;
  keygen.create_galois_keys(steps, galois_keys);
  RelinKeys relin_keys;
  keygen.create_relin_keys(relin_keys);
  Encryptor encryptor(context, keygen.secret_key());
  Evaluator evaluator(context);
  CKKSEncoder encoder(context);
  const double scale = std::pow(2.0, 40);

  std::mt19937_64 rng(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Layer layer;
  std::vector<double> input(kWidth);
  for (std::size_t i = 0; i < kWidth; ++i) {
    input[i] = uniform(rng);
    layer.bias[i] = uniform(rng);
    for (double& weight : layer.weights[i]) weight = uniform(rng);
  }
  const std::size_t slot_count = encoder.slot_count();
  Plaintext plain;
  encoder.encode(repeated(input, slot_count), scale, plain);
  Ciphertext x, sum;
  encryptor.encrypt_symmetric(plain, x);
  for (std::size_t d = 0; d < kWidth; ++d) {
    std::vector<double> diagonal(kWidth);
    for (std::size_t i = 0; i < kWidth; ++i) diagonal[i] = layer.weights[i][(i + d) % kWidth];
    encoder.encode(repeated(diagonal, slot_count), x.parms_id(), scale, plain);
    Ciphertext term;
    evaluator.rotate_vector(x, static_cast<int>(d), galois_keys, term);
    evaluator.multiply_plain_inplace(term, plain);
    d == 0 ? void(sum = term) : evaluator.add_inplace(sum, term);
  }
  evaluator.rescale_to_next_inplace(sum);
  sum.scale() = scale;  // the prime is close to 2^40
  encoder.encode(repeated(layer.bias, slot_count), sum.parms_id(), scale, plain);
  evaluator.add_plain_inplace(sum, plain);
  evaluator.square_inplace(sum);
  evaluator.relinearize_inplace(sum, relin_keys);
  evaluator.rescale_to_next_inplace(sum);

  std::vector<double> found;
  Decryptor(context, keygen.secret_key()).decrypt(sum, plain);
  encoder.decode(plain, found);
  double largest = 0;
  for (std::size_t i = 0; i < kWidth; ++i) {
    largest = std::max(largest, std::abs(found[i] - layer.square_of_row(i, input)));
  }
  std::printf("largest error %.1e at chain index %zu\n", largest,
              context.get_context_data(sum.parms_id())->chain_index());
  return largest < 1e-4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
