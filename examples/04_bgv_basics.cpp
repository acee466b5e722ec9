// SPDX-License-Identifier: Apache-2.0
//
// Lesson 4: BGV, and why it goes down a level after each product.
//
// BGV computes with the same exact messages as BFV, but keeps them in the low digits of a
// coefficient, below the noise. A product multiplies the noise of both operands: a smaller noise
// before the next product is worth more than a larger modulus. The example computes x^8 with and
// without switching down.
#include <cstdint>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using ringlet::Ciphertext;

void run(lesson::Checks& checks) {
  ringlet::EncryptionParameters parms(ringlet::SchemeType::bgv);
  parms.set_poly_modulus_degree(8192);
  parms.set_coeff_modulus(ringlet::CoeffModulus::create(8192, {48, 38, 38, 38}),
                          ringlet::CoeffModulus::create(8192, {49}));
  parms.set_plain_modulus(ringlet::PlainModulus::batching(8192, 20));
  const ringlet::Context context(parms);
  const std::uint64_t t = context.plain_modulus().value();

  const ringlet::KeyGenerator keygen(context);
  const ringlet::RelinKeys relin_keys = keygen.create_relin_keys();
  const ringlet::Encryptor encryptor(context, keygen.create_public_key());
  const ringlet::Evaluator evaluator(context);
  ringlet::Decryptor decryptor(context, keygen.secret_key());
  const ringlet::BatchEncoder encoder(context);

  std::vector<std::uint64_t> x(encoder.slot_count());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i + 1;
  ringlet::Plaintext plain;
  encoder.encode(x, plain);
  const Ciphertext encrypted = encryptor.encrypt(plain);
  std::printf("fresh: budget %d bits\n", decryptor.invariant_noise_budget(encrypted));

  const auto is_power = [&](const Ciphertext& result) {
    std::vector<std::uint64_t> slots;
    encoder.decode(decryptor.decrypt(result), slots);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (slots[i] != ringlet::pow_mod(x[i], 8, ringlet::Modulus(t))) return false;
    }
    return true;
  };

  Ciphertext high = encrypted;
  for (int squaring = 1; squaring <= 3; ++squaring) {
    evaluator.square_inplace(high);
    evaluator.relinearize_inplace(high, relin_keys);
    std::printf("at the first level, squaring %d: budget %d bits\n", squaring,
                decryptor.invariant_noise_budget(high));
  }

  Ciphertext low = encrypted;
  for (int squaring = 1; squaring <= 3; ++squaring) {
    evaluator.square_inplace(low);
    evaluator.relinearize_inplace(low, relin_keys);
    if (squaring < 3) evaluator.mod_switch_to_next_inplace(low);
    std::printf("going down, squaring %d: budget %d bits\n", squaring,
                decryptor.invariant_noise_budget(low));
  }
  // Each switch multiplied the message by the inverse of a prime modulo t. The ciphertext stores
  // that factor and decryption removes it; operands of sums may have different factors.
  std::printf("correction factor: %llu\n",
              static_cast<unsigned long long>(low.correction_factor()));
  checks.expect(is_power(low), "x^8 going down");
  checks.expect(decryptor.invariant_noise_budget(low) > decryptor.invariant_noise_budget(high),
                "going down leaves more budget");
}

}  // namespace

int main() { return lesson::run(run); }
