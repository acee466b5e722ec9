// SPDX-License-Identifier: Apache-2.0
//
// Lesson 5: a polynomial of encrypted numbers.
//
// A weather station knows thousands of temperatures in degrees Celsius. A server computes the
// saturation pressure of water vapour for each of them, without seeing one of them. Near room
// temperature a parabola is close enough:
//
//     pressure(t) = 6.1 + 0.25*t + 0.032*t^2        (hectopascal, t from 0 to 30)
//
// The station keeps the secret key; the server gets ciphertexts and the keys for evaluation.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

constexpr double kConstant = 6.1;
constexpr double kLinear = 0.25;
constexpr double kQuadratic = 0.032;

double pressure(double t) { return kConstant + kLinear * t + kQuadratic * t * t; }

// The server's computation. It has no secret: neither key nor numbers.
ringlet::Ciphertext evaluate_on_server(const ringlet::Context& context,
                                       const ringlet::RelinKeys& relin_keys,
                                       const ringlet::Ciphertext& t) {
  const ringlet::CKKSEncoder encoder(context);
  const ringlet::Evaluator evaluator(context);
  ringlet::Plaintext factor;

  // The square. A product of two ciphertexts has three polynomials instead of two; relinearization
  // reduces them to two, so that they do not grow with each product.
  ringlet::Ciphertext result;
  evaluator.square(t, result);
  evaluator.relinearize_inplace(result, relin_keys);
  // Scales multiply as well: 2^40 became 2^80. Rescaling divides by a prime of about 2^40 and drops
  // it: the result is one level lower.
  evaluator.rescale_to_next_inplace(result);
  // A factor is encoded at the level of the ciphertext. With the prime that is dropped next as its
  // scale, the product returns to exactly its previous scale.
  const ringlet::ContextData* level = context.get_context_data(result.parms_id());
  auto next_prime = static_cast<double>(level->coeff_modulus().back().value());
  encoder.encode(kQuadratic, result.parms_id(), next_prime, factor);
  evaluator.multiply_plain_inplace(result, factor);
  evaluator.rescale_to_next_inplace(result);

  // The linear term must reach the same level with the same scale, otherwise the sum is refused. It
  // needs only one product, so it first goes down one level without any change of its scale; then
  // the scale of its factor is chosen so that both sides agree.
  ringlet::Ciphertext linear;
  evaluator.mod_switch_to_next(t, linear);
  level = context.get_context_data(linear.parms_id());
  next_prime = static_cast<double>(level->coeff_modulus().back().value());
  encoder.encode(kLinear, linear.parms_id(), result.scale() * next_prime / linear.scale(), factor);
  evaluator.multiply_plain_inplace(linear, factor);
  evaluator.rescale_to_next_inplace(linear);
  linear.scale() = result.scale();  // equal up to the last bit of a double
  evaluator.add_inplace(result, linear);

  encoder.encode(kConstant, result.parms_id(), result.scale(), factor);
  evaluator.add_plain_inplace(result, factor);
  return result;
}

void run(lesson::Checks& checks) {
  // 1. Parameters. Degree 8192 gives 4096 slots: one ciphertext carries 4096 numbers. The primes
  //    are a budget: two rescalings spend two of 40 bits, the first one holds the rest at the end,
  //    the last one serves only relinearization. The Context refuses insecure parameters.
  ringlet::EncryptionParameters parms(ringlet::SchemeType::ckks);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(ringlet::CoeffModulus::create(8192, {60, 40, 40, 60}));
  const ringlet::Context context(parms);

  // 2. Keys. The server gets only `relin_keys`.
  const ringlet::KeyGenerator keygen(context);
  const ringlet::PublicKey public_key = keygen.create_public_key();
  const ringlet::RelinKeys relin_keys = keygen.create_relin_keys();

  // 3. Real numbers become integers by a scale: 2^40 keeps about twelve decimal digits, of which
  //    noise takes a few.
  const ringlet::CKKSEncoder encoder(context);
  std::vector<double> temperatures(encoder.slot_count());
  for (std::size_t i = 0; i < temperatures.size(); ++i) {
    temperatures[i] = 15.0 + 15.0 * std::sin(0.01 * static_cast<double>(i));
  }
  ringlet::Plaintext plain;
  encoder.encode(temperatures, std::pow(2.0, 40), plain);
  const ringlet::Encryptor encryptor(context, public_key);
  const ringlet::Ciphertext encrypted = encryptor.encrypt(plain);
  std::printf("%zu temperatures in one ciphertext of %zu bytes\n", temperatures.size(),
              encrypted.byte_count());

  // 4. The server computes without seeing the numbers.
  const ringlet::Ciphertext answer = evaluate_on_server(context, relin_keys, encrypted);

  // 5. Only the secret key decrypts the answer.
  const ringlet::Decryptor decryptor(context, keygen.secret_key());
  std::vector<double> pressures;
  encoder.decode(decryptor.decrypt(answer), pressures);
  double error = 0;
  for (std::size_t i = 0; i < pressures.size(); ++i) {
    error = std::max(error, std::abs(pressures[i] - pressure(temperatures[i])));
  }
  std::printf("at %.2f degrees: %.6f hPa, in the clear %.6f hPa\n", temperatures[0], pressures[0],
              pressure(temperatures[0]));
  std::printf("largest error of all slots: %.2e hPa\n", error);
  checks.expect(error < 1e-4, "every slot, within 1e-4 hPa");
}

}  // namespace

int main() { return lesson::run(run); }
