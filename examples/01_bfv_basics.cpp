// SPDX-License-Identifier: Apache-2.0
//
// Lesson 1: exact arithmetic on encrypted integers.
//
// Eight households report the age of their eldest member. A statistician wants to publish how far
// the ages spread,
//
//     n * sum(x^2) - (sum x)^2        (n^2 times the variance)
//
// without learning a single age. BFV computes with integers modulo t, exactly, until the noise
// budget is spent.
#include <cstdint>
#include <vector>

#include "lesson.hpp"
#include "ringlet/ringlet.hpp"

namespace {

using ringlet::Ciphertext;

// A number as the constant of a polynomial. Lesson 2 puts thousands of numbers into one plaintext.
ringlet::Plaintext constant(std::uint64_t value) {
  ringlet::Plaintext plain(1);
  plain.coefficients_for_writing()[0] = value;
  return plain;
}

void refuse_transparent(lesson::Checks& checks, const ringlet::Evaluator& evaluator,
                        Ciphertext& spread) {
  // 5. Errors name their cause: a ciphertext minus itself would be readable by anybody. The
  // evaluator refuses it at once, or on a GPU when the host first reads the result.
  try {
    evaluator.sub(spread, spread, spread);
    spread.bring_to_host();
    checks.expect(false, "a transparent result is refused");
  } catch (const ringlet::LogicError& error) {
    checks.expect(error.operation() == "Evaluator::sub", "a transparent result is refused");
  }
}

void run(lesson::Checks& checks) {
  // 1. Parameters. Results are correct modulo t, so t must exceed them all. The primes of the
  //    coefficient modulus give the noise budget. default_parameters uses the largest modulus that
  //    128 bits of security allow at degree 8192.
  ringlet::EncryptionParameters parms = ringlet::default_parameters(ringlet::SchemeType::bfv, 8192);
  parms.set_plain_modulus(ringlet::Modulus(1032193));
  const ringlet::Context context(parms);
  std::printf("q has %d bits, t = %llu\n",
              context.first_context_data()->total_coeff_modulus_bit_count(),
              static_cast<unsigned long long>(context.plain_modulus().value()));

  // 2. Keys: the households get the public key, the statistician the relinearization key.
  const ringlet::KeyGenerator keygen(context);
  const ringlet::PublicKey public_key = keygen.create_public_key();
  const ringlet::RelinKeys relin_keys = keygen.create_relin_keys();
  const ringlet::Encryptor encryptor(context, public_key);
  ringlet::Decryptor decryptor(context, keygen.secret_key());
  const ringlet::Evaluator evaluator(context);

  const std::vector<std::uint64_t> ages{71, 38, 44, 90, 27, 63, 55, 81};
  std::vector<Ciphertext> encrypted;
  for (const std::uint64_t age : ages) encrypted.push_back(encryptor.encrypt(constant(age)));
  std::printf("noise budget of a fresh ciphertext: %d bits\n",
              decryptor.invariant_noise_budget(encrypted[0]));

  // 3. The statistician computes. Sums cost almost no budget.
  Ciphertext sum;
  evaluator.add_many(encrypted, sum);
  std::printf("after a sum of eight:               %d bits\n",
              decryptor.invariant_noise_budget(sum));

  // A product costs a fixed number of bits, whatever its operands are. It has three polynomials;
  // relinearization reduces them to two at almost no cost.
  std::vector<Ciphertext> squares(encrypted.size());
  for (std::size_t i = 0; i < encrypted.size(); ++i) evaluator.square(encrypted[i], squares[i]);
  Ciphertext sum_of_squares;
  evaluator.add_many(squares, sum_of_squares);
  evaluator.relinearize_inplace(sum_of_squares, relin_keys);
  std::printf("after a square:                     %d bits\n",
              decryptor.invariant_noise_budget(sum_of_squares));

  // A product with a known number is cheaper than one with an encrypted number.
  evaluator.multiply_plain_inplace(sum_of_squares, constant(ages.size()));
  evaluator.square_inplace(sum);
  evaluator.relinearize_inplace(sum, relin_keys);
  Ciphertext spread;
  evaluator.sub(sum_of_squares, sum, spread);

  // 4. Only the result is decrypted.
  const std::uint64_t answer = decryptor.decrypt(spread).coefficients()[0];
  std::uint64_t total = 0;
  std::uint64_t total_of_squares = 0;
  for (const std::uint64_t age : ages) {
    total += age;
    total_of_squares += age * age;
  }
  std::printf("spread of the ages: %llu\n", static_cast<unsigned long long>(answer));
  checks.expect(answer == ages.size() * total_of_squares - total * total, "spread");
  refuse_transparent(checks, evaluator, spread);
}

}  // namespace

int main() { return lesson::run(run); }
